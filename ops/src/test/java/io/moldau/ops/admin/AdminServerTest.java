package io.moldau.ops.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.moldau.broker.NodeServices;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.common.FaultHandler;
import io.moldau.ops.AdministeredNode;
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
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The admin listener of a node in this process, as HTTP clients see it.
class AdminServerTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @Test
    void everyAnswerIsAsTheDescriptionSays() throws Exception {
        try (var node = node("http://127.0.0.1:0");
                var client = HttpClient.newHttpClient()) {
            use(node);
            JsonNode description =
                    JSON.readTree(get(client, node, "/api/openapi.json").body());
            Set<String> seen = new HashSet<>();
            for (var path : description.get("paths").properties()) {
                String asked = path.getKey().replace("{topic}", "words");
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
                    description.at(
                            "/paths/~1api~1v1~1topics~1{topic}/get/responses/404/content/application~1json/schema"),
                    description,
                    seen);

            // Nothing is described that no answer had.
            List<String> described = new ArrayList<>();
            description.at("/components/schemas").fieldNames().forEachRemaining(described::add);
            assertThat(seen).containsExactlyInAnyOrderElementsOf(described);
        }
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
            assertThat(value.isEmpty() && !where.endsWith("observers") && !where.endsWith("reasons"))
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

    private static void use(AdministeredNode node) throws Exception {
        var listener = node.node().listeners().stream()
                .filter(it -> it.listenerName().equals("PLAINTEXT"))
                .findFirst()
                .orElseThrow();
        try (var admin = Admin.create(Map.of("bootstrap.servers", listener.host() + ":" + listener.port()))) {
            admin.createTopics(List.of(new NewTopic("words", 2, (short) 1)))
                    .all()
                    .get();
            admin.alterConsumerGroupOffsets("readers", Map.of(new TopicPartition("words", 0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
        }
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
