package io.moldau.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.config.NodeConfig;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentSettingsTest {

    @Test
    void aVariableSetsTheKeyOfItsName() {
        assertThat(EnvironmentSettings.of(Map.of(
                        "MOLDAU_ADVERTISED_LISTENERS",
                        "PLAINTEXT://broker1:9092",
                        "MOLDAU_NODE_ID",
                        "7",
                        "MOLDAU_ADMIN_LISTENER",
                        "",
                        "PATH",
                        "/bin",
                        "moldau_node_id",
                        "8")))
                .isEqualTo(Map.of(
                        "advertised.listeners", "PLAINTEXT://broker1:9092", "node.id", "7", "admin.listener", ""));
    }

    @Test
    void keysOfOurOwnNeedTheirPrefixOnlyOnce() {
        assertThat(EnvironmentSettings.of(Map.of("MOLDAU_CLUSTER_ID", "4L6g3nShT-eMCtK--X86sw")))
                .isEqualTo(Map.of("moldau.cluster.id", "4L6g3nShT-eMCtK--X86sw"));
        assertThat(EnvironmentSettings.of(Map.of("MOLDAU_MOLDAU_CLUSTER_ID", "4L6g3nShT-eMCtK--X86sw")))
                .isEqualTo(Map.of("moldau.cluster.id", "4L6g3nShT-eMCtK--X86sw"));
    }

    @Test
    void everyKeyHasAVariableThatSetsIt() {
        assertThat(NodeConfig.keyNames()).hasSizeGreaterThan(300).allSatisfy(key -> {
            String variable = EnvironmentSettings.variable(key);
            assertThat(variable).isEqualTo(variable.toUpperCase(Locale.ROOT)).doesNotContain(".", "-");
            assertThat(EnvironmentSettings.of(Map.of(variable, "v"))).isEqualTo(Map.of(key, "v"));
        });
    }

    @Test
    void theLaunchersAndOtherPeoplesVariablesSetNothing() {
        assertThat(EnvironmentSettings.of(Map.of(
                        "MOLDAU_HEAP", "64m",
                        "MOLDAU_JVM_OPTS", "-Dx=y",
                        // What Kubernetes says of services called moldau and moldau-bootstrap.
                        "MOLDAU_SERVICE_HOST", "10.0.0.1",
                        "MOLDAU_SERVICE_PORT", "9092",
                        "MOLDAU_SERVICE_PORT_CLIENTS", "9092",
                        "MOLDAU_PORT", "tcp://10.0.0.1:9092",
                        "MOLDAU_PORT_9092_TCP_ADDR", "10.0.0.1",
                        "MOLDAU_BOOTSTRAP_SERVICE_HOST", "10.0.0.1",
                        "MOLDAU_BOOTSTRAP_PORT_9092_TCP", "tcp://10.0.0.1:9092")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "MOLDAU_ADVERTISED_LISTENER,  MOLDAU_ADVERTISED_LISTENERS, advertised.listeners",
        "MOLDAU_NUM_PARTITONS,        MOLDAU_NUM_PARTITIONS,       num.partitions",
        "MOLDAU_NUM__PARTITIONS,      MOLDAU_NUM_PARTITIONS,       num.partitions",
        "MOLDAU_CLUSTERID,            MOLDAU_CLUSTER_ID,           moldau.cluster.id",
        "MOLDAU_,                     MOLDAU_,                     .",
    })
    void anythingElseIsRefusedWithTheNearestName(String variable, String nearest, String key) {
        assertThatThrownBy(() -> EnvironmentSettings.of(Map.of(variable, "1")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("variable " + variable + " ")
                .hasMessageContaining("nearest valid name is " + nearest)
                .hasMessageContaining(key);
    }

    @Test
    void twoVariablesForOneKeyAreNamed() {
        assertThatThrownBy(
                        () -> EnvironmentSettings.of(Map.of("MOLDAU_CLUSTER_ID", "a", "MOLDAU_MOLDAU_CLUSTER_ID", "b")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("MOLDAU_CLUSTER_ID and MOLDAU_MOLDAU_CLUSTER_ID")
                .hasMessageContaining("moldau.cluster.id");
    }
}
