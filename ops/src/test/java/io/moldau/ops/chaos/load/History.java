package io.moldau.ops.chaos.load;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/// What was sent to one topic, and what its clients were told. Clients add to it from their threads.
///
/// A gap is a time in which records of one producer waited in one partition and none of them was acknowledged: it
/// begins
/// with the last acknowledgement, or with the oldest waiting record if that was sent later. The gap of the whole
/// cluster is one in which no producer got an acknowledgement for any partition.
public final class History {

    private record Key(int producer, int partition) {}

    /// The longest gaps since the last question.
    ///
    /// @param partition the longest of one producer in one partition
    /// @param cluster the longest in which there were no acknowledgements at all
    /// @param byProducer the longest of each producer in one partition
    public record Gaps(Gap partition, Gap cluster, Map<Integer, Gap> byProducer) {

        /// The longest of the given producers.
        public Gap of(Collection<Integer> producers) {
            return byProducer.entrySet().stream()
                    .filter(it -> producers.contains(it.getKey()))
                    .map(Map.Entry::getValue)
                    .reduce(Gap.NONE, Gap::longer);
        }
    }

    /// What a client was told of its records in one partition: an offset, or one of the constants below.
    public record Outcomes(int producer, int partition, long[] bySequence) {

        public static final long WAITING = Stream.WAITING;
        public static final long FAILED = Stream.FAILED;
        public static final long SOMEWHERE = Stream.SOMEWHERE;

        /// Whether the client was promised that the record is kept.
        public static boolean acknowledged(long outcome) {
            return outcome >= SOMEWHERE;
        }
    }

    private final Map<Key, Stream> streams = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong lastAckNanos = new AtomicLong(Long.MIN_VALUE);
    private final AtomicReference<Gap> clusterGap = new AtomicReference<>(Gap.NONE);

    /// A client begins to hand over this record.
    public void sent(int producer, int partition, long sequence) {
        stream(producer, partition).sent(sequence);
    }

    /// @param offset -1 when the client was told none
    /// @param sentNanos when the client was given the record, of `System.nanoTime`
    public void acknowledged(int producer, int partition, long sequence, long offset, long sentNanos, long nowNanos) {
        stream(producer, partition).acknowledged(sequence, offset, sentNanos, nowNanos);
        long before = lastAckNanos.getAndAccumulate(nowNanos, Math::max);
        if (before != Long.MIN_VALUE) {
            var gap = new Gap(nowNanos - Math.max(before, sentNanos), producer, -1, nowNanos);
            clusterGap.accumulateAndGet(gap, Gap::longer);
        }
    }

    /// The client gave up on this record, after all its own retries.
    public void failed(int producer, int partition, long sequence, String why) {
        stream(producer, partition).failed(sequence);
        failure("producer " + producer + ", partition " + partition + ", record " + sequence + ": " + why);
    }

    /// Something a client's user would have seen.
    public void failure(String what) {
        failed.incrementAndGet();
        // The first ones tell what happened.
        if (failures.size() < 20) {
            failures.add(what);
        }
    }

    public long failedCount() {
        return failed.get();
    }

    public List<String> failures() {
        return List.copyOf(failures);
    }

    public long acknowledgedCount() {
        return streams.values().stream().mapToLong(Stream::acknowledged).sum();
    }

    /// How many of the streams have had nothing acknowledged that was sent after the given moment.
    public long staleSince(long nanos) {
        return streams.values().stream().filter(it -> !it.freshSince(nanos)).count();
    }

    /// Those streams, each with the record it waits for: for the message of a failure.
    public List<String> waitingSince(long nanos) {
        return streams.values().stream()
                .filter(it -> !it.freshSince(nanos))
                .map(Stream::toString)
                .sorted()
                .toList();
    }

    public int streamCount() {
        return streams.size();
    }

    /// The longest gaps that ended since the last call.
    public Gaps takeGaps() {
        var byProducer = new TreeMap<Integer, Gap>();
        streams.values().forEach(stream -> byProducer.merge(stream.producer(), stream.takeLongest(), Gap::longer));
        var worst = byProducer.values().stream().reduce(Gap.NONE, Gap::longer);
        return new Gaps(worst, clusterGap.getAndSet(Gap.NONE), byProducer);
    }

    /// What was told of every record, by producer, for one partition.
    public List<Outcomes> outcomes(int partition) {
        return streams.entrySet().stream()
                .filter(it -> it.getKey().partition() == partition)
                .map(it -> new Outcomes(
                        it.getKey().producer(), partition, it.getValue().outcomes()))
                .toList();
    }

    private Stream stream(int producer, int partition) {
        return streams.computeIfAbsent(new Key(producer, partition), key -> new Stream(key.producer, key.partition));
    }
}
