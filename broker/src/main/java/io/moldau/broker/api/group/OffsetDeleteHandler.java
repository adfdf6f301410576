package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.OffsetDeleteRequestData;
import io.moldau.wire.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import io.moldau.wire.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import io.moldau.wire.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import io.moldau.wire.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import java.util.ArrayList;
import java.util.function.Supplier;

/// OffsetDelete, version 0 (KIP-496).
final class OffsetDeleteHandler implements RequestHandler<OffsetDeleteRequestData> {

    private final GroupCoordinator coordinator;
    private final Supplier<MetadataImage> image;

    OffsetDeleteHandler(GroupCoordinator coordinator, Supplier<MetadataImage> image) {
        this.coordinator = coordinator;
        this.image = image;
    }

    @Override
    public void handle(RequestContext context, OffsetDeleteRequestData request) {
        var topics = image.get().topics();
        var existing = new ArrayList<OffsetDeleteRequestTopic>();
        var refused = new ArrayList<OffsetDeleteResponseTopic>();
        for (var topic : request.topics()) {
            var known = topics.topic(topic.name());
            var good = new ArrayList<OffsetDeleteRequestPartition>();
            var bad = new OffsetDeleteResponseTopic().setName(topic.name());
            for (var partition : topic.partitions()) {
                if (known != null && known.partition(partition.partitionIndex()) != null) {
                    good.add(partition);
                } else {
                    bad.partitions()
                            .add(new OffsetDeleteResponsePartition()
                                    .setPartitionIndex(partition.partitionIndex())
                                    .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code()));
                }
            }
            if (!good.isEmpty()) {
                existing.add(
                        new OffsetDeleteRequestTopic().setName(topic.name()).setPartitions(good));
            }
            if (!bad.partitions().isEmpty()) {
                refused.add(bad);
            }
        }
        request.setTopics(existing);
        coordinator.deleteOffsets(request, response -> {
            if (response.errorCode() == Errors.NONE.code()) {
                for (var topic : refused) {
                    response.topics().stream()
                            .filter(it -> it.name().equals(topic.name()))
                            .findFirst()
                            .ifPresentOrElse(
                                    same -> same.partitions().addAll(topic.partitions()),
                                    () -> response.topics().add(topic));
                }
            }
            context.respond(response);
        });
    }
}
