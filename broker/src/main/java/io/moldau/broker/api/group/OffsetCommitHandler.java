package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.TopicsImage;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import io.moldau.wire.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// OffsetCommit, versions 2 to 10: until 4 the client names a retention, 6 adds the leader epoch (KIP-320), 7 knows
/// static members, 10 names topics by id (KIP-848).
///
/// Only what exists is committed, so that a deleted topic's offsets stay deleted.
final class OffsetCommitHandler implements RequestHandler<OffsetCommitRequestData> {

    static final short TOPIC_IDS_VERSION = 10;

    private final GroupCoordinator coordinator;
    private final Supplier<MetadataImage> image;

    OffsetCommitHandler(GroupCoordinator coordinator, Supplier<MetadataImage> image) {
        this.coordinator = coordinator;
        this.image = image;
    }

    @Override
    public void handle(RequestContext context, OffsetCommitRequestData request) {
        var refused = keepExisting(request, image.get().topics(), context.apiVersion() >= TOPIC_IDS_VERSION);
        if (request.topics().isEmpty()) {
            context.respond(new OffsetCommitResponseData().setTopics(refused));
            return;
        }
        coordinator.commitOffsets(GroupApis.member(context), request, response -> {
            merge(response, refused);
            context.respond(response);
        });
    }

    /// Takes out of the request what does not exist, and gives that with its errors.
    static List<OffsetCommitResponseTopic> keepExisting(
            OffsetCommitRequestData request, TopicsImage topics, boolean byId) {
        var existing = new ArrayList<OffsetCommitRequestTopic>();
        var refused = new ArrayList<OffsetCommitResponseTopic>();
        for (var topic : request.topics()) {
            var known = byId ? topics.topic(topic.topicId()) : topics.topic(topic.name());
            split(topic, known, byId, existing, refused);
        }
        request.setTopics(existing);
        return refused;
    }

    /// Adds what of the topic can be committed to `existing`, and the rest with its error to `refused`.
    private static void split(
            OffsetCommitRequestTopic topic,
            @Nullable TopicImage known,
            boolean byId,
            List<OffsetCommitRequestTopic> existing,
            List<OffsetCommitResponseTopic> refused) {
        var good = new ArrayList<OffsetCommitRequestPartition>();
        var bad = new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
        for (var partition : topic.partitions()) {
            if (known != null && known.partition(partition.partitionIndex()) != null) {
                good.add(partition);
            } else {
                var error = known == null && byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
                bad.partitions()
                        .add(new OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
        }
        if (known != null && !good.isEmpty()) {
            existing.add(new OffsetCommitRequestTopic()
                    .setName(known.name())
                    .setTopicId(known.id())
                    .setPartitions(good));
        }
        if (!bad.partitions().isEmpty()) {
            refused.add(bad);
        }
    }

    static void merge(OffsetCommitResponseData response, List<OffsetCommitResponseTopic> refused) {
        for (var topic : refused) {
            var same = response.topics().stream()
                    .filter(it -> topic.name().isEmpty()
                            ? it.topicId().equals(topic.topicId())
                            : it.name().equals(topic.name()))
                    .findFirst();
            if (same.isPresent()) {
                same.get().partitions().addAll(topic.partitions());
            } else {
                response.topics().add(topic);
            }
        }
    }
}
