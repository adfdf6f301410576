package io.moldau.ops.lag;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.NodeHandle;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.lag.Looks.Look;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What three nodes tell of lag and age while producers and consumers work, against brute force: a client that asks for
/// all ends and all commits again and again, and a reader of all records.
///
/// Nothing is compared with a tolerance. A node says when it began to look, and its answer says when it had ended: what
/// it found lies between what the brute force found before the one and after the other. And an age is, to the
/// millisecond, that of the record at the offset it was told for.
class LagUnderLoadIT {

    /// One topic with a replica on each node, and one most of whose partitions are not on the node that coordinates.
    private static final String KEPT = "kept";

    private static final String SPREAD = "spread";
    private static final int PARTITIONS = 6;

    /// Follows closely.
    private static final String EAGER = "eager";
    /// Falls behind all the time.
    private static final String SLOW = "slow";
    /// Committed once, and nobody comes.
    private static final String GONE = "gone";

    private static final List<String> GROUPS = List.of(EAGER, GONE, SLOW);
    private static final Duration LOAD = Duration.ofSeconds(Boolean.getBoolean("moldau.long") ? 120 : 15);
    private static final int LEAST_ROUNDS = 20;
    private static final Duration BETWEEN_SCRAPES = Duration.ofMillis(250);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicBoolean stopLooking = new AtomicBoolean();

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void whatNodesTellIsWhatBruteForceFinds() throws Exception {
        var plan = ClusterPlan.of(Subject.MOLDAU, folder).combined(3);
        try (var cluster = ClusterProcesses.start(plan);
                var admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            admin.createTopics(List.of(
                            new NewTopic(KEPT, PARTITIONS, (short) 3), new NewTopic(SPREAD, PARTITIONS, (short) 1)))
                    .all()
                    .get();
            List<TopicPartition> partitions = partitions();
            var looks = new Looks(admin, GROUPS, partitions, stopLooking);
            List<Future<@Nullable Void>> work = new ArrayList<>();
            try {
                work.add(threads.submit(producing(cluster.bootstrap(), 1, partitions)));
                work.add(threads.submit(producing(cluster.bootstrap(), 2, partitions)));
                work.add(threads.submit(reading(cluster.bootstrap(), EAGER, partitions)));
                work.add(threads.submit(reading(cluster.bootstrap(), SLOW, partitions)));
                commitOnce(admin, partitions);
                cluster.await("all groups to be told", PATIENCE, () -> told(cluster, new ArrayList<>()));
                Future<@Nullable Void> looking = threads.submit(looks);
                Await.until("the first look", PATIENCE, () -> looks.count() > 0 || looking.isDone(), () -> "");

                List<Told> told = new ArrayList<>();
                long deadline = System.nanoTime() + LOAD.toNanos();
                for (int round = 0; round < LEAST_ROUNDS || System.nanoTime() - deadline < 0; round++) {
                    assertThat(told(cluster, told)).as("all groups are told").isTrue();
                    Await.pass(BETWEEN_SCRAPES);
                }
                int looked = looks.count();
                Await.until("one more look", PATIENCE, () -> looks.count() > looked + 1 || looking.isDone(), () -> "");
                stop.set(true);
                stopLooking.set(true);
                looking.get();
                for (Future<@Nullable Void> one : work) {
                    one.get();
                }
                compare(told, looks, readAll(cluster.bootstrap(), partitions));
            } finally {
                stop.set(true);
                stopLooking.set(true);
            }
        }
    }

