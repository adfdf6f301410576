package io.moldau.sim;

import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchRequestData.FetchPartition;
import io.moldau.wire.message.FetchRequestData.FetchTopic;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FetchResponseData.AbortedTransaction;
import io.moldau.wire.message.FetchResponseData.PartitionData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads one partition from its beginning, from whoever leads it, for ever.
final class SimulatedConsumer extends SimulatedClient {

    private final TopicIdPartition partition;
    private final boolean committedOnly;
    private long position;

    /// @param committedOnly whether it passes over aborted transactions and waits for open ones
    SimulatedConsumer(SimulatedCluster cluster, int number, TopicIdPartition partition, boolean committedOnly) {
        super(cluster, "cons-" + number, 200 + number);
        this.partition = partition;
        this.committedOnly = committedOnly;
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
                .setIsolationLevel((byte) (committedOnly ? 1 : 0))
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
            if (committedOnly) {
                readCommitted(records.buffer(), data.abortedTransactions());
            } else {
                Records.each(records.buffer(), found -> {
                    if (found.offset() >= position) {
                        cluster().checks().consumed(partition, position, found.offset(), found.content());
                        position = found.offset() + 1;
                    }
                });
            }
        }
        cluster()
                .checks()
                .sawHighWatermark(
                        this, partition, registration.leader(), registration.leaderEpoch(), data.highWatermark());
        later(random().nextInt(30), "fetch", this::fetch);
    }

    private void readCommitted(ByteBuffer bytes, @Nullable List<AbortedTransaction> aborted) {
        long from = position;
        List<Long> contents = new ArrayList<>();
        // They come in the order of their ends.
        var left = new PriorityQueue<>(Comparator.comparingLong(AbortedTransaction::firstOffset));
        if (aborted != null) {
            left.addAll(aborted);
        }
        Set<Long> aborting = new HashSet<>();
        Records.each(bytes, found -> {
            while (!left.isEmpty() && left.element().firstOffset() <= found.offset()) {
                aborting.add(left.remove().producerId());
            }
            boolean isVisible = switch (found.kind()) {
                case NONE -> true;
                case DATA -> !aborting.contains(found.producerId());
                case COMMIT -> false;
                case ABORT -> {
                    aborting.remove(found.producerId());
                    yield false;
                }
            };
            if (found.offset() >= position) {
                position = found.offset() + 1;
                if (isVisible) {
                    contents.add(found.content());
                }
            }
        });
        cluster().checks().transactions().consumed(partition, from, position, contents);
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
