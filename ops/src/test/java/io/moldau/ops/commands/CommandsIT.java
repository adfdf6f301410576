package io.moldau.ops.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Every command through the launcher, against one node.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandsIT {

    private Path folder;
    private NodeProcess node;
    private String admin;

    @BeforeAll
    void start(@TempDir Path temporary) {
        folder = temporary;
        admin = "http://127.0.0.1:" + NodeProcess.freePort(25_000);
        node = NodeProcess.start(folder.resolve("data"), "admin.listener=" + admin, "offsets.topic.num.partitions=3");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private Launch launch(String input, String... words) throws IOException, InterruptedException {
        return Launch.of(folder, input, words);
    }

    /// Asks the node, and expects that it is done.
    private String asked(String line) throws Exception {
        return asked(line, "");
    }

    private String asked(String line, String input) throws Exception {
        Launch result = launch(input, (line + " --bootstrap-server " + node.bootstrap()).split(" ", -1));
        assertThat(result.status())
                .as(line + ": " + result.out() + result.error())
                .isZero();
        return result.out();
    }

    private String refused(int status, String line) throws Exception {
        Launch result = launch("", line.split(" ", -1));
        assertThat(result.status())
                .as(line + ": " + result.out() + result.error())
                .isEqualTo(status);
        assertThat(result.error()).doesNotContain("\tat ", "Exception");
        return result.error();
    }

    @Test
    void topicsRecordsAndGroups() throws Exception {
        assertThat(asked("topics create orders -p 2 -c retention.ms=86400000")).contains("Topic orders is created.");
        assertThat(asked("produce orders -k : -H source=test --compression zstd", "a:1\nb:2\na:3\n"))
                .startsWith("3 records acknowledged in topic orders");
        assertThat(asked("consume orders -e -F %k=%v,%h").lines())
                .containsExactlyInAnyOrder("a=1,source=test", "b=2,source=test", "a=3,source=test");
        assertThat(asked("consume orders -n 1 --from-beginning --json")).contains("\"topic\":\"orders\"");
        assertThat(asked("consume orders -g readers -e").lines()).containsExactlyInAnyOrder("1", "2", "3");

        assertThat(asked("groups list")).contains("readers");
        assertThat(asked("groups describe readers")).contains("lag 0");
        assertThat(asked("groups reset-offsets readers --all-topics --to-earliest"))
                .contains("Nothing is changed");
        assertThat(asked("groups reset-offsets readers --all-topics --to-earliest --execute"))
                .contains("are moved");
        assertThat(asked("groups describe readers --json")).contains("\"lag\": 3");
        assertThat(asked("explain group readers")).contains("has no members, and 3 records to read");
        assertThat(asked("groups delete readers")).contains("Deleted: readers");

        assertThat(asked("topics alter orders -p 3 -c segment.ms=100000 --unset retention.ms"))
                .contains("has 3 partitions, it had 2");
        assertThat(asked("topics describe orders"))
                .contains("segment.ms=100000")
                .doesNotContain("retention.ms=86400000");
        assertThat(asked("topics list --json")).contains("\"name\": \"orders\"");
        assertThat(asked("explain partition orders-2")).startsWith("ok: ");
        assertThat(asked("configs set topic orders retention.ms=1000")).contains("retention.ms");
        assertThat(asked("configs show topic orders retention.ms")).contains("1000", "dynamic topic config");
        assertThat(asked("configs unset topic orders retention.ms")).contains("Taken away");
        assertThat(asked("topics delete orders")).contains("Deleted: orders");
    }

    @Test
    void theNodeAndItsFiles() throws Exception {
        assertThat(asked("brokers")).contains("serves", node.bootstrap());
        assertThat(asked("explain broker 1")).startsWith("ok: ");
        assertThat(asked("configs show broker 1 --all")).contains("num.partitions");
        assertThat(asked("quorum status")).contains("leader 1");
        // The node may open as few files as the machine allows: a warning, but no problem.
        assertThat(asked("doctor --node " + admin)).doesNotContain("problem:");

        asked("produce kept", "one\ntwo\n");
        Launch log = launch(
                "", "log", "dump", "--records", node.data().resolve("kept-0").toString());
        assertThat(log.status()).as(log.error()).isZero();
        assertThat(log.out()).contains("value: one", "value: two", "checksum: ok");
        Launch metadata = launch("", "metadata", "dump", node.data().toString());
        assertThat(metadata.status()).as(metadata.error()).isZero();
        assertThat(metadata.out()).contains("\"topic\":{\"name\":\"kept\"", "\"register_broker\"");

        assertThat(launch("", "check-config", "-o", "num.partitions=3").status())
                .isZero();
        assertThat(launch("", "completion").out()).contains("reset-offsets");
        assertThat(launch("", "help", "topics", "create").out()).contains("--replication-factor", "Examples:");
    }

    @Test
    void whatGoesWrongIsNamedWithARemedy() throws Exception {
        String server = " --bootstrap-server " + node.bootstrap();
        assertThat(refused(1, "topics describe nothing" + server)).contains("topic nothing", "topics list");
        assertThat(refused(1, "topics create x -r 3" + server)).contains("topic x", "moldau brokers");
        assertThat(refused(1, "configs set topic x a=1" + server)).contains("topic x");
        assertThat(refused(1, "consume nothing -e" + server)).contains("no topic nothing");
        assertThat(refused(1, "groups describe nothing" + server)).contains("group nothing", "groups list");
        String nobody = "127.0.0.1:" + NodeProcess.freePort(26_000);
        assertThat(refused(1, "topics list -b " + nobody)).contains(nobody, "nothing listens there", "moldau start");
        assertThat(refused(1, "topics list -b no-such-host.invalid:9092")).contains("no-such-host.invalid");
        assertThat(refused(2, "topics lst")).contains("lst", "--help");
        assertThat(refused(1, "stop --when-safe --timeout 1 --node " + admin))
                .contains("not safe to stop", "metadata quorum");

        Launch wrong = launch("", "check-config", "-o", "num.partitons=3", "-o", "log.retention.ms=0");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.out()).contains("num.partitions", "log.retention.ms");
    }

    @Test
    void aNodeIsStopped() throws Exception {
        String url = "http://127.0.0.1:" + NodeProcess.freePort(27_000);
        try (var other = NodeProcess.start(folder.resolve("other"), "admin.listener=" + url)) {
            Launch result = launch("", "stop", "--pid", Long.toString(other.pid()), "--node", url);
            assertThat(result.status()).as(result.error()).isZero();
            assertThat(result.out()).contains("has stopped");
            assertThat(folder.resolve("other/.kafka_cleanshutdown")).exists();
        }
    }
}
