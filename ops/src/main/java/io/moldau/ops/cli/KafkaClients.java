package io.moldau.ops.cli;

import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Kafka's own clients.
///
/// @param machine to look whether anybody is there before a client begins to wait
record KafkaClients(Machine machine) implements Clients {

    @Override
    public Producer<byte[], byte[]> producer(Properties properties) {
        Bootstrap.check(properties, machine);
        return Bootstrap.made(
                properties,
                () -> new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    @Override
    public Consumer<byte[], byte[]> consumer(Properties properties) {
        Bootstrap.check(properties, machine);
        return Bootstrap.made(
                properties,
                () -> new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    /// A cluster behind the Admin client.
    Cluster cluster(Properties properties) {
        Bootstrap.check(properties, machine);
        return AdminCluster.connect(properties, machine);
    }
}
