package io.moldau.ops.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.moldau.broker.NodeServices;
import io.moldau.broker.NodeView;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.common.FaultHandler;
import io.moldau.ops.AdministeredNode;
import io.moldau.ops.metrics.NodeMetrics;
import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.state.BrokerCalls;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The admin listener of a node in this process, as HTTP clients see it.
class AdminServerTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final List<String> MAY_BE_EMPTY =
            List.of("observers", "reasons", "eligible", "silentBrokers", "synonyms");

    @TempDir
    Path folder;

    @Test
    void everyAnswerIsAsTheDescriptionSays() throws Exception {
        try (var node = node("http://127.0.0.1:0");
                var client = HttpClient.newHttpClient()) {
            try (var reader = use(node)) {
                lookAtEverything(node, client);
            }
        }
    }

    private void lookAtEverything(AdministeredNode node, HttpClient client) throws Exception {
        JsonNode description =
                JSON.readTree(get(client, node, "/api/openapi.json").body());
        assertThat(paths(description)).containsExactlyInAnyOrderElementsOf(served(node));
        Set<String> seen = new HashSet<>();
        for (var path : description.get("paths").properties()) {
            String asked = asked(path.getKey());
            HttpResponse<String> answer = get(client, node, asked);
            JsonNode response = path.getValue().at("/get/responses/" + answer.statusCode());
            assertThat(response.isMissingNode())
                    .as("%s answers %d as described", asked, answer.statusCode())
                    .isFalse();
            JsonNode schema = response.at("/content/application~1json/schema");
            if (!schema.isMissingNode()) {
                check(asked, JSON.readTree(answer.body()), schema, description, seen);
            }
        }
        HttpResponse<String> missing = get(client, node, "/api/v1/topics/nothing");
        assertThat(missing.statusCode()).isEqualTo(404);
        check(
                "missing topic",
                JSON.readTree(missing.body()),
                description.at("/paths/~1api~1v1~1topics~1{topic}/get/responses/404/content/application~1json/schema"),
                description,
                seen);

        // Nothing is described that no answer had.
        List<String> described = new ArrayList<>();
        description.at("/components/schemas").fieldNames().forEachRemaining(described::add);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(described);
    }

    /// A path of which everything in it is there.
    private static String asked(String template) {
        String path = template.replace("{topic}", "words")
                .replace("{partition}", "0")
                .replace("{broker}", "1")
                .replace("{group}", "readers");
        return path.endsWith("/find") ? path + "?key=first" : path;
    }

    private static List<String> paths(JsonNode description) {
        List<String> paths = new ArrayList<>();
        description.get("paths").fieldNames().forEachRemaining(paths::add);
        return paths;
    }

    private static List<String> served(AdministeredNode node) {
        NodeView view = node.node().view();
        List<String> served = new ArrayList<>(List.of(Api.LIVE, Api.METRICS, Api.DESCRIPTION));
        try (var calls = new BrokerCalls(view);
                var metrics = new NodeMetrics(view.config(), NodeServices.real(), "test")) {
            served.addAll(new Api(view, calls, metrics.rates(), "test").templates());
        }
        return served;
    }

    /// Of JSON Schema what the description uses.
    private static void check(String where, JsonNode value, JsonNode schema, JsonNode description, Set<String> seen) {
        if (schema.has("$ref")) {
            String reference = schema.get("$ref").asText();
            seen.add(reference.substring(reference.lastIndexOf('/') + 1));
            check(where, value, description.at(reference.substring(1)), description, seen);
            return;
        }
        if (schema.has("oneOf")) {
            if (!value.isNull()) {
                check(where, value, schema.get("oneOf").get(0), description, seen);
            }
            return;
        }
        JsonNode type = schema.get("type");
        if (type.isArray()) {
            assertThat(type.get(1).asText()).isEqualTo("null");
            if (value.isNull()) {
                return;
            }
            type = type.get(0);
        }
        assertThat(
                        switch (type.asText()) {
                            case "integer" -> value.isIntegralNumber();
                            case "number" -> value.isNumber();
                            case "string" -> value.isTextual();
                            case "boolean" -> value.isBoolean();
                            case "array" -> value.isArray();
                            case "object" -> value.isObject();
                            default -> throw new AssertionError("type " + type);
                        })
                .as("%s is a %s: %s", where, type.asText(), value)
                .isTrue();
        if (schema.has("enum")) {
            assertThat(schema.get("enum"))
                    .as(where)
                    .anySatisfy(one -> assertThat(one).isEqualTo(value));
        }
        if (value.isArray()) {
            assertThat(value.isEmpty() && MAY_BE_EMPTY.stream().noneMatch(where::endsWith))
                    .as("%s has something to look at", where)
                    .isFalse();
            value.forEach(one -> check(where + "[]", one, schema.get("items"), description, seen));
        }
        if (value.isObject() && schema.has("properties")) {
            JsonNode properties = schema.get("properties");
            value.properties().forEach(field -> {
                assertThat(properties.has(field.getKey()))
                        .as("%s.%s is described", where, field.getKey())
                        .isTrue();
                check(
                        where + "." + field.getKey(),
                        field.getValue(),
                        properties.get(field.getKey()),
                        description,
                        seen);
            });
            schema.get("required")
                    .forEach(name -> assertThat(value.has(name.asText()))
                            .as("%s has %s", where, name)
                            .isTrue());
        }
    }

    @Test
    void aNodeThatIsOnlyAControllerAnswersToo() throws Exception {
        int port = NodeProcess.freePort(27_000);
        try (var node = started(
                        folder,
                        Map.of(
                                "process.roles",
                                "controller",
                                "admin.listener",
                                "http://127.0.0.1:0",
                                "listeners",
                                "CONTROLLER://127.0.0.1:" + port,
                                "controller.quorum.voters",
                                "1@127.0.0.1:" + port));
                var client = HttpClient.newHttpClient()) {
            for (String path : List.of(
                    "/",
                    "/ready",
                    "/metrics",
                    "/api/v1/cluster",
                    "/api/v1/quorum",
                    "/api/v1/brokers",
                    "/api/v1/topics",
                    "/api/v1/groups",
                    "/api/v1/rates",
                    "/api/v1/brokers/1/configs",
                    "/api/v1/groups/none/why")) {
                assertThat(get(client, node, path).statusCode()).as(path).isEqualTo(200);
            }
            assertThat(get(client, node, "/api/v1/findings").body()).contains("\"worst\":\"ok\"");
            assertThat(get(client, node, "/api/v1/groups/none").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void readyEndsWithTheFirstMomentOfAStopAndLiveGoesOn() throws Exception {
        var node = node("http://127.0.0.1:0");
        try (var client = HttpClient.newHttpClient()) {
            assertThat(get(client, node, "/ready").statusCode()).isEqualTo(200);
            assertThat(get(client, node, "/safe-to-stop").body()).contains("0 of 1 voters");

            node.node().stop();

            assertThat(get(client, node, "/ready"))
                    .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(503))
                    .satisfies(answer -> assertThat(answer.body()).contains("the node is stopping"));
            assertThat(get(client, node, "/live").statusCode()).isEqualTo(200);
        } finally {
            node.close();
        }
    }

    @Test
    void onlyReadingAndOnlyUnderThisMachinesName() throws Exception {
        try (var node = node("http://127.0.0.1:0");
                var client = HttpClient.newHttpClient()) {
            var post = client.send(
                    HttpRequest.newBuilder(uri(node, "/metrics"))
                            .POST(BodyPublishers.ofString("x"))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(post.statusCode()).isEqualTo(405);
            assertThat(post.headers().firstValue("Allow")).hasValue("GET, HEAD");
            assertThat(raw(node, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 403");
            assertThat(raw(node, "GET /live HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200");
            assertThat(raw(node, "HEAD /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200")
                    .doesNotContain("live");
            assertThat(get(client, node, "/nothing").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void withATokenOnlyHealthAndMetricsAreForEverybody() throws Exception {
        try (var node = started(
                        folder, Map.of("admin.listener", "http://0.0.0.0:0", "admin.token", "a-token-of-20-letters"));
                var client = HttpClient.newHttpClient()) {
            for (String open : List.of("/live", "/ready", "/metrics", "/api/openapi.json")) {
                assertThat(get(client, node, open).statusCode()).as(open).isEqualTo(200);
            }
            for (String closed : List.of("/", "/console/app.js", "/api/v1/cluster", "/nothing")) {
                assertThat(get(client, node, closed)).as(closed).satisfies(answer -> {
                    assertThat(answer.statusCode()).isEqualTo(401);
                    assertThat(answer.headers().firstValue("WWW-Authenticate"))
                            .hasValueSatisfying(it -> assertThat(it).startsWith("Basic "));
                });
            }
            var login = client.send(
                    HttpRequest.newBuilder(uri(node, "/api/v1/cluster"))
                            .header("Authorization", "Bearer a-token-of-20-letters")
                            .build(),
                    BodyHandlers.ofString());
            assertThat(login.statusCode()).isEqualTo(200);
            // Nobody sees it in the settings.
            var settings = client.send(
                    HttpRequest.newBuilder(uri(node, "/api/v1/brokers/1/configs"))
                            .header("Authorization", "Bearer a-token-of-20-letters")
                            .build(),
                    BodyHandlers.ofString());
            assertThat(settings.body()).contains("\"admin.token\"").doesNotContain("a-token-of-20-letters");
        }
    }

    @Test
    void beyondLoopbackAndWithoutATokenThereIsNoConsole() throws Exception {
        try (var node = node("http://0.0.0.0:0");
                var client = HttpClient.newHttpClient()) {
            assertThat(get(client, node, "/metrics").statusCode()).isEqualTo(200);
            assertThat(get(client, node, "/"))
                    .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(403))
                    .satisfies(answer -> assertThat(answer.body()).contains("admin.token"));
            assertThat(get(client, node, "/api/v1/cluster").statusCode()).isEqualTo(403);
        }
    }

    @Test
    void filesOfTheConsoleAreAskedForOnce() throws Exception {
        try (var node = node("http://127.0.0.1:0");
                var client = HttpClient.newHttpClient()) {
            HttpResponse<String> page = get(client, node, "/");
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
            assertThat(page.headers().firstValue("Content-Security-Policy"))
                    .hasValueSatisfying(
                            policy -> assertThat(policy).contains("default-src 'none'", "script-src 'self'"));
            assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            var again = client.send(
                    HttpRequest.newBuilder(uri(node, "/"))
                            .header(
                                    "If-None-Match",
                                    page.headers().firstValue("ETag").orElseThrow())
                            .build(),
                    BodyHandlers.ofString());
            assertThat(again.statusCode()).isEqualTo(304);
            for (String other : List.of(
                    "/console/../admin/openapi.json",
                    "/console/%2e%2e/admin/openapi.json",
                    "/console/..%2fadmin%2fopenapi.json",
                    "/console//etc/passwd",
                    "/console/",
                    "/console/ConsoleFiles.class")) {
                assertThat(raw(node, "GET " + other + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                        .as(other)
                        .startsWith("HTTP/1.1 404");
            }
        }
    }

    @Test
    void whatIsAskedWronglyIsRefusedWithAReason() throws Exception {
        try (var node = node("http://127.0.0.1:0");
                var client = HttpClient.newHttpClient();
                var reader = use(node)) {
            assertThat(reader.assignment()).isNotEmpty();
            String records = "/api/v1/topics/words/partitions/0/records";
            refused(client, node, records + "?offset=-1", 400, "offset must be a number from 0");
            refused(client, node, records + "?offset=1&time=2", 400, "one of offset, time and newest");
            refused(client, node, records + "?ofset=1", 400, "no ofset");
            refused(client, node, records + "?limit=501", 400, "from 1 to 500");
            refused(client, node, records + "?keyHex=zz", 400, "the key");
            refused(client, node, records + "?key=a&key=b", 400, "twice");
            refused(client, node, "/api/v1/topics/words/partitions/7/records", 404, "no partition 7");
            refused(client, node, "/api/v1/topics/words/find", 400, "key");
            refused(client, node, "/api/v1/topics/other/configs", 404, "no topic other");
            refused(client, node, "/api/v1/groups/other", 404, "no group other");
            refused(client, node, "/api/v1/brokers/7/configs", 404, "node 7");
            refused(client, node, "/api/v1/brokers/x/why", 400, "broker must be a number");
        }
    }

    private static void refused(HttpClient client, AdministeredNode node, String path, int status, String reason)
            throws Exception {
        HttpResponse<String> answer = get(client, node, path);
        assertThat(answer.statusCode()).as(path).isEqualTo(status);
        assertThat(JSON.readTree(answer.body()).get("error").asText()).as(path).contains(reason);
    }

    @Test
    void clientsThatDoNotFinishTheirRequestKeepNobodyWaiting() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try (var node = node("http://127.0.0.1:0");
                var client = HttpClient.newHttpClient()) {
            URI uri = uri(node, "");
            for (int i = 0; i < 60; i++) {
                var socket = new Socket(uri.getHost(), uri.getPort());
                slow.add(socket);
                socket.getOutputStream().write("GET /live HTTP/1.1\r\nHost: loc".getBytes(StandardCharsets.US_ASCII));
            }

            assertThat(get(client, node, "/live").statusCode()).isEqualTo(200);
            assertThat(get(client, node, "/metrics").statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void aPortThatWasAskedForAndIsTakenStopsTheStart() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String listener = "http://127.0.0.1:" + taken.getLocalPort();
            assertThatThrownBy(() -> node(listener).close())
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining(listener)
                    .hasMessageContaining("admin.listener");
        }
    }

    @Test
    void aPortThatNobodyAskedForAndIsTakenIsExchanged() throws Exception {
        try (var first = started(folder.resolve("first"), Map.of());
                var second = started(folder.resolve("second"), Map.of());
                var client = HttpClient.newHttpClient()) {
            assertThat(first.adminUrl()).isNotEqualTo(second.adminUrl());
            assertThat(get(client, first, "/ready").statusCode()).isEqualTo(200);
            assertThat(get(client, second, "/ready").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void anEmptyListenerIsNone() throws Exception {
        try (var node = node("")) {
            assertThat(node.adminUrl()).isNull();
        }
    }

    private AdministeredNode node(String listener) throws InterruptedException {
        return started(folder, Map.of("admin.listener", listener));
    }

    private static AdministeredNode started(Path data, Map<String, String> others) throws InterruptedException {
        var settings = new HashMap<>(Map.of(
                "listeners", "PLAINTEXT://127.0.0.1:0",
                "offsets.topic.num.partitions", "2",
                "log.dirs", data.toString()));
        settings.putAll(others);
        var node = AdministeredNode.start(
                NodeConfig.fromProperties(settings),
                NodeServices.real().withFaults(new FaultHandler.Recording()),
                "test");
        node.node().awaitReady(Duration.ofSeconds(60));
        return node;
    }

    /// A topic with a record, and a group whose member has it to read.
    private static KafkaConsumer<byte[], byte[]> use(AdministeredNode node) throws Exception {
        var listener = node.node().listeners().stream()
                .filter(it -> it.listenerName().equals("PLAINTEXT"))
                .findFirst()
                .orElseThrow();
        Map<String, Object> settings = Map.of("bootstrap.servers", listener.host() + ":" + listener.port());
        try (var admin = Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic("words", 2, (short) 1)))
                    .all()
                    .get();
        }
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            var record = new ProducerRecord<>("words", 0, "first", "a value");
            record.headers().add("trace", new byte[] {1, 2});
            producer.send(record).get();
        }
        Map<String, Object> asReader = new HashMap<>(settings);
        asReader.putAll(Map.of("group.id", "readers", "enable.auto.commit", "false"));
        var reader = new KafkaConsumer<>(asReader, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        reader.subscribe(List.of("words"));
        while (reader.assignment().isEmpty()) {
            reader.poll(Duration.ofMillis(100));
        }
        reader.commitSync(Map.of(new TopicPartition("words", 0), new OffsetAndMetadata(0)));
        return reader;
    }

    private static HttpResponse<String> get(HttpClient client, AdministeredNode node, String path)
            throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri(node, path)).build(), BodyHandlers.ofString());
    }

    private static URI uri(AdministeredNode node, String path) {
        return URI.create(Objects.requireNonNull(node.adminUrl()) + path);
    }

    private static String raw(AdministeredNode node, String request) throws IOException {
        URI uri = uri(node, "");
        try (var socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
