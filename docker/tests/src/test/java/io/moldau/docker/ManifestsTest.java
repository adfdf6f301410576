package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.config.NodeConfig.HostPort;
import io.moldau.broker.config.NodeConfig.Role;
import io.moldau.common.Endpoint;
import io.moldau.ops.NodeSettings;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// The manifests for Kubernetes: each object against Kubernetes' own schema, and all of them against each other and
/// against what a node makes of its variables.
class ManifestsTest {

    private static final Path FOLDER = Checkout.DOCKER.resolve("kubernetes");
    private static final String NAMESPACE = "some-namespace";
    private static final int MOST_PODS = 12;

    /// What the schema says of a kind; throws [IllegalArgumentException] where an object is not like that.
    private interface Schema {
        void validate(JsonElement object) throws IOException;
    }

    private static final Map<String, Schema> SCHEMAS = Map.of(
            "v1/Service", V1Service::validateJsonElement,
            "policy/v1/PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement,
            "apps/v1/StatefulSet", V1StatefulSet::validateJsonElement);

    private final List<JsonObject> objects = objects();

    @Test
    void everyObjectIsLikeItsSchema() throws IOException {
        assertThat(objects).hasSize(7);
        for (JsonObject object : objects) {
            schema(object).validate(object);
        }
    }

