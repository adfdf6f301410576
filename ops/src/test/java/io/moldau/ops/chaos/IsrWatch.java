package io.moldau.ops.chaos;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.ClusterView;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/// Asks again and again how many partitions have fewer in-sync replicas than writes need. One thread.
final class IsrWatch implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(200);

    private final ClusterView view;
    private final String topic;
    private final int minimum;
    private final AtomicLong worst = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private final Thread thread;
    private volatile boolean stopping;

    IsrWatch(ClusterView view, String topic, int minimum) {
        this.view = view;
        this.topic = topic;
        this.minimum = minimum;
        thread = Thread.ofPlatform().daemon().name("isr-watch").start(this::run);
    }

    private void run() {
        while (!stopping) {
            try {
                worst.accumulateAndGet(view.underMinIsr(topic, minimum), Math::max);
                answers.incrementAndGet();
            } catch (Exception e) {
                // A question without an answer tells nothing of the replicas; the count of answers shows it.
                if (stopping) {
                    return;
                }
            }
            Await.pass(PAUSE);
        }
    }

    /// The most partitions that were seen below at one moment.
    long worst() {
        return worst.get();
    }

    long answers() {
        return answers.get();
    }

    @Override
    public void close() {
        stopping = true;
        thread.interrupt();
    }
}
