package io.moldau.ops.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.moldau.ops.node.NodeProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `moldau bench` against a node, and what it says against what the node has.
class BenchIT {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @Test
    void whatItSaysIsWhatWasDone() throws Exception {
        try (var node = NodeProcess.start(folder.resolve("data"));
                var admin = Admin.create(Map.of("bootstrap.servers", node.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic("mine", 2, (short) 1)))
                    .all()
                    .get();

            JsonNode produced = bench(node, "produce -t mine -n 20000 -w 1 -s 500 --producers 2 -z lz4 --acks 1");
            long inTopic = ends(admin);
            JsonNode produce = result(produced, "produce");
            assertThat(produce.get("records").asLong()).isEqualTo(20_000);
            assertThat(produce.get("bytes").asLong()).isEqualTo(20_000 * 500);
            // Those of the warm-up are there too, and not among the measured ones.
            assertThat(inTopic).isGreaterThan(20_000);
            isLatency(produce.get("latencyMs"));
            assertThat(produced.at("/settings/acks").asText()).isEqualTo("1");

            JsonNode consume = result(bench(node, "consume -t mine -n 70000 -w 0 --consumers 2"), "consume");
            assertThat(consume.get("records").asLong())
                    .as("reads again from the beginning")
                    .isEqualTo(70_000);
            assertThat(consume.has("latencyMs")).isFalse();
            assertThat(ends(admin)).as("reading writes nothing").isEqualTo(inTopic);

            JsonNode endToEnd = result(
                    bench(node, "end-to-end -t mine -d 3 -w 1 --throughput 400 --consumers 2 -s 100"), "end-to-end");
            assertThat(endToEnd.get("records").asLong())
                    .as("3 s of 400 records")
                    .isEqualTo(1200);
            assertThat(endToEnd.get("failed").asLong()).isZero();
            isLatency(endToEnd.get("latencyMs"));
            assertThat(ends(admin)).as("with the second before").isEqualTo(inTopic + 1600);
        }
    }

    @Test
    void allThreeInATopicOfItsOwn() throws Exception {
        try (var node = NodeProcess.start(folder.resolve("data"));
                var admin = Admin.create(Map.of("bootstrap.servers", node.bootstrap()))) {
            Launch launch = Launch.of(
                    folder, "", ("bench -n 3000 -w 2 --throughput 2000 -b " + node.bootstrap()).split(" ", -1));

            assertThat(launch.status()).as(launch.error()).isZero();
            assertThat(launch.out().lines().map(line -> line.split(" +", 2)[0]))
                    .containsExactly("", "produce", "consume", "end-to-end");
            assertThat(launch.error()).contains("topic moldau-bench-", "warming up", "records so far");
            assertThat(admin.listTopics().names().get()).isEmpty();

            Launch refused = Launch.of(
                    folder, "", ("bench produce -n 10 -w 0 -s 3000000 -b " + node.bootstrap()).split(" ", -1));
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.error()).contains("max.request.size");
            assertThat(admin.listTopics().names().get())
                    .as("removed all the same")
                    .isEmpty();
        }
    }

    private JsonNode bench(NodeProcess node, String words) throws Exception {
        Launch launch = Launch.of(folder, "", ("bench " + words + " --json -b " + node.bootstrap()).split(" ", -1));
        assertThat(launch.status()).as(launch.error()).isZero();
        return JSON.readTree(launch.out());
    }

    private static JsonNode result(JsonNode json, String mode) {
        assertThat(json.get("results")).hasSize(1);
        JsonNode result = json.get("results").get(0);
        assertThat(result.get("mode").asText()).isEqualTo(mode);
        assertThat(result.get("failed").asLong()).isZero();
        double seconds = result.get("seconds").asDouble();
        assertThat(seconds).isPositive();
        assertThat(result.get("recordsPerSecond").asDouble())
                .isEqualTo(result.get("records").asLong() / seconds);
        return result;
    }

    private static void isLatency(JsonNode latency) {
        List<Double> values = StreamSupport.stream(latency.spliterator(), false)
                .map(JsonNode::asDouble)
                .toList();
        assertThat(values).hasSize(5).isSorted();
        assertThat(values.getFirst()).isPositive();
    }

    private static long ends(Admin admin) throws ExecutionException, InterruptedException {
        return admin
                .listOffsets(Map.of(
                        new TopicPartition("mine", 0), OffsetSpec.latest(),
                        new TopicPartition("mine", 1), OffsetSpec.latest()))
                .all()
                .get()
                .values()
                .stream()
                .mapToLong(info -> info.offset())
                .sum();
    }
}
