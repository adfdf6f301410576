package io.moldau.ops.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ReferenceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Many commits of few keys in `__consumer_offsets`: compaction leaves little of them, and a node that starts answers
/// with the newest of each within a moment. Prints figures; `-Dmoldau.long=true` commits ten million times and looks at
/// the reference beside.
///
/// `-Dmoldau.commits=N` commits so many times.
class CommittedOffsetsLoadIT {

    private static final boolean LONG = Boolean.getBoolean("moldau.long");
    private static final int PARTITIONS = LONG ? 100 : 200;
    private static final int GROUPS = LONG ? 100 : 5;
    private static final int COMMITS = Integer.getInteger("moldau.commits", LONG ? 10_000_000 : 60_000);
    private static final int ROUNDS = Math.max(1, COMMITS / (PARTITIONS * GROUPS));
    private static final String TOPIC = "read";

    /// What both are given. Segments are small enough that most of them are compacted.
    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "offsets.topic.segment.bytes=" + (LONG ? 20 << 20 : 1 << 20),
            "log.cleaner.backoff.ms=500",
            "log.cleaner.min.cleanable.ratio=0.1",
            "log.segment.delete.delay.ms=1000",
            "log.initial.task.delay.ms=500",
            "log.retention.check.interval.ms=1000");

    @TempDir
    private Path folder;

    private record Figures(double commitSeconds, long bytesWritten, long bytesLeft, double loadSeconds) {}

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void aCompactedTopicLoadsFast() throws Exception {
        System.out.println("OFFSETS | node | commits | keys | commit s | topic MB before its last compaction | after |"
                + " start to answers s |");
        Path data = folder.resolve("ours");
        var node = NodeProcess.start(data, SETTINGS.toArray(String[]::new));
        try {
            double committed = commit(node.bootstrap());
            long most = size(data);
            long left = awaitCompacted(data);
            node.kill();
            long began = System.nanoTime();
            node = node.startAgain();
            check(node.bootstrap());
            tell("moldau", new Figures(committed, most, left, (System.nanoTime() - began) / 1e9));
            // The active segment and a little more.
            assertThat(left).isLessThan((LONG ? 50L : 3L) << 20);
        } finally {
            node.close();
        }
        if (LONG) {
            reference();
        }
    }

    private void reference() throws Exception {
        Path home = Files.createDirectories(folder.resolve("theirs"));
        Path data = home.resolve("data");
        double committed;
        long most;
        long left;
        try (var node = ReferenceNode.start(home, SETTINGS)) {
            committed = commit(node.bootstrap());
            most = size(data);
            left = awaitCompacted(data);
        }
        long began = System.nanoTime();
        try (var node = ReferenceNode.startAgain(home)) {
            check(node.bootstrap());
            tell("reference", new Figures(committed, most, left, (System.nanoTime() - began) / 1e9));
        }
    }

    private static void tell(String who, Figures figures) {
        System.out.printf(
                "OFFSETS | %s | %,d | %,d | %.1f | %.1f | %.1f | %.2f |%n",
                who,
                ROUNDS * PARTITIONS * GROUPS,
                PARTITIONS * GROUPS,
                figures.commitSeconds(),
                figures.bytesWritten() / 1e6,
                figures.bytesLeft() / 1e6,
                figures.loadSeconds());
    }

    private static Admin admin(String bootstrap) {
        return Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    /// @return how many seconds it took
    private static double commit(String bootstrap) throws Exception {
        try (var admin = admin(bootstrap)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get(120, TimeUnit.SECONDS);
            long began = System.nanoTime();
            for (int round = 1; round <= ROUNDS; round++) {
                var all = new HashMap<TopicPartition, OffsetAndMetadata>();
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    all.put(new TopicPartition(TOPIC, partition), new OffsetAndMetadata(round));
                }
                var answers = new ArrayList<KafkaFuture<Void>>();
                for (int group = 0; group < GROUPS; group++) {
                    answers.add(admin.alterConsumerGroupOffsets("group-" + group, all)
                            .all());
                }
                for (var answer : answers) {
                    answer.get(60, TimeUnit.SECONDS);
                }
            }
            return (System.nanoTime() - began) / 1e9;
        }
    }

    /// Each group finds its last commits.
    private static void check(String bootstrap) throws Exception {
        try (var admin = admin(bootstrap)) {
            for (int group = 0; group < GROUPS; group++) {
                var offsets = admin.listConsumerGroupOffsets("group-" + group)
                        .partitionsToOffsetAndMetadata()
                        .get(120, TimeUnit.SECONDS);
                assertThat(offsets).hasSize(PARTITIONS);
                assertThat(offsets.values()).allMatch(offset -> offset.offset() == ROUNDS);
            }
        }
    }

    /// Until its size is the same for a while.
    private static long awaitCompacted(Path data) {
        var sizes = new ArrayList<Long>();
        Await.until(
                "the end of compaction",
                Duration.ofMinutes(10),
                () -> {
                    sizes.add(size(data));
                    int last = sizes.size() - 1;
                    // Ten looks a second; the checks of retention and the delay of deletions take a second each.
                    return last >= 50
                            && sizes.subList(last - 50, last).stream().allMatch(sizes.getLast()::equals)
                            && files(data).size() <= 4;
                },
                () -> "segments: " + data);
        return sizes.getLast();
    }

    private static List<Path> files(Path data) throws IOException {
        try (var files = Files.list(data.resolve("__consumer_offsets-0"))) {
            return files.filter(file -> file.toString().endsWith(".log")).toList();
        }
    }

    private static long size(Path data) throws IOException {
        long bytes = 0;
        for (var file : files(data)) {
            bytes += Files.size(file);
        }
        return bytes;
    }
}
