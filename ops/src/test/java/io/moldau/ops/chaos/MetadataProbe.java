package io.moldau.ops.chaos;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.load.Gap;
import io.moldau.ops.chaos.load.History;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/// Changes the metadata ten times a second and measures how long the longest change took. One thread.
final class MetadataProbe implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Admin admin;
    private final ConfigResource topic;
    private final History history;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<Gap> longest = new AtomicReference<>(Gap.NONE);
    private volatile boolean stopping;

    /// @param topic whose retention is changed, to times that take nothing away during a run
    MetadataProbe(String bootstrap, String topic, History history) {
        this.topic = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        this.history = history;
        admin = Admin.create(Map.of(
                "bootstrap.servers", bootstrap,
                "reconnect.backoff.max.ms", "100",
                "retry.backoff.ms", "20",
                "retry.backoff.max.ms", "100",
                "request.timeout.ms", "5000"));
        Thread.ofPlatform().daemon().name("metadata-probe").start(this::run);
    }

    private void run() {
        try {
            for (long n = 0; !stopping; n++) {
                long began = System.nanoTime();
                change(86_400_000 + n % 1_000);
                long ended = System.nanoTime();
                longest.accumulateAndGet(
                        new Gap(ended - began, -1, -1, ended), (a, b) -> b.nanos() > a.nanos() ? b : a);
                Await.pass(PAUSE);
            }
        } catch (Exception e) {
            if (!stopping) {
                history.failure("a change of metadata failed: " + e);
            }
        } finally {
            stopped.countDown();
        }
    }

    private void change(long retentionMs) throws Exception {
        var set = new AlterConfigOp(
                new ConfigEntry("retention.ms", Long.toString(retentionMs)), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(topic, List.of(set))).all().get(60, TimeUnit.SECONDS);
    }

    /// The longest change that ended since the last question.
    Gap takeLongest() {
        return longest.getAndSet(Gap.NONE);
    }

    @Override
    public void close() {
        stopping = true;
        try {
            if (!stopped.await(10, TimeUnit.SECONDS)) {
                System.out.println("chaos: the last change of metadata is not answered");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        admin.close(Duration.ofSeconds(1));
    }
}