    @Test
    void theSchemaFindsMisspeltAndMisplacedFields() {
        for (String path : List.of("spec/replica", "spec/template/spec/containers/0/livenessProbe/httpGet/prot")) {
            JsonObject wrong = set("moldau-broker").deepCopy();
            JsonElement place = wrong;
            String[] steps = path.split("/", -1);
            for (int i = 0; i < steps.length - 1; i++) {
                place = place.isJsonArray()
                        ? place.getAsJsonArray().get(Integer.parseInt(steps[i]))
                        : place.getAsJsonObject().get(steps[i]);
            }
            place.getAsJsonObject().addProperty(steps[steps.length - 1], 1);
            assertThatThrownBy(() -> schema(wrong).validate(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(steps[steps.length - 1]);
        }
    }

    @Test
    void everyPodWouldStartWithItsVariables() {
        Set<Integer> ids = new HashSet<>();
        for (String name : List.of("moldau-controller", "moldau-broker")) {
            for (int index = 0; index < MOST_PODS; index++) {
                NodeConfig config = config(name, index);
                assertThat(ids.add(config.nodeId()))
                        .as("the id %d of %s-%d is its own", config.nodeId(), name, index)
                        .isTrue();
                assertThat(config.roles()).containsExactly(name.endsWith("broker") ? Role.BROKER : Role.CONTROLLER);
                assertThat(config.withoutEffect()).isEmpty();
                assertThat(config.advertisedListeners())
                        .extracting(Endpoint::host)
                        .containsOnly(host(name, index));
            }
        }
    }

    @Test
    void theFirstControllerBeginsTheQuorumAndEverybodyFindsControllersThatAreThere() {
        int controllers =
                set("moldau-controller").getAsJsonObject("spec").get("replicas").getAsInt();
        assertThat(controllers % 2).as("an odd number of controllers").isOne();
        for (int index = 0; index < controllers; index++) {
            assertThat(config("moldau-controller", index).bootstrapServers())
                    .containsExactly(new HostPort(host("moldau-controller", 0), controllerPort()));
        }
        List<HostPort> known = config("moldau-broker", 0).bootstrapServers();
        assertThat(known)
                .containsExactlyElementsOf(Stream.iterate(0, index -> index + 1)
                        .limit(controllers)
                        .map(index -> new HostPort(host("moldau-controller", index), controllerPort()))
                        .toList());
        // A bare number of replicas must be enough to grow.
        assertThat(environment("moldau-controller", 0))
                .containsEntry("MOLDAU_CONTROLLER_QUORUM_AUTO_JOIN_ENABLE", "true");
    }

    private int controllerPort() {
        return config("moldau-controller", 0).listeners().getFirst().port();
    }

    @Test
    void theReplicasThatTopicsWantAreThere() {
        int brokers =
                set("moldau-broker").getAsJsonObject("spec").get("replicas").getAsInt();
        Map<String, String> environment = environment("moldau-broker", 0);
        int replicas = Integer.parseInt(environment.getOrDefault("MOLDAU_DEFAULT_REPLICATION_FACTOR", ""));
        assertThat(replicas).isLessThanOrEqualTo(brokers);
        assertThat(environment).containsEntry("MOLDAU_OFFSETS_TOPIC_REPLICATION_FACTOR", Integer.toString(replicas));
        // So that one may go, as the disruption budget says.
        assertThat(Integer.parseInt(environment.getOrDefault("MOLDAU_MIN_INSYNC_REPLICAS", "")))
                .isLessThan(replicas);
    }

    @Test
    void portsAreTheListenersAndServicesLeadToThem() {
        for (String name : List.of("moldau-controller", "moldau-broker")) {
            NodeConfig config = config(name, 0);
            Map<String, Integer> ports = new HashMap<>();
            container(name)
                    .getAsJsonArray("ports")
                    .forEach(port -> ports.put(
                            port.getAsJsonObject().get("name").getAsString(),
                            port.getAsJsonObject().get("containerPort").getAsInt()));
            assertThat(ports.values())
                    .containsExactlyInAnyOrder(config.listeners().getFirst().port(), 9644);
            assertThat(environment(name, 0)).containsEntry("MOLDAU_ADMIN_LISTENER", "http://:" + ports.get("admin"));

            JsonObject headless = object("Service", name).getAsJsonObject("spec");
            assertThat(set(name).getAsJsonObject("spec").get("serviceName").getAsString())
                    .isEqualTo(name);
            assertThat(headless.get("clusterIP").getAsString()).isEqualTo("None");
            assertThat(headless.get("publishNotReadyAddresses").getAsBoolean()).isTrue();
            assertThat(portsOf(headless)).isEqualTo(ports);
        }
        assertThat(portsOf(object("Service", "moldau").getAsJsonObject("spec"))).isEqualTo(Map.of("clients", 9092));
    }

    private static Map<String, Integer> portsOf(JsonObject service) {
        Map<String, Integer> ports = new HashMap<>();
        service.getAsJsonArray("ports")
                .forEach(port -> ports.put(
                        port.getAsJsonObject().get("name").getAsString(),
                        port.getAsJsonObject().get("port").getAsInt()));
        return ports;
    }

    @Test
    void selectorsSelectThePodsAndNothingElse() {
        for (String name : List.of("moldau-controller", "moldau-broker")) {
            JsonObject spec = set(name).getAsJsonObject("spec");
            JsonObject labels =
                    spec.getAsJsonObject("template").getAsJsonObject("metadata").getAsJsonObject("labels");
            assertThat(labels.get("app.kubernetes.io/component").getAsString())
                    .isEqualTo(name.substring("moldau-".length()));
            assertThat(spec.getAsJsonObject("selector").getAsJsonObject("matchLabels"))
                    .isEqualTo(labels);
            assertThat(object("Service", name).getAsJsonObject("spec").getAsJsonObject("selector"))
                    .isEqualTo(labels);
            JsonObject budget = object("PodDisruptionBudget", name).getAsJsonObject("spec");
            assertThat(budget.getAsJsonObject("selector").getAsJsonObject("matchLabels"))
                    .isEqualTo(labels);
            assertThat(budget.get("maxUnavailable").getAsInt()).isOne();
        }
        assertThat(object("Service", "moldau").getAsJsonObject("spec").getAsJsonObject("selector"))
                .isEqualTo(object("Service", "moldau-broker")
                        .getAsJsonObject("spec")
                        .getAsJsonObject("selector"));
    }

    @Test
    void probesAskWhatTheAdminInterfaceDescribes() throws IOException {
        Set<String> paths = describedPaths();
        for (String name : List.of("moldau-controller", "moldau-broker")) {
            JsonObject container = container(name);
            for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
                JsonObject get = container.getAsJsonObject(probe).getAsJsonObject("httpGet");
                assertThat(paths).contains(get.get("path").getAsString());
                assertThat(get.get("port").getAsString()).isEqualTo("admin");
            }
            assertThat(container
                            .getAsJsonObject("livenessProbe")
                            .getAsJsonObject("httpGet")
                            .get("path")
                            .getAsString())
                    .isEqualTo("/live");
            assertThat(container
                            .getAsJsonObject("readinessProbe")
                            .getAsJsonObject("httpGet")
                            .get("path")
                            .getAsString())
                    .isEqualTo("/ready");
        }
    }

    /// A stop waits for safety, and what is left of the grace period is enough for a stop in order.
    @Test
    void aStopIsGivenItsTime() throws IOException {
        for (String name : List.of("moldau-controller", "moldau-broker")) {
            JsonArray command = container(name)
                    .getAsJsonObject("lifecycle")
                    .getAsJsonObject("preStop")
                    .getAsJsonObject("exec")
                    .getAsJsonArray("command");
            assertThat(command.get(0).getAsString()).isEqualTo("/opt/moldau/bin/probe");
            assertThat(Checkout.DOCKER.resolve("image/probe")).isExecutable();
            assertThat(describedPaths()).contains(command.get(3).getAsString());
            int waits = Integer.parseInt(command.get(2).getAsString());
            int grace = pod(name).get("terminationGracePeriodSeconds").getAsInt();
            assertThat(grace - waits).isGreaterThanOrEqualTo(60);
        }
    }

    @Test
    void podsMayDoLittle() {
        for (String name : List.of("moldau-controller", "moldau-broker")) {
            JsonObject pod = pod(name);
            JsonObject container = container(name);
            assertThat(pod.getAsJsonObject("securityContext")
                            .get("runAsNonRoot")
                            .getAsBoolean())
                    .isTrue();
            assertThat(pod.get("automountServiceAccountToken").getAsBoolean()).isFalse();
            assertThat(container
                            .getAsJsonObject("securityContext")
                            .get("readOnlyRootFilesystem")
                            .getAsBoolean())
                    .isTrue();
            assertThat(container
                            .getAsJsonObject("securityContext")
                            .get("allowPrivilegeEscalation")
                            .getAsBoolean())
                    .isFalse();
            assertThat(container
                            .getAsJsonObject("resources")
                            .getAsJsonObject("limits")
                            .keySet())
                    .contains("memory");
            // The data is where the image keeps it, and in a volume that outlives the pod.
            assertThat(StreamSupport.stream(
                                    container.getAsJsonArray("volumeMounts").spliterator(), false)
                            .map(mount ->
                                    mount.getAsJsonObject().get("mountPath").getAsString()))
                    .containsExactlyInAnyOrder("/var/lib/moldau", "/tmp");
            assertThat(set(name).getAsJsonObject("spec").getAsJsonArray("volumeClaimTemplates"))
                    .singleElement()
                    .satisfies(claim -> assertThat(claim.getAsJsonObject()
                                    .getAsJsonObject("metadata")
                                    .getAsJsonObject("labels")
                                    .keySet())
                            .contains("moldau.io/backup"));
        }
    }

    private static Set<String> describedPaths() throws IOException {
        try (var in = NodeSettings.class.getResourceAsStream("admin/openapi.json")) {
            return JsonParser.parseReader(new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8))
                    .getAsJsonObject()
                    .getAsJsonObject("paths")
                    .keySet();
        }
    }

