package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.Polled.pollUntil;
import static io.moldau.broker.coordinator.group.Polled.share;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.TestNode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The reference's consumers and admin client in groups of a whole node.
@Timeout(90)
class GroupClientsTest {

    private static final String TOPIC = "t";
    private static final String GROUP = "g";

    @TempDir
    private Path data;

    /// A consumer on the test's thread that counts what it is given and what is taken from it.
    private static final class Member implements Polled, AutoCloseable {
        private final KafkaConsumer<String, String> consumer;
        private int revoked;
        private int lost;

        Member(TestNode node, Class<?> assignor, String... more) {
            var config = new HashMap<String, Object>(Map.of(
                    "bootstrap.servers", node.bootstrapServers(),
                    "group.id", GROUP,
                    "auto.offset.reset", "earliest",
                    "enable.auto.commit", "false",
                    "session.timeout.ms", "6000",
                    "heartbeat.interval.ms", "100",
                    "partition.assignment.strategy", assignor.getName()));
            for (int i = 0; i < more.length; i += 2) {
                config.put(more[i], more[i + 1]);
            }
            consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
            consumer.subscribe(List.of(TOPIC), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    revoked += partitions.size();
                }

                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

                @Override
                public void onPartitionsLost(Collection<TopicPartition> partitions) {
                    lost += partitions.size();
                }
            });
        }

        @Override
        public void pollOnce() {
            poll();
        }

        ConsumerRecords<String, String> poll() {
            return consumer.poll(Duration.ofMillis(20));
        }

        @Override
        public Set<Integer> partitions() {
            var partitions = new TreeSet<Integer>();
            consumer.assignment().forEach(partition -> partitions.add(partition.partition()));
            return partitions;
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    private static Admin admin(TestNode node) {
        return Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
    }

    private static void createTopic(TestNode node) throws Exception {
        try (var admin = admin(node)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 6, (short) 1))).all().get(30, TimeUnit.SECONDS);
        }
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", node.bootstrapServers()), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < 60; i++) {
                producer.send(new ProducerRecord<>(TOPIC, i % 6, "k" + i, "v" + i));
            }
        }
    }

    @Test
    void threeMembersComeAndGo() throws Exception {
        try (var node = TestNode.start(data)) {
            createTopic(node);
            try (var one = new Member(node, RangeAssignor.class)) {
                pollUntil(() -> share(6, one), one);
                try (var two = new Member(node, RangeAssignor.class)) {
                    pollUntil(() -> share(3, one, two), one, two);
                    try (var three = new Member(node, RangeAssignor.class)) {
                        pollUntil(() -> share(2, one, two, three), one, two, three);
                    }
                    pollUntil(() -> share(3, one, two), one, two);
                }
                pollUntil(() -> share(6, one), one);
                assertThat(one.lost).as("nobody was thrown out").isZero();
            }
        }
    }

    @Test
    void cooperativeMembersKeepWhatTheyHave() throws Exception {
        try (var node = TestNode.start(data)) {
            createTopic(node);
            try (var one = new Member(node, CooperativeStickyAssignor.class);
                    var two = new Member(node, CooperativeStickyAssignor.class)) {
                pollUntil(() -> share(6, one), one);
                pollUntil(() -> share(3, one, two), one, two);

                assertThat(one.revoked).as("only what moved").isEqualTo(3);
                assertThat(two.revoked).isZero();
                assertThat(one.lost + two.lost).isZero();
            }
        }
    }

    @Test
    void aStaticMemberRestartsUnnoticed() throws Exception {
        try (var node = TestNode.start(data)) {
            createTopic(node);
            try (var one = new Member(node, RangeAssignor.class, "group.instance.id", "one")) {
                var two = new Member(node, RangeAssignor.class, "group.instance.id", "two");
                pollUntil(() -> share(3, one, two), one, two);
                var before = two.partitions();
                int generation = one.consumer.groupMetadata().generationId();
                two.close();
                try (var again = new Member(node, RangeAssignor.class, "group.instance.id", "two")) {
                    pollUntil(() -> again.partitions().equals(before), one, again);
                    assertThat(again.consumer.groupMetadata().generationId()).isEqualTo(generation);
                    try (var admin = admin(node)) {
                        admin.removeMembersFromConsumerGroup(
                                        GROUP,
                                        new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove("two"))))
                                .all()
                                .get(30, TimeUnit.SECONDS);
                    }
                    pollUntil(() -> share(6, one), one);
                }
            }
        }
    }

    @Test
    void committedOffsetsAndTheGroupAreThereAfterARestart() throws Exception {
        var read = new ArrayList<String>();
        try (var node = TestNode.start(data)) {
            createTopic(node);
            try (var member = new Member(node, RangeAssignor.class)) {
                while (read.size() < 60) {
                    member.poll().forEach(record -> read.add(record.value()));
                }
                member.consumer.commitSync(Map.of(
                        new TopicPartition(TOPIC, 0), new OffsetAndMetadata(4, "four"),
                        new TopicPartition(TOPIC, 1), new OffsetAndMetadata(10)));
            }
        }
        try (var node = TestNode.start(data);
                var admin = admin(node)) {
            var offsets = admin.listConsumerGroupOffsets(GROUP)
                    .partitionsToOffsetAndMetadata()
                    .get(30, TimeUnit.SECONDS);
            assertThat(offsets).hasSize(2);
            assertThat(Objects.requireNonNull(offsets.get(new TopicPartition(TOPIC, 0)))
                            .metadata())
                    .isEqualTo("four");
            assertThat(Objects.requireNonNull(offsets.get(new TopicPartition(TOPIC, 1)))
                            .offset())
                    .isEqualTo(10);
            try (var member = new Member(node, RangeAssignor.class)) {
                var rest = new TreeSet<String>();
                // Partition 0 goes on at 4, partition 1 is read to its end, the other four begin again.
                while (rest.size() < 6 + 4 * 10) {
                    member.poll().forEach(record -> rest.add(record.value()));
                }
                assertThat(rest).hasSize(46).contains("v24", "v2").doesNotContain("v18", "v1");
            }
        }
    }

    @Test
    void administratorsSeeAndChangeGroups() throws Exception {
        try (var node = TestNode.start(data);
                var admin = admin(node)) {
            createTopic(node);
            try (var member = new Member(node, RangeAssignor.class)) {
                pollUntil(() -> share(6, member), member);
                member.consumer.commitSync(Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(4)));
                var group = Objects.requireNonNull(admin.describeConsumerGroups(List.of(GROUP))
                        .all()
                        .get(30, TimeUnit.SECONDS)
                        .get(GROUP));
                assertThat(group.groupState()).isEqualTo(GroupState.STABLE);
                assertThat(group.partitionAssignor()).isEqualTo("range");
                assertThat(group.members())
                        .singleElement()
                        .satisfies(description -> assertThat(
                                        description.assignment().topicPartitions())
                                .hasSize(6));
                assertThat(admin.listGroups(new ListGroupsOptions().inGroupStates(Set.of(GroupState.STABLE)))
                                .all()
                                .get(30, TimeUnit.SECONDS))
                        .singleElement()
                        .satisfies(listing -> assertThat(listing.groupId()).isEqualTo(GROUP));
                assertThatThrownBy(() ->
                                admin.deleteConsumerGroups(List.of(GROUP)).all().get(30, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(GroupNotEmptyException.class);
                assertThatThrownBy(() -> admin.deleteConsumerGroupOffsets(GROUP, Set.of(new TopicPartition(TOPIC, 0)))
                                .partitionResult(new TopicPartition(TOPIC, 0))
                                .get(30, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(GroupSubscribedToTopicException.class);
            }
            admin.alterConsumerGroupOffsets(GROUP, Map.of(new TopicPartition(TOPIC, 1), new OffsetAndMetadata(9)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            admin.deleteConsumerGroupOffsets(GROUP, Set.of(new TopicPartition(TOPIC, 0)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            assertThat(admin.listConsumerGroupOffsets(GROUP)
                            .partitionsToOffsetAndMetadata()
                            .get(30, TimeUnit.SECONDS))
                    .containsOnlyKeys(new TopicPartition(TOPIC, 1));
            admin.deleteConsumerGroups(List.of(GROUP)).all().get(30, TimeUnit.SECONDS);
            assertThat(admin.listGroups().all().get(30, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void offsetsOfADeletedTopicAreGone() throws Exception {
        try (var node = TestNode.start(data);
                var admin = admin(node)) {
            createTopic(node);
            admin.alterConsumerGroupOffsets(GROUP, Map.of(new TopicPartition(TOPIC, 1), new OffsetAndMetadata(9)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            admin.deleteTopics(List.of(TOPIC)).all().get(30, TimeUnit.SECONDS);
            while (!admin.listConsumerGroupOffsets(GROUP)
                    .partitionsToOffsetAndMetadata()
                    .get(30, TimeUnit.SECONDS)
                    .isEmpty()) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void theReferenceReadsWhatIsWritten() throws Exception {
        try (var node = TestNode.start(data)) {
            createTopic(node);
            try (var member = new Member(node, RangeAssignor.class)) {
                pollUntil(() -> share(6, member), member);
                member.consumer.commitSync(Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(4)));
            }
            var serde = new GroupCoordinatorRecordSerde();
            var records = new ArrayList<String>();
            try (var consumer = new KafkaConsumer<>(
                    Map.of("bootstrap.servers", node.bootstrapServers(), "auto.offset.reset", "earliest"),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer())) {
                var partitions = consumer.partitionsFor(OffsetsTopic.NAME).stream()
                        .map(info -> new TopicPartition(info.topic(), info.partition()))
                        .toList();
                consumer.assign(partitions);
                // Founded, first generation, commit, left.
                while (records.size() < 4) {
                    consumer.poll(Duration.ofMillis(100))
                            .forEach(record -> records.add(
                                    serde.deserialize(ByteBuffer.wrap(record.key()), ByteBuffer.wrap(record.value()))
                                            .toString()));
                }
            }
            assertThat(records.get(1)).contains("protocol='range'").contains("generation=1");
            assertThat(records.get(2)).contains("offset=4");
            assertThat(records.get(3)).contains("members=[]").contains("generation=2");
        }
    }
}
