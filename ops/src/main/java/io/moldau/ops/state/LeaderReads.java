package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.ListOffsetsRequestData;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsPartition;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsTopic;
import io.moldau.wire.message.ListOffsetsResponseData;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatches;
import io.moldau.wire.record.RecordCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Asks the leaders of partitions, as a consumer would: where they begin and end, when a record was written, and for
/// records. Thread-safe.
public final class LeaderReads {

    private static final short LIST_OFFSETS_VERSION = 7;

    /// The last that names topics by name.
    private static final short FETCH_VERSION = 12;

    private static final long LATEST = -1;
    private static final long EARLIEST = -2;

    /// Fetches outside of a session.
    private static final int NO_SESSION = -1;

    private final NodeView node;
    private final BrokerCalls calls;

    public LeaderReads(NodeView node, BrokerCalls calls) {
        this.node = node;
        this.calls = calls;
    }

    /// The high watermarks of those partitions that have a leader and it answers.
    public Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        return offsets(partitions, LATEST);
    }

    /// Where they begin; the same.
    public Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) {
        return offsets(partitions, EARLIEST);
    }

    /// The offset of the first record at or behind a time, -1 if there is none; null if nobody says.
    public @Nullable Long offsetAt(TopicPartition partition, long timestampMs) {
        return offsets(List.of(partition), Math.max(0, timestampMs)).get(partition);
    }

    private Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, long timestamp) {
        Map<Integer, List<TopicPartition>> byLeader = new HashMap<>();
        for (TopicPartition partition : partitions) {
            byLeader.computeIfAbsent(leader(partition), key -> new ArrayList<>())
                    .add(partition);
        }
        List<@Nullable CompletableFuture<PeerResponse>> asked = new ArrayList<>();
        byLeader.forEach(
                (leader, of) -> asked.add(calls.send(leader, LIST_OFFSETS_VERSION, listOffsets(of, timestamp))));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (var answer : asked) {
            try (PeerResponse response = BrokerCalls.await(answer)) {
                if (response != null) {
                    take(response.as(ListOffsetsResponseData.class), offsets);
                }
            }
        }
        return offsets;
    }

    private static ListOffsetsRequestData listOffsets(List<TopicPartition> partitions, long timestamp) {
        Map<String, ListOffsetsTopic> topics = new HashMap<>();
        for (TopicPartition partition : partitions) {
            topics.computeIfAbsent(partition.topic(), name -> new ListOffsetsTopic().setName(name))
                    .partitions()
                    .add(new ListOffsetsPartition()
                            .setPartitionIndex(partition.partition())
                            .setCurrentLeaderEpoch(-1)
                            .setTimestamp(timestamp));
        }
        return new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.copyOf(topics.values()));
    }

    private static void take(ListOffsetsResponseData response, Map<TopicPartition, Long> offsets) {
        for (var topic : response.topics()) {
            for (var partition : topic.partitions()) {
                if (partition.errorCode() == Errors.NONE.code()) {
                    offsets.put(new TopicPartition(topic.name(), partition.partitionIndex()), partition.offset());
                }
            }
        }
    }

    /// The timestamp of the first record at or behind the offset, -1 if nobody says.
    long timestampAt(TopicPartition partition, long offset) {
        ByteBuffer batches = batches(partition, offset, 1);
        return batches == null ? -1 : firstTimestamp(batches, offset);
    }

    /// Batches from the one that holds the offset on, at least one if there is one below the high watermark; null if
    /// nobody answers, or the offset is none of the partition's.
    public @Nullable ByteBuffer batches(TopicPartition partition, long offset, int maxBytes) {
        var request = new FetchRequestData()
                .setReplicaId(-1)
                .setMaxWaitMs(0)
                .setMinBytes(0)
                .setMaxBytes(maxBytes)
                .setSessionEpoch(NO_SESSION)
                .setTopics(List.of(new FetchRequestData.FetchTopic()
                        .setTopic(partition.topic())
                        .setPartitions(List.of(new FetchRequestData.FetchPartition()
                                .setPartition(partition.partition())
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(maxBytes)))));
        try (PeerResponse response = calls.ask(leader(partition), FETCH_VERSION, request)) {
            return response == null ? null : copied(response.as(FetchResponseData.class));
        }
    }

    private static @Nullable ByteBuffer copied(FetchResponseData response) {
        for (var topic : response.responses()) {
            for (var partition : topic.partitions()) {
                if (partition.errorCode() != Errors.NONE.code()) {
                    return null;
                }
                if (partition.records() instanceof BufferRecords records) {
                    ByteBuffer bytes = records.buffer().duplicate();
                    return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
                }
                return ByteBuffer.allocate(0);
            }
        }
        return null;
    }

    private static long firstTimestamp(ByteBuffer bytes, long offset) {
        var batches = new RecordBatches(bytes);
        try (var cursor = new RecordCursor()) {
            while (batches.next()) {
                cursor.open(batches.batch(), DecompressionLimits.DEFAULT);
                while (cursor.next()) {
                    if (cursor.offset() >= offset) {
                        return cursor.timestamp();
                    }
                }
            }
            return -1;
        } catch (MalformedMessageException e) {
            // What a leader sends is checked by those who live by it.
            return -1;
        }
    }

    /// -1 if there is none.
    private int leader(TopicPartition partition) {
        PartitionRegistration registration = node.image().get().topics().partition(partition);
        return registration == null || !registration.hasLeader() ? -1 : registration.leader();
    }
}
