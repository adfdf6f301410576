package io.moldau.ops.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.moldau.broker.NodeServices;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.FaultHandler;
import io.moldau.ops.AdministeredNode;
import io.moldau.ops.metrics.MetricDefinition.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node in this process, used by the Java client, and what its scrape says of that.
class ScrapeTest {

    private static final int RECORDS = 100;
    private static final int VALUE_BYTES = 1000;

    @TempDir
    Path folder;

    @Test
    void aScrapeTellsWhatClientsDidAndNothingThatIsNotDocumented() throws Exception {
        try (var node = node("moldau.metrics.max.partitions", "5")) {
            use(node);

            Scrape scrape = Scrape.of(url(node));

            documented(scrape);
            counted(scrape);
            described(scrape);
        }
    }

    private static void documented(Scrape scrape) {
        Map<String, MetricDefinition> known = DocumentedMetrics.all().stream()
                .collect(Collectors.toMap(MetricDefinition::name, definition -> definition));
        scrape.types().forEach((name, type) -> {
            MetricDefinition definition = Objects.requireNonNull(known.get(name), name + " is not in docs/metrics.md");
            if (definition.kind() != Kind.HISTOGRAM || !name.startsWith("jvm_")) {
                assertThat(type).as(name).isEqualTo(definition.kind().name().toLowerCase(Locale.ROOT));
            }
        });
        for (Scrape.Sample sample : scrape.samples()) {
            String family = sample.name().replaceFirst("_(bucket|sum|count)$", "");
            MetricDefinition definition = Objects.requireNonNull(
                    known.containsKey(sample.name()) ? known.get(sample.name()) : known.get(family),
                    sample.name() + " is not in docs/metrics.md");
            for (String label : sample.labels().keySet()) {
                assertThat(label.equals("le") || definition.labels().contains(label))
                        .as("label %s of %s is in docs/metrics.md", label, sample.name())
                        .isTrue();
            }
        }
    }

    private static void counted(Scrape scrape) {
        assertThat(scrape.sum("kafka_server_brokertopicmetrics_messagesin_total", "topic", "words"))
                .isEqualTo(RECORDS);
        assertThat(scrape.sum("kafka_server_brokertopicmetrics_bytesin_total", "topic", "words"))
                .isBetween((double) RECORDS * VALUE_BYTES, RECORDS * VALUE_BYTES * 1.2);
        assertThat(scrape.sum("kafka_server_brokertopicmetrics_bytesout_total", "topic", "words"))
                .isGreaterThanOrEqualTo(RECORDS * VALUE_BYTES);
        assertThat(scrape.sum("kafka_network_requestmetrics_requests_total", "request", "Produce"))
                .isPositive()
                .isEqualTo(scrape.sum("moldau_request_duration_seconds_count", "request", "Produce", "phase", "total"));
        assertThat(scrape.sum(
                        "kafka_network_requestmetrics_errors_total",
                        "request",
                        "CreateTopics",
                        "error",
                        "TOPIC_ALREADY_EXISTS"))
                .isEqualTo(1);
        assertThat(scrape.sum("kafka_server_socket_server_metrics_failed_authentication_total"))
                .isPositive();
        // A consumer that found nothing waited for something: its phases say so.
        assertThat(scrape.sum("moldau_request_duration_seconds_sum", "request", "Fetch", "phase", "wait"))
                .isGreaterThan(0.2);
        assertThat(scrape.sum("moldau_request_duration_seconds_sum", "request", "Fetch", "phase", "total"))
                .isCloseTo(
                        scrape.sum("moldau_request_duration_seconds_sum", "request", "Fetch", "phase", "wait")
                                + scrape.sum(
                                        "moldau_request_duration_seconds_sum", "request", "Fetch", "phase", "handle")
                                + scrape.sum(
                                        "moldau_request_duration_seconds_sum", "request", "Fetch", "phase", "send"),
                        offset(1e-6));
        assertThat(scrape.sum("kafka_server_socket_server_metrics_connection_creation_total", "listener", "PLAINTEXT"))
                .isGreaterThanOrEqualTo(
                        scrape.sum("kafka_server_socket_server_metrics_connection_count", "listener", "PLAINTEXT"))
                .isPositive();
    }

