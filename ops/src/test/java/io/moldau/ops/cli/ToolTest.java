package io.moldau.ops.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import io.moldau.ops.report.QuorumReport.Address;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Command lines, against a cluster that only remembers what it was asked.
class ToolTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter error = new StringWriter();
    private final List<String> asked = new ArrayList<>();
    private final Properties client = new Properties();
    private Map<Integer, List<Address>> registered = Quorums.REGISTERED;

    @TempDir
    private Path folder;

    private int run(String line) {
        var typed = new Typed(new Remembering());
        int status = typed.run(line);
        client.putAll(typed.client);
        out.append(typed.out());
        error.append(typed.error());
        return status;
    }

    private final class Remembering extends FakeCluster {

        @Override
        public Map<Integer, List<Address>> controllers() {
            return registered;
        }

        @Override
        public void addVoter(int nodeId, Uuid directoryId, List<Address> addresses) {
            asked.add("add " + nodeId + " " + directoryId + " " + addresses);
        }

        @Override
        public void removeVoter(int nodeId, Uuid directoryId) {
            asked.add("remove " + nodeId + " " + directoryId);
        }

        @Override
        public void close() {
            asked.add("closed");
        }
    }

    @Test
    void statusPrintsATableOrJson() {
        assertThat(run("quorum status")).isZero();
        assertThat(out.toString()).contains("leader 2", "ID  ROLE", "CONTROLLER://four:9093");

        out.getBuffer().setLength(0);
        assertThat(run("quorum status --json")).isZero();
        assertThat(out.toString()).startsWith("{").contains("\"leaderId\": 2");
        assertThat(asked).containsExactly("closed", "closed");
        assertThat(error.toString()).isEmpty();
    }

    @Test
    void addFindsDirectoryAndAddressItself() {
        assertThat(run("quorum add 4")).isZero();

        assertThat(asked).containsExactly("add 4 AAAAAAAAAAAAAAAAAAAABA [CONTROLLER://four:9093]", "closed");
        assertThat(out.toString()).isEqualTo("Node 4 is a voter now; the voters are 1, 2, 3.\n");
    }

    @Test
    void addTakesAnAddressThatIsGiven() {
        registered = Map.of();

        assertThat(run("quorum add 4 --endpoint CTRL://10.0.0.4:19093 --json")).isZero();

        assertThat(asked).containsExactly("add 4 AAAAAAAAAAAAAAAAAAAABA [CTRL://10.0.0.4:19093]", "closed");
        assertThat(out.toString()).contains("\"voters\"");
    }

    @Test
    void removeFindsTheDirectoryItself() {
        assertThat(run("quorum remove 3")).isZero();

        assertThat(asked).containsExactly("remove 3 AAAAAAAAAAAAAAAAAAAAAw", "closed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "quorum add 2                                        | a voter already          | nothing to do",
                "quorum add 10                                       | it is no controller      | process.roles",
                "quorum add 5                                        | those that follow are 4, 10 | bootstrap.servers",
                "quorum add 4 --directory-id AAAAAAAAAAAAAAAAAAAABQ  | AAAAAAAAAAAAAAAAAAAABQ   | status",
                "quorum remove 4                                     | the voters are 2, 1, 3   | status",
                "quorum remove 1 --directory-id AAAAAAAAAAAAAAAAAAAABQ | AAAAAAAAAAAAAAAAAAAABQ | status",
                "quorum status -b a:1 -B b:2                         | exclude each other       | Give one",
                "quorum status --command-config /nowhere/p           | /nowhere/p               | properties",
            })
    void whatCannotBeDoneNamesSubjectAndRemedy(String line, String subject, String remedy) {
        assertThat(run(line)).isEqualTo(1);

        assertThat(error.toString().lines()).hasSize(2);
        assertThat(error.toString()).startsWith("moldau: ").contains(subject, remedy);
        assertThat(out.toString()).isEmpty();
        assertThat(asked).allMatch("closed"::equals);
    }

    @Test
    void anAddressThatNobodyKnowsIsAskedFor() {
        registered = Map.of();

        assertThat(run("quorum add 4")).isEqualTo(1);

        assertThat(error.toString()).contains("--endpoint LISTENER://HOST:PORT");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "quorum                                | subcommand",
                "quorum stats                          | stats",
                "quorum add                            | ID",
                "quorum add four                       | four",
                "quorum add 4 --endpoint four:9093     | LISTENER://HOST:PORT",
                "quorum add 4 --endpoint C://h:70000   | LISTENER://HOST:PORT",
                "quorum add 4 --directory-id x         | 22 characters",
                "quorum status --jsn                   | --jsn",
            })
    void wrongUseEndsWithStatusTwo(String line, String part) {
        assertThat(run(line)).isEqualTo(2);

        assertThat(error.toString())
                .startsWith("moldau: ")
                .contains(part, "--help")
                .doesNotContain("\tat ");
        assertThat(asked).isEmpty();
    }

    @Test
    void helpShowsExamples() {
        assertThat(run("quorum --help")).isZero();
        assertThat(out.toString()).contains("moldau quorum add 4", "status", "remove");

        assertThat(run("quorum add --help")).isZero();
        assertThat(out.toString()).contains("--endpoint", "--bootstrap-controller");
    }

    @Test
    void optionsBecomeThePropertiesOfTheClient() throws Exception {
        Path config = Files.writeString(
                folder.resolve("client.properties"), "security.protocol=SSL\nbootstrap.servers=from-file:1\n");

        run("quorum status --command-config " + config + " --timeout 7");
        assertThat(client)
                .containsEntry("security.protocol", "SSL")
                .containsEntry("bootstrap.servers", "from-file:1")
                .containsEntry("default.api.timeout.ms", "7000");

        client.clear();
        run("quorum status --command-config " + config + " --bootstrap-controller c:2");
        assertThat(client).containsEntry("bootstrap.controllers", "c:2").doesNotContainKey("bootstrap.servers");

        client.clear();
        run("quorum status");
        assertThat(client).containsEntry("bootstrap.servers", "localhost:9092");
    }
}
