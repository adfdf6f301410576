package io.moldau.broker.scrub;

import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.broker.replica.fetch.LeaderEndpoint;
import io.moldau.common.Endpoint;
import io.moldau.log.PartitionLog;
import io.moldau.log.scrub.SoundRecords;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchRequestData.FetchPartition;
import io.moldau.wire.message.FetchRequestData.FetchTopic;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FetchResponseData.PartitionData;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The copies that other brokers have: asks the leader, then the other replicas in sync, as a consumer would (KIP-392
/// lets followers answer). So only committed records are got, and only what the other side has checked itself.
///
/// Waits for the network; belongs to one thread that may.
public final class ReplicaRecords implements SoundRecords {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicaRecords.class);
    private static final int MOST_BYTES = 1 << 20;
    private static final int CONSUMER = -1;

    private final int localId;
    private final String listener;
    private final PeerClients peers;
    private final Supplier<MetadataImage> image;
    private final long timeoutMs;

    /// @param listener name of the inter-broker listener
    /// @param timeoutMs how long one broker may take to answer
    public ReplicaRecords(
            int localId, String listener, PeerClients peers, Supplier<MetadataImage> image, long timeoutMs) {
        this.localId = localId;
        this.listener = listener;
        this.peers = peers;
        this.image = image;
        this.timeoutMs = timeoutMs;
    }

    @Override
    public @Nullable ByteBuffer fetch(PartitionLog log, long offset, long upTo) {
        MetadataImage now = image.get();
        TopicImage topic = now.topics().topic(log.topicPartition().topic());
        PartitionRegistration partition =
                topic == null ? null : topic.partition(log.topicPartition().partition());
        if (topic == null || partition == null || !topic.id().equals(log.topicId())) {
            return null;
        }
        var brokers = new LinkedHashSet<Integer>();
        brokers.add(partition.leader());
        brokers.addAll(partition.isr());
        for (int broker : brokers) {
            BrokerRegistration registration = now.cluster().broker(broker);
            Endpoint endpoint = registration == null || registration.fenced() ? null : registration.listener(listener);
            if (broker == localId || endpoint == null) {
                continue;
            }
            ByteBuffer batches = fetch(log, endpoint, offset, upTo);
            if (batches != null) {
                return batches;
            }
            LOG.info(
                    "A replica cannot give records that are damaged here partition={} broker={} offset={}",
                    log.topicPartition(),
                    broker,
                    offset);
        }
        return null;
    }

    private @Nullable ByteBuffer fetch(PartitionLog log, Endpoint endpoint, long offset, long upTo) {
        var request = new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(0)
                .setMaxBytes(MOST_BYTES)
                .setTopics(List.of(new FetchTopic()
                        .setTopicId(log.topicId())
                        .setPartitions(List.of(new FetchPartition()
                                .setPartition(log.topicPartition().partition())
                                .setCurrentLeaderEpoch(-1)
                                .setLastFetchedEpoch(-1)
                                .setLogStartOffset(-1)
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(MOST_BYTES)))));
        request.replicaState().setReplicaId(CONSUMER);
        var client = peers.connect(endpoint.host(), endpoint.port(), "damage-repair");
        try (PeerResponse answer =
                client.send(LeaderEndpoint.FETCH_VERSION, request, timeoutMs).get(timeoutMs, TimeUnit.MILLISECONDS)) {
            return batches(answer.as(FetchResponseData.class), offset, upTo);
        } catch (ExecutionException | TimeoutException e) {
            LOG.info("Fetching records that are damaged here failed partition={}", log.topicPartition(), e);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            client.close();
        }
    }

    /// Copies whole batches that fit between the two offsets; null if the answer says nothing of what is there.
    private static @Nullable ByteBuffer batches(FetchResponseData response, long offset, long upTo) {
        if (response.responses().isEmpty()
                || response.responses().getFirst().partitions().isEmpty()) {
            return null;
        }
        PartitionData data = response.responses().getFirst().partitions().getFirst();
        if (data.errorCode() != 0
                || data.logStartOffset() > offset
                || !(data.records() instanceof BufferRecords records)
                || records.sizeInBytes() == 0) {
            return null;
        }
        ByteBuffer bytes = records.buffer();
        int from = bytes.position();
        int end = from;
        long next = offset;
        var batches = new RecordBatches(bytes.duplicate());
        while (batches.tryNext() == RecordBatches.Step.BATCH) {
            var batch = batches.batch();
            if (batch.baseOffset() >= upTo) {
                break;
            }
            if (batch.baseOffset() < next || batch.nextOffset() > upTo || !batch.isCrcValid()) {
                // Cut into batches otherwise than here, which does not fit into the hole.
                return null;
            }
            next = batch.nextOffset();
            end = batches.nextPosition();
        }
        if (end == from && batches.nextPosition() == from) {
            return null;
        }
        return ByteBuffer.allocate(end - from)
                .put(bytes.slice(from, end - from))
                .flip();
    }
}
