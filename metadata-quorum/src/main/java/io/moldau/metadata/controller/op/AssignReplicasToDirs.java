package io.moldau.metadata.controller.op;

import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.PartitionRules;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.wire.message.AssignReplicasToDirsRequestData;
import io.moldau.wire.message.AssignReplicasToDirsResponseData;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A broker tells in which of its log directories it has put replicas (KIP-858). A replica in a
/// directory that failed meanwhile is lost: it leaves the ISR, and somebody else leads.
public final class AssignReplicasToDirs {

    private final ControllerSettings settings;

    public AssignReplicasToDirs(ControllerSettings settings) {
        this.settings = settings;
    }

    public ControllerResult<AssignReplicasToDirsResponseData> plan(
            MetadataImage image, AssignReplicasToDirsRequestData request) {
        BrokerRegistration broker = BrokerEpochs.check(image, request.brokerId(), request.brokerEpoch());
        var response = new AssignReplicasToDirsResponseData();
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        for (var directory : request.directories()) {
            var topics = new ArrayList<AssignReplicasToDirsResponseData.TopicData>();
            for (var topic : directory.topics()) {
                @Nullable TopicImage existing = image.topics().topic(topic.topicId());
                var partitions = new ArrayList<AssignReplicasToDirsResponseData.PartitionData>();
                for (var partition : topic.partitions()) {
                    Errors error = existing == null
                            ? Errors.UNKNOWN_TOPIC_ID
                            : assign(
                                    image,
                                    broker,
                                    existing,
                                    partition.partitionIndex(),
                                    directory.id(),
                                    rules.of(existing.name()),
                                    records);
                    partitions.add(new AssignReplicasToDirsResponseData.PartitionData()
                            .setPartitionIndex(partition.partitionIndex())
                            .setErrorCode(error.code()));
                }
                topics.add(new AssignReplicasToDirsResponseData.TopicData()
                        .setTopicId(topic.topicId())
                        .setPartitions(partitions));
            }
            response.directories()
                    .add(new AssignReplicasToDirsResponseData.DirectoryData()
                            .setId(directory.id())
                            .setTopics(topics));
        }
        return ControllerResult.of(records, response);
    }

    private static Errors assign(
            MetadataImage image,
            BrokerRegistration broker,
            TopicImage topic,
            int partitionId,
            Uuid directory,
            PartitionRules rules,
            List<MetadataRecord> records) {
        @Nullable PartitionRegistration partition = topic.partition(partitionId);
        if (partition == null) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (!partition.replicas().contains(broker.id())) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        var change = new PartitionChange(partition, topic.id(), partitionId, image.cluster()::isActive, rules)
                .directory(broker.id(), directory);
        if (!image.cluster().hasOnlineDirectory(broker.id(), directory)) {
            change.lost(broker.id()).mode(rules.mode());
        }
        change.build().ifPresent(records::add);
        return Errors.NONE;
    }
}
