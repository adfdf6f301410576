package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Endpoint;
import io.moldau.ops.NodeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What can be said of the compose files without an engine: every node would start with its settings, and the files
/// agree with each other.
class ComposeFilesTest {

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z0-9_]+):-([^}]*)}");

    @ParameterizedTest
    @ValueSource(strings = {"compose.yaml", "compose.small.yaml"})
    void everyNodeWouldStart(String file) throws IOException {
        nodes(file).forEach((name, config) -> {
            assertThat(config.nodeId()).as(name).isPositive();
            assertThat(config.withoutEffect()).as(name).isEmpty();
        });
    }

    @Test
    void votersAndAddressesAreTheServices() throws IOException {
        Map<String, NodeConfig> nodes = nodes("compose.yaml");
        JsonObject services = services("compose.yaml");
        Set<String> voters = new TreeSet<>();
        Set<Integer> ids = new HashSet<>();
        nodes.forEach((name, config) -> {
            assertThat(ids.add(config.nodeId()))
                    .as("the id of %s is its own", name)
                    .isTrue();
            config.voters().forEach(voter -> {
                NodeConfig there = nodes.get(voter.host());
                assertThat(there).as("%s names %s", name, voter).isNotNull();
                assertThat(there.nodeId()).isEqualTo(voter.id());
                assertThat(there.listeners()).extracting(Endpoint::port).contains(voter.port());
                voters.add(voter.host());
            });
            assertThat(config.voters()).hasSize(3);
            for (Endpoint advertised : config.advertisedListeners()) {
                if (advertised.host().equals("localhost")) {
                    int inside = config.listeners().stream()
                            .filter(own -> own.listenerName().equals(advertised.listenerName()))
                            .findFirst()
                            .orElseThrow()
                            .port();
                    assertThat(texts(services.getAsJsonObject(name), "ports"))
                            .as("ports of %s", name)
                            .contains("127.0.0.1:" + advertised.port() + ":" + inside);
                } else {
                    assertThat(advertised.host()).isEqualTo(name);
                }
            }
        });
        assertThat(voters).containsExactly("controller1", "controller2", "controller3");
    }

    @Test
    void everyPublishedPortIsOfThisMachineOnly() throws IOException {
        for (String file : Set.of("compose.yaml", "compose.small.yaml")) {
            services(file)
                    .asMap()
                    .forEach((name, service) -> assertThat(texts(service.getAsJsonObject(), "ports"))
                            .as(name)
                            .allSatisfy(port -> assertThat(port).startsWith("127.0.0.1:")));
        }
    }

    @Test
    void mountedFilesAreThereAndVolumesAreDeclared() throws IOException {
        for (String file : Set.of("compose.yaml", "compose.small.yaml")) {
            Set<String> declared = compose(file).getAsJsonObject("volumes").keySet();
            services(file).asMap().values().stream()
                    .flatMap(service -> texts(service.getAsJsonObject(), "volumes"))
                    .map(volume -> volume.split(":", 2)[0])
                    .forEach(source -> {
                        if (source.startsWith(".")) {
                            assertThat(Checkout.DOCKER.resolve(source)).exists();
                        } else {
                            assertThat(declared).contains(source);
                        }
                    });
        }
    }

    @Test
    void prometheusScrapesEveryNode() throws IOException {
        JsonObject config = Yaml.document(Checkout.DOCKER.resolve("monitoring/prometheus.yml"));
        JsonObject job = config.getAsJsonArray("scrape_configs").get(0).getAsJsonObject();
        assertThat(job.get("job_name").getAsString())
                .as("the job that alerts ask for")
                .isEqualTo("moldau");
        JsonObject targets = job.getAsJsonArray("static_configs").get(0).getAsJsonObject();
        assertThat(texts(targets, "targets"))
                .containsExactlyInAnyOrderElementsOf(nodes("compose.yaml").keySet().stream()
                        .map(name -> name + ":9644")
                        .toList());
        assertThat(texts(config, "rule_files")).containsExactly("alerts.yml");
    }

    @Test
    void grafanaFindsPrometheusAndTheDashboards() throws IOException {
        Path folder = Checkout.DOCKER.resolve("monitoring/grafana");
        JsonObject source = Yaml.document(folder.resolve("datasources.yaml"))
                .getAsJsonArray("datasources")
                .get(0)
                .getAsJsonObject();
        assertThat(services("compose.yaml").keySet()).contains("prometheus");
        assertThat(source.get("url").getAsString()).isEqualTo("http://prometheus:9090");
        // The dashboards ask whichever source of this type there is.
        assertThat(source.get("type").getAsString()).isEqualTo("prometheus");
        JsonObject provider = Yaml.document(folder.resolve("dashboards.yaml"))
                .getAsJsonArray("providers")
                .get(0)
                .getAsJsonObject();
        String path = provider.getAsJsonObject("options").get("path").getAsString();
        JsonObject grafana = services("compose.yaml").getAsJsonObject("grafana");
        assertThat(texts(grafana, "volumes")).contains("../ops/dashboards:" + path + ":ro");
        String home = grafana.getAsJsonObject("environment")
                .get("GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH")
                .getAsString();
        assertThat(home).startsWith(path + "/");
        assertThat(Checkout.ROOT.resolve("ops/dashboards").resolve(home.substring(path.length() + 1)))
                .exists();
    }

    /// What each node's process would find: the settings of its variables, put together as `moldau start` does.
    private static Map<String, NodeConfig> nodes(String file) throws IOException {
        Map<String, NodeConfig> nodes = new LinkedHashMap<>();
        services(file).asMap().forEach((name, service) -> {
            if (text(service.getAsJsonObject().get("image")).startsWith("moldau:")) {
                Map<String, String> environment =
                        service.getAsJsonObject().getAsJsonObject("environment").asMap().entrySet().stream()
                                .collect(Collectors.toMap(Map.Entry::getKey, entry -> text(entry.getValue())));
                nodes.put(name, NodeConfig.fromProperties(NodeSettings.of(Optional.empty(), Map.of(), environment)));
            }
        });
        return nodes;
    }

    private static JsonObject services(String file) throws IOException {
        return compose(file).getAsJsonObject("services");
    }

    private static JsonObject compose(String file) throws IOException {
        Path path = Checkout.DOCKER.resolve(file);
        assertThat(Files.readString(path))
                .as("keys of compose that one of its releases refuses")
                .doesNotContain("\nname:", "\nversion:");
        return Yaml.document(path);
    }

    private static Stream<String> texts(JsonObject object, String name) {
        return object.has(name)
                ? StreamSupport.stream(object.getAsJsonArray(name).spliterator(), false)
                        .map(ComposeFilesTest::text)
                : Stream.empty();
    }

    /// With the defaults of its variables.
    private static String text(JsonElement value) {
        return VARIABLE.matcher(value.getAsString()).replaceAll("$2");
    }
}
