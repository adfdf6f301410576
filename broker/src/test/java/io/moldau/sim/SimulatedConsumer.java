package io.moldau.sim;

import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchRequestData.FetchPartition;
import io.moldau.wire.message.FetchRequestData.FetchTopic;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FetchResponseData.PartitionData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import org.jspecify.annotations.Nullable;

/// Reads one partition from its beginning, from whoever leads it, for ever.
final class SimulatedConsumer extends SimulatedClient {

    private final TopicIdPartition partition;
    private long position;

    SimulatedConsumer(SimulatedCluster cluster, int number, TopicIdPartition partition) {
        super(cluster, "cons-" + number, 200 + number);
        this.partition = partition;
    }

    long position() {
        return position;
    }

    TopicIdPartition partition() {
        return partition;
    }

    @Override
    void start() {
        later(1, "fetch", this::fetch);
    }

    private void fetch() {
        PartitionRegistration registration = registration(partition);
        if (registration == null || registration.leader() < 0) {
            refreshMetadata();
            later(50 + random().nextInt(100), "fetch", this::fetch);
            return;
        }
        var topic = new FetchTopic().setTopicId(partition.topicId());
        topic.partitions()
                .add(new FetchPartition()
                        .setPartition(partition.partition())
                        .setFetchOffset(position)
                        .setCurrentLeaderEpoch(registration.leaderEpoch())
                        .setPartitionMaxBytes(100_000));
        var request = new FetchRequestData()
                .setMaxWaitMs(400)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setSessionEpoch(-1);
        request.topics().add(topic);
        send(registration.leader(), ApiKey.FETCH, 17, request, FetchResponseData.class)
                .whenComplete((response, failure) -> {
                    if (response == null) {
                        failed(error(failure), null);
                        return;
                    }
                    PartitionData data =
                            response.responses().getFirst().partitions().getFirst();
                    Errors error = Errors.forCode(data.errorCode());
                    if (error == Errors.NONE) {
                        received(registration, data);
                    } else {
                        failed(error, registration);
                    }
                });
    }

    private void received(PartitionRegistration registration, PartitionData data) {
        if (data.records() instanceof BufferRecords records && records.sizeInBytes() > 0) {
            Records.each(records.buffer(), (offset, epoch, content) -> {
                if (offset >= position) {
                    cluster().checks().consumed(partition, position, offset, content);
                    position = offset + 1;
                }
            });
        }
        cluster()
                .checks()
                .sawHighWatermark(
                        this, partition, registration.leader(), registration.leaderEpoch(), data.highWatermark());
        later(random().nextInt(30), "fetch", this::fetch);
    }

    private void failed(Errors error, @Nullable PartitionRegistration registration) {
        switch (error) {
            case NOT_LEADER_OR_FOLLOWER,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    FENCED_LEADER_EPOCH,
                    UNKNOWN_LEADER_EPOCH,
                    OFFSET_NOT_AVAILABLE,
                    REQUEST_TIMED_OUT,
                    NETWORK_EXCEPTION,
                    LEADER_NOT_AVAILABLE,
                    KAFKA_STORAGE_ERROR -> {}
            default ->
                cluster()
                        .fail(
                                "fetch from " + partition.topicPartition() + " at " + position + " answered " + error
                                        + " from " + registration,
                                null);
        }
        refreshMetadata();
        later(50 + random().nextInt(100), "fetch", this::fetch);
    }
}
