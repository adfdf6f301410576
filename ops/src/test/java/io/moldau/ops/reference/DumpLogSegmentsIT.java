package io.moldau.ops.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The reference's dump tool reads every file that a node leaves behind, and finds nothing wrong with it.
class DumpLogSegmentsIT {

    private static final String DUMP = "org.apache.kafka.tools.DumpLogSegments";
    private static final String TOPIC = "dumped";
    private static final int RECORDS = 20_000;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyFileIsSound(boolean stopCleanly, @TempDir Path folder) throws Exception {
        Path data = folder.resolve("data");
        var node = NodeProcess.start(data, "offsets.topic.num.partitions=1");
        try {
            fill(node.bootstrap());
            if (stopCleanly) {
                node.stop();
            } else {
                node.kill();
                // What a crash leaves may be torn; recovery has to mend it.
                node = node.startAgain();
                node.stop();
            }
        } finally {
            node.close();
        }

        var log = data.resolve(TOPIC + "-0");
        assertThat(list(log, ".log")).hasSizeGreaterThanOrEqualTo(3);
        for (var suffix : List.of(".index", ".timeindex")) {
            assertThat(dump(files(log, suffix), "--index-sanity-check"))
                    .contains("passed sanity check")
                    .doesNotContain("failed", "mismatch", "Mismatch");
        }
        assertThat(dump(files(log, ".log"), "--deep-iteration"))
                .contains("isvalid: true", "compresscodec: lz4", "producerId: ")
                .doesNotContain("isvalid: false");
        assertThat(dump(files(log, ".snapshot"))).contains("producerId: ");
        assertThat(dump(files(data.resolve("__consumer_offsets-0"), ".log"), "--offsets-decoder"))
                .contains(TOPIC, "the note");
        assertThat(Files.readAllLines(log.resolve("leader-epoch-checkpoint")).getFirst())
                .isEqualTo("0");
    }

    private static void fill(String bootstrap) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            var topic = new NewTopic(TOPIC, 1, (short) 1)
                    .configs(Map.of("segment.bytes", "1048576", "index.interval.bytes", "1024"));
            admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
        }
        for (var codec : List.of("none", "lz4", "gzip")) {
            var settings = Map.<String, Object>of(
                    "bootstrap.servers", bootstrap, "compression.type", codec, "batch.size", "4000", "linger.ms", "5");
            try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
                for (int i = 0; i < RECORDS; i++) {
                    var _ = producer.send(
                            new ProducerRecord<>(TOPIC, 0, null, ("value " + i + " ".repeat(100)).getBytes()));
                }
            }
        }
        var settings = Map.<String, Object>of("bootstrap.servers", bootstrap, "group.id", "dumped-group");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.commitSync(Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(7, "the note")));
        }
    }

    private static String dump(String files, String... options) throws Exception {
        return Tool.named(DUMP).with("--files", files).with(options).succeeds();
    }

    private static List<Path> list(Path folder, String suffix) throws Exception {
        try (var found = Files.list(folder)) {
            return found.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    private static String files(Path folder, String suffix) throws Exception {
        return list(folder, suffix).stream().map(Path::toString).collect(Collectors.joining(","));
    }
}
