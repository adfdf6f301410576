package io.moldau.ops.reference;

import io.moldau.ops.chaos.cluster.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/// Topics, offsets and groups on one node, always the same: `live` with two members, `static` with
/// one that has an instance id, `modern` with three members by the consumer protocol, `idle` that
/// had a member once, and `outsiders`, whose offsets an administrator committed. The members stay
/// until it is closed.
final class GroupScene implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Instant LONG_AGO = Instant.parse("2026-01-01T00:00:00Z");

    private final String bootstrap;
    private final List<Member> members = new ArrayList<>();

    private GroupScene(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    static GroupScene on(String bootstrap) throws Exception {
        var scene = new GroupScene(bootstrap);
        try {
            scene.prepare();
        } catch (Exception | AssertionError e) {
            scene.close();
            throw e;
        }
        return scene;
    }

    private void prepare() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(Set.of(
                            new NewTopic("orders", 3, (short) 1),
                            new NewTopic("payments", 2, (short) 1),
                            new NewTopic("quiet", 1, (short) 1)))
                    .all()
                    .get(SOON.toSeconds(), TimeUnit.SECONDS);
            produce();
            readOnce();
            admin.alterConsumerGroupOffsets(
                            "outsiders",
                            Map.of(
                                    new TopicPartition("orders", 1),
                                    new OffsetAndMetadata(1),
                                    new TopicPartition("payments", 0),
                                    new OffsetAndMetadata(0, "noted")))
                    .all()
                    .get(SOON.toSeconds(), TimeUnit.SECONDS);
            members.add(new Member("live", "live-1", Map.of()));
            members.add(new Member("live", "live-2", Map.of()));
            members.add(new Member("static", "static-1", Map.of("group.instance.id", "instance-1")));
            // Which of them has which partition is chance, so they look the same. One after the other: how many epochs
            // it takes when they come together is chance as well.
            for (int size = 1; size <= 3; size++) {
                members.add(new Member("modern", "modern", Map.of("group.protocol", "consumer")));
                awaitStable(admin, "modern", size);
            }
            awaitStable(admin, "live", 2);
            awaitStable(admin, "static", 1);
            for (var member : members) {
                member.stopReading();
            }
        }
    }

    private static void awaitStable(Admin admin, String group, int size) {
        var last = new AtomicReference<Object>("nothing");
        Await.until(
                group + " to be stable",
                SOON,
                () -> {
                    var described = Objects.requireNonNull(admin.describeConsumerGroups(Set.of(group))
                                    .describedGroups()
                                    .get(group))
                            .get(10, TimeUnit.SECONDS);
                    last.set(described);
                    var committed = admin.listConsumerGroupOffsets(group)
                            .partitionsToOffsetAndMetadata()
                            .get(10, TimeUnit.SECONDS);
                    return described.groupState() == GroupState.STABLE
                            && described.members().size() == size
                            && described.members().stream()
                                    .noneMatch(member -> member.assignment()
                                            .topicPartitions()
                                            .isEmpty())
                            && committed.size() == 3;
                },
                () -> String.valueOf(last.get()));
    }

    /// Some long ago, some two hours ago, some now; `quiet` and the last partition of `payments` have none.
    private void produce() throws Exception {
        try (var producer = new KafkaProducer<String, String>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer())) {
            long now = Instant.now().toEpochMilli();
            for (int i = 0; i < 4; i++) {
                send(producer, "orders", 0, LONG_AGO.plus(Duration.ofHours(i)).toEpochMilli());
            }
            send(producer, "orders", 1, now - Duration.ofHours(2).toMillis());
            send(producer, "orders", 1, now);
            send(producer, "orders", 2, now - Duration.ofHours(2).toMillis());
            send(producer, "payments", 0, now);
            send(producer, "payments", 0, now);
        }
    }

    private static void send(KafkaProducer<String, String> producer, String topic, int partition, long timestamp)
            throws Exception {
        producer.send(new ProducerRecord<>(topic, partition, timestamp, "k", "v"))
                .get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    private void readOnce() {
        try (var consumer = consumer("idle", "idle-1", Map.of())) {
            consumer.subscribe(List.of("orders", "payments"));
            Await.until(
                    "records",
                    SOON,
                    () -> !consumer.poll(Duration.ofMillis(200)).isEmpty(),
                    () -> "");
            consumer.commitSync(Map.of(
                    new TopicPartition("orders", 0), new OffsetAndMetadata(3),
                    new TopicPartition("orders", 1), new OffsetAndMetadata(1, "half"),
                    new TopicPartition("payments", 0), new OffsetAndMetadata(2)));
        }
    }

    private KafkaConsumer<String, String> consumer(String group, String clientId, Map<String, Object> more) {
        var settings = new HashMap<String, Object>(Map.of(
                "bootstrap.servers",
                bootstrap,
                "group.id",
                group,
                "client.id",
                clientId,
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false));
        settings.putAll(more);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    /// That all members are still at it.
    void check() {
        for (var member : members) {
            var failure = member.failure.get();
            if (failure != null) {
                throw new AssertionError(member.clientId + " failed", failure);
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        for (var member : members) {
            member.consumer.wakeup();
        }
        for (var member : members) {
            member.thread.join(SOON);
        }
    }

    /// Reads what is there, commits it, and from then on only stays in the group.
    private final class Member {

        private final String clientId;
        private final KafkaConsumer<String, String> consumer;
        private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        private final Thread thread;
        private volatile boolean reading = true;

        Member(String group, String clientId, Map<String, Object> more) {
            this.clientId = clientId;
            consumer = consumer(group, clientId, more);
            consumer.subscribe(List.of("orders"));
            thread = Thread.ofPlatform().daemon().name(clientId).start(this::run);
        }

        void stopReading() {
            reading = false;
        }

        private void run() {
            try (consumer) {
                while (true) {
                    consumer.poll(Duration.ofMillis(200));
                    if (reading) {
                        consumer.commitSync();
                    }
                }
            } catch (WakeupException end) {
                // The scene is over.
            } catch (Exception e) {
                failure.set(e);
            }
        }
    }
}
