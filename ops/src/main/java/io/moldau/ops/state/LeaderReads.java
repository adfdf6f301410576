package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Asks the leaders of partitions that have no replica here, as a consumer would: where they end, and when a record was
/// written. What does not answer within a second is not known. Owned by [GroupLags], which calls it one at a time.
final class LeaderReads implements AutoCloseable {

    private static final short LIST_OFFSETS_VERSION = 7;

    /// The last that names topics by name.
    private static final short FETCH_VERSION = 12;

    private static final long TIMEOUT_MS = 1_000;
    private static final long LATEST = -1;

    /// Fetches outside of a session.
    private static final int NO_SESSION = -1;

    private final NodeView node;
    private final Map<Endpoint, PeerClient> clients = new HashMap<>();

    LeaderReads(NodeView node) {
        this.node = node;
    }

    /// The high watermarks of those partitions that have a leader and it answers.
    Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        Map<PeerClient, List<TopicPartition>> byLeader = new HashMap<>();
        MetadataImage image = node.image().get();
        for (TopicPartition partition : partitions) {
            PeerClient client = leader(image, partition);
            if (client != null) {
                byLeader.computeIfAbsent(client, key -> new ArrayList<>()).add(partition);
            }
        }
        List<CompletableFuture<PeerResponse>> asked = new ArrayList<>();
        byLeader.forEach((client, of) -> asked.add(client.send(LIST_OFFSETS_VERSION, latest(of), TIMEOUT_MS)));
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (CompletableFuture<PeerResponse> answer : asked) {
            try (PeerResponse response = await(answer)) {
                if (response != null) {
                    take(response.as(ListOffsetsResponseData.class), ends);
                }
            }
        }
        return ends;
    }

    private static ListOffsetsRequestData latest(List<TopicPartition> partitions) {
        Map<String, ListOffsetsTopic> topics = new HashMap<>();
        for (TopicPartition partition : partitions) {
            topics.computeIfAbsent(partition.topic(), name -> new ListOffsetsTopic().setName(name))
                    .partitions()
                    .add(new ListOffsetsPartition()
                            .setPartitionIndex(partition.partition())
                            .setCurrentLeaderEpoch(-1)
                            .setTimestamp(LATEST));
        }
        return new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.copyOf(topics.values()));
    }

    private static void take(ListOffsetsResponseData response, Map<TopicPartition, Long> ends) {
        for (var topic : response.topics()) {
            for (var partition : topic.partitions()) {
                if (partition.errorCode() == Errors.NONE.code()) {
                    ends.put(new TopicPartition(topic.name(), partition.partitionIndex()), partition.offset());
                }
            }
        }
    }

    /// The timestamp of the first record at or behind the offset, -1 if nobody says.
    long timestampAt(TopicPartition partition, long offset) {
        PeerClient client = leader(node.image().get(), partition);
        if (client == null) {
            return -1;
        }
        var request = new FetchRequestData()
                .setReplicaId(-1)
                .setMaxWaitMs(0)
                .setMinBytes(0)
                .setMaxBytes(1)
                .setSessionEpoch(NO_SESSION)
                .setTopics(List.of(new FetchRequestData.FetchTopic()
                        .setTopic(partition.topic())
                        .setPartitions(List.of(new FetchRequestData.FetchPartition()
                                .setPartition(partition.partition())
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(1)))));
        try (PeerResponse response = await(client.send(FETCH_VERSION, request, TIMEOUT_MS))) {
            return response == null ? -1 : firstTimestamp(response.as(FetchResponseData.class), offset);
        }
    }

    private static long firstTimestamp(FetchResponseData response, long offset) {
        for (var topic : response.responses()) {
            for (var partition : topic.partitions()) {
                if (partition.records() instanceof BufferRecords records) {
                    return firstTimestamp(records, offset);
                }
            }
        }
        return -1;
    }

    private static long firstTimestamp(BufferRecords records, long offset) {
        var batches = new RecordBatches(records.buffer().duplicate());
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

    private @Nullable PeerClient leader(MetadataImage image, TopicPartition partition) {
        PartitionRegistration registration = image.topics().partition(partition);
        String listener = node.config().interBrokerListener();
        if (registration == null || !registration.hasLeader() || listener == null) {
            return null;
        }
        BrokerRegistration broker = image.cluster().broker(registration.leader());
        Endpoint endpoint = broker == null ? null : broker.listener(listener);
        return endpoint == null
                ? null
                : clients.computeIfAbsent(endpoint, at -> node.peers().connect(at.host(), at.port(), "group-lag"));
    }

    private static @Nullable PeerResponse await(CompletableFuture<PeerResponse> answer) {
        try {
            return answer.orTimeout(2 * TIMEOUT_MS, TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            // The leader is gone or cut off, and nobody knows where its partitions end.
            return null;
        }
    }

    @Override
    public void close() {
        clients.values().forEach(PeerClient::close);
        clients.clear();
    }
}
