package io.moldau.ops.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.metrics.Scrape;
import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.Tool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// kill -9 in the middle of compactions, in a node with a heap of 64 MB, under load with tombstones and with
/// transactions
/// of both ends: the map that a reader of committed records builds is the map of all that was written, records deleted
/// by DeleteRecords and by retention stay deleted, nothing is left uncleanable, and the reference's dump tool finds the
/// files sound.
///
/// `-Dmoldau.long=true` kills a hundred times, and has more keys than the memory for them takes.
class CompactionKillIT {

    private static final boolean LONG = Boolean.getBoolean("moldau.long");
    private static final int ROUNDS = LONG ? 100 : 3;
    private static final int FILL_KEYS = LONG ? 1_000_000 : 10_000;
    private static final int BUSY_KEYS = 2_000;
    private static final TopicPartition MAP = new TopicPartition("map", 0);
    private static final TopicPartition BOTH = new TopicPartition("both", 0);
    private static final TopicPartition PLAIN = new TopicPartition("plain", 0);
    private static final String DUMP = "org.apache.kafka.tools.DumpLogSegments";

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void whatWasWrittenIsTheMapAfterEachKill() throws Exception {
        String url = "http://127.0.0.1:" + NodeProcess.freePort(29_100);
        var node = NodeProcess.start(
                Map.of("MOLDAU_HEAP", "64m"),
                folder.resolve("data"),
                "admin.listener=" + url,
                "log.cleaner.backoff.ms=50",
                "log.cleaner.io.max.bytes.per.second=20000",
                "log.retention.check.interval.ms=500",
                "offsets.topic.num.partitions=1",
                "transaction.state.log.num.partitions=1");
        var random = new Random(18);
        try {
            create(node.bootstrap());
            try (var load = new Load(node.bootstrap())) {
                load.fill();
                load.start();
                load.await("the first records", 3_000);
                assertThat(cleanings(url)).as("compactions at 20 KB/s").isZero();
                setRate(node.bootstrap(), "40000000");
                long deletedUpTo = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    long before = cleanings(url);
                    Await.until(
                            "a compaction in round " + round,
                            Duration.ofSeconds(LONG ? 300 : 60),
                            () -> cleanings(url) > before,
                            () -> "");
                    deletedUpTo = deleteHalf(node.bootstrap());
                    Await.pass(Duration.ofMillis(random.nextInt(700)));
                    node.kill();
                    node = node.startAgain();
                    assertThat(start(node.bootstrap(), PLAIN)).isGreaterThanOrEqualTo(deletedUpTo);
                    load.await("more records after kill " + round, 1_000);
                }
                load.finish();
                assertThat(load.failures).isEmpty();
                var read = read(node.bootstrap());
                assertThat(read.size()).isEqualTo(load.model.size());
                assertThat(read).isEqualTo(load.model);
                assertThat(start(node.bootstrap(), BOTH))
                        .as("what retention deletes")
                        .isPositive();
                System.out.printf(
                        "COMPACTION %d kills, %,d transactions, %,d keys; the last process compacted %d times%n",
                        ROUNDS, load.transactions.get(), read.size(), cleanings(url));
            }
            assertThat(Scrape.of(url).sum("kafka_log_logcleanermanager_uncleanable_partitions_count"))
                    .isZero();
            assertThat(node.output()).doesNotContain("OutOfMemory", "cannot be compacted");
            node.stop();
        } finally {
            node.close();
        }
        assertThat(dump(".log", "--deep-iteration")).contains("isvalid: true").doesNotContain("isvalid: false");
        for (var index : List.of(".index", ".timeindex")) {
            assertThat(dump(index, "--index-sanity-check"))
                    .contains("passed sanity check")
                    .doesNotContain("failed", "mismatch", "Mismatch");
        }
    }

    private static long cleanings(String url) throws Exception {
        return (long) Scrape.of(url).sum("moldau_log_cleanings_total");
    }

    private static Admin admin(String bootstrap) {
        return Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    private static void create(String bootstrap) throws Exception {
        var compact = Map.of(
                "cleanup.policy", "compact",
                "segment.bytes", "1048576",
                "min.cleanable.dirty.ratio", "0.01",
                "delete.retention.ms", "2000");
        try (var admin = admin(bootstrap)) {
            admin.createTopics(List.of(
                            new NewTopic(MAP.topic(), 1, (short) 1).configs(compact),
                            new NewTopic(BOTH.topic(), 1, (short) 1)
                                    .configs(Map.of(
                                            "cleanup.policy", "compact,delete",
                                            "segment.bytes", "1048576",
                                            "min.cleanable.dirty.ratio", "0.01",
                                            "retention.bytes", "1048576")),
                            new NewTopic(PLAIN.topic(), 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    /// While the node runs.
    private static void setRate(String bootstrap, String bytesPerSecond) throws Exception {
        try (var admin = admin(bootstrap)) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.BROKER, ""),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("log.cleaner.io.max.bytes.per.second", bytesPerSecond),
                                    AlterConfigOp.OpType.SET))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static KafkaConsumer<String, String> consumer(String bootstrap) {
        return new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private static long start(String bootstrap, TopicPartition partition) {
        try (var consumer = consumer(bootstrap)) {
            return Objects.requireNonNull(
                    consumer.beginningOffsets(List.of(partition)).get(partition));
        }
    }

    private static long deleteHalf(String bootstrap) throws Exception {
        try (var consumer = consumer(bootstrap);
                var admin = admin(bootstrap)) {
            long end =
                    Objects.requireNonNull(consumer.endOffsets(List.of(PLAIN)).get(PLAIN));
            long start = Objects.requireNonNull(
                    consumer.beginningOffsets(List.of(PLAIN)).get(PLAIN));
            var deleted = admin.deleteRecords(Map.of(PLAIN, RecordsToDelete.beforeOffset((start + end) / 2)));
            return Objects.requireNonNull(deleted.lowWatermarks().get(PLAIN))
                    .get(30, TimeUnit.SECONDS)
                    .lowWatermark();
        }
    }

    private static Map<String, String> read(String bootstrap) {
        var map = new HashMap<String, String>();
        try (var consumer = consumer(bootstrap)) {
            consumer.assign(List.of(MAP));
            consumer.seekToBeginning(List.of(MAP));
            long end = Objects.requireNonNull(consumer.endOffsets(List.of(MAP)).get(MAP));
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
            while (consumer.position(MAP) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> apply(map, record.key(), record.value()));
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
        }
        return map;
    }

    private static void apply(Map<String, String> map, String key, @Nullable String value) {
        if (value == null) {
            map.remove(key);
        } else {
            map.put(key, value);
        }
    }

    private String dump(String suffix, String option) throws Exception {
        try (var files = Files.list(folder.resolve("data").resolve(MAP.toString()))) {
            String names = files.map(Path::toString)
                    .filter(name -> name.endsWith(suffix))
                    .sorted()
                    .limit(20)
                    .collect(Collectors.joining(","));
            return Tool.named(DUMP).with("--files", names, option).succeeds();
        }
    }

    /// Two producers on a thread each: one with tombstones, one with transactions. Their keys differ, so that the order
    /// between them does not matter.
    private static final class Load implements AutoCloseable {

        private static final String PADDING = "-".repeat(400);

        private final KafkaProducer<String, String> plain;
        private final KafkaProducer<String, String> transactional;
        private final Map<String, String> model = new ConcurrentHashMap<>();
        private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
        private final AtomicInteger acknowledged = new AtomicInteger();
        private final AtomicInteger transactions = new AtomicInteger();
        private final AtomicBoolean stopping = new AtomicBoolean();
        private final CountDownLatch stopped = new CountDownLatch(2);

        Load(String bootstrap) {
            var settings = Map.<String, Object>of(
                    "bootstrap.servers", bootstrap,
                    "batch.size", "16000",
                    "linger.ms", "2",
                    "buffer.memory", "2000000",
                    "reconnect.backoff.ms", "20",
                    "reconnect.backoff.max.ms", "100");
            plain = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
            var more = new HashMap<String, Object>(settings);
            more.put("transactional.id", "t");
            more.put("compression.type", "lz4");
            transactional = new KafkaProducer<>(more, new StringSerializer(), new StringSerializer());
        }

        /// Each key twice.
        void fill() throws ExecutionException, InterruptedException {
            for (int i = 0; i < 2 * FILL_KEYS; i++) {
                send(MAP, "fill-" + i % FILL_KEYS, i + PADDING);
            }
            plain.flush();
            transactional.initTransactions();
        }

        void start() {
            Thread.ofPlatform().daemon().name("plain-load").start(() -> run(this::plain));
            Thread.ofPlatform().daemon().name("transactional-load").start(() -> run(this::transactional));
        }

        private interface Step {
            void take(int n) throws Exception;
        }

        private void run(Step step) {
            try {
                for (int n = 0; !stopping.get(); n++) {
                    step.take(n);
                }
            } catch (Exception e) {
                failures.add(e);
            } finally {
                stopped.countDown();
            }
        }

        private void plain(int n) {
            var key = "busy-" + n * 7919L % BUSY_KEYS;
            send(MAP, key, n % 10 == 3 ? null : n + PADDING);
            send(BOTH, key, n + PADDING);
            send(PLAIN, key, "deleted soon");
            if (n % 500 == 499) {
                // A machine's whole speed is not needed.
                plain.flush();
                Await.pass(Duration.ofMillis(50));
            }
        }

        /// What was sent is in the model: the producer tries until it is there, or tells of a failure.
        private void send(TopicPartition to, String key, @Nullable String value) {
            if (to.equals(MAP)) {
                apply(model, key, value);
            }
            var _ = plain.send(new ProducerRecord<>(to.topic(), to.partition(), key, value), (metadata, failure) -> {
                if (failure != null) {
                    failures.add(failure);
                }
                acknowledged.incrementAndGet();
            });
        }

        private void transactional(int n) {
            var written = new HashMap<String, String>();
            transactional.beginTransaction();
            for (int i = 0; i < 5; i++) {
                var key = "transaction-" + (n * 5 + i) % 300;
                written.put(key, n + "-" + i);
                var _ = transactional.send(new ProducerRecord<>(MAP.topic(), 0, key, n + "-" + i));
            }
            if (n % 3 == 2) {
                transactional.abortTransaction();
            } else {
                transactional.commitTransaction();
                model.putAll(written);
            }
            transactions.incrementAndGet();
            Await.pass(Duration.ofMillis(20));
        }

        private void await(String what, int count) {
            int wanted = acknowledged.get() + count;
            Await.until(what, Duration.ofSeconds(60), () -> acknowledged.get() >= wanted, failures::toString);
        }

        private void finish() throws InterruptedException {
            stopping.set(true);
            assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
            plain.flush();
        }

        @Override
        public void close() {
            stopping.set(true);
            plain.close(Duration.ofSeconds(5));
            transactional.close(Duration.ofSeconds(5));
        }
    }
}
