package io.moldau.ops.faults;

import io.moldau.broker.lifecycle.StartException;
import io.moldau.common.config.ConfigException;
import io.moldau.ops.AdministeredNode;
import io.moldau.ops.faults.Fault.Told;
import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.state.AdvertisedCheck;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData.DeleteTopicState;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// What keeps a node from starting, or its clients from coming. `moldau start` ends with one line on standard error;
/// what only clients will notice it warns of in its log, once it serves.
final class StartFaults {

    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final String OTHER_CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ";

    private static final List<Fault> ALL = new ArrayList<>();

    private StartFaults() {}

    static List<Fault> all() {
        return ALL;
    }

    /// A start that fails, in this process.
    private static void refused(String id, String staged, List<String> words, Settings settings) {
        ALL.add(new Fault(
                id, staged, Fault.NONE, "`start`", words, stages -> Told.text(refusal(stages, settings.on(stages)))));
    }

    @FunctionalInterface
    private interface Settings {
        Map<String, String> on(Stages stages) throws Exception;
    }

    private static String refusal(Stages stages, Map<String, String> settings) throws Exception {
        try (AdministeredNode node = stages.start(settings)) {
            return "It started, as node " + node.node().config().nodeId();
        } catch (StartException | ConfigException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static Map<String, String> alone(Path data, String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "listeners", "PLAINTEXT://127.0.0.1:0", "log.dirs", data.toString(), "moldau.cluster.id", CLUSTER));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    /// A folder that a node has used.
    private static Path used(Stages stages) throws Exception {
        Path data = stages.folder();
        stages.start(alone(data)).close();
        return data;
    }

    static {
        data();
        ports();
        processes();
        advertised();
    }

    private static void data() {
        refused(
                "data-of-another-cluster",
                "a node starts with the directory of another cluster",
                List.of("belongs to cluster " + CLUSTER, OTHER_CLUSTER, "log.dirs"),
                stages -> alone(used(stages), "moldau.cluster.id", OTHER_CLUSTER));
        refused(
                "data-of-another-node",
                "a node starts with the directory of another node",
                List.of("belongs to node 1", "node.id=2", "Set node.id=1"),
                stages -> alone(used(stages), "node.id", "2"));
        refused(
                "data-is-a-file",
                "`log.dirs` names a file",
                List.of("Data directory", "cannot be created", "log.dirs"),
                stages -> alone(Files.writeString(stages.folder().resolve("file"), "")));
        refused(
                "data-not-writable",
                "`log.dirs` is on a file system that takes no writes",
                List.of("Data directory /proc/moldau", "cannot be created", "log.dirs"),
                stages -> alone(Path.of("/proc/moldau")));
        refused(
                "identity-damaged",
                "`meta.properties` has lost its node",
                List.of("meta.properties", "node.id"),
                stages -> {
                    Path data = used(stages);
                    Files.writeString(data.resolve("meta.properties"), "version=1\ncluster.id=" + CLUSTER + "\n");
                    return alone(data);
                });
        refused(
                "data-copied",
                "one of two `log.dirs` is a copy of the other",
                List.of("same directory.id", "one is a copy of the other", "Remove the copy"),
                stages -> {
                    Path data = used(stages);
                    Path copy = stages.folder();
                    Files.copy(data.resolve("meta.properties"), copy.resolve("meta.properties"));
                    return alone(data, "log.dirs", data + "," + copy);
                });
        ALL.add(new Fault(
                "data-in-use",
                "two nodes with one directory",
                Fault.NONE,
                "`start`",
                List.of("is in use by another node", "log.dirs"),
                stages -> {
                    Path data = stages.folder();
                    try (AdministeredNode first = stages.start(alone(data))) {
                        return Told.text(refusal(stages, alone(data)) + first.adminUrl());
                    }
                }));
    }

    private static void ports() {
        taken("port-in-use", "the port of `listeners` is taken", "listeners", "PLAINTEXT://127.0.0.1:");
        taken("admin-port-in-use", "the port of `admin.listener` is taken", "admin.listener", "http://127.0.0.1:");
        refused(
                "controllers-unreachable",
                "nobody listens at `controller.quorum.bootstrap.servers`",
                List.of("No controller answered", "controller.quorum.bootstrap.servers", "controllers run"),
                stages -> {
                    Map<String, String> settings = alone(
                            stages.folder(),
                            "process.roles",
                            "broker",
                            "controller.quorum.bootstrap.servers",
                            "127.0.0.1:" + stages.port(),
                            "initial.broker.registration.timeout.ms",
                            "1500");
                    settings.remove("moldau.cluster.id");
                    return settings;
                });
    }

    private static void taken(String id, String staged, String key, String prefix) {
        ALL.add(new Fault(id, staged, Fault.NONE, "`start`", List.of("in use", key), stages -> {
            try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return Told.text(refusal(stages, alone(stages.folder(), key, prefix + taken.getLocalPort())));
            }
        }));
    }

