package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.junit.jupiter.Testcontainers;

/// The files for compose, as a person starts them. Grafana is left out: its image is a registry's. In the place of
/// Prometheus' image stands one with Debian's program, under the same command and with the same files.
@Testcontainers(disabledWithoutDocker = true)
class ComposeIT {

    private static final String COMPOSE = Checkout.DOCKER.resolve("compose").toString();
    private static final String PROMETHEUS = "moldau-test-prometheus:dev";
    private static final List<String> NODES =
            List.of("controller1", "controller2", "controller3", "broker1", "broker2", "broker3");
    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    @Test
    void theClusterServesThisMachineAndIsWatched() throws Exception {
        Programs.require(COMPOSE, "version");
        Programs.require("prometheus", "--version");
        makePrometheusImage();
        List<Integer> ports = List.of(NodeContainer.freePort(), NodeContainer.freePort(), NodeContainer.freePort());
        int prometheus = NodeContainer.freePort();
        var environment = new HashMap<String, String>();
        environment.put(
                "COMPOSE_PROJECT_NAME", "moldau-test-" + ProcessHandle.current().pid());
        environment.put("PROMETHEUS_IMAGE", PROMETHEUS);
        environment.put("ADMIN_PORT", Integer.toString(NodeContainer.freePort()));
        environment.put("PROMETHEUS_PORT", Integer.toString(prometheus));
        for (int i = 0; i < ports.size(); i++) {
            environment.put("BROKER" + (i + 1) + "_PORT", ports.get(i).toString());
        }
        try {
            var services = new ArrayList<>(NODES);
            services.add("prometheus");
            compose(environment, "up -d", services);

            String bootstrap = "localhost:" + ports.getFirst();
            try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
                Conditions.await(
                        "three brokers",
                        SOON,
                        () -> admin.describeCluster().nodes().get().size() == 3);
                assertThat(admin.describeCluster().nodes().get())
                        .extracting(Node::host, Node::port)
                        .containsExactlyInAnyOrderElementsOf(ports.stream()
                                .map(port -> tuple("localhost", port))
                                .toList());
                admin.createTopics(List.of(new NewTopic("numbers", 3, (short) 3)))
                        .all()
                        .get();
            }
            try (var records = new NumberedRecords(bootstrap, "numbers", 3)) {
                records.awaitOneMore(SOON);
                compose(environment, "kill", List.of("broker2"));
                records.awaitOneMore(SOON);
                compose(environment, "start", List.of("broker2"));
                Set<Long> acknowledged = records.finish();
                assertThat(records.readBack()).containsAll(acknowledged).doesNotHaveDuplicates();
            }
            watched(URI.create("http://127.0.0.1:" + prometheus + "/api/v1/"));
        } catch (AssertionError | Exception e) {
            System.out.println(compose(environment, "logs --tail=50", List.of()));
            throw e;
        } finally {
            compose(environment, "down -v", List.of());
        }
    }

    @Test
    void theSmallFileRunsOneNode() throws Exception {
        Programs.require(COMPOSE, "version");
        int port = NodeContainer.freePort();
        int admin = NodeContainer.freePort();
        var environment = Map.of(
                "COMPOSE_PROJECT_NAME",
                        "moldau-small-" + ProcessHandle.current().pid(),
                "PORT", Integer.toString(port),
                "ADMIN_PORT", Integer.toString(admin));
        String file = "-f " + Checkout.DOCKER.resolve("compose.small.yaml") + " ";
        try {
            compose(environment, file + "up -d", List.of());
            try (var client = HttpClient.newHttpClient()) {
                Conditions.await(
                        "the node to be ready",
                        SOON,
                        () -> get(client, URI.create("http://127.0.0.1:" + admin + "/ready"))
                                .contains("true"));
            }
            try (var records = new NumberedRecords("localhost:" + port, "numbers", 1)) {
                records.awaitOneMore(SOON);
                assertThat(records.finish()).isNotEmpty();
            }
        } finally {
            compose(environment, file + "down -v", List.of());
        }
    }

    /// Every node is scraped, and the alert rules are evaluated.
    private static void watched(URI api) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            Conditions.await("six nodes to be scraped", SOON, () -> {
                var up = new TreeMap<String, String>();
                for (JsonElement target : json(client, api.resolve("targets"))
                        .getAsJsonObject("data")
                        .getAsJsonArray("activeTargets")) {
                    JsonObject told = target.getAsJsonObject();
                    up.put(
                            told.getAsJsonObject("labels").get("instance").getAsString(),
                            told.get("health").getAsString());
                }
                return up.size() == NODES.size() && Set.copyOf(up.values()).equals(Set.of("up"));
            });
            Conditions.await("alert rules that are evaluated", SOON, () -> {
                var groups = json(client, api.resolve("rules"))
                        .getAsJsonObject("data")
                        .getAsJsonArray("groups");
                var rules = StreamSupport.stream(groups.spliterator(), false)
                        .flatMap(group -> StreamSupport.stream(
                                group.getAsJsonObject().getAsJsonArray("rules").spliterator(), false))
                        .map(rule -> rule.getAsJsonObject().get("health").getAsString())
                        .toList();
                return rules.size() > 20 && rules.stream().allMatch("ok"::equals);
            });
        }
    }

    private static JsonObject json(HttpClient client, URI uri) throws Exception {
        return JsonParser.parseString(get(client, uri)).getAsJsonObject();
    }

    private static String get(HttpClient client, URI uri) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(uri)
                                .timeout(Duration.ofSeconds(10))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    private void makePrometheusImage() throws Exception {
        Path program = Path.of("/usr/bin/prometheus");
        Files.copy(program, folder.resolve("prometheus"));
        Files.writeString(folder.resolve("Dockerfile"), """
                FROM moldau-base:dev
                COPY prometheus /bin/prometheus
                RUN mkdir /prometheus && chown 1000:1000 /prometheus
                USER 1000:1000
                ENTRYPOINT ["/bin/prometheus"]
                """);
        succeeds(Map.of(), List.of("docker", "build", "-q", "-t", PROMETHEUS, folder.toString()));
    }

    private static String compose(Map<String, String> environment, String words, List<String> services)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(COMPOSE));
        command.addAll(List.of(words.split(" ")));
        command.addAll(services);
        return succeeds(environment, command);
    }

    private static String succeeds(Map<String, String> environment, List<String> command) throws Exception {
        Programs.Result result = Programs.run(Checkout.ROOT, environment, command);
        assertThat(result.status()).as("%s: %s", command, result.output()).isZero();
        return result.output();
    }
}
