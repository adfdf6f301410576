package io.moldau.docker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.VoidDeserializer;
import org.apache.kafka.common.serialization.VoidSerializer;
import org.jspecify.annotations.Nullable;

/// A producer that sends numbers to all partitions of a topic in turn and remembers which were acknowledged, from its
/// own
/// thread.
final class NumberedRecords implements AutoCloseable {

    private static final long PAUSE_MS = 5;

    private final String bootstrap;
    private final String topic;
    private final int partitions;
    private final KafkaProducer<Void, Long> producer;
    private final Set<Long> acknowledged = new ConcurrentSkipListSet<>();
    private final AtomicLong next = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread sender;
    private volatile boolean closing;

    NumberedRecords(String bootstrap, String topic, int partitions) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.partitions = partitions;
        // Acks=all and idempotent, as producers are by default. One that does not answer is left sooner than then.
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "delivery.timeout.ms", "180000", "request.timeout.ms", "5000"),
                new VoidSerializer(),
                new LongSerializer());
        this.sender = Thread.ofPlatform().name("numbered-records").start(this::send);
    }

    private void send() {
        try {
            while (!closing) {
                long number = next.getAndIncrement();
                int partition = (int) (number % partitions);
                var _ = producer.send(new ProducerRecord<>(topic, partition, null, number), (_, failed) -> {
                    if (failed == null) {
                        acknowledged.add(number);
                    } else {
                        failure.compareAndSet(null, failed);
                    }
                });
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /// Waits until every partition has acknowledged a number that is sent after this call.
    void awaitOneMore(Duration atMost) throws InterruptedException {
        long from = next.get();
        long deadline = System.nanoTime() + atMost.toNanos();
        while (acknowledged.stream()
                        .filter(number -> number >= from)
                        .mapToLong(number -> number % partitions)
                        .distinct()
                        .count()
                < partitions) {
            Exception failed = failure.get();
            if (failed != null || System.nanoTime() > deadline) {
                throw new AssertionError("not every partition has acknowledged a record within " + atMost, failed);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /// Ends the sending and waits for every answer.
    ///
    /// @return what was acknowledged
    Set<Long> finish() throws InterruptedException {
        closing = true;
        sender.join();
        producer.flush();
        Exception failed = failure.get();
        if (failed != null) {
            throw new AssertionError("a record was refused", failed);
        }
        return acknowledged;
    }

    /// All numbers that the topic holds, in the order in which each partition has them.
    List<Long> readBack() {
        List<Long> numbers = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", bootstrap),
                new VoidDeserializer(),
                new LongDeserializer())) {
            List<TopicPartition> all = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(one -> consumer.position(one) < ends.getOrDefault(one, 0L))) {
                for (ConsumerRecord<Void, Long> record : consumer.poll(Duration.ofSeconds(1))) {
                    numbers.add(record.value());
                }
            }
        }
        return numbers;
    }

    @Override
    public void close() {
        closing = true;
        producer.close(Duration.ofSeconds(5));
    }
}
