package io.moldau.metadata.controller.op;

import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TopicConfigDescriber;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.ReplicaPlacer;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopicConfig;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.CreateTopicsResponseData.CreatableTopicConfigs;
import io.moldau.wire.message.CreateTopicsResponseData.CreatableTopicResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// Creates topics; each succeeds or fails by itself. Automatic creation comes this way too.
public final class CreateTopics {

    /// More partitions than this in one request are refused.
    static final int MAX_PARTITIONS = 10_000;

    /// The name of the metadata log where it is a topic; not to be taken.
    private static final String METADATA_TOPIC = "__cluster_metadata";

    private final ControllerSettings settings;
    private final ReplicaPlacer placer;
    private final ConfigValidator validator;
    private final TopicConfigDescriber describer;
    private final RandomGenerator random;

    public CreateTopics(
            ControllerSettings settings,
            ReplicaPlacer placer,
            ConfigValidator validator,
            TopicConfigDescriber describer,
            RandomGenerator random) {
        this.settings = settings;
        this.placer = placer;
        this.validator = validator;
        this.describer = describer;
        this.random = random;
    }

    public ControllerResult<CreateTopicsResponseData> plan(MetadataImage image, CreateTopicsRequestData request) {
        var results = new ArrayList<CreatableTopicResult>();
        var records = new ArrayList<MetadataRecord>();
        Set<String> duplicates = Duplicates.of(request.topics(), CreatableTopic::name);
        boolean tooMany = totalPartitions(request) > MAX_PARTITIONS;
        // Topics of this request see those before them: two names can collide within one request.
        var delta = new MetadataDelta(image);
        var answered = new HashSet<String>();
        for (CreatableTopic topic : request.topics()) {
            if (duplicates.contains(topic.name())) {
                if (answered.add(topic.name())) {
                    results.add(failure(topic, new ApiError(Errors.INVALID_REQUEST, "Duplicate topic name.")));
                }
                continue;
            }
            try {
                if (tooMany) {
                    throw new ApiException(
                            Errors.POLICY_VIOLATION,
                            "Excessively large number of partitions per request: at most " + MAX_PARTITIONS
                                    + " can be created at once.");
                }
                List<MetadataRecord> own = new ArrayList<>();
                results.add(create(delta.current(), topic, own));
                delta.replayAll(own);
                records.addAll(own);
            } catch (ApiException e) {
                results.add(failure(topic, e.toApiError()));
            }
        }
        var response = new CreateTopicsResponseData().setTopics(results);
        return request.validateOnly() ? ControllerResult.answer(response) : ControllerResult.atomic(records, response);
    }

    private long totalPartitions(CreateTopicsRequestData request) {
        long total = 0;
        for (CreatableTopic topic : request.topics()) {
            if (!topic.assignments().isEmpty()) {
                total += topic.assignments().size();
            } else {
                total +=
                        topic.numPartitions() == -1 ? settings.defaultPartitions() : Math.max(0, topic.numPartitions());
            }
        }
        return total;
    }

    private CreatableTopicResult create(MetadataImage image, CreatableTopic topic, List<MetadataRecord> records) {
        checkName(image, topic.name());
        Map<String, String> overrides = overrides(topic);
        Map<Integer, PartitionRegistration> partitions = partitions(image, topic);
        Optional<ApiError> configError = validator.validate(ConfigResource.topic(topic.name()), overrides);
        if (configError.isPresent()) {
            throw configError.get().exception();
        }

        Uuid id = newId(image);
        records.add(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(topic.name())
                .setTopicId(MetadataRecords.id(id))
                .build()));
        overrides.forEach((key, value) -> records.add(MetadataRecords.of(ConfigRecord.newBuilder()
                .setResourceType(ConfigResource.Type.TOPIC.code())
                .setResourceName(topic.name())
                .setName(key)
                .setValue(value)
                .build())));
        partitions.forEach((partition, registration) ->
                records.add(MetadataRecords.of(registration.toRecord(MetadataRecords.id(id), partition))));

