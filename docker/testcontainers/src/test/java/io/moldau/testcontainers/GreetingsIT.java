package io.moldau.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

/// The example of the README, as it stands there.
@Testcontainers(disabledWithoutDocker = true)
class GreetingsIT {

    @Container
    static final MoldauContainer MOLDAU = new MoldauContainer().withSetting("num.partitions", "2");

    @Test
    void aGreetingArrives() throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", MOLDAU.getBootstrapServers(),
                "group.id", "readers",
                "auto.offset.reset", "earliest");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            producer.send(new ProducerRecord<>("greetings", "hello")).get();
            consumer.subscribe(List.of("greetings"));

            assertThat(consumer.poll(Duration.ofSeconds(20)))
                    .singleElement()
                    .satisfies(record -> assertThat(record.value()).isEqualTo("hello"));
        }
    }
}
