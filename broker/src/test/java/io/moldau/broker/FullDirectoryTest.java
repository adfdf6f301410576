package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.api.data.BreakableStorage;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.FaultHandler;
import io.moldau.log.space.SpaceLevel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node whose disk runs full, as its clients see it.
class FullDirectoryTest {

    @TempDir
    Path data;

    @Test
    void producersWaitForSpaceAndEverythingElseGoesOn() throws Exception {
        var storage = new BreakableStorage();
        var faults = new FaultHandler.Recording();
        Map<String, String> settings = Map.of(
                "node.id",
                "1",
                "listeners",
                "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
                "log.dirs",
                data.toString(),
                "offsets.topic.num.partitions",
                "1",
                "moldau.storage.full.bytes",
                "1000000",
                "moldau.storage.short.bytes",
                "2000000");
        try (Node node = Node.start(
                NodeConfig.fromProperties(settings),
                NodeServices.real().withStorage(storage).withFaults(faults))) {
            node.awaitReady(Duration.ofSeconds(30));
            var listener = node.listeners().stream()
                    .filter(it -> it.listenerName().equals("PLAINTEXT"))
                    .findFirst()
                    .orElseThrow();
            var servers = listener.host() + ":" + listener.port();
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers));
                    var producer = producer(servers, 20_000);
                    var impatient = producer(servers, 1_500)) {
                admin.createTopics(List.of(new NewTopic("t", 1, (short) 1)))
                        .all()
                        .get();
                producer.send(new ProducerRecord<>("t", "before")).get();

                storage.leave(500_000);
                while (node.logDirs().spaces().getFirst().level() != SpaceLevel.FULL) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                assertThatThrownBy(() -> impatient
                                .send(new ProducerRecord<>("t", "refused"))
                                .get())
                        .hasMessageContaining("Expiring");
                var waiting = producer.send(new ProducerRecord<>("t", "waits"));
                admin.createTopics(List.of(new NewTopic("other", 1, (short) 1)))
                        .all()
                        .get();
                var partition = new TopicPartition("t", 0);
                admin.alterConsumerGroupOffsets("g", Map.of(partition, new OffsetAndMetadata(1)))
                        .all()
                        .get();
                assertThat(waiting.isDone()).isFalse();

                storage.leave(50_000_000);
                assertThat(waiting.get(10, TimeUnit.SECONDS).offset()).isEqualTo(1);
            }
        }
        assertThat(faults.faults()).isEmpty();
    }

    private static KafkaProducer<String, String> producer(String servers, int deliveryMs) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        servers,
                        "linger.ms",
                        0,
                        "request.timeout.ms",
                        1_000,
                        "delivery.timeout.ms",
                        deliveryMs),
                new StringSerializer(),
                new StringSerializer());
    }
}
