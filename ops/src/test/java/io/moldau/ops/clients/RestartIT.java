package io.moldau.ops.clients;

import io.moldau.ops.node.Broker;
import io.moldau.ops.node.NodeProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Records and committed offsets of every library are found again after kill -9, and after a clean stop.
class RestartIT {

    @Test
    void recordsAndCommitsSurvive(@TempDir Path folder) {
        var scripts = List.of(
                ClientScript.python("confluent_kafka", "confluent_checks.py"),
                ClientScript.python("kafka", "kafka_python_checks.py"),
                ClientScript.node("kafkajs_checks.cjs"),
                ClientScript.node("platformatic_checks.cjs"));
        var node = NodeProcess.start(folder.resolve("data"), "offsets.topic.num.partitions=4");
        try {
            for (int i = 0; i < scripts.size(); i++) {
                scripts.get(i).runPhase(new Broker(node.bootstrap()), "client" + i, "before-restart");
            }
            node.kill();
            node = node.startAgain();
            node.stop();
            node = node.startAgain();
            for (int i = 0; i < scripts.size(); i++) {
                scripts.get(i).runPhase(new Broker(node.bootstrap()), "client" + i, "after-restart");
            }
        } finally {
            node.close();
        }
    }
}
