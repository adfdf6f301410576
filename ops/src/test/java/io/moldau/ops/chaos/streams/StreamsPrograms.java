package io.moldau.ops.chaos.streams;

import io.moldau.ops.chaos.cluster.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;

/// An instance of three programs in one: a word count, a join of a stream with a table, and sums by
/// window. Every update goes out, so the output shows each step that was taken twice or not at all.
public final class StreamsPrograms implements AutoCloseable {

    static final String WORDS = "words";
    static final String USERS = "users";
    static final String ORDERS = "orders";
    static final String PAYMENTS = "payments";
    public static final String COUNTS = "counts";
    public static final String JOINED = "joined";
    public static final String SUMS = "sums";

    /// The topics, with their partitions.
    public static final Map<String, Integer> TOPICS =
            Map.of(WORDS, 3, USERS, 2, ORDERS, 2, PAYMENTS, 2, COUNTS, 2, JOINED, 2, SUMS, 2);

    private static final Duration WINDOW = Duration.ofSeconds(10);

    private final KafkaStreams streams;
    private final AtomicInteger replacedThreads = new AtomicInteger();

    public StreamsPrograms(String bootstrap, String instance, Path stateFolder) {
        var settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "programs");
        settings.put(StreamsConfig.CLIENT_ID_CONFIG, instance);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 3);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put(
                StreamsConfig.STATE_DIR_CONFIG, stateFolder.resolve(instance).toString());
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put("session.timeout.ms", 6_000);
        settings.put("heartbeat.interval.ms", 1_000);
        settings.put("auto.offset.reset", "earliest");
        settings.put("reconnect.backoff.max.ms", 200);
        streams = new KafkaStreams(topology(), settings);
        streams.setUncaughtExceptionHandler(why -> {
            replacedThreads.incrementAndGet();
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        streams.start();
    }

    private static Topology topology() {
        var builder = new StreamsBuilder();
        builder.<String, String>stream(WORDS)
                .groupBy((key, word) -> word)
                .count()
                .toStream()
                .mapValues(count -> Long.toString(count))
                .to(COUNTS, Produced.with(Serdes.String(), Serdes.String()));
        var users = builder.<String, String>table(USERS);
        builder.<String, String>stream(ORDERS)
                .join(users, (order, name) -> order + "/" + name)
                .to(JOINED);
        builder.<String, String>stream(PAYMENTS)
                .groupByKey()
                .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW, Duration.ofDays(1)))
                .reduce((sum, amount) -> Long.toString(Long.parseLong(sum) + Long.parseLong(amount)))
                .toStream(
                        (window, sum) -> windowKey(window.key(), window.window().start()))
                .to(SUMS);
        return builder.build();
    }

    /// The key of the sum that a payment of this time belongs to.
    static String windowKey(String user, long timeMs) {
        return user + "/" + timeMs / WINDOW.toMillis();
    }

    public void awaitRunning() {
        Await.until(
                "Streams to run",
                Duration.ofSeconds(120),
                () -> streams.state() == KafkaStreams.State.RUNNING,
                () -> "it is " + streams.state());
    }

    /// Threads that ended with an exception; others took their place.
    public int replacedThreads() {
        return replacedThreads.get();
    }

    @Override
    public void close() {
        var _ = streams.close(CloseOptions.timeout(Duration.ofSeconds(20))
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }
}
