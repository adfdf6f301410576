package io.moldau.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.config.KnownKey.Standing;
import io.moldau.common.config.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// `ops/docs/configuration.md` is made of the keys. Run with `-Dmoldau.docs.write=true` to write it anew.
class ConfigurationDocumentTest {

    private static final Path FILE = Path.of("..", "ops", "docs", "configuration.md");

    @Test
    void theDocumentIsUpToDate() throws IOException {
        String text = document();
        if (Boolean.getBoolean("moldau.docs.write")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, text);
        }
        assertThat(Files.readString(FILE))
                .as("run the test ConfigurationDocumentTest with -Dmoldau.test.flags=-Dmoldau.docs.write=true")
                .isEqualTo(text);
    }

    private static String document() {
        StringBuilder text = new StringBuilder();
        text.append("""
                # Configuration

                Generated from the keys in `io.moldau.broker.config`; do not edit.

                Settings have Kafka's names and, unless listed under "Differences", Kafka's defaults. They come from a
                `server.properties` file (`--config`), from the command line (`-o key=value`), and where the last column
                says so from the running cluster (`kafka-configs.sh`). A key that is not known here stops the start and
                the nearest valid name is told; so does a value that is not allowed, and two settings that contradict
                each other.

                The column *standing*: **used** does what it says. **No effect** is accepted and changes nothing, for
                the reason given. **Not yet** asks for something that is not built: any value but the default stops the
                start.

                ## Differences from Kafka

                - Without any setting a node is broker and controller, `node.id` 1, and listens on loopback only
                  (`localhost:9092`). There is no format step: the first start writes the node's identity.
                - A node that is controller and broker, and is given `listeners` without a controller listener, adds one
                  on a free port of loopback, as long as neither `controller.quorum.voters` nor
                  `controller.listener.names` is set.
                - `offsets.topic.replication.factor` and `transaction.state.log.replication.factor` left at their defaults
                  mean at most that many replicas: a cluster with fewer brokers makes the topic with as many as it has,
                  and asks for no more of them to be in sync. Set by hand, they are taken at their word.
                - A transaction is aborted when its time-out has passed, not at the next of a broker's rounds.
                - `moldau.produce.validation` is `header`: a compressed batch is checked by its header and its checksum
                  without unpacking it. Kafka unpacks every batch; `full` does that here.
                - `socket.receive.buffer.bytes` and `socket.send.buffer.bytes` are -1: the kernel sizes the buffers.
                  `num.network.threads` left unset means one event loop per processor core.
                - `num.replica.fetchers` is a number of connections and fetch sessions for each leading broker, not of
                  threads: followers fetch on the event loops the node has anyway.
                - A node does not start while one of its `log.dirs` cannot be used. Kafka starts with the others. Once a
                  node runs, a directory that fails goes alone, and the last one ends the node, as in Kafka.
                - Unknown keys are refused, in the file and for a running broker. Kafka ignores them.
                - Changes of a running broker's settings: what the last column calls read-only needs a restart, also where
                  Kafka would not need one.

                """);
        for (BrokerConfigKeys.Area area : BrokerConfigKeys.AREAS) {
            chapter(text, "## " + area.title(), area.keys(), true);
        }
        chapter(text, "## Topics' own settings", TopicConfigKeys.ALL, false);
        chapter(text, "## Groups' own settings", GroupConfigKeys.ALL, false);
        chapter(text, "## Client metrics subscriptions", ClientMetricsConfigKeys.ALL, false);
        return text.toString();
    }

    private static void chapter(StringBuilder text, String title, List<KnownKey> keys, boolean withUpdate) {
        text.append(title).append("\n\n| key | type | default | allowed | what it is | standing |");
        text.append(withUpdate ? " change |\n|---|---|---|---|---|---|---|\n" : "\n|---|---|---|---|---|---|\n");
        for (KnownKey known : keys) {
            ConfigKey<?> key = known.key();
            if (key.isHidden()) {
                continue;
            }
            text.append("| `").append(key.name()).append("` | ");
            text.append(key.type().kind().name().toLowerCase(java.util.Locale.ROOT))
                    .append(" | ");
            String value = key.defaultText();
            text.append(value == null ? "" : "`" + cell(value) + "`").append(" | ");
            text.append(cell(key.type().allowed())).append(" | ");
            text.append(cell(key.documentation())).append(" | ");
            text.append(
                    switch (known.standing()) {
                        case Standing.Used() -> "used";
                        case Standing.Accepted(String reason) -> "**no effect:** " + cell(reason);
                        case Standing.Later(String reason) -> "**not yet:** " + cell(reason);
                    });
            text.append(withUpdate ? " | " + known.update().text() + " |\n" : " |\n");
        }
        text.append('\n');
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
