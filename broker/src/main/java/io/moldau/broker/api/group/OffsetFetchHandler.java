package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.OffsetFetchRequestData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import io.moldau.wire.message.OffsetFetchResponseData;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// OffsetFetch, versions 1 to 10: 2 can ask for all topics and has one error for all, 5 adds the leader epoch, 7 can
/// insist on stable offsets (KIP-447), 8 asks for several groups (KIP-709), 9 adds the member (KIP-848, only for its
/// groups), 10 names topics by id.
final class OffsetFetchHandler implements RequestHandler<OffsetFetchRequestData> {

    private static final short ONE_ERROR_VERSION = 2;
    private static final short SEVERAL_GROUPS_VERSION = 8;
    private static final long INVALID_OFFSET = -1L;

    private final GroupCoordinator coordinator;
    private final Supplier<MetadataImage> image;

    OffsetFetchHandler(GroupCoordinator coordinator, Supplier<MetadataImage> image) {
        this.coordinator = coordinator;
        this.image = image;
    }

    @Override
    public void handle(RequestContext context, OffsetFetchRequestData request) {
        short version = context.apiVersion();
        if (version >= OffsetCommitHandler.TOPIC_IDS_VERSION) {
            fetchById(context, request);
        } else if (version >= SEVERAL_GROUPS_VERSION) {
            coordinator.fetchOffsets(
                    request.groups(),
                    request.requireStable(),
                    groups -> context.respond(new OffsetFetchResponseData().setGroups(groups)));
        } else {
            var topics = request.topics();
            var group = new OffsetFetchRequestGroup()
                    .setGroupId(request.groupId())
                    .setTopics(topics == null ? null : widened(topics));
            coordinator.fetchOffsets(
                    List.of(group),
                    request.requireStable(),
                    groups -> context.respond(narrowed(groups.getFirst(), group, version)));
        }
    }

    // ---- one group ----

    private static List<OffsetFetchRequestTopics> widened(List<OffsetFetchRequestTopic> topics) {
        return topics.stream()
                .map(topic -> new OffsetFetchRequestTopics()
                        .setName(topic.name())
                        .setPartitionIndexes(topic.partitionIndexes()))
                .toList();
    }

    private static OffsetFetchResponseData narrowed(
            OffsetFetchResponseGroup group, OffsetFetchRequestGroup asked, short version) {
        if (group.errorCode() == Errors.NONE.code()) {
            return new OffsetFetchResponseData()
                    .setTopics(group.topics().stream()
                            .map(OffsetFetchHandler::narrowed)
                            .toList());
        }
        if (version >= ONE_ERROR_VERSION) {
            return new OffsetFetchResponseData().setErrorCode(group.errorCode());
        }
        return new OffsetFetchResponseData()
                .setTopics(failed(asked.topics(), group.errorCode()).stream()
                        .map(OffsetFetchHandler::narrowed)
                        .toList());
    }

    private static OffsetFetchResponseTopic narrowed(OffsetFetchResponseTopics topic) {
        return new OffsetFetchResponseTopic()
                .setName(topic.name())
                .setPartitions(topic.partitions().stream()
                        .map(partition -> new OffsetFetchResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setCommittedOffset(partition.committedOffset())
                                .setCommittedLeaderEpoch(partition.committedLeaderEpoch())
                                .setMetadata(partition.metadata())
                                .setErrorCode(partition.errorCode()))
                        .toList());
    }

    private static List<OffsetFetchResponseTopics> failed(
            @Nullable List<OffsetFetchRequestTopics> topics, short error) {
        return topics == null
                ? List.of()
                : topics.stream().map(topic -> failed(topic, error)).toList();
    }

    private static OffsetFetchResponseTopics failed(OffsetFetchRequestTopics topic, short error) {
        return new OffsetFetchResponseTopics()
                .setName(topic.name())
                .setTopicId(topic.topicId())
                .setPartitions(topic.partitionIndexes().stream()
                        .map(partition -> new OffsetFetchResponsePartitions()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(INVALID_OFFSET)
                                .setMetadata("")
                                .setErrorCode(error))
                        .collect(Collectors.toCollection(ArrayList::new)));
    }

    // ---- topic ids ----

    private void fetchById(RequestContext context, OffsetFetchRequestData request) {
        var topics = image.get().topics();
        // Per group, the topics whose ids nobody knows.
        var unknown = new ArrayList<List<OffsetFetchRequestTopics>>();
        for (var group : request.groups()) {
            var missing = new ArrayList<OffsetFetchRequestTopics>();
            var asked = group.topics();
            if (asked != null) {
                var known = new ArrayList<OffsetFetchRequestTopics>();
                for (var topic : asked) {
                    var found = topics.topic(topic.topicId());
                    if (found == null) {
                        missing.add(topic);
                    } else {
                        known.add(topic.setName(found.name()));
                    }
                }
                group.setTopics(known);
            }
            unknown.add(missing);
        }
        coordinator.fetchOffsets(request.groups(), request.requireStable(), groups -> {
            for (int i = 0; i < groups.size(); i++) {
                addIds(groups.get(i), unknown.get(i), request.groups().get(i).topics());
            }
            context.respond(new OffsetFetchResponseData().setGroups(groups));
        });
    }

    private void addIds(
            OffsetFetchResponseGroup group,
            List<OffsetFetchRequestTopics> unknown,
            @Nullable List<OffsetFetchRequestTopics> asked) {
        if (group.errorCode() != Errors.NONE.code()) {
            return;
        }
        Map<String, Uuid> idByName = asked == null
                ? Map.of()
                : asked.stream()
                        .collect(Collectors.toMap(
                                OffsetFetchRequestTopics::name, OffsetFetchRequestTopics::topicId, (a, b) -> a));
        var answered = new ArrayList<OffsetFetchResponseTopics>();
        for (var topic : group.topics()) {
            var id = asked == null ? currentId(topic.name()) : idByName.get(topic.name());
            // Offsets of a topic that is gone cannot be named in this version.
            if (id != null) {
                answered.add(topic.setTopicId(id));
            }
        }
        answered.addAll(failed(unknown, Errors.UNKNOWN_TOPIC_ID.code()));
        group.setTopics(answered);
    }

    private @Nullable Uuid currentId(String name) {
        var topic = image.get().topics().topic(name);
        return topic == null ? null : topic.id();
    }
}
