package io.moldau.ops.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.node.NodeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node of one, broker and controller, that loses its power under load: nothing that was
/// acknowledged in a topic with `moldau.durability=flushed` is missing afterwards, and the metadata
/// is what it was. Where records only have to be replicated some are missing, which shows that the
/// cut cuts.
///
/// `-Dmoldau.long=true` cuts fifty times.
class PowerCutIT {

    private static final int ROUNDS = Boolean.getBoolean("moldau.long") ? 50 : 3;
    private static final int PARTITIONS = 4;
    private static final String FLUSHED = "flushed";
    private static final String REPLICATED = "replicated";

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void whatWasAcknowledgedAsFlushedOutlivesThePower() throws Exception {
        assumeTrue(PowerCut.isPossible(), "no gcc");
        var power = PowerCut.in(folder);
        var node = NodeProcess.start(power.environment(), folder.resolve("data"), "admin.listener=");
        var random = new Random(4);
        long taken = 0;
        Set<String> acknowledged = new HashSet<>();
        try {
            create(node.bootstrap());
            for (int round = 0; round < ROUNDS; round++) {
                acknowledged.addAll(produce(node, round, 200 + random.nextInt(1_500)));
                taken += power.strike(node.data());
                node = node.startAgain();
                var there = read(node.bootstrap(), FLUSHED);
                assertThat(missing(acknowledged, FLUSHED, there))
                        .as("acknowledged and lost in round %d", round)
                        .isEmpty();
            }
            var missing = missing(acknowledged, REPLICATED, read(node.bootstrap(), REPLICATED));
            System.out.printf(
                    "POWER CUT %d cuts took %,d bytes; %,d records acknowledged, of the flushed 0 lost, of the"
                            + " replicated %,d%n",
                    ROUNDS, taken, acknowledged.size(), missing.size());
            assertThat(missing).as("what is not flushed is lost").isNotEmpty();
        } finally {
            node.close();
        }
    }

    private static Set<String> missing(Set<String> acknowledged, String topic, Set<String> there) {
        var missing = new HashSet<String>();
        for (var value : acknowledged) {
            if (value.startsWith(topic) && !there.contains(value)) {
                missing.add(value);
            }
        }
        return missing;
    }

    private static void create(String bootstrap) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            for (var topic : List.of(FLUSHED, REPLICATED)) {
                admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)
                                .configs(Map.of("moldau.durability", topic, "segment.bytes", "1048576"))))
                        .all()
                        .get();
            }
        }
    }

    /// Produces to both topics until the node is killed after so long.
    ///
    /// @return what was acknowledged before
    private static Set<String> produce(NodeProcess node, int round, int millis) {
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        var settings = Map.<String, Object>of(
                "bootstrap.servers", node.bootstrap(), "acks", "all", "linger.ms", 1, "max.block.ms", 10_000);
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        try {
            var killer = Thread.ofPlatform().start(() -> {
                Await.pass(Duration.ofMillis(millis));
                node.kill();
            });
            for (int i = 0; killer.isAlive(); i++) {
                for (var topic : List.of(FLUSHED, REPLICATED)) {
                    String value = topic + " " + round + " " + i + " " + "x".repeat(200);
                    producer.send(new ProducerRecord<>(topic, value), (metadata, failure) -> {
                        if (failure == null) {
                            acknowledged.add(value);
                        }
                    });
                }
                if (i % 20 == 0) {
                    Await.pass(Duration.ofMillis(1));
                }
            }
        } finally {
            producer.close(Duration.ZERO);
        }
        return acknowledged;
    }

    private static Set<String> read(String bootstrap, String topic) {
        var settings = Map.<String, Object>of("bootstrap.servers", bootstrap);
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            var partitions = consumer.partitionsFor(topic).stream()
                    .map(it -> new TopicPartition(topic, it.partition()))
                    .toList();
            assertThat(partitions).hasSize(PARTITIONS);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            var values = new HashSet<String>();
            while (partitions.stream().anyMatch(it -> consumer.position(it) < Objects.requireNonNull(ends.get(it)))) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
            }
            return values;
        }
    }
}
