package io.moldau.ops.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.client.RawClient;
import io.moldau.ops.metrics.Scrape;
import io.moldau.ops.node.NodeProcess;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ApiVersionsResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node with a heap of 64 MB: a thousand partitions, many connections, and more data than any memory holds, while
/// somebody scrapes it. Nothing may be lost, refused or out of memory. The long form (`-Dmoldau.long=true`) has a
/// gigabyte; it prints figures.
class SmallHeapIT {

    private static final boolean LONG = Boolean.getBoolean("moldau.long");
    private static final String HEAP = System.getProperty("moldau.heap", "64m");
    private static final int TOPICS = 100;
    private static final int PARTITIONS_OF_EACH = 10;
    private static final int CONNECTIONS = LONG ? 2_000 : 500;
    private static final int BYTES = 1 << 10;
    private static final long LARGE = (LONG ? 1L << 30 : 64L << 20) / BYTES;
    private static final long SPREAD = LONG ? 200_000 : 20_000;

    @TempDir
    private Path folder;

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void sixtyFourMegabytesAreEnough() throws Exception {
        String url = "http://127.0.0.1:" + NodeProcess.freePort(27_700);
        List<RawClient> idle = new ArrayList<>();
        var stop = new AtomicBoolean();
        var largest = new AtomicLong();
        try (var node = NodeProcess.start(
                        Map.of("MOLDAU_HEAP", HEAP), folder.resolve("data"), "admin.listener=" + url);
                var threads = Executors.newSingleThreadExecutor()) {
            var scraping = threads.submit(() -> {
                while (!stop.get()) {
                    Scrape scrape = Scrape.of(url);
                    largest.accumulateAndGet((long) scrape.sum("process_resident_memory_bytes"), Math::max);
                    Await.pass(Duration.ofSeconds(1));
                }
                return null;
            });
            try {
                List<String> topics = create(node.bootstrap());
                connect(node.bootstrap(), idle);
                Scrape before = Scrape.of(url);
                // One topic much, and all of them a little.
                carry(node.bootstrap(), topics.subList(0, 1), LARGE, "large");
                carry(node.bootstrap(), topics, SPREAD, "spread");
                for (RawClient client : idle) {
                    client.call(ApiKey.API_VERSIONS, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
                }
                stop.set(true);
                scraping.get();
                Scrape after = Scrape.of(url);
                System.out.printf(
                        "HEAP %s: %,d partitions, %,d connections, %,d MiB and %,d records spread: resident at most %d MiB;"
                                + " heap used %.0f MiB, direct memory %.0f MiB; %.0f collections of %.2f s in all%n",
                        HEAP,
                        TOPICS * PARTITIONS_OF_EACH,
                        CONNECTIONS,
                        LARGE * BYTES >> 20,
                        SPREAD,
                        largest.get() >> 20,
                        after.sum("jvm_memory_used_bytes", "area", "heap") / (1 << 20),
                        after.sum("moldau_netty_direct_memory_bytes") / (1 << 20),
                        after.sum("jvm_gc_collection_seconds_count") - before.sum("jvm_gc_collection_seconds_count"),
                        after.sum("jvm_gc_collection_seconds_sum") - before.sum("jvm_gc_collection_seconds_sum"));
                assertThat(after.sum("kafka_server_replicamanager_partitioncount"))
                        .isGreaterThanOrEqualTo(TOPICS * PARTITIONS_OF_EACH);
                // What the node says goes to its log; nothing of this may be there.
                assertThat(node.output())
                        .doesNotContainPattern(Pattern.compile("OutOfMemory|ERROR|WARN.*(failed|refused)"));
            } finally {
                stop.set(true);
                for (RawClient client : idle) {
                    client.close();
                }
            }
        }
    }

    private static List<String> create(String bootstrap) throws Exception {
        List<String> names =
                IntStream.range(0, TOPICS).mapToObj(i -> "topic-" + i).toList();
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap, "request.timeout.ms", "60000"))) {
            admin.createTopics(names.stream()
                            .map(name -> new NewTopic(name, PARTITIONS_OF_EACH, (short) 1))
                            .toList())
                    .all()
                    .get();
        }
        return names;
    }

    private static void connect(String bootstrap, List<RawClient> into) throws IOException {
        int port = Integer.parseInt(bootstrap.substring(bootstrap.lastIndexOf(':') + 1));
        for (int i = 0; i < CONNECTIONS; i++) {
            var client = new RawClient(port);
            into.add(client);
            client.call(ApiKey.API_VERSIONS, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
        }
    }

    /// Writes so many records, by chance into the partitions, and reads them back.
    private static void carry(String bootstrap, List<String> topics, long count, String what) throws Exception {
        var random = new Random(count);
        var failures = new AtomicLong();
        Map<TopicPartition, Long> written = new HashMap<>();
        long began = System.nanoTime();
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", "5", "buffer.memory", "33554432"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            byte[] value = new byte[BYTES];
            random.nextBytes(value);
            for (long i = 0; i < count; i++) {
                var to = new TopicPartition(
                        topics.get(random.nextInt(topics.size())), random.nextInt(PARTITIONS_OF_EACH));
                written.merge(to, 1L, Long::sum);
                var unused = producer.send(
                        new ProducerRecord<>(to.topic(), to.partition(), null, value), (record, failure) -> {
                            if (failure != null) {
                                failures.incrementAndGet();
                            }
                        });
            }
        }
        double produced = (System.nanoTime() - began) / 1e9;
        assertThat(failures.get()).isZero();
        began = System.nanoTime();
        long read = 0;
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "group.id", what, "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(topics);
            long wanted = consumer.endOffsets(written.keySet()).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            while (read < wanted) {
                read += consumer.poll(Duration.ofSeconds(10)).count();
            }
            assertThat(wanted).isGreaterThanOrEqualTo(count);
        }
        System.out.printf(
                "HEAP %s, %s: %,d records written in %.1f s, %,d read in %.1f s%n",
                HEAP, what, count, produced, read, (System.nanoTime() - began) / 1e9);
    }
}
