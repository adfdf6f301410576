package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.ReplicaPlacer;
import io.moldau.metadata.record.Id;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import io.moldau.wire.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import io.moldau.wire.message.CreatePartitionsResponseData;
import io.moldau.wire.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Adds partitions to topics; each succeeds or fails by itself.
public final class CreatePartitions {

    private final ReplicaPlacer placer;
    private final RandomGenerator random;

    public CreatePartitions(ReplicaPlacer placer, RandomGenerator random) {
        this.placer = placer;
        this.random = random;
    }

    public ControllerResult<CreatePartitionsResponseData> plan(
            MetadataImage image, CreatePartitionsRequestData request) {
        Set<String> duplicates = Duplicates.of(request.topics(), CreatePartitionsTopic::name);
        var answered = new HashSet<String>();
        var results = new ArrayList<CreatePartitionsTopicResult>();
        var records = new ArrayList<MetadataRecord>();
        for (CreatePartitionsTopic topic : request.topics()) {
            var result = new CreatePartitionsTopicResult().setName(topic.name()).setErrorMessage(null);
            if (duplicates.contains(topic.name())) {
                if (answered.add(topic.name())) {
                    results.add(result.setErrorCode(Errors.INVALID_REQUEST.code())
                            .setErrorMessage("Duplicate topic name."));
                }
                continue;
            }
            try {
                var own = new ArrayList<MetadataRecord>();
                create(image, topic, own);
                if (records.size() + own.size() > CreateTopics.MAX_PARTITIONS) {
                    throw new ApiException(
                            Errors.POLICY_VIOLATION,
                            "Excessively large number of partitions per request: at most " + CreateTopics.MAX_PARTITIONS
                                    + " can be created at once.");
                }
                records.addAll(own);
            } catch (ApiException e) {
                result.setErrorCode(e.error().code()).setErrorMessage(e.getMessage());
            }
            results.add(result);
        }
        var response = new CreatePartitionsResponseData().setResults(results);
        return request.validateOnly() ? ControllerResult.answer(response) : ControllerResult.atomic(records, response);
    }

    private void create(MetadataImage image, CreatePartitionsTopic request, List<MetadataRecord> records) {
        @Nullable TopicImage topic = image.topics().topic(request.name());
        if (topic == null) {
            throw new ApiException(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        int existing = topic.partitions().size();
        int added = request.count() - existing;
        if (added == 0) {
            throw new ApiException(Errors.INVALID_PARTITIONS, "Topic already has " + existing + " partition(s).");
        }
        if (added < 0) {
            throw new ApiException(
                    Errors.INVALID_PARTITIONS,
                    "The topic " + topic.name() + " currently has " + existing + " partition(s); " + request.count()
                            + " would not be an increase.");
        }
        if (added > CreateTopics.MAX_PARTITIONS) {
            throw new ApiException(
                    Errors.POLICY_VIOLATION,
                    "Excessively large number of partitions per request: at most " + CreateTopics.MAX_PARTITIONS
                            + " can be created at once.");
        }
        @Nullable PartitionRegistration first = topic.partition(0);
        int replicationFactor = first == null ? 1 : first.replicas().size();
        List<List<Integer>> placements = placements(image, request.assignments(), added, replicationFactor);
        Id id = MetadataRecords.id(topic.id());
        for (int i = 0; i < added; i++) {
            int partition = existing + i;
            records.add(MetadataRecords.of(Placement.newPartition(image.cluster(), placements.get(i), partition)
                    .toRecord(id, partition)));
        }
    }

    private List<List<Integer>> placements(
            MetadataImage image,
            @Nullable List<CreatePartitionsAssignment> assignments,
            int added,
            int replicationFactor) {
        if (assignments == null) {
            return placer.place(added, replicationFactor, Placement.usableBrokers(image.cluster()), random);
        }
        if (assignments.size() != added) {
            throw new ApiException(
                    Errors.INVALID_REPLICA_ASSIGNMENT,
                    "Attempted to add " + added + " additional partition(s), but only " + assignments.size()
                            + " assignment(s) were specified.");
        }
        var placements = new ArrayList<List<Integer>>();
        for (CreatePartitionsAssignment assignment : assignments) {
            Placement.checkManual(image.cluster(), assignment.brokerIds(), replicationFactor);
            placements.add(assignment.brokerIds());
        }
        return placements;
    }
}
