package io.moldau.ops.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.NodeServices;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.FaultHandler;
import io.moldau.ops.AdministeredNode;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.Condition;
import io.moldau.ops.metrics.Scrape;
import io.moldau.ops.node.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Three nodes in this process, one of which goes and comes back, by the word of their admin listeners.
class ClusterHealthTest {

    private static final int NODES = 3;
    private static final int PARTITIONS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final Map<Integer, AdministeredNode> nodes = new TreeMap<>();
    private final int firstPort = NodeProcess.freePort(28_000);

    @Test
    void oneOfThreeMayGoAndThenNoneUntilItIsBack() throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            startAll();
            try (var admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + clientPort(1)))) {
                var topic =
                        new NewTopic("words", PARTITIONS, (short) NODES).configs(Map.of("min.insync.replicas", "2"));
                admin.createTopics(List.of(topic)).all().get();
            }
            eachIsSafeToStop(client, 1, 2, 3);

            Objects.requireNonNull(nodes.remove(3)).close();

            await(
                    "the broker that left is fenced",
                    () -> scrape(1).sum("kafka_controller_kafkacontroller_fencedbrokercount") == 1);
            await(
                    "its replicas are missed",
                    () -> sum("kafka_server_replicamanager_underreplicatedpartitions") == PARTITIONS);
            for (int id : List.of(1, 2)) {
                await(
                        "the quorum misses it",
                        () -> get(client, id, "/safe-to-stop").body().contains("\"quorumBlocked\":true"));
                HttpResponse<String> answer = get(client, id, "/safe-to-stop");
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.body())
                        .contains("the metadata quorum would have 1 of 3 voters, and needs 2")
                        .contains("words-0 would have 1 in-sync replicas, and needs 2")
                        .contains("\"blockedPartitions\":" + PARTITIONS);
                // It serves all the same.
                assertThat(get(client, id, "/ready").statusCode()).isEqualTo(200);
            }
            assertThat(sum("kafka_server_replicamanager_atminisrpartitioncount"))
                    .isEqualTo(PARTITIONS);
            assertThat(sum("kafka_server_replicamanager_underminisrpartitioncount"))
                    .isZero();
            assertThat(sum("kafka_server_replicamanager_isrshrinks_total")).isGreaterThanOrEqualTo(1);
            assertThat(sum("kafka_controller_kafkacontroller_activecontrollercount"))
                    .isEqualTo(1);

            start(3);
            node(3).node().awaitReady(PATIENCE);

            eachIsSafeToStop(client, 1, 2, 3);
            await(
                    "all replicas are in sync again",
                    () -> sum("kafka_server_replicamanager_underreplicatedpartitions") == 0);
            assertThat(sum("kafka_server_replicamanager_isrexpands_total")).isGreaterThanOrEqualTo(1);
        } finally {
            nodes.values().forEach(AdministeredNode::close);
        }
    }

    @Test
    void theCoordinatorTellsTheLagOfPartitionsThatOthersHold() throws Exception {
        startAll();
        try (var admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + clientPort(1)));
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", "127.0.0.1:" + clientPort(1), "compression.type", "gzip"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            admin.createTopics(List.of(new NewTopic("spread", PARTITIONS, (short) 1)))
                    .all()
                    .get();
            long oldestMs = System.currentTimeMillis() - 1_000_000;
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                for (int i = 0; i < 5; i++) {
                    var unused = producer.send(
                            new ProducerRecord<>("spread", partition, oldestMs + i * 100_000L, null, new byte[10]));
                }
                offsets.put(new TopicPartition("spread", partition), new OffsetAndMetadata(2));
            }
            producer.flush();
            admin.alterConsumerGroupOffsets("g", offsets).all().get();

            long beganMs = System.currentTimeMillis();
            await("every partition is told", () -> sum("kafka_consumergroup_lag") == PARTITIONS * 3.0);

            assertThat(nodes.keySet().stream()
                            .filter(id -> scrape(id).contains("kafka_topic_partition_leader", "topic", "spread")))
                    .as("each node leads some")
                    .hasSize(NODES);
            List<Scrape.Sample> ages = nodes.keySet().stream()
                    .flatMap(id -> scrape(id).samples().stream())
                    .filter(sample -> sample.name().equals("moldau_consumergroup_lag_seconds"))
                    .toList();
            assertThat(ages)
                    .hasSize(PARTITIONS)
                    .allSatisfy(age -> assertThat(age.value())
                            .isBetween(
                                    (beganMs - oldestMs - 200_000) / 1e3,
                                    (System.currentTimeMillis() - oldestMs - 200_000) / 1e3));
            assertThat(sum("moldau_consumergroup_partitions_unknown")).isZero();
        } finally {
            nodes.values().forEach(AdministeredNode::close);
        }
    }

    private void eachIsSafeToStop(HttpClient client, int... ids) {
        for (int id : ids) {
            await(
                    "node " + id + " may be stopped",
                    () -> get(client, id, "/safe-to-stop").statusCode() == 200);
        }
    }

    private void await(String what, Condition condition) {
        Await.until(what, PATIENCE, condition, () -> nodes.keySet() + " run");
    }

    private AdministeredNode node(int id) {
        return Objects.requireNonNull(nodes.get(id));
    }

    private int controllerPort(int id) {
        return firstPort + id;
    }

    private int clientPort(int id) {
        return firstPort + NODES + id;
    }

    private void startAll() throws InterruptedException {
        List<CompletableFuture<AdministeredNode>> starting = List.of(1, 2, 3).stream()
                .map(id -> CompletableFuture.supplyAsync(
                        () -> make(id), task -> Thread.ofPlatform().start(task)))
                .toList();
        for (int id = 1; id <= NODES; id++) {
            nodes.put(id, starting.get(id - 1).join());
        }
        for (AdministeredNode node : nodes.values()) {
            node.node().awaitReady(PATIENCE);
        }
    }

    private void start(int id) {
        nodes.put(id, make(id));
    }

    private AdministeredNode make(int id) {
        return AdministeredNode.start(
                NodeConfig.fromProperties(Map.of(
                        "node.id",
                        Integer.toString(id),
                        "listeners",
                        "PLAINTEXT://127.0.0.1:" + clientPort(id) + ",CONTROLLER://127.0.0.1:" + controllerPort(id),
                        "controller.quorum.voters",
                        "1@127.0.0.1:%d,2@127.0.0.1:%d,3@127.0.0.1:%d"
                                .formatted(controllerPort(1), controllerPort(2), controllerPort(3)),
                        "admin.listener",
                        "http://127.0.0.1:0",
                        "log.dirs",
                        folder.resolve("node-" + id).toString())),
                NodeServices.real().withFaults(new FaultHandler.Recording()),
                "test");
    }

    private Scrape scrape(int id) {
        try {
            return Scrape.of(String.valueOf(node(id).adminUrl()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private double sum(String metric) {
        return nodes.keySet().stream().mapToDouble(id -> scrape(id).sum(metric)).sum();
    }

    private HttpResponse<String> get(HttpClient client, int id, String path) {
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create(node(id).adminUrl() + path))
                            .build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
