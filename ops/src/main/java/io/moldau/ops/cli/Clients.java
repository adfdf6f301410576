package io.moldau.ops.cli;

import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/// Makes the clients that carry records.
interface Clients {

    Producer<byte[], byte[]> producer(Properties properties);

    Consumer<byte[], byte[]> consumer(Properties properties);
}
