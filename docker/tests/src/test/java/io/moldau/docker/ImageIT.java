package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.Capability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.junit.jupiter.Testcontainers;

/// One container of the image, as `docker run` makes it, in a quarter of a gibibyte and with a root that is read-only.
@Testcontainers(disabledWithoutDocker = true)
class ImageIT {

    private static final int STOPPED_BY_SIGTERM = 143;
    private static final int RECORDS = 60_000;
    private static final long MEBIBYTE = 1 << 20;
    private static final String PEAK_OF_OLDER_GROUPS = "/sys/fs/cgroup/memory/memory.max_usage_in_bytes";

    private static final NodeContainer NODE = node();

    private static NodeContainer node() {
        var node = new NodeContainer(1).withMemory(256);
        return node.with("MOLDAU_LISTENERS", "OUTSIDE://:9092,INSIDE://:19092")
                .with("MOLDAU_ADVERTISED_LISTENERS", "OUTSIDE://" + node.bootstrap() + ",INSIDE://localhost:19092")
                .with("MOLDAU_INTER_BROKER_LISTENER_NAME", "INSIDE")
                .with(
                        "MOLDAU_LISTENER_SECURITY_PROTOCOL_MAP",
                        "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT")
                .with("MOLDAU_NUM_PARTITIONS", "3")
                // So that the node unpacks as well.
                .with("MOLDAU_PRODUCE_VALIDATION", "full")
                .withCreateContainerCmdModifier(create -> create.getHostConfig()
                        .withReadonlyRootfs(true)
                        .withTmpFs(Map.of("/tmp", "exec,size=64m"))
                        .withCapDrop(Capability.ALL));
    }

    @BeforeAll
    static void start() {
        NODE.start();
    }

    @AfterAll
    static void stop() {
        NODE.close();
    }

    @Test
    void clientsOfThisMachineUseIt() throws Exception {
        Programs.require("kcat", "-V");

        assertThat(kcat("hello\nagain\n", "-P", "-t", "greetings").status()).isZero();

        assertThat(kcat("", "-C", "-t", "greetings", "-o", "beginning", "-e", "-q")
                        .output()
                        .lines())
                .containsExactlyInAnyOrder("hello", "again");
    }

    private static Programs.Result kcat(String input, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("kcat", "-b", NODE.bootstrap()));
        command.addAll(List.of(words));
        return Programs.run(Path.of("."), Map.of(), command, input);
    }

    @Test
    void itIsNotRootAndTheSettingsAreThoseOfTheEnvironment() throws Exception {
        assertThat(NODE.succeeds("id", "-u").strip()).isEqualTo("1000");
        assertThat(NODE.succeeds("moldau", "configs", "show", "broker", "1", "--json", "-b", "localhost:19092"))
                .containsPattern("num\\.partitions[^}]*\"3\"");
    }

    @Test
    void theEngineSeesThatItIsWell() throws Exception {
        assertThat(NODE.succeeds("probe", "/live")).isEmpty();
        assertThat(NODE.execInContainer("probe", "/nothing").getExitCode()).isEqualTo(1);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!"healthy".equals(NODE.state().getHealth().getStatus())) {
            assertThat(System.nanoTime()).as("%s", NODE.state().getHealth()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    @Test
    void anInspectionWithTheCommandsInsideIsPossible() throws Exception {
        assertThat(NODE.succeeds("moldau", "version")).startsWith("Moldau ");
        assertThat(NODE.succeeds("moldau", "quorum", "status", "-b", "localhost:19092"))
                .containsPattern("1 +leader");
        assertThat(NODE.succeeds("jcmd", "1", "VM.version")).contains("25");
    }

    @Test
    void aQuarterOfAGibibyteIsEnough() throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                NODE.bootstrap(),
                "group.id",
                "heavy",
                "auto.offset.reset",
                "earliest",
                "compression.type",
                "lz4");
        var value = new byte[2048];
        IntStream.range(0, value.length).forEach(i -> value[i] = (byte) (i * 31));
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                var consumer =
                        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<Future<RecordMetadata>> sent = IntStream.range(0, RECORDS)
                    .mapToObj(_ -> producer.send(new ProducerRecord<>("heavy", value)))
                    .toList();
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
            consumer.subscribe(List.of("heavy"));
            int read = 0;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (read < RECORDS) {
                assertThat(System.nanoTime()).as("%d read", read).isLessThan(deadline);
                read += consumer.poll(Duration.ofSeconds(1)).count();
            }
            assertThat(read).isEqualTo(RECORDS);
        }
        assertThat(NODE.state().getOOMKilled()).isFalse();
        assertThat(NODE.state().getRunning()).isTrue();
        ExecResult heap = NODE.execInContainer("jcmd", "1", "VM.flags");
        assertThat(heap.getStdout()).contains("-XX:MaxHeapSize=" + 64 * MEBIBYTE);
        ExecResult peak = NODE.execInContainer("cat", PEAK_OF_OLDER_GROUPS);
        ExecResult status = NODE.execInContainer("grep", "VmHWM", "/proc/1/status");
        System.out.printf(
                "in 256 MiB: %s, with the files' cache at most %s bytes%n",
                status.getStdout().strip(), peak.getStdout().strip());
    }

    @Test
    void aStopIsInOrderAndTheDataStays() throws Exception {
        try (var node = new NodeContainer(7).withMemory(256)) {
            node.with("MOLDAU_ADVERTISED_LISTENERS", "PLAINTEXT://" + node.bootstrap());
            node.start();
            try (var records = new NumberedRecords(node.bootstrap(), "numbers", 1)) {
                records.awaitOneMore(Duration.ofSeconds(30));
                var acknowledged = records.finish();

                node.end();

                assertThat(node.state().getExitCodeLong()).isEqualTo(STOPPED_BY_SIGTERM);
                assertThat(node.getLogs()).contains("Moldau has stopped.").doesNotContain("ERROR");
                node.begin();
                node.awaitReady();
                assertThat(node.succeeds("ls", "/var/lib/moldau")).contains("meta.properties");
                assertThat(records.readBack()).containsExactlyInAnyOrderElementsOf(acknowledged);
            }
        }
    }

    @Test
    void aVariableThatSetsNothingIsRefusedWithTheNearestName() throws Exception {
        var result = Programs.run(
                Path.of("."),
                Map.of(),
                List.of(
                        "docker",
                        "run",
                        "--rm",
                        "-e",
                        "MOLDAU_ADVERTISED_LISTENER=PLAINTEXT://here:1",
                        NodeContainer.IMAGE));

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.output())
                .contains("MOLDAU_ADVERTISED_LISTENER ", "nearest valid name is MOLDAU_ADVERTISED_LISTENERS")
                .doesNotContain("\tat ");
    }

    /// Native libraries of compression are unpacked and linked at the first use, with what the image has.
    @Test
    void everyCompressionIsThere() throws Exception {
        for (String codec : List.of("gzip", "snappy", "lz4", "zstd")) {
            String topic = "compressed-" + codec;
            NODE.succeeds(
                    "bash",
                    "-c",
                    "echo packed | moldau produce " + topic + " --compression " + codec + " -b localhost:19092");
            assertThat(NODE.succeeds("moldau", "consume", topic, "--from-beginning", "-e", "-b", "localhost:19092"))
                    .contains("packed");
        }
    }
}
