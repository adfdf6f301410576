package io.moldau.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Endpoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnnouncementTest {

    private static final NodeConfig CONFIG = NodeConfig.fromProperties(Map.of("node.id", "7"));

    @Test
    void saysWhereClientsGoAndKeepsControllersOut() {
        var text = announced(
                new Endpoint("PLAINTEXT", "PLAINTEXT", "10.0.0.1", 9092),
                new Endpoint("CONTROLLER", "PLAINTEXT", "127.0.0.1", 9093));

        assertThat(text)
                .startsWith("Moldau 1.0 is ready: node 7 listens on PLAINTEXT://10.0.0.1:9092\n")
                .contains("/data", "kcat -b 10.0.0.1:9092 ", "  watch http://127.0.0.1:9644 in a browser")
                .endsWith("\n  stop  Ctrl-C")
                .doesNotContain("9093");
    }

    @Test
    void aListenerOnEveryInterfaceIsTriedOnThisMachine() {
        assertThat(announced(new Endpoint("PLAINTEXT", "PLAINTEXT", "", 9092))).contains("kcat -b localhost:9092 ");
        assertThat(announced(new Endpoint("PLAINTEXT", "PLAINTEXT", "::1", 9092)))
                .contains("kcat -b [::1]:9092 ");
    }

    @Test
    void aControllerHasNothingForClients() {
        assertThat(announced(new Endpoint("CONTROLLER", "PLAINTEXT", "10.0.0.1", 9093)))
                .startsWith("Moldau 1.0 is ready: node 7, a controller, listens on CONTROLLER://10.0.0.1:9093\n")
                .doesNotContain("kcat");
    }

    private static String announced(Endpoint... listeners) {
        return Announcement.text("1.0", CONFIG, List.of(listeners), "http://127.0.0.1:9644", "/data");
    }
}