    private static List<TopicPartition> partitions() {
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            all.add(new TopicPartition(KEPT, i));
            all.add(new TopicPartition(SPREAD, i));
        }
        return all;
    }

    /// Asks every node in both ways.
    ///
    /// @return whether the metrics of exactly one node have each group, and every node answers for all of them
    private static boolean told(ClusterProcesses cluster, List<Told> into) throws Exception {
        List<String> byMetrics = new ArrayList<>();
        boolean byApi = true;
        for (NodeHandle node : cluster.nodes()) {
            String url = node.plan().adminUrl();
            Told scraped = Told.byMetrics(node.id(), url);
            byMetrics.addAll(scraped.groups());
            into.add(scraped);
            for (String group : GROUPS) {
                Told asked = Told.byApi(node.id(), url, group);
                byApi &= asked.groups().equals(List.of(group));
                into.add(asked);
            }
        }
        byMetrics.sort(null);
        return byMetrics.equals(GROUPS) && byApi;
    }

    private Callable<@Nullable Void> producing(String bootstrap, long seed, List<TopicPartition> partitions) {
        return () -> {
            var random = new Random(seed);
            try (var producer = new KafkaProducer<>(
                    Map.of(
                            "bootstrap.servers",
                            bootstrap,
                            "linger.ms",
                            "5",
                            "compression.type",
                            seed == 1 ? "lz4" : "none"),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                while (!stop.get()) {
                    for (int i = 0; i < 10; i++) {
                        TopicPartition to = partitions.get(random.nextInt(partitions.size()));
                        var unused = producer.send(
                                new ProducerRecord<>(to.topic(), to.partition(), null, new byte[random.nextInt(500)]));
                    }
                    producer.flush();
                    Await.pass(Duration.ofMillis(20));
                }
            }
            return null;
        };
    }

    private Callable<@Nullable Void> reading(String bootstrap, String group, List<TopicPartition> partitions) {
        return () -> {
            boolean eager = group.equals(EAGER);
            try (var consumer = new KafkaConsumer<>(
                    Map.of(
                            "bootstrap.servers",
                            bootstrap,
                            "group.id",
                            group,
                            "auto.offset.reset",
                            "earliest",
                            "enable.auto.commit",
                            "false",
                            "max.poll.records",
                            eager ? "500" : "40"),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer())) {
                if (eager) {
                    consumer.subscribe(List.of(KEPT, SPREAD));
                } else {
                    consumer.assign(partitions);
                }
                while (!stop.get()) {
                    if (!consumer.poll(Duration.ofMillis(100)).isEmpty()) {
                        consumer.commitSync();
                    }
                    if (!eager) {
                        Await.pass(Duration.ofMillis(150));
                    }
                }
            }
            return null;
        };
    }

    private static void commitOnce(Admin admin, List<TopicPartition> partitions) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int i = 0; i < partitions.size(); i++) {
            offsets.put(partitions.get(i), new OffsetAndMetadata(i));
        }
        admin.alterConsumerGroupOffsets(GONE, offsets).all().get();
    }

    /// The timestamps of all records, by offset.
    private static Map<TopicPartition, List<Long>> readAll(String bootstrap, List<TopicPartition> partitions) {
        Map<TopicPartition, List<Long>> timestamps = new HashMap<>();
        partitions.forEach(partition -> timestamps.put(partition, new ArrayList<>()));
        try (var reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            while (partitions.stream().anyMatch(it -> reader.position(it) < of(ends, it))) {
                for (var record : reader.poll(Duration.ofSeconds(5))) {
                    List<Long> known = of(timestamps, new TopicPartition(record.topic(), record.partition()));
                    assertThat(record.offset()).isEqualTo(known.size());
                    known.add(record.timestamp());
                }
            }
        }
        return timestamps;
    }

    private static void compare(List<Told> told, Looks looks, Map<TopicPartition, List<Long>> timestamps) {
        looks.onlyGrow();
        // By group and topic: how many values were compared, and how many of them were behind.
        Map<String, int[]> compared = new TreeMap<>();
        int unknown = 0;
        for (Told one : told) {
            Look before = looks.before(one.atMs());
            Look after = looks.after(one.answeredMs());
            if (before == null || after == null) {
                continue;
            }
            for (var entry : one.lags().entrySet()) {
                Told.Lag lag = entry.getValue();
                Long records = lag.records();
                Double seconds = lag.seconds();
                if (records == null || seconds == null) {
                    unknown++;
                    continue;
                }
                Told.Place place = entry.getKey();
                String what = place + " as node " + one.node() + " told " + lag;
                between(lag.offset(), records, place, before, after, what);
                if (records == 0) {
                    assertThat(seconds).as(what).isZero();
                } else {
                    long oldest = of(timestamps, place.partition()).get((int) lag.offset());
                    assertThat(seconds).as(what).isEqualTo(Math.max(0, one.atMs() - oldest) / 1e3);
                }
                int[] counts = compared.computeIfAbsent(
                        place.group() + " in " + place.partition().topic(), key -> new int[2]);
                counts[0]++;
                counts[1] += records > 0 ? 1 : 0;
            }
        }
        int all = compared.values().stream().mapToInt(it -> it[0]).sum();
        System.out.printf(
                "LAG %d values of %d answers compared with %d looks, %d not known; compared and behind: %s%n",
                all, told.size(), looks.count(), unknown, text(compared));
        assertThat(compared).hasSize(2 * GROUPS.size());
        compared.forEach((what, counts) -> {
            assertThat(counts[0]).as(what).isGreaterThan(100);
            if (!what.startsWith(EAGER)) {
                assertThat(counts[1]).as(what + ", behind").isGreaterThan(50);
            }
        });
        // A leader that is busy may not answer in time.
        assertThat(unknown).isLessThan(all / 20);
    }

    private static void between(long offset, long records, Told.Place place, Look before, Look after, String what) {
        assertThat(offset)
                .as(what)
                .isBetween(
                        before.committed(place.group(), place.partition()),
                        after.committed(place.group(), place.partition()));
        assertThat(records)
                .as(what)
                .isBetween(
                        Math.max(0, before.end(place.partition()) - offset),
                        Math.max(0, after.end(place.partition()) - offset));
    }

    private static String text(Map<String, int[]> compared) {
        var words = new ArrayList<String>();
        compared.forEach((what, counts) -> words.add(what + " " + counts[0] + "/" + counts[1]));
        return String.join(", ", words);
    }

    private static <K, V> V of(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key));
    }
}
