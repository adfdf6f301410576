package io.moldau.metadata.controller.op;

import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.LeaderElector;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.ElectLeadersRequestData.TopicPartitions;
import io.moldau.wire.message.ElectLeadersResponseData;
import io.moldau.wire.message.ElectLeadersResponseData.PartitionResult;
import io.moldau.wire.message.ElectLeadersResponseData.ReplicaElectionResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Elects preferred leaders, or unclean ones where there is no other (KIP-183, KIP-460).
public final class ElectLeaders {

    private static final byte PREFERRED = 0;
    private static final byte UNCLEAN = 1;

    private final ControllerSettings settings;

    public ElectLeaders(ControllerSettings settings) {
        this.settings = settings;
    }

    public ControllerResult<ElectLeadersResponseData> plan(MetadataImage image, ElectLeadersRequestData request) {
        if (request.electionType() != PREFERRED && request.electionType() != UNCLEAN) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "Unknown election type " + request.electionType()
                            + "; 0 elects preferred leaders, 1 unclean ones.");
        }
        boolean unclean = request.electionType() == UNCLEAN;
        var rules = new TopicRules(image, settings);
        var results = new ArrayList<ReplicaElectionResult>();
        var records = new ArrayList<MetadataRecord>();
        @Nullable List<TopicPartitions> wanted = request.topicPartitions();
        if (wanted == null) {
            // All partitions: those that need nothing are not mentioned.
            for (TopicImage topic : image.topics().topics()) {
                var partitionResults = new ArrayList<PartitionResult>();
                for (int partition : topic.partitions().keySet()) {
                    ApiError error = elect(image, rules, topic, partition, unclean, records);
                    if (error.error() != Errors.ELECTION_NOT_NEEDED) {
                        partitionResults.add(result(partition, error));
                    }
                }
                if (!partitionResults.isEmpty()) {
                    results.add(
                            new ReplicaElectionResult().setTopic(topic.name()).setPartitionResult(partitionResults));
                }
            }
        } else {
            for (TopicPartitions topic : wanted) {
                var partitionResults = new ArrayList<PartitionResult>();
                for (int partition : topic.partitions()) {
                    partitionResults.add(result(
                            partition,
                            elect(image, rules, image.topics().topic(topic.topic()), partition, unclean, records)));
                }
                results.add(new ReplicaElectionResult().setTopic(topic.topic()).setPartitionResult(partitionResults));
            }
        }
        return ControllerResult.of(records, new ElectLeadersResponseData().setReplicaElectionResults(results));
    }

    private static ApiError elect(
            MetadataImage image,
            TopicRules rules,
            @Nullable TopicImage topic,
            int partitionId,
            boolean unclean,
            List<MetadataRecord> records) {
        @Nullable PartitionRegistration partition = topic == null ? null : topic.partition(partitionId);
        if (topic == null || partition == null) {
            return new ApiError(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION,
                    topic == null ? "No such topic." : "No such partition as " + topic.name() + "-" + partitionId);
        }
        if (unclean
                ? image.cluster().isActive(partition.leader())
                : partition.leader() == partition.preferredReplica()) {
            return ApiError.of(Errors.ELECTION_NOT_NEEDED);
        }
        Optional<MetadataRecord> record = new PartitionChange(
                        partition, topic.id(), partitionId, image.cluster()::isActive, rules.of(topic.name()))
                .mode(unclean ? LeaderElector.Mode.UNCLEAN : LeaderElector.Mode.PREFERRED)
                .build();
        int leader = record.map(change -> partition.merge(change.getPartitionChange()))
                .orElse(partition)
                .leader();
        if (unclean ? !image.cluster().isActive(leader) : leader != partition.preferredReplica()) {
            return unclean
                    ? new ApiError(
                            Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE,
                            "No replica of " + topic.name() + "-" + partitionId + " is up.")
                    : new ApiError(
                            Errors.PREFERRED_LEADER_NOT_AVAILABLE,
                            "The preferred leader " + partition.preferredReplica() + " of " + topic.name() + "-"
                                    + partitionId + " is not up or not in sync.");
        }
        record.ifPresent(records::add);
        return ApiError.NONE;
    }

    private static PartitionResult result(int partition, ApiError error) {
        return new PartitionResult()
                .setPartitionId(partition)
                .setErrorCode(error.code())
                .setErrorMessage(error.message());
    }
}
