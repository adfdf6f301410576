package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.Polled.pollUntil;
import static io.moldau.broker.coordinator.group.Polled.share;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.TestNode;
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
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The reference's consumers of the consumer protocol in groups of a whole node.
@Timeout(120)
class ConsumerClientsTest {

    private static final String TOPIC = "t";
    private static final String GROUP = "g";

    @TempDir
    private Path data;

    /// A consumer on the test's thread that counts what is taken from it.
    private static final class Member implements Polled, AutoCloseable {
        private final KafkaConsumer<String, String> consumer;
        private final List<String> read = new ArrayList<>();
        private int revoked;

        Member(TestNode node, String protocol, String... more) {
            var config = new HashMap<String, Object>(Map.of(
                    "bootstrap.servers",
                    node.bootstrapServers(),
                    "group.id",
                    GROUP,
                    "group.protocol",
                    protocol,
                    "auto.offset.reset",
                    "earliest",
                    "metadata.max.age.ms",
                    "500",
                    "enable.auto.commit",
                    "false"));
            if (protocol.equals("classic")) {
                config.put("heartbeat.interval.ms", "100");
                config.put(
                        "partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
            }
            for (int i = 0; i < more.length; i += 2) {
                config.put(more[i], more[i + 1]);
            }
            consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
        }

        Member reading(String... topics) {
            consumer.subscribe(List.of(topics), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    consumer.commitSync();
                    revoked += partitions.size();
                }

                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
            });
            return this;
        }

        @Override
        public void pollOnce() {
            consumer.poll(Duration.ofMillis(20)).forEach(record -> read.add(record.value()));
        }

        @Override
        public Set<TopicPartition> partitions() {
            return consumer.assignment();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    private TestNode start() throws Exception {
        var node = TestNode.start(
                data,
                "group.consumer.min.heartbeat.interval.ms",
                "50",
                "group.consumer.heartbeat.interval.ms",
                "100",
                "group.consumer.assignment.interval.ms",
                "0",
                "group.initial.rebalance.delay.ms",
                "0");
        createTopic(node, TOPIC, 6);
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", node.bootstrapServers()), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < 60; i++) {
                producer.send(new ProducerRecord<>(TOPIC, i % 6, "k" + i, "v" + i));
            }
        }
        return node;
    }

    private static Admin admin(TestNode node) {
        return Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
    }

    private static void createTopic(TestNode node, String name, int partitions) throws Exception {
        try (var admin = admin(node)) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static ConsumerGroupDescription describe(TestNode node) throws Exception {
        try (var admin = admin(node)) {
            return Objects.requireNonNull(admin.describeConsumerGroups(List.of(GROUP))
                    .all()
                    .get(30, TimeUnit.SECONDS)
                    .get(GROUP));
        }
    }

    @Test
    void membersComeAndGoAndKeepWhatNobodyNeeds() throws Exception {
        try (var node = start();
                var one = new Member(node, "consumer").reading(TOPIC)) {
            pollUntil(() -> share(6, one), one);
            pollUntil(() -> one.read.size() == 60, one);
            try (var two = new Member(node, "consumer").reading(TOPIC);
                    var three = new Member(node, "consumer").reading(TOPIC)) {
                pollUntil(() -> share(2, one, two, three), one, two, three);
                assertThat(one.revoked).as("only what moved").isEqualTo(4);
                assertThat(two.read.size() + three.read.size())
                        .as("all of it was committed")
                        .isZero();
                var described = describe(node);
                assertThat(described.type()).isEqualTo(GroupType.CONSUMER);
                assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
                assertThat(described.members()).hasSize(3);
                assertThat(described.partitionAssignor()).isEqualTo("uniform");
            }
            pollUntil(() -> share(6, one), one);
        }
    }

    @Test
    void newPartitionsAndNewTopicsOfAnExpression() throws Exception {
        try (var node = start();
                var one = new Member(node, "consumer")) {
            one.consumer.subscribe(new SubscriptionPattern("[a-t]"));
            pollUntil(() -> share(6, one), one);
            try (var admin = admin(node)) {
                admin.createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(8)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            pollUntil(() -> one.partitions().size() == 8, one);
            createTopic(node, "s", 1);
            createTopic(node, "unread", 1);
            pollUntil(() -> one.partitions().size() == 9, one);
            var topics = new TreeSet<String>();
            one.partitions().forEach(partition -> topics.add(partition.topic()));
            assertThat(topics).containsExactly("s", TOPIC);
        }
    }

    @Test
    void aGroupMovesToTheConsumerProtocolAndBack() throws Exception {
        try (var node = start();
                var old = new Member(node, "classic").reading(TOPIC)) {
            pollUntil(() -> share(6, old), old);
            try (var next = new Member(node, "consumer").reading(TOPIC)) {
                pollUntil(() -> share(3, old, next), old, next);
                assertThat(old.revoked).as("only what moved").isEqualTo(3);
                assertThat(describe(node).type()).isEqualTo(GroupType.CONSUMER);
            }
            pollUntil(() -> share(6, old), old);
            assertThat(describe(node).type()).isEqualTo(GroupType.CLASSIC);
        }
    }

    @Test
    void aStaticMemberComesBackUnnoticed() throws Exception {
        try (var node = start();
                var one = new Member(node, "consumer", "group.instance.id", "one").reading(TOPIC)) {
            var two = new Member(node, "consumer", "group.instance.id", "two").reading(TOPIC);
            pollUntil(() -> share(3, one, two), one, two);
            var before = Set.copyOf(two.partitions());
            int revoked = one.revoked;
            two.close();
            try (var again = new Member(node, "consumer", "group.instance.id", "two").reading(TOPIC)) {
                pollUntil(() -> again.partitions().equals(before), one, again);
                assertThat(one.revoked).isEqualTo(revoked);
            }
        }
    }

    @Test
    void aGroupIsThereAfterARestart() throws Exception {
        int epoch;
        try (var node = start();
                var one = new Member(node, "consumer", "group.instance.id", "one").reading(TOPIC)) {
            pollUntil(() -> share(6, one), one);
            one.consumer.commitSync();
            epoch = describe(node).groupEpoch().orElseThrow();
        }
        try (var node = TestNode.start(data)) {
            var described = describe(node);
            assertThat(described.groupEpoch()).hasValue(epoch);
            assertThat(described.members()).singleElement().satisfies(member -> {
                assertThat(member.groupInstanceId()).hasValue("one");
                assertThat(member.assignment().topicPartitions()).hasSize(6);
            });
            try (var one = new Member(node, "consumer", "group.instance.id", "one").reading(TOPIC)) {
                pollUntil(() -> share(6, one), one);
            }
        }
    }
}
