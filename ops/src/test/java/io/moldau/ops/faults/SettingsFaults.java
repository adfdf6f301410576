package io.moldau.ops.faults;

import io.moldau.ops.faults.Fault.Told;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Settings that cannot be. `moldau check-config` tells all of a file at once, and `moldau start` refuses them with the
/// same words.
final class SettingsFaults {

    private static final List<Fault> ALL = new ArrayList<>();

    private SettingsFaults() {}

    static List<Fault> all() {
        return ALL;
    }

    private static void settings(String id, String staged, List<String> words, String... settings) {
        ALL.add(new Fault(id, staged, Fault.NONE, "`check-config`, `start`", words, stages -> {
            Path file = Files.write(stages.folder().resolve("server.properties"), List.of(settings));
            return Told.text(stages.moldau("check-config", file.toString()));
        }));
    }

    static {
        settings(
                "broker-key-typo",
                "`num.partitons=3`",
                List.of("num.partitons", "num.partitions", "exit status 2"),
                "num.partitons=3");
        settings(
                "value-of-the-wrong-type",
                "`num.partitions=many`",
                List.of("num.partitions", "many"),
                "num.partitions=many");
        settings(
                "value-out-of-bounds",
                "`num.partitions=0`",
                List.of("num.partitions", "0", "at least 1"),
                "num.partitions=0");
        settings("role-unknown", "`process.roles=brokr`", List.of("process.roles", "brokr"), "process.roles=brokr");
        settings(
                "two-names-of-the-node",
                "`node.id=1` and `broker.id=2`",
                List.of("node.id=1", "broker.id=2", "contradict each other", "Remove broker.id"),
                "node.id=1",
                "broker.id=2");
        settings(
                "two-inter-broker-settings",
                "`inter.broker.listener.name` and `security.inter.broker.protocol` together",
                List.of("inter.broker.listener.name", "security.inter.broker.protocol", "Keep"),
                "inter.broker.listener.name=PLAINTEXT",
                "security.inter.broker.protocol=PLAINTEXT");
        settings(
                "inter-broker-listener-unknown",
                "`inter.broker.listener.name` that is not in `listeners`",
                List.of("inter.broker.listener.name=INSIDE", "listeners", "PLAINTEXT"),
                "inter.broker.listener.name=INSIDE");
        settings(
                "session-bounds-crossed",
                "`group.min.session.timeout.ms` above the maximum",
                List.of("group.min.session.timeout.ms=9000", "group.max.session.timeout.ms=8000", "Lower the one"),
                "group.min.session.timeout.ms=9000",
                "group.max.session.timeout.ms=8000");
        settings(
                "heartbeats-too-rare",
                "`broker.heartbeat.interval.ms` above half of `broker.session.timeout.ms`",
                List.of("broker.session.timeout.ms=1000", "broker.heartbeat.interval.ms=900", "fence the broker"),
                "broker.session.timeout.ms=1000",
                "broker.heartbeat.interval.ms=900");
        settings(
                "request-memory-below-a-request",
                "`queued.max.request.bytes` below `socket.request.max.bytes`",
                List.of("queued.max.request.bytes=1000", "socket.request.max.bytes", "never be read"),
                "queued.max.request.bytes=1000");
        settings(
                "retention-of-nothing",
                "`log.retention.ms=0`",
                List.of("log.retention.ms", "-1 (for ever)"),
                "log.retention.ms=0");
        settings(
                "voter-twice",
                "`controller.quorum.voters` that names a node twice",
                List.of("controller.quorum.voters", "voter 1 twice"),
                "controller.quorum.voters=1@one:9093,1@two:9093",
                "listeners=PLAINTEXT://:9092,CONTROLLER://:9093");
        settings(
                "node-is-no-voter",
                "a controller that `controller.quorum.voters` does not name",
                List.of("controller.quorum.voters=2@two:9093", "node.id=1", "Add 1@host:port"),
                "controller.quorum.voters=2@two:9093",
                "listeners=PLAINTEXT://:9092,CONTROLLER://:9093");
        settings(
                "broker-without-controllers",
                "a broker that is not told where controllers are",
                List.of("controller.quorum.bootstrap.servers", "process.roles has no controller"),
                "process.roles=broker",
                "listeners=PLAINTEXT://:9092");
        settings(
                "controller-without-listener",
                "`controller.listener.names` that `listeners` does not have",
                List.of("controller.listener.names=CONTROLLER", "listeners", "CONTROLLER://:9093"),
                "controller.listener.names=CONTROLLER",
                "listeners=PLAINTEXT://:9092");
        settings(
                "listeners-share-a-port",
                "two listeners on one port",
                List.of("9092 twice", "needs its own"),
                "listeners=PLAINTEXT://:9092,CONTROLLER://:9092");
        settings(
                "advertised-everywhere",
                "`advertised.listeners=PLAINTEXT://0.0.0.0:9092`",
                List.of("advertised.listeners", "nobody can connect to 0.0.0.0", "Name the host"),
                "advertised.listeners=PLAINTEXT://0.0.0.0:9092");
        settings(
                "advertised-but-not-there",
                "`advertised.listeners` with a listener that `listeners` does not have",
                List.of("advertised.listeners names OUTSIDE", "not in listeners"),
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "advertised.listeners=OUTSIDE://example:9092");
        settings(
                "security-protocol-not-built",
                "a listener with SASL",
                List.of("Listener SASL_PLAINTEXT", "listener.security.protocol.map", "Use PLAINTEXT"),
                "listeners=SASL_PLAINTEXT://:9092");
        settings(
                "authorizer-not-built",
                "`authorizer.class.name` of the reference",
                List.of("authorizer.class.name", "cannot be honoured", "Remove the setting"),
                "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings(
                "log-dir-twice",
                "`log.dirs` that names a directory twice",
                List.of("log.dirs names", "twice"),
                "log.dirs=/tmp/kafka-logs,/tmp/kafka-logs");
        settings(
                "settings-of-one-listener",
                "`listener.name.plaintext.max.connections`",
                List.of("listener.name.plaintext.max.connections", "not built yet", "without its prefix"),
                "listener.name.plaintext.max.connections=10");
        ALL.add(new Fault(
                "settings-file-missing",
                "a file of settings that is not there",
                Fault.NONE,
                "`check-config`, `start`",
                List.of("/nowhere/server.properties", "no file"),
                stages -> Told.text(stages.moldau("check-config", "/nowhere/server.properties"))));
    }
}
