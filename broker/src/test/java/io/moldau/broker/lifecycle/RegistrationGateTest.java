package io.moldau.broker.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.TestNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node that restarts is shown the deletions of long ago again.
@Timeout(60)
class RegistrationGateTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    @TempDir
    private Path data;

    private static Admin admin(TestNode node) {
        return Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
    }

    /// The name may be taken until the topic before is quite gone.
    private static void create(Admin admin) throws Exception {
        while (true) {
            try {
                admin.createTopics(List.of(new NewTopic("t", 1, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
                return;
            } catch (java.util.concurrent.ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(TopicExistsException.class);
            }
        }
    }

    @Test
    void aTopicThatWasCreatedAnewKeepsItsRecordsAndOffsets() throws Exception {
        try (var node = TestNode.start(data);
                var admin = admin(node)) {
            for (int generation = 0; generation < 3; generation++) {
                create(admin);
                try (var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", node.bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
                    producer.send(new ProducerRecord<>("t", "record " + generation))
                            .get(30, TimeUnit.SECONDS);
                }
                admin.alterConsumerGroupOffsets("g", Map.of(PARTITION, new OffsetAndMetadata(10 + generation)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
                if (generation < 2) {
                    admin.deleteTopics(Set.of("t")).all().get(30, TimeUnit.SECONDS);
                }
            }
        }
        for (int restart = 0; restart < 2; restart++) {
            try (var node = TestNode.start(data);
                    var admin = admin(node);
                    var consumer = new KafkaConsumer<>(
                            Map.of("bootstrap.servers", node.bootstrapServers(), "auto.offset.reset", "earliest"),
                            new StringDeserializer(),
                            new StringDeserializer())) {
                consumer.assign(List.of(PARTITION));
                assertThat(consumer.endOffsets(List.of(PARTITION))).containsEntry(PARTITION, 1L);
                var records = new ArrayList<String>();
                while (records.isEmpty()) {
                    consumer.poll(Duration.ofMillis(100)).forEach(record -> records.add(record.value()));
                }
                assertThat(records).containsExactly("record 2");
                assertThat(admin.listConsumerGroupOffsets("g")
                                .partitionsToOffsetAndMetadata()
                                .get(30, TimeUnit.SECONDS))
                        .containsEntry(PARTITION, new OffsetAndMetadata(12));
            }
        }
    }
}
