package io.moldau.ops.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.NodeHandle;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.clients.ClientTools;
import io.moldau.ops.metrics.Dashboards;
import io.moldau.ops.node.NodeProcess;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Debian's Prometheus scrapes three nodes that clients use, and has values for every query of the dashboards; and the
/// alert rules are sound.
class PrometheusIT {

    /// Nothing of these happens in this test: a coordinator's partition would have to lose its replicas.
    private static final List<String> RARE = List.of("moldau_coordinator_failed_operations_total");

    private static final int SCRAPES = 8;
    private static final int NODES = 3;
    private static final long WAIT_SECONDS = 90;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @Test
    void theAlertRulesAreSoundAndEachFiresForItsFault() throws Exception {
        ClientTools.prometheus();

        assertThat(promtool("check", "rules", "alerts.yml")).contains("SUCCESS");
        assertThat(promtool("test", "rules", "alerts_test.yml")).contains("SUCCESS");
    }

    private static String promtool(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command)
                .directory(Dashboards.FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void everyQueryHasAnAnswer() throws Exception {
        String program = ClientTools.prometheus();
        try (var cluster = ClusterProcesses.start(
                        ClusterPlan.of(Subject.MOLDAU, folder).combined(NODES));
                var client = HttpClient.newHttpClient()) {
            int port = NodeProcess.freePort(27_000);
            Process prometheus = start(program, cluster.nodes(), port);
            try {
                var api = URI.create("http://127.0.0.1:" + port + "/api/v1/");
                use(cluster, client, api);

                rulesAreEvaluated(client, api);
                List<String> silent = new ArrayList<>();
                for (String query : Dashboards.panelQueries()) {
                    JsonNode answer = query(client, api, filled(query));
                    assertThat(answer.path("status").asText())
                            .as("%s: %s", query, answer)
                            .isEqualTo("success");
                    if (!hasValue(answer) && RARE.stream().noneMatch(query::contains)) {
                        silent.add(query);
                    }
                }
                assertThat(silent).as("queries without a value").isEmpty();
                for (String query : Dashboards.alertQueries()) {
                    assertThat(query(client, api, query).path("status").asText())
                            .as(query)
                            .isEqualTo("success");
                }
            } finally {
                prometheus.destroy();
                if (!prometheus.waitFor(20, TimeUnit.SECONDS)) {
                    prometheus.destroyForcibly();
                }
            }
        }
    }

    /// One that is a number.
    private static boolean hasValue(JsonNode answer) {
        return StreamSupport.stream(answer.at("/data/result").spliterator(), false)
                .anyMatch(series -> !series.at("/value/1").asText().equals("NaN"));
    }

    private Process start(String program, List<NodeHandle> nodes, int port) throws IOException {
        String targets = nodes.stream()
                .map(node -> '"' + URI.create(node.plan().adminUrl()).getAuthority() + '"')
                .collect(Collectors.joining(", "));
        Path config = Files.writeString(
                folder.resolve("prometheus.yml"), """
                global:
                  scrape_interval: 1s
                  evaluation_interval: 1s
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: moldau
                    static_configs:
                      - targets: [%s]
                """.formatted(Dashboards.FOLDER.resolve("alerts.yml"), targets));
        return new ProcessBuilder(
                        program,
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("tsdb"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
    }

    /// Clients produce, consume, commit and fail until Prometheus has scraped often enough.
    private static void use(ClusterProcesses cluster, HttpClient client, URI api) throws Exception {
        Map<String, Object> bootstrap = Map.of("bootstrap.servers", cluster.bootstrap());
        try (var admin = Admin.create(bootstrap);
                var producer = new KafkaProducer<>(bootstrap, new ByteArraySerializer(), new ByteArraySerializer());
                var consumer = new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                cluster.bootstrap(),
                                "group.id",
                                "readers",
                                "auto.offset.reset",
                                "earliest",
                                "enable.auto.commit",
                                "false"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            var topic = new NewTopic("words", 6, (short) 3).configs(Map.of("flush.messages", "5"));
            admin.createTopics(List.of(topic)).all().get();
            consumer.subscribe(List.of("words"));
            int partitions = 6;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
            while (scrapes(client, api) < SCRAPES * NODES) {
                assertThat(System.nanoTime()).as("Prometheus scrapes the nodes").isLessThan(deadline);
                for (NodeHandle node : cluster.nodes()) {
                    disturb(node);
                }
                for (int i = 0; i < 20; i++) {
                    producer.send(new ProducerRecord<>("words", new byte[100])).get();
                }
                consumer.poll(Duration.ofMillis(500));
                consumer.commitSync();
                partitions++;
                admin.createPartitions(Map.of("words", NewPartitions.increaseTo(partitions)))
                        .all()
                        .get();
                try {
                    admin.createTopics(List.of(topic)).all().get();
                } catch (ExecutionException e) {
                    assertThat(e).hasMessageContaining("exists");
                }
            }
        }
    }

    /// Sends it what is no request, and has it collect its garbage: both are in the dashboards.
    private static void disturb(NodeHandle node) throws IOException, InterruptedException {
        try (var socket = new Socket("127.0.0.1", node.plan().clientPort())) {
            socket.getOutputStream().write(new byte[] {-1, -1, -1, -1});
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
            assertThat(socket.getInputStream().read()).as("the node hangs up").isEqualTo(-1);
        }
        Process collect = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(node.pid()),
                        "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(collect.waitFor()).isZero();
    }

    private static double scrapes(HttpClient client, URI api) throws IOException, InterruptedException {
        try {
            JsonNode counted = query(client, api, "sum(sum_over_time(up{job=\"moldau\"}[5m]))");
            return counted.at("/data/result/0/value/1").asDouble(0);
        } catch (ConnectException e) {
            return 0; // it has not started yet
        }
    }

    private static void rulesAreEvaluated(HttpClient client, URI api) throws IOException, InterruptedException {
        JsonNode rules = JSON.readTree(
                client.send(HttpRequest.newBuilder(api.resolve("rules")).build(), BodyHandlers.ofString())
                        .body());
        List<JsonNode> all = StreamSupport.stream(
                        rules.at("/data/groups/0/rules").spliterator(), false)
                .toList();
        assertThat(all).hasSize(Dashboards.alertQueries().size());
        assertThat(all).allSatisfy(rule -> {
            assertThat(rule.get("health").asText()).as("%s", rule).isEqualTo("ok");
            // A node that does what it should sets off none.
            if (!rule.at("/labels/severity").asText().equals("info")) {
                assertThat(rule.get("state").asText()).as("%s", rule).isNotEqualTo("firing");
            }
        });
    }

    /// As Grafana would ask it, with everything chosen.
    private static String filled(String query) {
        return query.replace("$__rate_interval", "30s")
                .replace("$instance", ".*")
                .replace("$topic", ".*")
                .replace("$group", ".*");
    }

    private static JsonNode query(HttpClient client, URI api, String query) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(api.resolve("query"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)))
                .build();
        return JSON.readTree(client.send(request, BodyHandlers.ofString()).body());
    }
}
