package io.moldau.metadata.controller.op;

import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRules;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.AlterConfigsResponseData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Changes the overrides of resources; each resource succeeds or fails by itself. Both the incremental request and
/// the
/// older one, which replaces everything.
public final class AlterConfigs {

    /// The resource as the client named it; the type may be none of Kafka's.
    private record Named(byte type, String name) {}

    private final ConfigValidator validator;
    private final ControllerSettings settings;

    public AlterConfigs(ConfigValidator validator, ControllerSettings settings) {
        this.validator = validator;
        this.settings = settings;
    }

    public ControllerResult<IncrementalAlterConfigsResponseData> incremental(
            MetadataImage image, IncrementalAlterConfigsRequestData request) {
        var responses = new ArrayList<IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse>();
        var records = new ArrayList<MetadataRecord>();
        Set<Named> duplicates = Duplicates.of(
                request.resources(), resource -> new Named(resource.resourceType(), resource.resourceName()));
        var answered = new HashSet<Named>();
        for (var resource : request.resources()) {
            var named = new Named(resource.resourceType(), resource.resourceName());
            ApiError error = ApiError.NONE;
            if (duplicates.contains(named)) {
                if (!answered.add(named)) {
                    continue;
                }
                error = new ApiError(Errors.INVALID_REQUEST, "Each resource must appear at most once.");
            } else {
                try {
                    ConfigResource target = existing(image, named);
                    Map<String, String> wanted = altered(target, image.configs().overrides(target), resource.configs());
                    change(image, target, wanted, records);
                } catch (ApiException e) {
                    error = e.toApiError();
                }
            }
            responses.add(new IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName())
                    .setErrorCode(error.code())
                    .setErrorMessage(error.message()));
        }
        records.addAll(eligibleLeadersAfter(image, records));
        var response = new IncrementalAlterConfigsResponseData().setResponses(responses);
        return request.validateOnly() ? ControllerResult.answer(response) : ControllerResult.atomic(records, response);
    }

    public ControllerResult<AlterConfigsResponseData> replacing(MetadataImage image, AlterConfigsRequestData request) {
        var responses = new ArrayList<AlterConfigsResponseData.AlterConfigsResourceResponse>();
        var records = new ArrayList<MetadataRecord>();
        Set<Named> duplicates = Duplicates.of(
                request.resources(), resource -> new Named(resource.resourceType(), resource.resourceName()));
        var answered = new HashSet<Named>();
        for (var resource : request.resources()) {
            var named = new Named(resource.resourceType(), resource.resourceName());
            ApiError error = ApiError.NONE;
            if (duplicates.contains(named)) {
                if (!answered.add(named)) {
                    continue;
                }
                error = new ApiError(Errors.INVALID_REQUEST, "Each resource must appear at most once.");
            } else {
                try {
                    ConfigResource target = existing(image, named);
                    var wanted = new TreeMap<String, String>();
                    for (var config : resource.configs()) {
                        String value = config.value();
                        if (value == null) {
                            throw new ApiException(
                                    Errors.INVALID_REQUEST, "Null value not supported for : " + config.name());
                        }
                        wanted.put(config.name(), value);
                    }
                    change(image, target, wanted, records);
                } catch (ApiException e) {
                    error = e.toApiError();
                }
            }
            responses.add(new AlterConfigsResponseData.AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName())
                    .setErrorCode(error.code())
                    .setErrorMessage(error.message()));
        }
        records.addAll(eligibleLeadersAfter(image, records));
        var response = new AlterConfigsResponseData().setResponses(responses);
        return request.validateOnly() ? ControllerResult.answer(response) : ControllerResult.atomic(records, response);
    }

    private static ConfigResource existing(MetadataImage image, Named named) {
        if (!ConfigResource.Type.exists(named.type())) {
            throw new ApiException(Errors.INVALID_REQUEST, "Unsupported config resource type " + named.type() + ".");
        }
        var resource = new ConfigResource(ConfigResource.Type.forCode(named.type()), named.name());
        switch (resource.type()) {
            case BROKER_LOGGER ->
                throw new ApiException(
                        Errors.INVALID_REQUEST,
                        "Log levels belong to one broker; send the request to broker " + named.name() + " itself.");
            case BROKER -> {
                if (!resource.name().isEmpty() && !isBrokerId(resource.name())) {
                    throw new ApiException(
                            Errors.INVALID_REQUEST,
                            "The broker id '" + resource.name() + "' is not a number; leave it empty to set the default"
                                    + " of all brokers.");
                }
            }
            case TOPIC -> {
                Optional<String> problem = TopicNames.problem(resource.name());
                if (problem.isPresent()) {
                    throw new ApiException(Errors.INVALID_TOPIC_EXCEPTION, problem.get());
                }
                if (image.topics().topic(resource.name()) == null) {
                    throw new ApiException(
                            Errors.UNKNOWN_TOPIC_OR_PARTITION, "The topic '" + resource.name() + "' does not exist.");
                }
            }
            case CLIENT_METRICS, GROUP -> {
                if (resource.name().isEmpty()) {
                    throw new ApiException(
                            Errors.INVALID_REQUEST,
                            "Default " + (resource.type() == ConfigResource.Type.GROUP ? "group" : "client metrics")
                                    + " resources are not allowed.");
                }
            }
        }
        return resource;
    }

    private static boolean isBrokerId(String name) {
        try {
            return Integer.parseInt(name) >= 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private Map<String, String> altered(
            ConfigResource resource,
            Map<String, String> current,
            List<IncrementalAlterConfigsRequestData.AlterableConfig> changes) {
        var wanted = new TreeMap<>(current);
        Set<String> twice = Duplicates.of(changes, IncrementalAlterConfigsRequestData.AlterableConfig::name);
        if (!twice.isEmpty()) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "Error due to duplicate config keys: "
                            + String.join(",", twice.stream().sorted().toList()));
        }
        for (var change : changes) {
            String key = change.name();
            @Nullable String value = change.value();
            if (value == null && change.configOperation() != 1) {
                throw new ApiException(Errors.INVALID_REQUEST, "Null value not supported for : " + key);
            }
            switch (change.configOperation()) {
                case 0 -> wanted.put(key, Objects.requireNonNull(value));
                case 1 -> wanted.remove(key);
                case 2 -> {
                    var parts = parts(resource, wanted.get(key), key, "APPEND");
                    for (String part : Objects.requireNonNull(value).split(",", -1)) {
                        if (!parts.contains(part)) {
                            parts.add(part);
                        }
                    }
                    wanted.put(key, String.join(",", parts));
                }
                case 3 -> {
                    var parts = parts(resource, wanted.get(key), key, "SUBTRACT");
                    parts.removeAll(Arrays.asList(Objects.requireNonNull(value).split(",", -1)));
                    wanted.put(key, String.join(",", parts));
                }
                default ->
                    throw new ApiException(
                            Errors.INVALID_REQUEST,
                            "Unknown config operation " + change.configOperation() + " for key " + key
                                    + "; 0 sets, 1 deletes, 2 appends, 3 subtracts.");
            }
        }
        return wanted;
    }

    private List<String> parts(ConfigResource resource, @Nullable String current, String key, String operation) {
        if (!validator.isList(resource.type(), key)) {
            throw new ApiException(
                    Errors.INVALID_CONFIG, "Can't " + operation + " to key " + key + " because its type is not LIST.");
        }
        String value = current == null ? validator.defaultValue(resource.type(), key) : current;
        return value == null || value.isEmpty()
                ? new ArrayList<>()
                : new ArrayList<>(Arrays.asList(value.split(",", -1)));
    }

    private void change(
            MetadataImage image, ConfigResource resource, Map<String, String> wanted, List<MetadataRecord> records) {
        Optional<ApiError> error = validator.validate(resource, wanted);
        if (error.isPresent()) {
            throw error.get().exception();
        }
        Map<String, String> current = image.configs().overrides(resource);
        checkMinIsr(image, resource, current, wanted);
        wanted.forEach((key, value) -> {
            if (!value.equals(current.get(key))) {
                records.add(record(resource, key, value));
            }
        });
        for (String key : current.keySet()) {
            if (!wanted.containsKey(key)) {
                records.add(record(resource, key, null));
            }
        }
    }

    /// With eligible leaders everybody has to go by one `min.insync.replicas` of the cluster.
    private static void checkMinIsr(
            MetadataImage image, ConfigResource resource, Map<String, String> current, Map<String, String> wanted) {
        if (resource.type() != ConfigResource.Type.BROKER || !image.features().hasEligibleLeaderReplicas()) {
            return;
        }
        String before = current.get(TopicRules.MIN_INSYNC_REPLICAS);
        String after = wanted.get(TopicRules.MIN_INSYNC_REPLICAS);
        if (!resource.name().isEmpty() && after != null && !after.equals(before)) {
            throw new ApiException(
                    Errors.INVALID_CONFIG, "Broker-level min.insync.replicas cannot be altered while ELR is enabled.");
        }
        if (resource.name().isEmpty() && before != null && after == null) {
            throw new ApiException(
                    Errors.INVALID_CONFIG, "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.");
        }
    }

    /// A lower `min.insync.replicas` lets a high watermark move that stood still: who was an eligible leader because of
    /// that is none any more.
    private List<MetadataRecord> eligibleLeadersAfter(MetadataImage image, List<MetadataRecord> changes) {
        if (!image.features().hasEligibleLeaderReplicas()
                || changes.stream()
                        .noneMatch(record -> record.getConfig().getName().equals(TopicRules.MIN_INSYNC_REPLICAS))) {
            return List.of();
        }
        var delta = new MetadataDelta(image);
        delta.replayAll(changes);
        MetadataImage after = delta.current();
        var rules = new TopicRules(after, settings);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : after.topics().topics()) {
            PartitionRules topicRules = rules.of(topic.name());
            topic.partitions().forEach((id, partition) -> {
                if (!partition.elr().isEmpty()) {
                    new PartitionChange(partition, topic.id(), id, after.cluster()::isActive, topicRules)
                            .build()
                            .ifPresent(records::add);
                }
            });
        }
        return records;
    }

    private static MetadataRecord record(ConfigResource resource, String key, @Nullable String value) {
        var record = ConfigRecord.newBuilder()
                .setResourceType(resource.type().code())
                .setResourceName(resource.name())
                .setName(key);
        if (value != null) {
            record.setValue(value);
        }
        return MetadataRecords.of(record.build());
    }
}