    private static void processes() {
        process(
                "option-unknown",
                "`moldau start --dta x`",
                List.of("Unknown option '--dta'", "--data DIR"),
                Map.of(),
                List.of("start", "--dta", "x"));
        process(
                "command-unknown",
                "`moldau strat`",
                List.of("unknown command 'strat'", "moldau help"),
                Map.of(),
                List.of("strat"));
        process(
                "heap-of-no-size",
                "`MOLDAU_HEAP=lots`",
                List.of("MOLDAU_HEAP is 'lots'", "like 256m"),
                Map.of("MOLDAU_HEAP", "lots"),
                List.of("start"));
        ALL.add(new Fault(
                "jdk-too-old",
                "no JDK that is new enough is installed",
                Fault.NONE,
                "`start`",
                List.of("no JDK 99 or newer was found", "JAVA_HOME", "install one"),
                stages -> {
                    // As it would be where the launcher needs a release that is not out yet.
                    String launcher = Files.readString(NodeProcess.launcher());
                    Path copy = Files.createDirectories(stages.folder().resolve("bin"))
                            .resolve("moldau");
                    Files.writeString(copy, launcher.replace("needed_java=25", "needed_java=99"));
                    return Told.text(run(stages, Map.of(), List.of("bash", copy.toString(), "start")));
                }));
        ALL.add(new Fault(
                "file-limit-low",
                "a node is started under `ulimit -n 1024`",
                Fault.NONE,
                "`doctor --node URL`",
                List.of("may open 1024 files", "ulimit -n", "LimitNOFILE", "restart"),
                stages -> {
                    String admin = "http://127.0.0.1:" + stages.port();
                    String listener = "127.0.0.1:" + stages.port();
                    var process = new ProcessBuilder(
                                    "bash",
                                    "-c",
                                    "ulimit -n 1024; exec \"$0\" \"$@\"",
                                    NodeProcess.launcher().toString(),
                                    "start",
                                    "--data",
                                    stages.folder().toString(),
                                    "-o",
                                    "listeners=PLAINTEXT://" + listener,
                                    "-o",
                                    "admin.listener=" + admin)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
                    try {
                        stages.until("serves", "brokers", "-b", listener);
                        return Told.text(stages.moldau("doctor", "-b", listener, "--node", admin));
                    } finally {
                        process.destroyForcibly().waitFor();
                    }
                }));
    }

    private static void process(
            String id, String staged, List<String> words, Map<String, String> environment, List<String> command) {
        ALL.add(new Fault(id, staged, Fault.NONE, "`start`", words, stages -> {
            List<String> line = new ArrayList<>(List.of(NodeProcess.launcher().toString()));
            line.addAll(command);
            return Told.text(run(stages, environment, line));
        }));
    }

    private static String run(Stages stages, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path out = stages.folder().resolve("out");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(out) + "exit status " + process.exitValue();
    }

    // ---- What clients are told.

