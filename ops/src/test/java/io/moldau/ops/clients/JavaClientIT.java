package io.moldau.ops.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.ops.node.Broker;
import io.moldau.ops.node.SharedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Kafka's own Java client: administration, every codec, groups and offsets.
@ExtendWith(SharedNode.class)
class JavaClientIT {

    private static final String RUN =
            "java-" + Long.toString(ProcessHandle.current().pid(), 36) + "-";
    private static final Duration POLL = Duration.ofMillis(100);

    private final Broker broker;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Admin admin;

    JavaClientIT(Broker broker) {
        this.broker = broker;
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
        open.add(admin);
    }

    @AfterEach
    void disconnect() throws Exception {
        for (var one : open.reversed()) {
            one.close();
        }
    }

    @Test
    void topicsAreCreatedGrownAndDeleted() throws Exception {
        var topic = create("admin", 2, Map.of("retention.ms", "3600000"));

        assertThatThrownBy(() -> get(admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                        .all()))
                .hasCauseInstanceOf(TopicExistsException.class)
                .hasMessageContaining(topic);
        assertThat(described(topic).partitions())
                .hasSize(2)
                .allSatisfy(p -> assertThat(p.isr()).hasSize(1));
        get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5))).all());
        assertThat(described(topic).partitions()).hasSize(5);
        assertThat(get(admin.listTopics().names())).contains(topic);
        get(admin.deleteTopics(List.of(topic)).all());
        assertThat(get(admin.listTopics().names())).doesNotContain(topic);
        assertThatThrownBy(() -> get(admin.deleteTopics(List.of(topic)).all()))
                .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void badTopicsAreRefusedByName() {
        assertThatThrownBy(() -> get(admin.createTopics(List.of(new NewTopic("no/slash", 1, (short) 1)))
                        .all()))
                .hasCauseInstanceOf(InvalidTopicException.class);
        assertThatThrownBy(() -> get(admin.createTopics(List.of(new NewTopic(RUN + "zero", 0, (short) 1)))
                        .all()))
                .hasCauseInstanceOf(InvalidPartitionsException.class);
        assertThatThrownBy(() -> get(admin.createTopics(List.of(new NewTopic(RUN + "far", 1, (short) 9)))
                        .all()))
                .hasCauseInstanceOf(InvalidReplicationFactorException.class);
    }

    @Test
    void topicSettingsAreDescribedWithTheirSourceAndAltered() throws Exception {
        var topic = create("config", 1, Map.of());
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var before = value(get(admin.describeConfigs(List.of(resource)).all()), resource);
        assertThat(before.get("delete.retention.ms").value()).isEqualTo("86400000");
        assertThat(before.get("delete.retention.ms").source()).isEqualTo(ConfigEntry.ConfigSource.DEFAULT_CONFIG);

        get(admin.incrementalAlterConfigs(Map.of(
                        resource,
                        List.of(new AlterConfigOp(
                                new ConfigEntry("delete.retention.ms", "1234567"), AlterConfigOp.OpType.SET))))
                .all());

        var after = value(get(admin.describeConfigs(List.of(resource)).all()), resource);
        assertThat(after.get("delete.retention.ms").value()).isEqualTo("1234567");
        assertThat(after.get("delete.retention.ms").source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void everyByteComesBack(String codec) throws Exception {
        var topic = create("bytes-" + codec, 3, Map.of());
        var random = new Random(codec.hashCode());
        var sent = new ArrayList<List<List<Object>>>(List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
        try (var producer = producer(Map.of("compression.type", codec, "linger.ms", "5"))) {
            for (int i = 0; i < 600; i++) {
                var record = new ProducerRecord<>(
                        topic, i % 3, 1_700_000_000_000L + i, bytesOrNull(random, 30), bytesOrNull(random, 4_000));
                for (int h = random.nextInt(4); h > 0; h--) {
                    record.headers().add(new RecordHeader(random.nextBoolean() ? "a" : "ü", bytesOrNull(random, 9)));
                }
                var _ = producer.send(record);
                sent.get(i % 3)
                        .add(shape(
                                record.key(),
                                record.value(),
                                record.timestamp(),
                                record.headers().toArray()));
            }
        }

        for (int partition = 0; partition < 3; partition++) {
            var received = readAll(new TopicPartition(topic, partition), 200).stream()
                    .map(r ->
                            shape(r.key(), r.value(), r.timestamp(), r.headers().toArray()))
                    .toList();
            assertThat(received).isEqualTo(sent.get(partition));
        }
    }

    @Test
    void idempotentProducerKeepsOrderWithManyRequestsInFlight() throws Exception {
        var topic = create("idempotent", 1, Map.of());
        var sends = new ArrayList<Future<RecordMetadata>>();
        try (var producer = producer(Map.of("batch.size", "200", "linger.ms", "0"))) {
            for (int i = 0; i < 5_000; i++) {
                sends.add(producer.send(
                        new ProducerRecord<>(topic, Integer.toString(i).getBytes())));
            }
        }
        for (int i = 0; i < sends.size(); i++) {
            assertThat(sends.get(i).get().offset()).isEqualTo(i);
        }
        var values = readAll(new TopicPartition(topic, 0), 5_000).stream()
                .map(r -> new String(r.value()))
                .toList();
        assertThat(values)
                .isEqualTo(IntStream.range(0, 5_000).mapToObj(Integer::toString).toList());
    }

    @Test
    void offsetsAreFoundByEndTimeAndMaximumTimestamp() throws Exception {
        var topic = create("times", 1, Map.of());
        var partition = new TopicPartition(topic, 0);
        try (var producer = producer(Map.of("compression.type", "lz4", "linger.ms", "20"))) {
            for (int i = 0; i < 10; i++) {
                // The largest timestamp is not the last one.
                var _ = producer.send(
                        new ProducerRecord<>(topic, 0, 1_000L * (i == 5 ? 50 : i + 1), null, new byte[10]));
            }
        }
        assertThat(offset(partition, OffsetSpec.earliest())).isZero();
        assertThat(offset(partition, OffsetSpec.latest())).isEqualTo(10);
        assertThat(offset(partition, OffsetSpec.forTimestamp(4_500))).isEqualTo(4);
        assertThat(offset(partition, OffsetSpec.forTimestamp(50_000))).isEqualTo(5);
        assertThat(offset(partition, OffsetSpec.forTimestamp(60_000))).isEqualTo(-1);
        assertThat(offset(partition, OffsetSpec.maxTimestamp())).isEqualTo(5);

        get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(3)))
                .all());
        assertThat(offset(partition, OffsetSpec.earliest())).isEqualTo(3);
        assertThat(readAll(partition, 7).getFirst().offset()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(classes = {RangeAssignor.class, StickyAssignor.class, CooperativeStickyAssignor.class})
    void threeMembersJoinAndLeave(Class<?> assignor) throws Exception {
        var topic = create("group-" + assignor.getSimpleName(), 6, Map.of());
        var settings = Map.of("partition.assignment.strategy", assignor.getName());
        var members = new ArrayList<Member>();
        for (int i = 0; i < 3; i++) {
            members.add(new Member(topic, topic, settings));
            awaitSplit(members, 6);
        }
        try (var producer = producer(Map.of())) {
            for (int i = 0; i < 300; i++) {
                var _ = producer.send(new ProducerRecord<>(
                        topic, i % 6, null, Integer.toString(i).getBytes()));
            }
        }
        await(
                "all records are seen",
                members,
                () -> members.stream().mapToLong(m -> m.values.size()).sum() >= 300);
        var values = members.stream().flatMap(m -> m.values.stream()).toList();
        assertThat(values).doesNotHaveDuplicates().hasSize(300);
        var described = value(get(admin.describeConsumerGroups(List.of(topic)).all()), topic);
        assertThat(described.members()).hasSize(3);
        if (assignor == CooperativeStickyAssignor.class) {
            assertThat(members.getFirst().largestRevocation).isLessThan(6);
        }
        while (members.size() > 1) {
            members.removeFirst().consumer.close();
            awaitSplit(members, 6);
        }
        members.getFirst().consumer.close();
        var committed = get(admin.listConsumerGroupOffsets(topic).partitionsToOffsetAndMetadata());
        assertThat(committed.values().stream()
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum())
                .isEqualTo(300);
        get(admin.deleteConsumerGroups(List.of(topic)).all());
    }

    @Test
    void staticMemberReturnsWithoutARebalance() throws Exception {
        var topic = create("static", 4, Map.of());
        var stays = new Member(topic, topic, Map.of("group.instance.id", "stays"));
        var returns = new Member(topic, topic, Map.of("group.instance.id", "returns"));
        awaitSplit(List.of(stays, returns), 4);
        var owned = Set.copyOf(returns.owned);
        int assignments = stays.assignments;

        returns.consumer.close();
        var again = new Member(topic, topic, Map.of("group.instance.id", "returns"));

        await("its partitions are back", List.of(stays, again), () -> again.owned.equals(owned));
        assertThat(stays.assignments).isEqualTo(assignments);
    }

    @Test
    void aMemberResumesAtItsCommit() throws Exception {
        var topic = create("resume", 1, Map.of());
        var partition = new TopicPartition(topic, 0);
        try (var producer = producer(Map.of())) {
            for (int i = 0; i < 10; i++) {
                var _ = producer.send(
                        new ProducerRecord<>(topic, Integer.toString(i).getBytes()));
            }
        }
        try (var consumer = consumer(Map.of("group.id", topic))) {
            consumer.assign(List.of(partition));
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(6, "a note")));
        }

        try (var consumer = consumer(Map.of("group.id", topic))) {
            consumer.subscribe(List.of(topic));
            assertThat(value(consumer.committed(Set.of(partition)), partition).metadata())
                    .isEqualTo("a note");
            assertThat(read(consumer, 4).getFirst().offset()).isEqualTo(6);
        }
    }

    /// A group member, polled by the test's own thread so that the order of events is the test's.
    private final class Member {

        private final KafkaConsumer<byte[], byte[]> consumer;
        private final List<String> values = new ArrayList<>();
        private final Set<Integer> owned = new HashSet<>();
        private int assignments;
        private int largestRevocation;

        private Member(String topic, String group, Map<String, String> settings) {
            consumer = consumer(settings, Map.of("group.id", group));
            consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    largestRevocation = Math.max(largestRevocation, partitions.size());
                    partitions.forEach(p -> owned.remove(p.partition()));
                }

                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    assignments++;
                    partitions.forEach(p -> owned.add(p.partition()));
                }
            });
        }

        private void poll() {
            consumer.poll(Duration.ofMillis(20)).forEach(r -> values.add(new String(r.value())));
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, List<Member> members, Condition condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            members.forEach(Member::poll);
        }
    }

    private static void awaitSplit(List<Member> members, int partitions) throws Exception {
        await(members.size() + " members share", members, () -> {
            var sizes = members.stream().mapToInt(m -> m.owned.size()).summaryStatistics();
            var all = new HashSet<Integer>();
            members.forEach(m -> all.addAll(m.owned));
            return sizes.getMax() - sizes.getMin() <= 1 && sizes.getSum() == partitions && all.size() == partitions;
        });
    }

    private static List<Object> shape(
            byte @Nullable [] key, byte @Nullable [] value, long timestamp, Header[] headers) {
        var all = new ArrayList<Object>();
        all.add(text(key));
        all.add(text(value));
        all.add(timestamp);
        for (var header : headers) {
            all.add(header.key());
            all.add(text(header.value()));
        }
        return all;
    }

    private static Object text(byte @Nullable [] bytes) {
        return bytes == null ? "null" : HexFormat.of().formatHex(bytes);
    }

    private static byte @Nullable [] bytesOrNull(Random random, int bound) {
        if (random.nextInt(5) == 0) {
            return null;
        }
        var bytes = new byte[random.nextInt(bound)];
        random.nextBytes(bytes);
        return bytes;
    }

    private List<ConsumerRecord<byte[], byte[]>> readAll(TopicPartition partition, int count) {
        try (var consumer = consumer(Map.of())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            return read(consumer, count);
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(KafkaConsumer<byte[], byte[]> consumer, int count) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (records.size() < count) {
            consumer.poll(POLL).forEach(records::add);
            assertThat(System.nanoTime())
                    .as("%d of %d records", records.size(), count)
                    .isLessThan(deadline);
        }
        return records;
    }

    private long offset(TopicPartition partition, OffsetSpec spec) throws Exception {
        return value(get(admin.listOffsets(Map.of(partition, spec)).all()), partition)
                .offset();
    }

    private String create(String suffix, int partitions, Map<String, String> config) throws Exception {
        var topic = RUN + suffix;
        get(admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config)))
                .all());
        return topic;
    }

    private TopicDescription described(String topic) throws Exception {
        return value(get(admin.describeTopics(List.of(topic)).allTopicNames()), topic);
    }

    private static <K, V> V value(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key));
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private Properties settings() {
        var settings = new Properties();
        settings.setProperty("bootstrap.servers", broker.bootstrap());
        return settings;
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, String> more) {
        var settings = settings();
        settings.putAll(more);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @SafeVarargs
    private KafkaConsumer<byte[], byte[]> consumer(Map<String, String>... more) {
        var settings = settings();
        settings.setProperty("auto.offset.reset", "earliest");
        settings.setProperty("session.timeout.ms", "20000");
        settings.setProperty("heartbeat.interval.ms", "200");
        settings.setProperty("fetch.max.wait.ms", "100");
        for (var one : more) {
            settings.putAll(one);
        }
        var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        open.add(consumer);
        return consumer;
    }
}
