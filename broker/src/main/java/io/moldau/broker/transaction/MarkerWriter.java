package io.moldau.broker.transaction;

import io.moldau.broker.replica.AppendTerms;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.WatermarkWait;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Deadline;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.common.time.TimerTask;
import io.moldau.log.AppendOutcome;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.wire.message.WriteTxnMarkersRequestData;
import io.moldau.wire.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import io.moldau.wire.message.WriteTxnMarkersResponseData;
import io.moldau.wire.message.WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult;
import io.moldau.wire.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import io.moldau.wire.message.WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.record.ControlRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Writes what ends transactions into the partitions this node leads (KIP-98), and answers when the markers are
/// committed. A marker for committed offsets goes through the group coordinator, which shows them from then on.
///
/// Thread-safe; holds nothing but the waits of the requests under way, each with a deadline.
public final class MarkerWriter {

    /// Who ends transactions in partitions of committed offsets.
    @FunctionalInterface
    public interface OffsetsMarkers {

        /// @param done told once, on any thread: NONE when the marker is committed
        void end(int partition, TransactionEnd end, Consumer<Errors> done);
    }

    private final PartitionRegistry partitions;
    private final String offsetsTopic;
    private final OffsetsMarkers offsets;
    private final Time time;
    private final Timer timer;
    private final Executor executor;
    private final long timeoutMs;

    /// @param offsetsTopic name of the topic of committed offsets
    /// @param executor where deadlines are carried out
    /// @param timeoutMs how long a marker may take to be committed
    public MarkerWriter(
            PartitionRegistry partitions,
            String offsetsTopic,
            OffsetsMarkers offsets,
            Time time,
            Timer timer,
            Executor executor,
            long timeoutMs) {
        this.partitions = partitions;
        this.offsetsTopic = offsetsTopic;
        this.offsets = offsets;
        this.time = time;
        this.timer = timer;
        this.executor = executor;
        this.timeoutMs = timeoutMs;
    }

    /// @param reply called once, on any thread
    public void write(WriteTxnMarkersRequestData request, Consumer<WriteTxnMarkersResponseData> reply) {
        new Exchange(reply).run(request);
    }

    /// One request and the answer that grows. Fields of the answer are written by whoever decides their partition; the
    /// last of them, by the count, sends it.
    private final class Exchange {
        private final Consumer<WriteTxnMarkersResponseData> reply;
        private final WriteTxnMarkersResponseData response = new WriteTxnMarkersResponseData();
        private final AtomicInteger open = new AtomicInteger(1);
        private final List<Waiting> waiting = new ArrayList<>();
        private @Nullable TimerTask deadline;

        private record Waiting(WatermarkWait ack, WritableTxnMarkerPartitionResult result) {}

        Exchange(Consumer<WriteTxnMarkersResponseData> reply) {
            this.reply = reply;
        }

        void run(WriteTxnMarkersRequestData request) {
            for (var marker : request.markers()) {
                var results = new WritableTxnMarkerResult().setProducerId(marker.producerId());
                response.markers().add(results);
                for (var topic : marker.topics()) {
                    var ofTopic = new WritableTxnMarkerTopicResult().setName(topic.name());
                    results.topics().add(ofTopic);
                    for (int index : topic.partitionIndexes()) {
                        var result = new WritableTxnMarkerPartitionResult().setPartitionIndex(index);
                        ofTopic.partitions().add(result);
                        open.incrementAndGet();
                        write(new TopicPartition(topic.name(), index), marker, result);
                    }
                }
            }
            synchronized (waiting) {
                if (!waiting.isEmpty()) {
                    deadline = timer.schedule(
                            Deadline.afterMillis(time.nanoseconds(), timeoutMs), () -> executor.execute(this::expire));
                }
            }
            decided();
        }

        private void write(
                TopicPartition partition, WritableTxnMarker marker, WritableTxnMarkerPartitionResult result) {
            if (!(partitions.get(partition) instanceof HostedPartition.Online(Partition online))) {
                decide(result, Errors.UNKNOWN_TOPIC_OR_PARTITION);
            } else if (partition.topic().equals(offsetsTopic)) {
                offsets.end(partition.partition(), endOf(marker), error -> decide(result, ofGroups(error)));
            } else {
                append(online, endOf(marker), result);
            }
        }

        private static TransactionEnd endOf(WritableTxnMarker marker) {
            return new TransactionEnd(
                    marker.producerId(),
                    marker.producerEpoch(),
                    marker.coordinatorEpoch(),
                    marker.transactionResult(),
                    marker.transactionVersion());
        }

        /// The transaction coordinator tries again where the leader has moved; it knows nothing of group coordinators.
        private static Errors ofGroups(Errors error) {
            return switch (error) {
                case COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR ->
                    Errors.NOT_LEADER_OR_FOLLOWER;
                default -> error;
            };
        }

        private void append(Partition partition, TransactionEnd end, WritableTxnMarkerPartitionResult result) {
            var batch = ControlRecord.endTransactionBatch(
                    end.producerId(),
                    end.producerEpoch(),
                    time.milliseconds(),
                    new ControlRecord.EndTransaction(end.committed(), end.coordinatorEpoch()));
            var terms = new AppendTerms(
                    AppendOrigin.TRANSACTION_MARKER,
                    AppendTerms.ANY_EPOCH,
                    true,
                    TransactionTerms.ofMarker(end.transactionVersion()));
            partition.appendAsLeader(HeapRecords.of(batch), terms, outcome -> {
                switch (outcome) {
                    case AppendOutcome.Appended it -> await(partition, it.lastOffset(), result);
                    case AppendOutcome.Duplicate it -> await(partition, it.lastOffset(), result);
                    case AppendOutcome.Unverified it -> decide(result, Errors.INVALID_TXN_STATE);
                    case AppendOutcome.Rejected it -> decide(result, it.error());
                }
            });
        }

        private void await(Partition partition, long lastOffset, WritableTxnMarkerPartitionResult result) {
            if (partition.highWatermark() > lastOffset) {
                decide(result, committed(partition));
                return;
            }
            // Under the lock, so that the wait is in the list before it can be looked for there.
            synchronized (waiting) {
                var ack = partition.whenHighWatermarkReaches(
                        lastOffset + 1,
                        outcome -> decide(result, outcome == Errors.NONE ? committed(partition) : outcome));
                waiting.add(new Waiting(ack, result));
            }
        }

        private static Errors committed(Partition partition) {
            return partition.isLeader() && !partition.hasEnoughInSync()
                    ? Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND
                    : Errors.NONE;
        }

        private void expire() {
            List<Waiting> left;
            synchronized (waiting) {
                left = List.copyOf(waiting);
                waiting.clear();
            }
            for (Waiting it : left) {
                if (it.ack().cancel()) {
                    decide(it.result(), Errors.REQUEST_TIMED_OUT);
                }
            }
        }

        private void decide(WritableTxnMarkerPartitionResult result, Errors error) {
            result.setErrorCode(error.code());
            decided();
        }

        private void decided() {
            if (open.decrementAndGet() > 0) {
                return;
            }
            synchronized (waiting) {
                if (deadline != null) {
                    deadline.cancel();
                }
            }
            reply.accept(response);
        }
    }
}