    /// What the process of a pod makes of its variables.
    private NodeConfig config(String set, int index) {
        Map<String, String> environment = environment(set, index);
        environment.put("MOLDAU_LOG_DIRS", "/var/lib/moldau"); // as in the image
        return NodeConfig.fromProperties(NodeSettings.of(Optional.empty(), Map.of(), environment));
    }

    /// The variables of a container as Kubernetes sets them: those of the pod, and `$(NAME)` for an earlier one.
    private Map<String, String> environment(String set, int index) {
        Map<String, String> pod = Map.of(
                "metadata.name",
                set + "-" + index,
                "metadata.namespace",
                NAMESPACE,
                "metadata.labels['apps.kubernetes.io/pod-index']",
                Integer.toString(index));
        var reference = Pattern.compile("\\$\\((\\w+)\\)");
        Map<String, String> environment = new HashMap<>();
        for (JsonElement one : container(set).getAsJsonArray("env")) {
            JsonObject variable = one.getAsJsonObject();
            JsonObject from = variable.getAsJsonObject("valueFrom");
            if (from != null && from.has("secretKeyRef")) {
                // There need be none.
                assertThat(from.getAsJsonObject("secretKeyRef").get("optional").getAsBoolean())
                        .isTrue();
                continue;
            }
            String value = from == null
                    ? reference
                            .matcher(variable.get("value").getAsString())
                            .replaceAll(found -> Matcher.quoteReplacement(
                                    Objects.requireNonNull(environment.get(found.group(1)), found.group())))
                    : Objects.requireNonNull(pod.get(
                            from.getAsJsonObject("fieldRef").get("fieldPath").getAsString()));
            environment.put(variable.get("name").getAsString(), value);
        }
        return environment;
    }

    private static String host(String set, int index) {
        return set + "-" + index + "." + set + "." + NAMESPACE + ".svc.cluster.local";
    }

    private JsonObject pod(String set) {
        return set(set).getAsJsonObject("spec").getAsJsonObject("template").getAsJsonObject("spec");
    }

    private JsonObject container(String set) {
        return pod(set).getAsJsonArray("containers").get(0).getAsJsonObject();
    }

    private JsonObject set(String name) {
        return object("StatefulSet", name);
    }

    private JsonObject object(String kind, String name) {
        return objects.stream()
                .filter(object -> object.get("kind").getAsString().equals(kind)
                        && object.getAsJsonObject("metadata")
                                .get("name")
                                .getAsString()
                                .equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no " + kind + " " + name));
    }

    private static Schema schema(JsonObject object) {
        String kind = object.get("apiVersion").getAsString() + "/"
                + object.get("kind").getAsString();
        return Objects.requireNonNull(SCHEMAS.get(kind), () -> "no schema for " + kind);
    }

    private static List<JsonObject> objects() {
        List<JsonObject> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                all.addAll(Yaml.documents(file));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }
}