        var configs = new ArrayList<CreatableTopicConfigs>();
        for (TopicConfigDescriber.Entry entry :
                describer.describe(overrides, image.configs().overrides(ConfigResource.brokerDefault()))) {
            configs.add(new CreatableTopicConfigs()
                    .setName(entry.name())
                    .setValue(entry.value())
                    .setReadOnly(entry.readOnly())
                    .setConfigSource(entry.source())
                    .setIsSensitive(entry.sensitive()));
        }
        return new CreatableTopicResult()
                .setName(topic.name())
                .setTopicId(id)
                .setErrorMessage(null)
                .setNumPartitions(partitions.size())
                .setReplicationFactor(
                        (short) partitions.values().iterator().next().replicas().size())
                .setConfigs(configs);
    }

    private Uuid newId(MetadataImage image) {
        Uuid id = Uuid.random(random);
        while (image.topics().topic(id) != null) {
            id = Uuid.random(random);
        }
        return id;
    }

    private static void checkName(MetadataImage image, String name) {
        if (name.equals(METADATA_TOPIC)) {
            throw new ApiException(
                    Errors.INVALID_REQUEST, "Creation of internal topic " + METADATA_TOPIC + " is prohibited.");
        }
        Optional<String> problem = TopicNames.problem(name);
        if (problem.isPresent()) {
            throw new ApiException(Errors.INVALID_TOPIC_EXCEPTION, problem.get());
        }
        if (image.topics().topic(name) != null) {
            throw new ApiException(Errors.TOPIC_ALREADY_EXISTS, "Topic '" + name + "' already exists.");
        }
        Optional<String> collision = TopicNames.collision(image.topics(), name);
        if (collision.isPresent()) {
            throw new ApiException(
                    Errors.INVALID_TOPIC_EXCEPTION,
                    "Topic '" + name + "' collides with existing topic: " + collision.get());
        }
    }

    private static Map<String, String> overrides(CreatableTopic topic) {
        var overrides = new TreeMap<String, String>();
        for (CreatableTopicConfig config : topic.configs()) {
            String value = config.value();
            if (value == null) {
                throw new ApiException(
                        Errors.INVALID_CONFIG, "Null value not supported for topic configs: " + config.name());
            }
            overrides.put(config.name(), value);
        }
        return overrides;
    }

    private Map<Integer, PartitionRegistration> partitions(MetadataImage image, CreatableTopic topic) {
        return topic.assignments().isEmpty() ? placed(image, topic) : assigned(image, topic);
    }

    private static Map<Integer, PartitionRegistration> assigned(MetadataImage image, CreatableTopic topic) {
        if (topic.replicationFactor() != -1) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "A manual partition assignment was specified, but replication factor was not set to -1.");
        }
        if (topic.numPartitions() != -1) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "A manual partition assignment was specified, but numPartitions was not set to -1.");
        }
        var partitions = new TreeMap<Integer, PartitionRegistration>();
        int replicationFactor = 0;
        for (CreatableReplicaAssignment assignment : topic.assignments()) {
            int partition = assignment.partitionIndex();
            if (partitions.containsKey(partition)) {
                throw new ApiException(
                        Errors.INVALID_REPLICA_ASSIGNMENT,
                        "Found multiple manual partition assignments for partition " + partition);
            }
            Placement.checkManual(image.cluster(), assignment.brokerIds(), replicationFactor);
            replicationFactor = assignment.brokerIds().size();
            partitions.put(partition, Placement.newPartition(image.cluster(), assignment.brokerIds(), partition));
        }
        for (int partition = 0; partition < partitions.size(); partition++) {
            if (!partitions.containsKey(partition)) {
                throw new ApiException(
                        Errors.INVALID_REPLICA_ASSIGNMENT,
                        "partitions should be a consecutive 0-based integer sequence");
            }
        }
        return partitions;
    }

    private Map<Integer, PartitionRegistration> placed(MetadataImage image, CreatableTopic topic) {
        if (topic.replicationFactor() < -1 || topic.replicationFactor() == 0) {
            throw new ApiException(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "Replication factor must be larger than 0, or -1 to use the default value.");
        }
        if (topic.numPartitions() < -1 || topic.numPartitions() == 0) {
            throw new ApiException(
                    Errors.INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value.");
        }
        int count = topic.numPartitions() == -1 ? settings.defaultPartitions() : topic.numPartitions();
        int replicationFactor =
                topic.replicationFactor() == -1 ? settings.defaultReplicationFactor() : topic.replicationFactor();
        var partitions = new TreeMap<Integer, PartitionRegistration>();
        List<List<Integer>> placements =
                placer.place(count, replicationFactor, Placement.usableBrokers(image.cluster()), random);
        for (int partition = 0; partition < count; partition++) {
            partitions.put(partition, Placement.newPartition(image.cluster(), placements.get(partition), partition));
        }
        return partitions;
    }

    private static CreatableTopicResult failure(CreatableTopic topic, ApiError error) {
        return new CreatableTopicResult()
                .setName(topic.name())
                .setErrorCode(error.code())
                .setErrorMessage(error.messageOrDefault())
                .setNumPartitions(-1)
                .setReplicationFactor((short) -1);
    }
}
