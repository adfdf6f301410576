package io.moldau.ops.crash;

import io.moldau.ops.node.NodeProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// kill -9 in mid-produce: with acks=all and an idempotent producer nothing acknowledged is lost, moved or doubled.
///
/// `-Dmoldau.long=true` kills twenty times instead of three.
class KillIT {

    private static final String TOPIC = "killed";
    private static final int PARTITIONS = 3;
    private static final int ROUNDS = Boolean.getBoolean("moldau.long") ? 20 : 3;
    private static final int ACKNOWLEDGED_PER_ROUND = 20_000;

    @Test
    void nothingAcknowledgedIsLostOutOfOrderOrDoubled(@TempDir Path folder) throws Exception {
        var node = NodeProcess.start(folder.resolve("data"));
        try {
            try (var admin = Admin.create(Map.of("bootstrap.servers", node.bootstrap()))) {
                admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            try (var load = new NumberedLoad(node.bootstrap(), TOPIC, PARTITIONS)) {
                for (int round = 0; round < ROUNDS; round++) {
                    load.awaitAcknowledged(ACKNOWLEDGED_PER_ROUND);
                    node.kill();
                    node = node.startAgain();
                }
                load.finish();
                load.verify(node.bootstrap());
            }
        } finally {
            node.close();
        }
    }
}