    private static void described(Scrape scrape) {
        assertThat(scrape.sum("moldau_node_ready")).isEqualTo(1);
        assertThat(scrape.sum("kafka_controller_kafkacontroller_activecontrollercount"))
                .isEqualTo(1);
        assertThat(scrape.sum("kafka_server_replicamanager_partitioncount")).isEqualTo(3 + 4);
        assertThat(scrape.sum("moldau_metrics_left_off", "what", "partitions")).isEqualTo(2);
        assertThat(scrape.samples().stream().filter(sample -> sample.name().equals("kafka_log_log_size")))
                .hasSize(5);
        assertThat(scrape.sum("kafka_consumergroup_lag", "consumergroup", "readers"))
                .isEqualTo(RECORDS - 10);
        assertThat(scrape.sum("kafka_consumergroup_lag_sum", "consumergroup", "readers", "topic", "words"))
                .isEqualTo(RECORDS - 10);
        assertThat(scrape.sum("moldau_consumergroup_lag_seconds", "consumergroup", "readers"))
                .isPositive();
        assertThat(scrape.contains("moldau_consumergroup_state", "consumergroup", "readers", "state", "Empty"))
                .isTrue();
        assertThat(scrape.sum("kafka_server_raftmetrics_current_leader")).isEqualTo(1);
        assertThat(scrape.sum("kafka_server_raftmetrics_current_state", "current_state", "leader"))
                .isEqualTo(1);
        assertThat(scrape.samples().stream().filter(sample -> sample.name().equals("moldau_ratis_events_total")))
                .isNotEmpty();
        assertThat(scrape.sum("jvm_memory_used_bytes")).isPositive();
        assertThat(scrape.sum("moldau_netty_pooled_memory_bytes")).isPositive();
    }

    @Test
    void whatIsTurnedOffIsNotTold() throws Exception {
        try (var node = node(
                "moldau.metrics.max.partitions", "0",
                "moldau.metrics.max.topics", "0",
                "moldau.metrics.max.groups", "0")) {
            use(node);

            Scrape scrape = Scrape.of(url(node));

            assertThat(scrape.types().keySet())
                    .doesNotContain(
                            "kafka_log_log_size", "kafka_topic_partition_current_offset", "kafka_consumergroup_lag");
            assertThat(scrape.sum("kafka_server_brokertopicmetrics_messagesin_total", "topic", "(others)"))
                    .isGreaterThanOrEqualTo(RECORDS);
            assertThat(scrape.sum("moldau_metrics_left_off", "what", "topics")).isEqualTo(2);
            assertThat(scrape.sum("moldau_metrics_left_off", "what", "groups")).isEqualTo(1);
        }
    }

    private AdministeredNode node(String... keysAndValues) throws InterruptedException {
        var settings = new HashMap<>(Map.of(
                "listeners", "PLAINTEXT://127.0.0.1:0",
                "admin.listener", "http://127.0.0.1:0",
                "offsets.topic.num.partitions", "4",
                "log.dirs", folder.toString()));
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        var faults = new FaultHandler.Recording();
        var node = AdministeredNode.start(
                NodeConfig.fromProperties(settings), NodeServices.real().withFaults(faults), "test");
        node.node().awaitReady(Duration.ofSeconds(60));
        return node;
    }

    static String url(AdministeredNode node) {
        return String.valueOf(node.adminUrl());
    }

    private static void use(AdministeredNode node) throws ExecutionException, InterruptedException {
        String bootstrap = bootstrap(node);
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            var topic = new NewTopic("words", 3, (short) 1);
            admin.createTopics(List.of(topic)).all().get();
            try {
                admin.createTopics(List.of(topic)).all().get();
            } catch (ExecutionException e) {
                assertThat(e).hasMessageContaining("exists");
            }
        }
        try (var stranger = Admin.create(Map.of(
                "bootstrap.servers",
                bootstrap,
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"p\";"))) {
            assertThat(stranger.listTopics().names().toCompletionStage().toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("handshake");
        }
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>("words", 0, null, new byte[VALUE_BYTES]));
            }
        }
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "group.id", "readers", "enable.auto.commit", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var partition = new TopicPartition("words", 0);
            consumer.assign(Set.of(partition));
            consumer.seek(partition, 0);
            int read = 0;
            while (read < RECORDS) {
                read += consumer.poll(Duration.ofSeconds(10)).count();
            }
            // A wait that ends by its time.
            consumer.poll(Duration.ofMillis(700));
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(10)));
        }
    }

    static String bootstrap(AdministeredNode node) {
        return node.node().listeners().stream()
                .filter(listener -> listener.listenerName().equals("PLAINTEXT"))
                .map(listener -> listener.host() + ":" + listener.port())
                .findFirst()
                .orElseThrow();
    }
}
