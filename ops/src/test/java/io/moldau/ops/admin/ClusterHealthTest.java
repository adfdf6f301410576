package io.moldau.ops.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.Condition;
import io.moldau.ops.metrics.Scrape;
import io.moldau.ops.node.ThreeNodes;
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
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Three nodes in this process, one of which goes and comes back, by the word of their admin listeners.
class ClusterHealthTest {

    private static final int NODES = 3;
    private static final int PARTITIONS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private ThreeNodes nodes;

    @BeforeEach
    void start() throws InterruptedException {
        nodes = ThreeNodes.start(folder, Map.of());
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    @Test
    void oneOfThreeMayGoAndThenNoneUntilItIsBack() throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            try (var admin = Admin.create(Map.of("bootstrap.servers", nodes.bootstrap()))) {
                var topic =
                        new NewTopic("words", PARTITIONS, (short) NODES).configs(Map.of("min.insync.replicas", "2"));
                admin.createTopics(List.of(topic)).all().get();
            }
            eachIsSafeToStop(client, 1, 2, 3);

            nodes.stop(3);

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

            nodes.startAgain(3);

            eachIsSafeToStop(client, 1, 2, 3);
            await(
                    "all replicas are in sync again",
                    () -> sum("kafka_server_replicamanager_underreplicatedpartitions") == 0);
            assertThat(sum("kafka_server_replicamanager_isrexpands_total")).isGreaterThanOrEqualTo(1);
        }
    }

    @Test
    void theCoordinatorTellsTheLagOfPartitionsThatOthersHold() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", nodes.bootstrap()));
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", nodes.bootstrap(), "compression.type", "gzip"),
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

            assertThat(nodes.ids().stream()
                            .filter(id -> scrape(id).contains("kafka_topic_partition_leader", "topic", "spread")))
                    .as("each node leads some")
                    .hasSize(NODES);
            List<Scrape.Sample> ages = nodes.ids().stream()
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
        Await.until(what, PATIENCE, condition, () -> nodes.ids() + " run");
    }

    private Scrape scrape(int id) {
        try {
            return Scrape.of(nodes.adminUrl(id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private double sum(String metric) {
        return nodes.ids().stream().mapToDouble(id -> scrape(id).sum(metric)).sum();
    }

    private HttpResponse<String> get(HttpClient client, int id, String path) {
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create(nodes.adminUrl(id) + path))
                            .build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
