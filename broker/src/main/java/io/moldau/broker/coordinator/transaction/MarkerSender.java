package io.moldau.broker.coordinator.transaction;

import io.moldau.broker.peer.BrokerRequests;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Deadline;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.WriteTxnMarkersRequestData;
import io.moldau.wire.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import io.moldau.wire.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import io.moldau.wire.message.WriteTxnMarkersResponseData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sees to it that every partition of a transaction gets its end marker (KIP-98): sends the markers to the partitions'
/// leaders, in batches, as often as it takes.
///
/// Guarded by its own monitor; requests are sent, and ends announced, outside it. For each broker one request is open
/// at a time, and what has to go there meanwhile goes in the next one. What is kept is bounded by the transactions
/// whose end is decided and the partitions they name.
public final class MarkerSender implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MarkerSender.class);

    /// With the version of transactions in each marker (KIP-1228).
    private static final short MARKERS_VERSION = 2;

    /// Markers in one request: enough to share a round trip, too few to fill a frame.
    private static final int MOST_MARKERS = 2_000;

    private static final long FIRST_PAUSE_MS = 20;
    private static final long LONGEST_PAUSE_MS = 1_000;

    /// What is to be told to the partitions of one transaction.
    private static final class Job {
        private final EndMarkers markers;
        private final long sinceNanos;
        private final Set<TopicPartition> missing;
        private long pauseMs = FIRST_PAUSE_MS;
        private boolean given;

        Job(EndMarkers markers, long nowNanos) {
            this.markers = markers;
            this.sinceNanos = nowNanos;
            this.missing = new HashSet<>(markers.partitions());
        }
    }

    /// Markers for partitions that one broker leads.
    private static final class Destination {
        private Map<Job, List<TopicPartition>> queued = new LinkedHashMap<>();
        private boolean asked;
    }

    private final BrokerRequests brokers;
    private final Supplier<MetadataImage> image;
    private final Time time;
    private final Timer timer;
    private final Executor executor;
    private final TransactionMetrics metrics;
    private final long requestTimeoutMs;
    private final Consumer<EndMarkers> written;

    /// By transactional id: it has one transaction at a time.
    private final Map<String, Job> jobs = new HashMap<>();

    private final Map<Integer, Destination> destinations = new HashMap<>();
    private boolean closed;

    /// @param executor takes what the timer fires
    /// @param written told once every partition of a transaction has its marker, on any thread
    public MarkerSender(
            BrokerRequests brokers,
            Supplier<MetadataImage> image,
            Time time,
            Timer timer,
            Executor executor,
            TransactionMetrics metrics,
            long requestTimeoutMs,
            Consumer<EndMarkers> written) {
        this.brokers = brokers;
        this.image = image;
        this.time = time;
        this.timer = timer;
        this.executor = executor;
        this.metrics = metrics;
        this.requestTimeoutMs = requestTimeoutMs;
        this.written = written;
    }

    /// Takes over the end of a transaction.
    void send(EndMarkers markers) {
        var job = new Job(markers, time.nanoseconds());
        synchronized (this) {
            if (closed) {
                return;
            }
            var before = jobs.get(markers.transactionalId());
            if (before != null) {
                if (before.markers.coordinatorEpoch() > markers.coordinatorEpoch()) {
                    return; // The last words of a shard that has been taken over.
                }
                before.given = true;
            }
            jobs.put(markers.transactionalId(), job);
        }
        proceed(job, markers.partitions());
    }

    /// The shard is elsewhere now, and so are its markers.
    synchronized void forget(TransactionShard.Term term) {
        jobs.values().removeIf(job -> {
            boolean gone =
                    job.markers.shard() == term.shard() && job.markers.coordinatorEpoch() <= term.coordinatorEpoch();
            job.given |= gone;
            return gone;
        });
    }

    /// Transactions whose partitions do not have all their markers.
    synchronized int pending() {
        return jobs.size();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        jobs.clear();
        destinations.clear();
    }

    /// Queues the partitions at their leaders; those that are gone have no end to wait for.
    private void proceed(Job job, Set<TopicPartition> partitions) {
        var metadata = image.get();
        var ready = new LinkedHashSet<Integer>();
        var leaderless = new HashSet<TopicPartition>();
        boolean complete;
        synchronized (this) {
            if (job.given || closed) {
                return;
            }
            for (var partition : partitions) {
                int leader = leaderOf(partition, metadata);
                if (leader == GONE) {
                    job.missing.remove(partition);
                } else if (leader == NO_LEADER) {
                    leaderless.add(partition);
                } else {
                    destinations
                            .computeIfAbsent(leader, id -> new Destination())
                            .queued
                            .computeIfAbsent(job, it -> new ArrayList<>())
                            .add(partition);
                    ready.add(leader);
                }
            }
            complete = finish(job);
        }
        if (complete) {
            announce(job);
        }
        if (!leaderless.isEmpty()) {
            later(job, leaderless);
        }
        ready.forEach(this::flush);
    }

    private static final int GONE = -2;
    private static final int NO_LEADER = -1;

    private static int leaderOf(TopicPartition partition, MetadataImage metadata) {
        var topic = metadata.topics().topic(partition.topic());
        var registration = topic == null ? null : topic.partition(partition.partition());
        if (registration == null) {
            return GONE;
        }
        return registration.hasLeader() ? registration.leader() : NO_LEADER;
    }

    private boolean finish(Job job) {
        if (job.given || !job.missing.isEmpty()) {
            return false;
        }
        job.given = true;
        return jobs.remove(job.markers.transactionalId(), job);
    }

    private void announce(Job job) {
        metrics.completed(time.nanoseconds() - job.sinceNanos);
        written.accept(job.markers);
    }

    private void later(Job job, Set<TopicPartition> partitions) {
        long pause;
        synchronized (this) {
            pause = job.pauseMs;
            job.pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pause);
        }
        metrics.markersRetried(partitions.size());
        timer.schedule(Deadline.afterMillis(time.nanoseconds(), pause), () -> {
            // The executor is closed after this is, and before the timer.
            if (!isClosed()) {
                executor.execute(() -> proceed(job, partitions));
            }
        });
    }

    // ---- requests ----

    /// Sends what is queued for the broker unless a request is open there.
    private void flush(int broker) {
        Map<Job, List<TopicPartition>> batch = new LinkedHashMap<>();
        synchronized (this) {
            var destination = destinations.get(broker);
            if (destination == null || destination.asked) {
                return;
            }
            var entries = destination.queued.entrySet().iterator();
            while (entries.hasNext() && batch.size() < MOST_MARKERS) {
                var entry = entries.next();
                if (!entry.getKey().given) {
                    batch.put(entry.getKey(), entry.getValue());
                }
                entries.remove();
            }
            if (batch.isEmpty()) {
                destinations.remove(broker);
                return;
            }
            destination.asked = true;
        }
        brokers.send(broker, MARKERS_VERSION, request(batch), WriteTxnMarkersResponseData.class, requestTimeoutMs)
                .whenComplete((answer, failure) -> answered(broker, batch, answer));
    }

    private static WriteTxnMarkersRequestData request(Map<Job, List<TopicPartition>> batch) {
        var markers = new ArrayList<WritableTxnMarker>(batch.size());
        batch.forEach((job, partitions) -> markers.add(new WritableTxnMarker()
                .setProducerId(job.markers.producerId())
                .setProducerEpoch(job.markers.producerEpoch())
                .setTransactionResult(job.markers.committed())
                .setCoordinatorEpoch(job.markers.coordinatorEpoch())
                .setTransactionVersion((byte) job.markers.transactionVersion())
                .setTopics(topics(partitions))));
        return new WriteTxnMarkersRequestData().setMarkers(markers);
    }

    private static List<WritableTxnMarkerTopic> topics(List<TopicPartition> partitions) {
        var topics = new TreeMap<String, WritableTxnMarkerTopic>();
        for (var partition : partitions) {
            topics.computeIfAbsent(partition.topic(), name -> new WritableTxnMarkerTopic().setName(name))
                    .partitionIndexes()
                    .add(partition.partition());
        }
        return new ArrayList<>(topics.values());
    }

    /// @param answer null if there was none
    private void answered(
            int broker, Map<Job, List<TopicPartition>> batch, @Nullable WriteTxnMarkersResponseData answer) {
        var errors = answer == null ? Map.<Long, Map<TopicPartition, Errors>>of() : errors(answer);
        var complete = new ArrayList<Job>();
        var again = new LinkedHashMap<Job, Set<TopicPartition>>();
        synchronized (this) {
            var destination = destinations.get(broker);
            if (destination != null) {
                destination.asked = false;
            }
            batch.forEach((job, partitions) -> {
                if (job.given) {
                    return;
                }
                var results = errors.getOrDefault(job.markers.producerId(), Map.of());
                for (var partition : partitions) {
                    switch (verdict(results.get(partition))) {
                        case WRITTEN -> job.missing.remove(partition);
                        case AGAIN ->
                            again.computeIfAbsent(job, it -> new HashSet<>()).add(partition);
                        case FENCED -> giveUp(job, partition, results.get(partition));
                    }
                }
                if (finish(job)) {
                    complete.add(job);
                }
            });
        }
        complete.forEach(this::announce);
        again.forEach(this::later);
        flush(broker);
    }

    private static Map<Long, Map<TopicPartition, Errors>> errors(WriteTxnMarkersResponseData answer) {
        var errors = new HashMap<Long, Map<TopicPartition, Errors>>();
        for (var marker : answer.markers()) {
            var ofProducer = errors.computeIfAbsent(marker.producerId(), id -> new HashMap<>());
            for (var topic : marker.topics()) {
                for (var partition : topic.partitions()) {
                    ofProducer.put(
                            new TopicPartition(topic.name(), partition.partitionIndex()),
                            Errors.forCode(partition.errorCode()));
                }
            }
        }
        return errors;
    }

    private enum Verdict {
        WRITTEN,
        AGAIN,
        FENCED
    }

    private static Verdict verdict(@Nullable Errors error) {
        if (error == null) {
            return Verdict.AGAIN;
        }
        return switch (error) {
            // A partition that holds no transactions has none to end.
            case NONE, UNSUPPORTED_FOR_MESSAGE_FORMAT -> Verdict.WRITTEN;
            case INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED -> Verdict.FENCED;
            default -> Verdict.AGAIN;
        };
    }

    /// A later coordinator has taken over, and ends the transaction if that is still to be done.
    private void giveUp(Job job, TopicPartition partition, @Nullable Errors error) {
        if (!job.given) {
            job.given = true;
            jobs.remove(job.markers.transactionalId(), job);
            LOG.info(
                    "The end of a transaction is left to others: transactionalId={} partition={} coordinatorEpoch={} error={}",
                    job.markers.transactionalId(),
                    partition,
                    job.markers.coordinatorEpoch(),
                    error);
        }
    }
}
