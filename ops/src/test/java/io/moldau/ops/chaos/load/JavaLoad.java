package io.moldau.ops.chaos.load;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// The Java client with its defaults, which are acks=all and idempotence. One thread sends.
public final class JavaLoad implements Load {

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LoadPlan plan;
    private final History history;
    private final KafkaProducer<byte[], byte[]> producer;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;

    public JavaLoad(LoadPlan plan, History history) {
        this.plan = plan;
        this.history = history;
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        plan.bootstrap(),
                        "client.id",
                        "java-" + plan.producer(),
                        "acks",
                        "all",
                        "enable.idempotence",
                        "true"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        Thread.ofPlatform().daemon().name("java-load-" + plan.producer()).start(this::run);
    }

    private void run() {
        try {
            long start = System.nanoTime();
            for (long n = 0; !stopping; n++) {
                long due = start + n * 1_000_000_000L / plan.perSecond();
                // Wakes up a hundred times a second, not once for each record.
                for (long left = due - System.nanoTime(); left > 0 && !stopping; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(Math.max(left, TICK_NANOS));
                }
                send((int) (n % plan.partitions()), n / plan.partitions());
            }
        } catch (RuntimeException e) {
            history.failure("producer " + plan.producer() + " ended: " + e);
        } finally {
            stopped.countDown();
        }
    }

    private void send(int partition, long sequence) {
        var value = new ChaosValue(plan.producer(), partition, sequence).encode(plan.valueSize());
        long sentNanos = System.nanoTime();
        history.sent(plan.producer(), partition, sequence);
        var _ = producer.send(new ProducerRecord<>(plan.topic(), partition, null, value), (metadata, failure) -> {
            if (failure == null) {
                history.acknowledged(
                        plan.producer(), partition, sequence, metadata.offset(), sentNanos, System.nanoTime());
            } else {
                history.failed(plan.producer(), partition, sequence, failure.toString());
            }
        });
    }

    @Override
    public void finish() throws InterruptedException {
        stopping = true;
        if (!stopped.await(120, TimeUnit.SECONDS)) {
            history.failure("producer " + plan.producer() + " did not come back from send");
        }
        producer.flush();
    }

    @Override
    public void close() {
        stopping = true;
        producer.close(Duration.ZERO);
    }
}
