package io.moldau.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.image.ClusterImage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.clients.ClientScript;
import io.moldau.ops.clients.ClientTools;
import io.moldau.ops.json.Json;
import io.moldau.ops.metrics.Scrape;
import io.moldau.ops.node.ThreeNodes;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// What a person does in the console, done by a browser without a window: `clients/js/console_tasks.cjs` has the tasks.
/// The cluster has three nodes of which one is gone, so a partition is offline and others lack a replica; a group whose
/// only member hangs; and a producer at work. Pictures of all pages are left in `target/console-screenshots`.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path PICTURES = Path.of("target/console-screenshots").toAbsolutePath();

    private static final int ORDERS = 200;
    private static final long FIRST_MS = 1_700_000_000_000L;

    private final AtomicBoolean over = new AtomicBoolean();

    private @Nullable ThreeNodes nodes;
    private @Nullable KafkaConsumer<byte[], byte[]> hanging;
    private @Nullable Thread load;

    @BeforeAll
    void aClusterInTrouble(@TempDir Path folder) throws Exception {
        // Before anything is started.
        ClientTools.chromium();
        ThreeNodes three = ThreeNodes.start(
                folder, Map.of("group.initial.rebalance.delay.ms", "0", "offsets.topic.num.partitions", "3"));
        nodes = three;
        try (var admin = Admin.create(Map.of("bootstrap.servers", three.bootstrap()))) {
            admin.createTopics(List.of(
                            new NewTopic(
                                            "orders",
                                            Map.of(0, List.of(1, 2, 3), 1, List.of(2, 3, 1), 2, List.of(2, 1, 3)))
                                    .configs(Map.of("retention.ms", "-1", "min.insync.replicas", "2")),
                            new NewTopic("payments", Map.of(0, List.of(1), 1, List.of(2), 2, List.of(3))),
                            new NewTopic("load", Map.of(0, List.of(1, 2), 1, List.of(2, 1)))))
                    .all()
                    .get();
        }
        fill(three);
        hanging = hang(three);
        three.stop(3);
        Await.until(
                "the broker that left is missed",
                PATIENCE,
                () -> !cluster(three).isUnfenced(3)
                        && partition(three, "orders", 0).isr().size() == 2,
                () -> cluster(three).brokers() + "\n" + partition(three, "orders", 0));
        load = Thread.ofPlatform().name("load").start(() -> produce(three));
    }

    private static MetadataImage image(ThreeNodes nodes) {
        return nodes.node(1).node().view().image().get();
    }

    private static ClusterImage cluster(ThreeNodes nodes) {
        return image(nodes).cluster();
    }

    private static PartitionRegistration partition(ThreeNodes nodes, String topic, int partition) {
        return Objects.requireNonNull(image(nodes).topics().partition(new TopicPartition(topic, partition)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static KafkaProducer<byte[], byte[]> producer(ThreeNodes nodes) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", nodes.bootstrap(), "linger.ms", "5"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /// Partition 0 of `orders` has a record for each second, three of them odd; partition 1 has many.
    private static void fill(ThreeNodes nodes) {
        try (var producer = producer(nodes)) {
            for (int i = 0; i < ORDERS; i++) {
                var record = new ProducerRecord<>(
                        "orders",
                        0,
                        FIRST_MS + i * 1_000L,
                        i == 43 ? new byte[] {0, (byte) 0xff, 0x10} : bytes(i == 42 ? "customer-42" : "order-" + i),
                        bytes(
                                i == 44
                                        ? "<img src=x onerror=\"document.title='broken in'\">"
                                        : "{\"order\": " + i + ", \"amount\": \"" + i + ".50 €\"}"));
                if (i == 42) {
                    record.headers().add("trace", bytes("4bf92f35")).add("binary", new byte[] {1, 2, (byte) 0xfe});
                }
                send(producer, record);
            }
            for (int i = 0; i < 3_000; i++) {
                send(
                        producer,
                        new ProducerRecord<>("orders", 1, FIRST_MS + i, bytes("many-" + i), bytes("x".repeat(50))));
            }
            send(producer, new ProducerRecord<>("payments", 0, bytes("p"), bytes("paid")));
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
        producer.send(record, (metadata, failure) -> {
            if (failure != null) {
                throw new IllegalStateException("a record was not taken", failure);
            }
        });
    }

    /// A member that has partitions, says that it lives, and reads no further.
    private static KafkaConsumer<byte[], byte[]> hang(ThreeNodes nodes) {
        var settings = new HashMap<String, Object>(
                Map.of("bootstrap.servers", nodes.bootstrap(), "group.id", "billing", "client.id", "billing-worker"));
        settings.put("enable.auto.commit", "false");
        var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of("orders"));
        while (consumer.assignment().isEmpty()) {
            consumer.poll(Duration.ofMillis(100));
        }
        consumer.commitSync(Map.of(
                new org.apache.kafka.common.TopicPartition("orders", 0), new OffsetAndMetadata(42),
                new org.apache.kafka.common.TopicPartition("orders", 1), new OffsetAndMetadata(3_000),
                new org.apache.kafka.common.TopicPartition("orders", 2), new OffsetAndMetadata(0)));
        return consumer;
    }

    private void produce(ThreeNodes nodes) {
        try (var producer = producer(nodes)) {
            for (long i = 0; !over.get(); i++) {
                send(producer, new ProducerRecord<>("load", bytes("l" + i), bytes("y".repeat(200))));
                Await.pass(Duration.ofMillis(5));
            }
        }
    }

    @AfterAll
    void stop() throws InterruptedException {
        over.set(true);
        if (load != null) {
            load.join();
        }
        if (hanging != null) {
            hanging.close();
        }
        if (nodes != null) {
            nodes.close();
        }
    }

    /// The partition stays with its only replica, so the metadata alone do not say that nobody serves it.
    @Test
    void metricsCountThePartitionThatIsOffline() throws Exception {
        assertThat(Scrape.of(Objects.requireNonNull(nodes).adminUrl(1))
                        .sum("kafka_controller_kafkacontroller_offlinepartitionscount"))
                .isEqualTo(1);
    }

    @Test
    void whicheverNodeIsAskedTellsTheSameOfAGroup() throws Exception {
        JsonNode first = group(1);
        JsonNode second = group(2);
        for (String field : List.of("state", "coordinator", "assignor", "lagRecords", "members")) {
            assertThat(second.get(field)).as(field).isEqualTo(first.get(field));
        }
        assertThat(first.get("lagRecords").asLong()).isEqualTo(ORDERS - 42);
        for (int i = 0; i < 3; i++) {
            for (String field : List.of("topic", "partition", "committedOffset", "endOffset", "lagRecords", "member")) {
                assertThat(second.get("partitions").get(i).get(field))
                        .as(field)
                        .isEqualTo(first.get("partitions").get(i).get(field));
            }
        }
    }

    private JsonNode group(int node) throws Exception {
        URI uri = URI.create(Objects.requireNonNull(nodes).adminUrl(node) + "/api/v1/groups/billing");
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return new ObjectMapper().readTree(answer.body());
        }
    }

    @TestFactory
    List<DynamicTest> tasks() throws Exception {
        Files.createDirectories(PICTURES);
        var facts = Map.of("orders", ORDERS, "firstMs", FIRST_MS, "stopped", 3, "offline", "payments-2");
        List<String> lines = ClientScript.node("console_tasks.cjs")
                .run(Objects.requireNonNull(nodes).adminUrl(1), PICTURES.toString(), Json.line(facts));
        return lines.stream()
                .map(line -> DynamicTest.dynamicTest(
                        line.replaceFirst("^\\w+ ", "").replaceFirst("(: | \\().*", ""),
                        () -> assertThat(line).startsWith("ok ")))
                .toList();
    }
}
