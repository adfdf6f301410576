package io.moldau.ops.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.Tool;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Log levels of a node that runs, changed by `moldau configs` and by Apache Kafka's own tool.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LogLevelsIT {

    private Path folder;
    private NodeProcess node;

    @BeforeAll
    void start(@TempDir Path temporary) {
        folder = temporary;
        node = NodeProcess.start(folder.resolve("data"));
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private Launch moldau(String line) throws Exception {
        return Launch.of(folder, "", (line + " -b " + node.bootstrap()).split(" ", -1));
    }

    private Tool configs(String... words) {
        return Tool.named("org.apache.kafka.tools.ConfigCommand")
                .with("--bootstrap-server", node.bootstrap())
                .with("--entity-type", "broker-loggers", "--entity-name", "1")
                .with(words);
    }

    @Test
    void aPackageIsMadeTalkativeAndQuietAgain() throws Exception {
        assertThat(moldau("configs show logger 1").out()).contains("root", "INFO", "io.moldau.broker.Node");
        assertThat(node.output()).doesNotContain("DEBUG");

        Launch set = moldau("configs set logger 1 io.moldau.broker.net=DEBUG");
        assertThat(set.status()).as(set.error()).isZero();
        assertThat(moldau("configs show logger 1 io.moldau.broker.net").out()).contains("DEBUG");
        // What comes over this connection is no request.
        try (var socket = new java.net.Socket(
                "127.0.0.1",
                Integer.parseInt(node.bootstrap().substring(node.bootstrap().lastIndexOf(':') + 1)))) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes());
            assertThat(socket.getInputStream().read()).isNegative();
        }
        assertThat(node.output()).contains("DEBUG ConnectionHandler - ", "the client speaks HTTP");

        assertThat(moldau("configs unset logger 1 io.moldau.broker.net").status())
                .isZero();
        assertThat(moldau("configs show logger 1").out()).doesNotContain("DEBUG");
    }

    @Test
    void apacheKafkasToolDoesTheSame() throws Exception {
        assertThat(configs("--describe").succeeds()).contains("root=INFO", "io.moldau.broker.Node=INFO");
        configs("--alter", "--add-config", "io.moldau.ops.AdministeredNode=WARN")
                .succeeds();
        assertThat(configs("--describe").succeeds()).contains("io.moldau.ops.AdministeredNode=WARN");
        configs("--alter", "--delete-config", "io.moldau.ops.AdministeredNode").succeeds();
        assertThat(configs("--describe").succeeds()).contains("io.moldau.ops.AdministeredNode=INFO");
        assertThat(configs("--alter", "--add-config", "io.moldau.ops.AdministeredNode=LOUD")
                        .fails())
                .contains("LOUD", "DEBUG, ERROR, FATAL, INFO, TRACE, WARN");
        assertThat(configs("--alter", "--add-config", "no.such.Logger=INFO").fails())
                .contains("no.such.Logger");
    }
}
