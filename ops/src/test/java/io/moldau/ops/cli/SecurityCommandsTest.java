package io.moldau.ops.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `moldau acls` and `moldau users` against a cluster in memory.
class SecurityCommandsTest {

    private final FakeCluster cluster = new FakeCluster().withBrokers(1);
    private final Typed typed = new Typed(cluster);

    @TempDir
    private Path folder;

    @Test
    void rightsAreAddedListedAndRemoved() {
        assertThat(typed.run("acls list")).isZero();
        assertThat(typed.out()).isEqualTo("There are no such rights.\n");

        assertThat(typed.run("acls add User:alice --allow read,describe --topic orders --group billing"))
                .isZero();
        assertThat(typed.out()).contains("Added: 4 rights");
        assertThat(typed.run("acls add User:eve --deny all --topic secret- --prefixed --host 10.0.0.1"))
                .isZero();
        typed.out();

        assertThat(typed.run("acls list")).isZero();
        assertThat(typed.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "PRINCIPAL MAY OPERATION RESOURCE NAME FROM",
                        "User:alice may read topic orders everywhere",
                        "User:alice may describe topic orders everywhere",
                        "User:alice may read group billing everywhere",
                        "User:alice may describe group billing everywhere",
                        "User:eve must not all topic secret-... 10.0.0.1");
        assertThat(typed.run("acls list --principal User:eve --json")).isZero();
        assertThat(typed.out())
                .contains("\"principal\": \"User:eve\"", "\"patternType\": \"prefixed\"", "\"permission\": \"deny\"")
                .doesNotContain("alice");

        assertThat(typed.run("acls remove User:alice --topic orders --operation read --dry-run"))
                .isZero();
        assertThat(typed.out()).contains("Would be removed: 1 right");
        assertThat(typed.run("acls remove User:alice --topic orders")).isZero();
        assertThat(typed.out()).contains("Removed: 2 rights");
        assertThat(typed.run("acls remove User:alice --cluster")).isZero();
        assertThat(typed.out()).isEqualTo("User:alice has no such rights.\n");
        assertThat(cluster.acls).hasSize(3);
    }

    @Test
    void rightsThatCannotBeAreNamed() {
        assertThat(typed.run("acls add User:alice --topic orders")).isEqualTo(1);
        assertThat(typed.error()).contains("Nothing was said that User:alice may do", "--allow");
        assertThat(typed.run("acls add User:alice --allow read")).isEqualTo(1);
        assertThat(typed.error()).contains("--topic");
        assertThat(typed.run("acls add alice --allow read --topic t")).isEqualTo(1);
        assertThat(typed.error()).contains("Write User:alice");
        assertThat(typed.run("acls add User:alice --allow reed --topic t")).isEqualTo(1);
        assertThat(typed.error()).contains("'reed' is no operation", "read, write");
        assertThat(cluster.told).isEmpty();
    }

    @Test
    void usersGetAPasswordThatIsNotOnTheCommandLine() throws Exception {
        assertThat(typed.input("from input\n").run("users add alice")).isZero();
        assertThat(typed.out()).isEqualTo("User alice has a password for SCRAM-SHA-512.\n");
        Path file = Files.writeString(folder.resolve("secret"), "from file\nmore\n");
        assertThat(typed.run("users add bob --mechanism SCRAM-SHA-256 --iterations 5000 --password-file " + file))
                .isZero();
        typed.out();
        assertThat(cluster.told).contains("password from input", "password from file");

        assertThat(typed.run("users list")).isZero();
        assertThat(typed.out()).contains("alice  SCRAM-SHA-512        8192", "bob    SCRAM-SHA-256        5000");
        assertThat(typed.run("users remove bob --mechanism SCRAM-SHA-256")).isZero();
        assertThat(cluster.told).contains("remove user bob SCRAM-SHA-256");
    }

    @Test
    void usersThatCannotBeAreNamed() {
        assertThat(typed.run("users add User:alice")).isEqualTo(1);
        assertThat(typed.error()).contains("Give the name alone: alice");
        assertThat(typed.run("users add alice --mechanism PLAIN")).isEqualTo(1);
        assertThat(typed.error()).contains("SCRAM-SHA-256, SCRAM-SHA-512");
        assertThat(typed.input("").run("users add alice")).isEqualTo(1);
        assertThat(typed.error()).contains("No password was given for user alice", "--password-file");
    }
}
