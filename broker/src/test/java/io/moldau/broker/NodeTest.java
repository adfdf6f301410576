package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A whole node with real clients.
@Timeout(60)
class NodeTest {

    @TempDir
    private Path data;

    private static Admin admin(TestNode node) {
        return Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
    }

    private static KafkaProducer<String, String> producer(TestNode node) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", node.bootstrapServers()), new StringSerializer(), new StringSerializer());
    }

    private static KafkaConsumer<String, String> consumer(TestNode node, String group) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        node.bootstrapServers(),
                        "group.id",
                        group,
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        "false"),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private static List<ConsumerRecord<String, String>> read(KafkaConsumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        while (records.size() < count) {
            consumer.poll(Duration.ofMillis(500)).forEach(records::add);
        }
        return records;
    }

    private static Throwable failure(ThrowingSupplier call) {
        try {
            call.get();
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        } catch (Exception e) {
            return e;
        }
        throw new AssertionError("it should have failed");
    }

    private static TopicDescription describe(Admin admin, String topic) throws Exception {
        return Objects.requireNonNull(
                admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic));
    }

    private static Config configs(Admin admin, ConfigResource resource) throws Exception {
        return Objects.requireNonNull(
                admin.describeConfigs(List.of(resource)).all().get().get(resource));
    }

    private static String value(Admin admin, ConfigResource resource, String key) throws Exception {
        return Objects.requireNonNull(configs(admin, resource).get(key)).value();
    }

    private static ConfigEntry.ConfigSource source(Admin admin, ConfigResource resource, String key) throws Exception {
        return Objects.requireNonNull(configs(admin, resource).get(key)).source();
    }

    private interface ThrowingSupplier {
        Object get() throws Exception;
    }

    @Test
    void topicsAreCreatedDescribedGrownAndDeleted() throws Exception {
        try (TestNode node = TestNode.start(data);
                Admin admin = admin(node)) {
            var created = admin.createTopics(
                    List.of(new NewTopic("orders", 3, (short) 1).configs(Map.of("retention.ms", "60000"))));
            created.all().get();
            assertThat(created.numPartitions("orders").get()).isEqualTo(3);
            assertThat(created.config("orders").get().get("retention.ms").value())
                    .isEqualTo("60000");
            assertThat(admin.listTopics().names().get()).containsExactly("orders");

            var described = describe(admin, "orders");
            assertThat(described.partitions())
                    .hasSize(3)
                    .allSatisfy(partition -> assertThat(partition.leader().id()).isEqualTo(1));
            assertThat(described.topicId()).isEqualTo(created.topicId("orders").get());

            admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(5)))
                    .all()
                    .get();
            assertThat(describe(admin, "orders").partitions()).hasSize(5);

            assertThat(failure(() -> admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1)))
                            .all()
                            .get()))
                    .isInstanceOf(TopicExistsException.class);
            admin.deleteTopics(List.of("orders")).all().get();
            assertThat(admin.listTopics().names().get()).isEmpty();
            assertThat(failure(() -> admin.deleteTopics(List.of("orders")).all().get()))
                    .isInstanceOf(UnknownTopicOrPartitionException.class);
        }
    }

    @Test
    void configurationIsDescribedAndChanged() throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "t");
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        ConfigResource brokers = new ConfigResource(ConfigResource.Type.BROKER, "");
        try (TestNode node = TestNode.start(data, "log.retention.hours", "24");
                Admin admin = admin(node)) {
            admin.createTopics(List.of(new NewTopic("t", Optional.of(1), Optional.empty())))
                    .all()
                    .get();
            assertThat(configs(admin, topic).entries()).hasSize(39);
            assertThat(value(admin, topic, "retention.ms")).isEqualTo("86400000");
            assertThat(source(admin, topic, "retention.ms")).isEqualTo(ConfigEntry.ConfigSource.STATIC_BROKER_CONFIG);
            assertThat(value(admin, broker, "log.retention.hours")).isEqualTo("24");

            alter(admin, topic, "retention.ms", "1000", AlterConfigOp.OpType.SET);
            alter(admin, topic, "cleanup.policy", "compact", AlterConfigOp.OpType.APPEND);
            alter(admin, brokers, "log.segment.bytes", "2000000", AlterConfigOp.OpType.SET);
            assertThat(value(admin, topic, "retention.ms")).isEqualTo("1000");
            assertThat(value(admin, topic, "cleanup.policy")).isEqualTo("delete,compact");
            assertThat(value(admin, topic, "segment.bytes")).isEqualTo("2000000");
            assertThat(source(admin, topic, "segment.bytes"))
                    .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
            // With eligible leaders min.insync.replicas belongs to the cluster from the start.
            assertThat(configs(admin, brokers).entries())
                    .extracting(ConfigEntry::name)
                    .containsExactly("log.segment.bytes", "min.insync.replicas");

            assertThat(failure(() -> {
                        alter(admin, topic, "retention.mss", "1", AlterConfigOp.OpType.SET);
                        return "";
                    }))
                    .isInstanceOf(InvalidConfigurationException.class)
                    .hasMessageContaining("retention.ms");
            alter(admin, topic, "retention.ms", "", AlterConfigOp.OpType.DELETE);
            assertThat(value(admin, topic, "retention.ms")).isEqualTo("86400000");
        }
    }

    private static void alter(Admin admin, ConfigResource resource, String key, String value, AlterConfigOp.OpType op)
            throws ExecutionException, InterruptedException {
        admin.incrementalAlterConfigs(Map.of(resource, List.of(new AlterConfigOp(new ConfigEntry(key, value), op))))
                .all()
                .get();
    }

    @Test
    void theClusterAndItsDirectoriesAreDescribed() throws Exception {
        try (TestNode node = TestNode.start(data, "broker.rack", "R1");
                Admin admin = admin(node)) {
            var cluster = admin.describeCluster();
            assertThat(cluster.clusterId().get()).isEqualTo(node.node().clusterId());
            assertThat(cluster.nodes().get())
                    .singleElement()
                    .satisfies(it -> assertThat(it.rack()).isEqualTo("R1"));
            assertThat(cluster.controller().get().id()).isEqualTo(1);
            admin.createTopics(List.of(new NewTopic("t", 2, (short) 1))).all().get();
            var dirs = Objects.requireNonNull(
                    admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1));
            var dir = Objects.requireNonNull(dirs.get(data.toString()));
            assertThat(dirs).containsOnlyKeys(data.toString());
            assertThat(dir.replicaInfos()).hasSize(2);
            assertThat(dir.totalBytes().getAsLong()).isPositive();
            assertThat(admin.listConfigResources().all().get())
                    .contains(
                            new ConfigResource(ConfigResource.Type.TOPIC, "t"),
                            new ConfigResource(ConfigResource.Type.BROKER, "1"));
            assertThat(admin.describeFeatures().featureMetadata().get().finalizedFeatures())
                    .containsKey("metadata.version");
        }
        try (TestNode node = TestNode.start(data);
                Admin controllers = Admin.create(Map.of("bootstrap.controllers", node.address("CONTROLLER")))) {
            assertThat(controllers.describeCluster().nodes().get()).hasSize(1);
            assertThat(controllers.describeCluster().controller().get().id()).isEqualTo(1);
        }
    }

    @Test
    void recordsTopicsAndOffsetsAreThereAfterARestart() throws Exception {
        String clusterId;
        try (TestNode node = TestNode.start(data)) {
            clusterId = node.node().clusterId();
            assertThat(node.node().firstStart()).isTrue();
            try (var producer = producer(node)) {
                for (int i = 0; i < 100; i++) {
                    producer.send(new ProducerRecord<>("auto", "k" + i, "v" + i))
                            .get();
                }
            }
            try (var consumer = consumer(node, "readers")) {
                consumer.subscribe(List.of("auto"));
                assertThat(read(consumer, 100)).hasSize(100);
                consumer.commitSync();
            }
        }
        try (TestNode node = TestNode.start(data);
                Admin admin = admin(node)) {
            assertThat(node.node().clusterId()).isEqualTo(clusterId);
            assertThat(node.node().firstStart()).isFalse();
            assertThat(admin.listTopics().names().get()).contains("auto");
            try (var producer = producer(node);
                    var consumer = consumer(node, "readers");
                    var fresh = consumer(node, "others")) {
                producer.send(new ProducerRecord<>("auto", "k100", "v100")).get();
                consumer.subscribe(List.of("auto"));
                assertThat(read(consumer, 1))
                        .singleElement()
                        .satisfies(record -> assertThat(record.value()).isEqualTo("v100"));
                fresh.subscribe(List.of("auto"));
                assertThat(read(fresh, 101)).extracting(ConsumerRecord::offset).startsWith(0L, 1L, 2L);
            }
        }
    }

    /// At its start a node is shown all of its past again, the deletion of the first topic of this name included.
    @Test
    void aTopicThatWasDeletedAndMadeAgainKeepsItsRecords() throws Exception {
        try (TestNode node = TestNode.start(data);
                Admin admin = admin(node)) {
            var topic = List.of(new NewTopic("again", 1, (short) 1));
            admin.createTopics(topic).all().get();
            try (var producer = producer(node)) {
                producer.send(new ProducerRecord<>("again", "k", "old")).get();
            }
            admin.deleteTopics(List.of("again")).all().get();
            admin.createTopics(topic).all().get();
            try (var producer = producer(node)) {
                producer.send(new ProducerRecord<>("again", "k", "new")).get();
            }
        }
        try (TestNode node = TestNode.start(data);
                var consumer = consumer(node, "readers")) {
            consumer.subscribe(List.of("again"));
            assertThat(read(consumer, 1))
                    .singleElement()
                    .satisfies(record -> assertThat(record.value()).isEqualTo("new"));
        }
    }

    @Test
    void metadataCreatesATopicOnlyWhereThatIsAllowed() throws Exception {
        try (TestNode node = TestNode.start(data, "auto.create.topics.enable", "false")) {
            var settings = new HashMap<String, Object>(Map.of("bootstrap.servers", node.bootstrapServers()));
            settings.put("max.block.ms", "500");
            try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                    Admin admin = admin(node)) {
                assertThat(failure(() ->
                                producer.send(new ProducerRecord<>("nope", "v")).get()))
                        .isNotNull();
                assertThat(admin.listTopics().names().get()).isEqualTo(Set.of());
            }
        }
    }

    @Test
    void changedSettingsReachRunningLogs() throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "small");
        ConfigResource brokers = new ConfigResource(ConfigResource.Type.BROKER, "");
        try (TestNode node = TestNode.start(data);
                Admin admin = admin(node);
                var producer = producer(node)) {
            admin.createTopics(List.of(new NewTopic("small", 1, (short) 1), new NewTopic("other", 1, (short) 1)))
                    .all()
                    .get();
            producer.send(new ProducerRecord<>("small", "x".repeat(2000))).get();
            alter(admin, topic, "max.message.bytes", "1000", AlterConfigOp.OpType.SET);
            awaitTooLarge(producer, "small");
            producer.send(new ProducerRecord<>("other", "x".repeat(2000))).get();
            alter(admin, brokers, "message.max.bytes", "1000", AlterConfigOp.OpType.SET);
            awaitTooLarge(producer, "other");
            alter(admin, topic, "max.message.bytes", "100000", AlterConfigOp.OpType.SET);
            awaitFine(producer, "small");
        }
    }

    /// A change is in effect when the metadata has reached the logs, shortly after the answer.
    private static void awaitTooLarge(KafkaProducer<String, String> producer, String topic) throws Exception {
        Optional<Throwable> failure = Optional.empty();
        while (failure.isEmpty()) {
            failure = send(producer, topic);
        }
        assertThat(failure.get()).isInstanceOf(RecordTooLargeException.class);
    }

    private static void awaitFine(KafkaProducer<String, String> producer, String topic) throws Exception {
        Optional<Throwable> failure = send(producer, topic);
        while (failure.isPresent()) {
            assertThat(failure.get()).isInstanceOf(RecordTooLargeException.class);
            failure = send(producer, topic);
        }
    }

    private static Optional<Throwable> send(KafkaProducer<String, String> producer, String topic)
            throws InterruptedException {
        try {
            producer.send(new ProducerRecord<>(topic, "x".repeat(2000))).get();
            return Optional.empty();
        } catch (ExecutionException e) {
            return Optional.of(Objects.requireNonNull(e.getCause()));
        }
    }

    @Test
    void partitionsAreSpreadOverSeveralDirectories() throws Exception {
        String dirs = data.resolve("a") + "," + data.resolve("b");
        for (int run = 0; run < 2; run++) {
            try (TestNode node = TestNode.start(data, "log.dirs", dirs);
                    Admin admin = admin(node);
                    var producer = producer(node)) {
                if (run == 0) {
                    admin.createTopics(List.of(new NewTopic("t", 4, (short) 1)))
                            .all()
                            .get();
                    for (int partition = 0; partition < 4; partition++) {
                        producer.send(new ProducerRecord<>("t", partition, "k", "v"))
                                .get();
                    }
                }
                var described = Objects.requireNonNull(admin.describeLogDirs(List.of(1))
                        .allDescriptions()
                        .get()
                        .get(1));
                assertThat(described).hasSize(2);
                assertThat(described.values().stream()
                                .mapToInt(it -> it.replicaInfos().size())
                                .sum())
                        .isEqualTo(4);
                assertThat(described.values())
                        .allSatisfy(it -> assertThat(it.replicaInfos()).isNotEmpty());
            }
        }
    }

    @Test
    void eachListenerTellsItsOwnAddresses() throws Exception {
        try (TestNode node = TestNode.start(
                data,
                "listeners",
                "INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
                "listener.security.protocol.map",
                "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "inter.broker.listener.name",
                "INSIDE")) {
            for (String listener : List.of("INSIDE", "OUTSIDE")) {
                try (Admin admin = Admin.create(Map.of("bootstrap.servers", node.address(listener)))) {
                    assertThat(admin.describeCluster().nodes().get())
                            .singleElement()
                            .satisfies(it ->
                                    assertThat(it.host() + ":" + it.port()).isEqualTo(node.address(listener)));
                }
            }
        }
    }

    @Test
    void aSecondNodeOnTheSameDataIsRefused() throws Exception {
        try (TestNode node = TestNode.start(data)) {
            assertThat(node.bootstrapServers()).isNotEmpty();
            assertThatThrownBy(() -> TestNode.start(data))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("is in use by another node");
        }
    }

    @Test
    void anAddressThatIsTakenIsRefusedAndNothingIsLeftOpen() throws Exception {
        Path other = data.resolve("other");
        try (TestNode node = TestNode.start(data.resolve("one"))) {
            assertThatThrownBy(() -> TestNode.start(other, "listeners", "PLAINTEXT://" + node.bootstrapServers()))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("PLAINTEXT")
                    .hasMessageContaining("cannot bind");
        }
        TestNode.start(other).close();
    }

    @Test
    void aBrokerWithoutControllersGivesUpInWords() {
        assertThatThrownBy(() -> Node.start(NodeConfig.fromProperties(Map.of(
                        "process.roles", "broker",
                        "controller.quorum.voters", "9@127.0.0.1:1",
                        "initial.broker.registration.timeout.ms", "300",
                        "listeners", "PLAINTEXT://127.0.0.1:0",
                        "log.dirs", data.toString()))))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("No controller answered")
                .hasMessageContaining("controller.quorum.voters");
    }
}
