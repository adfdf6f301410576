package io.moldau.ops.chaos.streams;

import io.moldau.ops.chaos.cluster.Await;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/// Feeds the programs of [StreamsPrograms], and computes what they must come to. One thread feeds; the results may be
/// asked for after [#finish].
public final class StreamsInput implements AutoCloseable {

    private static final int WORDS = 40;
    private static final int USERS = 20;
    private static final Duration TICK = Duration.ofMillis(20);

    private final KafkaProducer<String, String> producer;
    private final Random random;
    private final long firstTimeMs;
    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<String, String> joined = new TreeMap<>();
    private final Map<String, Long> sums = new TreeMap<>();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<String, String> users = new HashMap<>();
    private volatile boolean stopping;

    /// @param firstTimeMs of the first records; neither so old that brokers forget them, nor so late that later ones
    /// are
    ///     of the future
    public StreamsInput(String bootstrap, long seed, long firstTimeMs) {
        this.firstTimeMs = firstTimeMs;
        random = new Random(seed);
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "reconnect.backoff.max.ms", 200),
                new StringSerializer(),
                new StringSerializer());
    }

    /// The table of users, which is complete before anything is joined with it, and older than that.
    public void sendUsers() throws Exception {
        for (int i = 0; i < USERS; i++) {
            var user = "user-" + i;
            users.put(user, "name of " + user);
            producer.send(new ProducerRecord<>(StreamsPrograms.USERS, null, firstTimeMs - 1, user, users.get(user)))
                    .get(60, TimeUnit.SECONDS);
        }
    }

    public void start() {
        Thread.ofPlatform().daemon().name("streams-input").start(() -> {
            for (long n = 0; !stopping && failure.get() == null; n++) {
                sendSome(n);
                Await.pass(TICK);
            }
            stopped.countDown();
        });
    }

    /// Two words, an order and a payment. Their times go on faster than the clock.
    private void sendSome(long n) {
        long time = firstTimeMs + n * 200;
        for (int i = 0; i < 2; i++) {
            var word = "word-" + random.nextInt(WORDS);
            send(StreamsPrograms.WORDS, time, Long.toString(n), word);
            counts.merge(word, 1L, Long::sum);
        }
        var user = "user-" + random.nextInt(USERS);
        send(StreamsPrograms.ORDERS, time, user, "order-" + n);
        joined.put("order-" + n, Objects.requireNonNull(users.get(user)));
        long amount = random.nextInt(1, 1_000);
        var payer = "user-" + random.nextInt(USERS);
        send(StreamsPrograms.PAYMENTS, time, payer, Long.toString(amount));
        sums.merge(StreamsPrograms.windowKey(payer, time), amount, Long::sum);
    }

    private void send(String topic, long time, String key, String value) {
        sent.incrementAndGet();
        var _ = producer.send(new ProducerRecord<>(topic, null, time, key, value), (metadata, why) -> {
            if (why != null) {
                failure.compareAndSet(null, why);
            }
        });
    }

    public void finish() throws Exception {
        stopping = true;
        if (!stopped.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the input did not end");
        }
        producer.flush();
        var why = failure.get();
        if (why != null) {
            throw new AssertionError("a record was not taken", why);
        }
    }

    public long sent() {
        return sent.get();
    }

    /// How often each word was sent.
    public Map<String, Long> counts() {
        return counts;
    }

    /// The name for each order.
    public Map<String, String> joined() {
        return joined;
    }

    /// By [StreamsPrograms#windowKey].
    public Map<String, Long> sums() {
        return sums;
    }

    @Override
    public void close() {
        stopping = true;
        producer.close(Duration.ZERO);
    }
}
