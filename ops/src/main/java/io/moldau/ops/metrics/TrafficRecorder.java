package io.moldau.ops.metrics;

import io.moldau.broker.replica.ReplicaMetrics;
import io.moldau.broker.replica.TopicTraffic;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/// Counts what goes in and out of topics, so many of them by name and the others together.
final class TrafficRecorder implements ReplicaMetrics, MetricSource {

    /// No topic can be called so.
    static final String OTHERS = "(others)";

    /// Counters of one topic. Replicas hold on to them, so that nothing is looked up for a request.
    private static final class OfTopic implements TopicTraffic {
        final LongAdder records = new LongAdder();
        final LongAdder bytesIn = new LongAdder();
        final LongAdder bytesOut = new LongAdder();
        final LongAdder appends = new LongAdder();
        final LongAdder reads = new LongAdder();
        final LongAdder failedProduce = new LongAdder();
        final LongAdder failedFetch = new LongAdder();
        final LongAdder replicationIn = new LongAdder();
        final LongAdder replicationOut = new LongAdder();

        Traffic traffic() {
            return new Traffic(
                    records.sum(),
                    bytesIn.sum(),
                    bytesOut.sum(),
                    replicationIn.sum(),
                    replicationOut.sum(),
                    failedProduce.sum() + failedFetch.sum());
        }

        @Override
        public void produced(int bytes, long count) {
            appends.increment();
            records.add(count);
            bytesIn.add(bytes);
        }

        @Override
        public void produceFailed() {
            failedProduce.increment();
        }

        @Override
        public void fetched(int bytes) {
            reads.increment();
            bytesOut.add(bytes);
        }

        @Override
        public void fetchFailed() {
            failedFetch.increment();
        }

        @Override
        public void replicatedOut(int bytes) {
            replicationOut.add(bytes);
        }

        @Override
        public void replicatedIn(int bytes) {
            replicationIn.add(bytes);
        }
    }

    private final int most;
    private final Predicate<String> exists;
    private final Map<String, OfTopic> topics = new ConcurrentSkipListMap<>();
    private final AtomicInteger named = new AtomicInteger();
    private final OfTopic others = new OfTopic();

    /// Names of topics that are counted with the others.
    private final Map<String, Boolean> unnamed = new ConcurrentHashMap<>();

    /// @param most topics are counted by name
    /// @param exists whether the cluster has the topic still: the counters of those that are gone are let go
    TrafficRecorder(int most, Predicate<String> exists) {
        this.most = most;
        this.exists = exists;
    }

    @Override
    public TopicTraffic topic(String name) {
        OfTopic found = topics.get(name);
        if (found != null) {
            return found;
        }
        if (named.get() >= most) {
            unnamed.put(name, true);
            return others;
        }
        return topics.computeIfAbsent(name, key -> {
            named.incrementAndGet();
            return new OfTopic();
        });
    }

    /// What each topic has counted; the topics without counters of their own together, as [#OTHERS].
    Map<String, Traffic> counted() {
        Map<String, Traffic> counted = new HashMap<>();
        topics.forEach((name, counters) -> {
            if (exists.test(name)) {
                counted.put(name, counters.traffic());
            }
        });
        if (!unnamed.isEmpty()) {
            counted.put(OTHERS, others.traffic());
        }
        return counted;
    }

    @Override
    public void collect(Samples into) {
        topics.forEach((name, counters) -> {
            if (exists.test(name)) {
                collect(name, counters, into);
            } else if (topics.remove(name, counters)) {
                named.decrementAndGet();
            }
        });
        unnamed.keySet().removeIf(name -> !exists.test(name));
        if (!unnamed.isEmpty()) {
            collect(OTHERS, others, into);
        }
        into.add(Metrics.LEFT_OFF, unnamed.size(), "topics");
    }

    private static void collect(String name, OfTopic counters, Samples into) {
        var labels = Samples.labels(Metrics.MESSAGES_IN, name);
        into.addLabelled(Metrics.MESSAGES_IN, labels, counters.records.sum());
        into.addLabelled(Metrics.BYTES_IN, labels, counters.bytesIn.sum());
        into.addLabelled(Metrics.BYTES_OUT, labels, counters.bytesOut.sum());
        long failedProduce = counters.failedProduce.sum();
        long failedFetch = counters.failedFetch.sum();
        into.addLabelled(Metrics.PRODUCE_REQUESTS, labels, counters.appends.sum() + failedProduce);
        into.addLabelled(Metrics.FETCH_REQUESTS, labels, counters.reads.sum() + failedFetch);
        into.addLabelled(Metrics.FAILED_PRODUCE, labels, failedProduce);
        into.addLabelled(Metrics.FAILED_FETCH, labels, failedFetch);
        into.addLabelled(Metrics.REPLICATION_IN, labels, counters.replicationIn.sum());
        into.addLabelled(Metrics.REPLICATION_OUT, labels, counters.replicationOut.sum());
    }
}
