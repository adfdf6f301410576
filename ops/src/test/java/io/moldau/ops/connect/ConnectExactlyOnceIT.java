package io.moldau.ops.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.NodeHandle;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.chaos.transaction.TopicContents;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A file goes through a topic into another file, by a distributed worker of Kafka Connect with
/// `exactly.once.source.support`, while a broker is killed, and the worker as well. No line is lost or there twice.
///
/// `-Dmoldau.chaos.subject=reference` runs it against Apache Kafka.
class ConnectExactlyOnceIT {

    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final TopicPartition LINES = new TopicPartition("lines", 0);

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void fileToFile() throws Exception {
        var subject = Subject.valueOf(
                System.getProperty("moldau.chaos.subject", "moldau").toUpperCase(Locale.ROOT));
        var in = Files.createFile(folder.resolve("in"));
        var out = Files.createFile(folder.resolve("out"));
        try (var cluster = ClusterProcesses.start(plan(subject))) {
            cluster.view().createTopic(LINES.topic(), 1, Map.of("min.insync.replicas", "2"));
            try (var worker = new ConnectWorker(folder.resolve("connect"), settings(cluster.bootstrap()))) {
                append(in, 1, 100);
                worker.put("source", """
                        {"connector.class":"LineSource","tasks.max":"1","topic":"lines","file":"%s"}""".formatted(in));
                worker.put("sink", """
                        {"connector.class":"LineSink","tasks.max":"1","topics":"lines","file":"%s"}""".formatted(out));
                awaitLines(worker, out, 100);
                var killed = leader(cluster);
                append(in, 101, 150);
                killed.kill();
                append(in, 151, 250);
                awaitLines(worker, out, 250);
                killed.start();
                append(in, 251, 300);
                worker.killAndStart();
                append(in, 301, 400);
                awaitLines(worker, out, 400);
                worker.awaitRunning("source");
            }
            var topic = TopicContents.read(cluster.bootstrap(), List.of(LINES), "read_committed");
            var inTopic = Objects.requireNonNull(topic.records().get(0)).stream()
                    .map(it -> new String(it.value(), StandardCharsets.UTF_8))
                    .toList();
            assertThat(inTopic).as("the topic").isEqualTo(Files.readAllLines(in));
            assertThat(lines(out)).as("the copy").isEqualTo(Files.readAllLines(in));
            System.out.printf("CONNECT %s: %d lines, one broker and one worker killed%n", subject, inTopic.size());
        }
    }

    private ClusterPlan plan(Subject subject) {
        return ClusterPlan.of(subject, folder)
                .with("transaction.state.log.num.partitions", "5")
                .with("transaction.state.log.replication.factor", "3")
                .with("transaction.state.log.min.isr", "2")
                .combined(3);
    }

    private static Map<String, String> settings(String bootstrap) {
        var settings = new TreeMap<String, String>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", "workers");
        settings.put("session.timeout.ms", "6000");
        settings.put("heartbeat.interval.ms", "1000");
        settings.put("scheduled.rebalance.max.delay.ms", "0");
        settings.put("exactly.once.source.support", "enabled");
        settings.put("plugin.discovery", "service_load");
        settings.put("offset.flush.interval.ms", "1000");
        for (var store : List.of("config", "offset", "status")) {
            settings.put(store + ".storage.topic", "connect-" + store);
            settings.put(store + ".storage.replication.factor", "3");
        }
        settings.put("offset.storage.partitions", "3");
        settings.put("status.storage.partitions", "1");
        for (var converter : List.of("key.converter", "value.converter")) {
            settings.put(converter, "org.apache.kafka.connect.storage.StringConverter");
        }
        return settings;
    }

    private static NodeHandle leader(ClusterProcesses cluster) throws Exception {
        return cluster.node(cluster.view().leader(LINES.topic(), LINES.partition()));
    }

    private static void append(Path file, int from, int to) throws Exception {
        Files.write(
                file,
                IntStream.rangeClosed(from, to).mapToObj(it -> "line " + it).toList(),
                StandardOpenOption.APPEND);
    }

    private static void awaitLines(ConnectWorker worker, Path file, int count) {
        Await.until(count + " lines to arrive", PATIENCE, () -> lines(file).size() >= count, () -> {
            try {
                return lines(file).size() + " are there\n" + worker.log();
            } catch (Exception e) {
                return e.toString();
            }
        });
    }

    private static List<String> lines(Path file) throws Exception {
        return Files.readAllLines(file).stream().map(it -> it.split(" ", 2)[1]).toList();
    }
}