    private static void advertised() {
        dialled(
                "advertised-host-unknown",
                "`advertised.listeners` with a host that no name server knows",
                List.of("no-such-host.invalid:9092", "does not know", "advertised.listeners"),
                stages -> told(stages, "PLAINTEXT://no-such-host.invalid:9092"));
        dialled(
                "advertised-port-closed",
                "`advertised.listeners` with a port where nobody listens",
                List.of("gets no answer", "refused", "advertised.listeners", "firewall"),
                stages -> told(stages, "PLAINTEXT://127.0.0.1:" + stages.port()));
        dialled(
                "advertised-to-something-else",
                "`advertised.listeners` with the port of a web server",
                List.of("does not speak Kafka", "every client fails", "advertised.listeners"),
                stages -> {
                    try (var web = new Greeter("HTTP/1.1 400 Bad Request\r\n\r\n")) {
                        return told(stages, "PLAINTEXT://127.0.0.1:" + web.port());
                    }
                });
        dialled(
                "advertised-to-another-cluster",
                "`advertised.listeners` with the address of a node of another cluster",
                List.of("a node of another cluster answers", "read and write there", "advertised.listeners"),
                stages -> {
                    try (AdministeredNode other =
                            stages.start(alone(stages.folder(), "moldau.cluster.id", OTHER_CLUSTER))) {
                        return told(stages, "PLAINTEXT://" + Stages.bootstrap(other));
                    }
                });
        dialled(
                "advertised-loopback",
                "`advertised.listeners` with localhost, while it listens on every interface",
                List.of("an address of this machine alone", "connect to themselves", "advertised.listeners"),
                stages -> {
                    int port = stages.port();
                    return told(stages, "PLAINTEXT://localhost:" + port, "listeners", "PLAINTEXT://0.0.0.0:" + port);
                });
        ALL.add(new Fault(
                "advertised-wrong-for-the-doctor",
                "the same with a host that nobody knows, looked at from outside",
                Fault.NONE,
                "`doctor --node URL`",
                List.of("tells clients to come to no-such-host.invalid", "not known here", "did not find itself"),
                stages -> {
                    try (AdministeredNode node = stages.start(
                            alone(stages.folder(), "advertised.listeners", "PLAINTEXT://no-such-host.invalid:9092"))) {
                        node.dialItself().get(Stages.SOON.toSeconds(), TimeUnit.SECONDS);
                        return Told.text(stages.moldau(
                                "doctor",
                                "-b",
                                Stages.bootstrap(node),
                                "--timeout",
                                "5",
                                "--node",
                                Stages.admin(node)));
                    }
                }));
        ALL.add(new Fault(
                "topic-deletion-disabled",
                "DeleteTopics with `delete.topic.enable=false`",
                "TOPIC_DELETION_DISABLED",
                "the answer, `explain error TOPIC_DELETION_DISABLED`",
                List.of("delete.topic.enable", "restart them"),
                stages -> {
                    try (AdministeredNode node = stages.start(alone(stages.folder(), "delete.topic.enable", "false"));
                            var wire = new Wire(Stages.bootstrap(node))) {
                        wire.createTopic("kept", 1);
                        Told told = wire.call(
                                ApiKey.DELETE_TOPICS,
                                6,
                                new DeleteTopicsRequestData()
                                        .setTopics(List.of(new DeleteTopicState().setName("kept")))
                                        .setTimeoutMs(20_000),
                                DeleteTopicsResponseData.class);
                        return new Told(told.code(), told.text() + stages.moldau("explain", "error", told.code()));
                    }
                }));
    }

    private static void dialled(String id, String staged, List<String> words, Fault.Stage stage) {
        ALL.add(new Fault(id, staged, Fault.NONE, "a warning of `start` in its log", words, stage));
    }

    private static Told told(Stages stages, String advertised, String... more) throws Exception {
        Map<String, String> settings = alone(stages.folder(), more);
        settings.put("advertised.listeners", advertised);
        try (AdministeredNode node = stages.start(settings)) {
            List<AdvertisedCheck.Problem> problems =
                    node.dialItself().get(Duration.ofSeconds(60).toSeconds(), TimeUnit.SECONDS);
            return Told.text(
                    problems.stream().map(AdvertisedCheck.Problem::toString).collect(Collectors.joining("\n")));
        }
    }

    /// Answers whatever comes with a few words of its own, until it is closed.
    private static final class Greeter implements AutoCloseable {

        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final Thread thread;

        Greeter(String words) throws IOException {
            thread = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        var socket = server.accept();
                        Thread.ofVirtual().start(() -> {
                            try (socket) {
                                if (socket.getInputStream().read() >= 0) {
                                    socket.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
                                }
                            } catch (IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        });
                    }
                } catch (IOException closed) {
                    // The end of the test.
                    Thread.currentThread().interrupt();
                }
            });
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            server.close();
            thread.interrupt();
        }
    }
}
