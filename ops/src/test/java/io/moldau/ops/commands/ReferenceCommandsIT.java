package io.moldau.ops.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.cli.Tool;
import io.moldau.ops.reference.ReferenceNode;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Commands about what only Apache Kafka has so far, against Apache Kafka: rights, users and transactions.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReferenceCommandsIT {

    private ReferenceNode node;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        node = ReferenceNode.start(
                folder,
                List.of(
                        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users=User:ANONYMOUS",
                        "offsets.topic.replication.factor=1",
                        "transaction.state.log.replication.factor=1",
                        "transaction.state.log.min.isr=1",
                        "transaction.state.log.num.partitions=3",
                        "group.initial.rebalance.delay.ms=0"));
    }

    @AfterAll
    void stop() throws Exception {
        node.close();
    }

    private String asked(int status, String input, String line) {
        var said = new StringWriter();
        var out = new PrintWriter(said, true);
        List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
        words.addAll(List.of("-b", node.bootstrap()));
        assertThat(Tool.run(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        out,
                        out,
                        words.toArray(String[]::new)))
                .as(said.toString())
                .isEqualTo(status);
        return said.toString();
    }

    private String asked(String line) {
        return asked(0, "", line);
    }

    @Test
    void rightsComeAndGo() {
        assertThat(asked("acls add User:alice --allow read,describe --topic orders --group billing"))
                .contains("Added: 4 rights");
        asked("acls add User:eve --deny all --topic secret- --prefixed --host 10.0.0.1");
        assertThat(asked("acls list"))
                .contains("User:alice", "read", "orders", "billing")
                .contains("User:eve", "must not", "secret-...", "10.0.0.1");
        assertThat(asked("acls list --topic orders --json")).contains("\"resourceName\": \"orders\"");
        assertThat(asked("acls remove User:alice --topic orders --dry-run")).contains("Would be removed: 2 rights");
        assertThat(asked("acls remove User:alice --topic orders")).contains("Removed: 2 rights");
        assertThat(asked("acls list --principal User:alice"))
                .contains("billing")
                .doesNotContain("orders");
    }

    @Test
    void usersComeAndGo() {
        assertThat(asked("users list")).doesNotContain("alice");
        assertThat(asked(0, "a secret\n", "users add alice --mechanism SCRAM-SHA-256 --iterations 4096"))
                .contains("User alice has a password for SCRAM-SHA-256");
        assertThat(asked("users list").replaceAll(" +", " ")).contains("alice SCRAM-SHA-256 4096");
        assertThat(asked(1, "a secret\n", "users add bob --iterations 7")).contains("user bob", "4096");
        asked("users remove alice --mechanism SCRAM-SHA-256");
        assertThat(asked("users list")).doesNotContain("alice");
        assertThat(asked(1, "", "users remove alice")).contains("user alice");
    }

    @Test
    void aTransactionIsExplainedWhileItIsOpenAndAfterwards() {
        asked("topics create paid -p 1");
        assertThat(asked(1, "", "explain transaction nobody")).contains("nobody", "explain transaction");
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of(
                        "bootstrap.servers", node.bootstrap(), "transactional.id", "pay", "linger.ms", "0"),
                new StringSerializer(),
                new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int i = 0; i < 3; i++) {
                producer.send(new ProducerRecord<>("paid", "a payment"));
            }
            producer.flush();

            assertThat(asked("explain transaction")).contains("pay", "Ongoing");
            assertThat(asked("explain transaction pay"))
                    .contains("Transaction pay is open since", "coordinated by broker 1")
                    .contains("because paid-0: readers of committed records stop at 0, 3 records before the end, 3");
            assertThat(asked("explain transaction --partition paid-0"))
                    .contains("Readers of committed records stop at 0 in paid-0", "open there since offset 0")
                    .contains("because Transaction pay is open");

            producer.commitTransaction();
        }
        // The end is decided first, and told to the partitions then.
        Await.until(
                "the transaction to be over",
                Duration.ofSeconds(30),
                () -> asked("explain transaction pay").contains("ok: Transaction pay has no transaction open"),
                () -> asked("explain transaction pay"));
        assertThat(asked("explain transaction --partition paid-0")).contains("No transaction is open in paid-0");
    }
}
