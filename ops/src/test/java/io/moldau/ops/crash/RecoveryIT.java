package io.moldau.ops.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ReferenceNode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// How long a node with many partitions needs after kill -9 until all of them take records again.
///
/// `-Dmoldau.long=true` does it with 2,000 partitions and 5 GB beside Apache Kafka.
class RecoveryIT {

    private static final String TOPIC = "recovered";
    private static final int RECORD_BYTES = 10_000;
    private static final long WAIT_SECONDS = 900;

    @Test
    void nothingIsMissingAfterAKill(@TempDir Path folder) throws Exception {
        var node = NodeProcess.start(folder.resolve("data"));
        try {
            var load = new Load(node.bootstrap(), 100, 60L << 20);
            load.fill();
            node.kill();
            node = node.startAgain();
            load.touchAll();
            assertThat(load.ends()).isEqualTo(load.acknowledged);
        } finally {
            node.close();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "moldau.long", matches = "true")
    void takesAtMostHalfOfTheReferencesTime(@TempDir Path folder) throws Exception {
        long ours;
        var node = NodeProcess.start(folder.resolve("data"));
        try {
            var load = new Load(node.bootstrap(), 2_000, 5L << 30);
            load.fill();
            node.kill();
            long began = System.nanoTime();
            node = node.startAgain();
            load.touchAll();
            ours = System.nanoTime() - began;
            assertThat(load.ends()).isEqualTo(load.acknowledged);
        } finally {
            node.close();
        }
        long theirs;
        var reference = ReferenceNode.start(folder, List.of("offsets.topic.replication.factor=1"));
        try {
            var load = new Load(reference.bootstrap(), 2_000, 5L << 30);
            load.fill();
            reference.close();
            long began = System.nanoTime();
            reference = ReferenceNode.startAgain(folder);
            load.touchAll();
            theirs = System.nanoTime() - began;
        } finally {
            reference.close();
        }
        System.out.printf(
                "after kill -9 until all partitions take records: %.1f s, Apache Kafka %.1f s%n",
                ours / 1e9, theirs / 1e9);
        assertThat(ours).isLessThan(theirs / 2);
    }

    /// Records for all partitions of a topic, in turn.
    private static final class Load {

        private final Map<String, Object> settings;
        private final int partitions;
        private final long bytes;
        private final Map<Integer, Long> acknowledged = new HashMap<>();

        Load(String bootstrap, int partitions, long bytes) {
            this.settings = Map.of(
                    "bootstrap.servers", bootstrap,
                    "acks", "all",
                    "batch.size", "200000",
                    "linger.ms", "20",
                    "buffer.memory", "64000000",
                    "reconnect.backoff.max.ms", "200",
                    "request.timeout.ms", "60000",
                    "delivery.timeout.ms", "900000",
                    "max.block.ms", "900000");
            this.partitions = partitions;
            this.bytes = bytes;
        }

        void fill() throws Exception {
            try (var admin = admin()) {
                admin.createTopics(List.of(new NewTopic(TOPIC, partitions, (short) 1)))
                        .all()
                        .get(WAIT_SECONDS, TimeUnit.SECONDS);
            }
            var value = new byte[RECORD_BYTES];
            new Random(1).nextBytes(value);
            long records = bytes / RECORD_BYTES;
            send(value, records, n -> (int) (n / 4 % partitions));
            // What a kill catches in the middle of being written.
            touchAll();
        }

        /// A record for each partition, acknowledged.
        void touchAll() throws Exception {
            send(new byte[10], partitions, n -> (int) n);
        }

        private interface Place {
            int partition(long n);
        }

        private void send(byte[] value, long records, Place place) throws Exception {
            var failed = new AtomicLong();
            try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
                for (long n = 0; n < records; n++) {
                    int partition = place.partition(n);
                    var _ = producer.send(new ProducerRecord<>(TOPIC, partition, null, value), (metadata, failure) -> {
                        if (failure != null) {
                            failed.incrementAndGet();
                        }
                    });
                    acknowledged.merge(partition, 1L, Long::sum);
                }
                producer.flush();
            }
            assertThat(failed).hasValue(0);
        }

        private Admin admin() {
            return Admin.create(
                    Map.of("bootstrap.servers", settings.get("bootstrap.servers"), "default.api.timeout.ms", "900000"));
        }

        Map<Integer, Long> ends() throws Exception {
            var asked = new HashMap<TopicPartition, OffsetSpec>();
            IntStream.range(0, partitions)
                    .forEach(partition -> asked.put(new TopicPartition(TOPIC, partition), OffsetSpec.latest()));
            var ends = new HashMap<Integer, Long>();
            try (var admin = admin()) {
                admin.listOffsets(asked)
                        .all()
                        .get(WAIT_SECONDS, TimeUnit.SECONDS)
                        .forEach((partition, end) -> ends.put(partition.partition(), end.offset()));
            }
            return ends;
        }
    }
}
