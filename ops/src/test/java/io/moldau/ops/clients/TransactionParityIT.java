package io.moldau.ops.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ReferenceNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Three transactional producers do the same to the reference and to a node of ours: commit, abort, fence each other,
/// time out, commit offsets. What they are told and what consumers then see, offsets and errors included, is the same.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TransactionParityIT {

    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=5",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.num.partitions=5",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "transaction.abort.timed.out.transaction.cleanup.interval.ms=500",
            "group.initial.rebalance.delay.ms=0");

    private static ReferenceNode reference;
    private static NodeProcess ours;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        reference = ReferenceNode.start(Files.createDirectory(folder.resolve("reference")), SETTINGS);
        ours = NodeProcess.start(folder.resolve("ours").resolve("data"), SETTINGS.toArray(String[]::new));
    }

    @AfterAll
    static void stop() throws Exception {
        ours.close();
        reference.close();
    }

    @Test
    void java() {
        compare("Java", bootstrap -> new JavaTransactions(bootstrap, "java").observe());
    }

    @Test
    void librdkafka() {
        var script = ClientScript.python("confluent_kafka", "confluent_transactions.py");
        compare("librdkafka", bootstrap -> script.run(bootstrap, "confluent"));
    }

    @Test
    void kafkajs() {
        var script = ClientScript.node("kafkajs_transactions.cjs");
        compare("kafkajs", bootstrap -> script.run(bootstrap, "kafkajs"));
    }

    private static void compare(String client, Function<String, List<String>> observe) {
        var theirs = observe.apply(reference.bootstrap());
        var own = observe.apply(ours.bootstrap());
        var differences = new ArrayList<String>();
        for (int i = 0; i < Math.max(theirs.size(), own.size()); i++) {
            String expected = i < theirs.size() ? theirs.get(i) : "";
            String actual = i < own.size() ? own.get(i) : "";
            if (!expected.equals(actual)) {
                differences.add("reference: " + expected + "\n  Moldau:    " + actual);
            }
        }
        System.out.printf("%s: %d observations, %d differences%n", client, theirs.size(), differences.size());
        assertThat(differences).as("what %s observed", client).isEmpty();
        assertThat(theirs).as("%s", client).hasSizeGreaterThan(10).noneMatch(it -> it.startsWith("FAIL"));
    }
}
