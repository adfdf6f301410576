package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData.DeleteTopicState;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.message.DeleteTopicsResponseData.DeletableTopicResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Deletes topics by name or by id; each succeeds or fails by itself.
public final class DeleteTopics {

    private final ControllerSettings settings;

    public DeleteTopics(ControllerSettings settings) {
        this.settings = settings;
    }

    /// @param version older clients know no error for "deletion is off"
    public ControllerResult<DeleteTopicsResponseData> plan(
            MetadataImage image, DeleteTopicsRequestData request, short version) {
        if (!settings.deleteTopicEnable()) {
            throw version < 3
                    ? new ApiException(Errors.INVALID_REQUEST, "This version does not support topic deletion.")
                    : new ApiException(
                            Errors.TOPIC_DELETION_DISABLED,
                            "Topic deletion is disabled; set delete.topic.enable=true on the controllers.");
        }
        List<DeleteTopicState> wanted = wanted(request);
        Set<String> duplicateNames = Duplicates.of(
                wanted.stream().filter(topic -> topic.name() != null).toList(), DeleteTopics::nameOrEmpty);
        Set<Uuid> duplicateIds = Duplicates.of(
                wanted.stream()
                        .filter(topic -> !topic.topicId().equals(Uuid.ZERO))
                        .toList(),
                DeleteTopicState::topicId);
        Map<Uuid, String> byId = new HashMap<>();
        for (DeleteTopicState topic : wanted) {
            if (!topic.topicId().equals(Uuid.ZERO)) {
                @Nullable TopicImage existing = image.topics().topic(topic.topicId());
                if (existing != null) {
                    byId.put(existing.id(), existing.name());
                }
            }
        }

        var results = new ArrayList<DeletableTopicResult>();
        var records = new ArrayList<MetadataRecord>();
        var answered = new HashSet<Object>();
        for (DeleteTopicState topic : wanted) {
            String name = topic.name();
            Uuid id = topic.topicId();
            boolean hasId = !id.equals(Uuid.ZERO);
            if (name != null && hasId) {
                results.add(
                        failure(name, id, Errors.INVALID_REQUEST, "You may not specify both topic name and topic id."));
            } else if (name == null && !hasId) {
                results.add(failure(null, id, Errors.INVALID_REQUEST, "Neither topic name nor id were specified."));
            } else if (name != null && duplicateNames.contains(name)) {
                if (answered.add(name)) {
                    results.add(failure(name, id, Errors.INVALID_REQUEST, "Duplicate topic name."));
                }
            } else if (hasId && duplicateIds.contains(id)) {
                if (answered.add(id)) {
                    results.add(failure(null, id, Errors.INVALID_REQUEST, "Duplicate topic id."));
                }
            } else {
                results.add(delete(image, name, id, byId, records));
            }
        }
        return ControllerResult.of(records, new DeleteTopicsResponseData().setResponses(results));
    }

    private static String nameOrEmpty(DeleteTopicState topic) {
        String name = topic.name();
        return name == null ? "" : name;
    }

    private static List<DeleteTopicState> wanted(DeleteTopicsRequestData request) {
        var wanted = new ArrayList<>(request.topics());
        for (String name : request.topicNames()) {
            wanted.add(new DeleteTopicState().setName(name));
        }
        return wanted;
    }

    private static DeletableTopicResult delete(
            MetadataImage image, @Nullable String name, Uuid id, Map<Uuid, String> byId, List<MetadataRecord> records) {
        @Nullable
        TopicImage topic =
                name == null ? image.topics().topic(id) : image.topics().topic(name);
        if (topic == null) {
            return name == null
                    ? failure(null, id, Errors.UNKNOWN_TOPIC_ID, Errors.UNKNOWN_TOPIC_ID.defaultMessage())
                    : failure(
                            name,
                            id,
                            Errors.UNKNOWN_TOPIC_OR_PARTITION,
                            Errors.UNKNOWN_TOPIC_OR_PARTITION.defaultMessage());
        }
        if (name != null && byId.containsKey(topic.id())) {
            return failure(
                    name,
                    topic.id(),
                    Errors.INVALID_REQUEST,
                    "The provided topic name maps to an ID that was already supplied.");
        }
        records.add(MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(topic.id()))
                .build()));
        return new DeletableTopicResult()
                .setName(topic.name())
                .setTopicId(topic.id())
                .setErrorMessage(null);
    }

    private static DeletableTopicResult failure(@Nullable String name, Uuid id, Errors error, String message) {
        return new DeletableTopicResult()
                .setName(name)
                .setTopicId(id)
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }
}
