package io.moldau.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.config.NodeConfig.HostPort;
import io.moldau.broker.config.NodeConfig.Role;
import io.moldau.broker.config.NodeConfig.Voter;
import io.moldau.common.Endpoint;
import io.moldau.common.config.ConfigException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeConfigTest {

    private static NodeConfig config(String... keysAndValues) {
        return NodeConfig.fromProperties(map(keysAndValues));
    }

    private static Map<String, String> map(String... keysAndValues) {
        Map<String, String> settings = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return settings;
    }

    private static void assertRefused(String expected, String... keysAndValues) {
        assertThatThrownBy(() -> config(keysAndValues))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(expected);
    }

    @Test
    void aNodeWithoutSettingsIsBrokerAndControllerOnLoopback() {
        NodeConfig config = config();
        assertThat(config.nodeId()).isEqualTo(1);
        assertThat(config.roles()).containsExactlyInAnyOrder(Role.BROKER, Role.CONTROLLER);
        assertThat(config.listeners())
                .containsExactly(
                        new Endpoint("PLAINTEXT", "PLAINTEXT", "localhost", 9092),
                        new Endpoint("CONTROLLER", "PLAINTEXT", "127.0.0.1", 9093));
        assertThat(config.interBrokerListener()).isEqualTo("PLAINTEXT");
        assertThat(config.voters()).isEmpty();
        assertThat(config.logDirs())
                .containsExactly(Path.of("data").toAbsolutePath().normalize());
    }

    @Test
    void theServerPropertiesThatKafkaShipsWork() {
        NodeConfig config = config(
                "process.roles", "broker,controller",
                "node.id", "1",
                "controller.quorum.bootstrap.servers", "localhost:9093",
                "listeners", "PLAINTEXT://:9092,CONTROLLER://:9093",
                "inter.broker.listener.name", "PLAINTEXT",
                "advertised.listeners", "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
                "controller.listener.names", "CONTROLLER",
                "listener.security.protocol.map",
                        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
                "num.network.threads", "3",
                "num.io.threads", "8",
                "socket.send.buffer.bytes", "102400",
                "socket.receive.buffer.bytes", "102400",
                "socket.request.max.bytes", "104857600",
                "log.dirs", "/tmp/kraft-combined-logs",
                "num.partitions", "1",
                "num.recovery.threads.per.data.dir", "2",
                "offsets.topic.replication.factor", "1",
                "share.coordinator.state.topic.replication.factor", "1",
                "share.coordinator.state.topic.min.isr", "1",
                "transaction.state.log.replication.factor", "1",
                "transaction.state.log.min.isr", "1",
                "log.retention.hours", "168",
                "log.segment.bytes", "1073741824",
                "log.retention.check.interval.ms", "300000");
        assertThat(config.advertisedListeners())
                .containsExactly(
                        new Endpoint("PLAINTEXT", "PLAINTEXT", "localhost", 9092),
                        new Endpoint("CONTROLLER", "PLAINTEXT", "localhost", 9093));
        assertThat(config.withoutEffect())
                .containsKey("share.coordinator.state.topic.min.isr")
                .doesNotContainKeys("num.io.threads", "transaction.state.log.min.isr");
    }

    @Test
    void anUnknownKeyIsRefusedWithTheNearestName() {
        assertRefused("The nearest valid name is log.retention.hours.", "log.retention.hour", "1");
        assertRefused("The nearest valid name is num.partitions.", "num.partitons", "1");
    }

    @Test
    void aValueThatIsNotAllowedIsRefusedWithKeyAndReason() {
        assertRefused("Invalid value many for configuration num.partitions: Not a number", "num.partitions", "many");
        assertRefused("Value must be at least 1", "num.partitions", "0");
        assertRefused("each entry must be one of broker, controller", "process.roles", "brokers");
        assertRefused("log.retention.hours", "log.retention.hours", "0");
    }

    @Test
    void whatIsNotBuiltIsRefusedWithTheReason() {
        assertRefused("TLS is not built yet", "ssl.keystore.location", "/keys.jks");
        assertRefused("Authentication (SASL) is not built yet", "sasl.enabled.mechanisms", "PLAIN");
        assertRefused(
                "Authorization is not built yet",
                "authorizer.class.name",
                "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        assertRefused("are not built yet", "listener.name.plaintext.ssl.client.auth", "required");
        assertRefused(
                "Listener PLAINTEXT has the security protocol SSL",
                "listener.security.protocol.map",
                "PLAINTEXT:SSL,CONTROLLER:PLAINTEXT");
    }

    @Test
    void aSecretIsNotPrintedWhenItIsRefused() {
        assertThatThrownBy(() -> config("ssl.keystore.password", "geheim"))
                .hasMessageContaining("[hidden]")
                .hasMessageNotContaining("geheim");
    }

    @Test
    void settingAKeyToItsDefaultAsksForNothing() {
        assertThat(config("ssl.client.auth", "none", "authorizer.class.name", "")
                        .nodeId())
                .isEqualTo(1);
    }

    @Test
    void theRackAwareSelectorIsKnownByItsClass() {
        assertThat(config(
                                "replica.selector.class",
                                "org.apache.kafka.common.replica.RackAwareReplicaSelector",
                                "broker.rack",
                                "RACK1")
                        .rack())
                .isEqualTo("RACK1");
        assertRefused("replica.selector.class=com.example.Mine", "replica.selector.class", "com.example.Mine");
    }

    @Test
    void contradictionsNameBothKeys() {
        assertRefused("node.id=1 and broker.id=2", "node.id", "1", "broker.id", "2");
        assertRefused(
                "advertised.listeners names EXTERNAL, which is not in listeners",
                "advertised.listeners",
                "EXTERNAL://example.org:9092",
                "listener.security.protocol.map",
                "EXTERNAL:PLAINTEXT,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        assertRefused(
                "listeners has port 9092 twice", "listeners", "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9092");
        assertRefused(
                "None of controller.listener.names=CTRL is in listeners",
                "listeners",
                "PLAINTEXT://:9092",
                "controller.listener.names",
                "CTRL");
        assertRefused(
                "inter.broker.listener.name=CONTROLLER is also in controller.listener.names",
                "inter.broker.listener.name",
                "CONTROLLER");
        assertRefused(
                "controller.quorum.voters=2@localhost:9093 does not name node.id=1",
                "controller.quorum.voters",
                "2@localhost:9093");
        assertRefused(
                "broker.session.timeout.ms=9000 is less than twice broker.heartbeat.interval.ms=5000",
                "broker.heartbeat.interval.ms",
                "5000");
        assertRefused(
                "group.min.session.timeout.ms=6000 is greater than group.max.session.timeout.ms=100",
                "group.max.session.timeout.ms",
                "100");
        assertRefused(
                "queued.max.request.bytes=10 is less than socket.request.max.bytes", "queued.max.request.bytes", "10");
        assertRefused(
                "which is not in controller.listener.names, but process.roles has no broker",
                "process.roles",
                "controller",
                "listeners",
                "PLAINTEXT://:9092,CONTROLLER://:9093");
        assertRefused("nobody can connect to 0.0.0.0", "advertised.listeners", "PLAINTEXT://0.0.0.0:9092");
    }

    @Test
    void listenersOfClientsAloneGetAControllerListenerOfTheirOwn() {
        assertThat(config("listeners", "PLAINTEXT://0.0.0.0:19092").listeners())
                .containsExactly(
                        new Endpoint("PLAINTEXT", "PLAINTEXT", "0.0.0.0", 19092),
                        new Endpoint("CONTROLLER", "PLAINTEXT", "127.0.0.1", 0));
    }

    @Test
    void addressesMayBeIpv6() {
        NodeConfig config = config(
                "listeners", "PLAINTEXT://[::1]:9092,CONTROLLER://[::1]:9093",
                "controller.quorum.voters", "1@[::1]:9093");
        assertThat(config.listeners().getFirst()).isEqualTo(new Endpoint("PLAINTEXT", "PLAINTEXT", "::1", 9092));
        assertThat(config.voters()).containsExactly(new Voter(1, "::1", 9093));
    }

    @Test
    void listenerNamesDoNotDependOnCase() {
        NodeConfig config = config(
                "listeners", "internal://:9092,controller://:9093",
                "inter.broker.listener.name", "Internal",
                "listener.security.protocol.map", "Internal:plaintext,CONTROLLER:PLAINTEXT");
        assertThat(config.interBrokerListener()).isEqualTo("INTERNAL");
    }

    @Test
    void aBrokerAloneNeedsVoters() {
        assertRefused("controller.quorum.voters to id@host:port of all", "process.roles", "broker");
        NodeConfig config = config(
                "process.roles", "broker",
                "node.id", "7",
                "controller.quorum.voters", "1@localhost:9093",
                "listeners", "PLAINTEXT://localhost:9192");
        assertThat(config.isController()).isFalse();
        assertThat(config.voters()).containsExactly(new Voter(1, "localhost", 9093));
    }

    @Test
    void controllersAreFoundByBootstrapServers() {
        NodeConfig config = config(
                "process.roles", "broker",
                "node.id", "7",
                "controller.quorum.bootstrap.servers", "one.example.org:9093,[::1]:19093",
                "listeners", "PLAINTEXT://localhost:9192");
        assertThat(config.voters()).isEmpty();
        assertThat(config.bootstrapServers())
                .containsExactly(new HostPort("one.example.org", 9093), new HostPort("::1", 19093));
        assertRefused("must be host:port", "controller.quorum.bootstrap.servers", "1@one.example.org:9093");
    }

    @Test
    void rolesAndListenersMustFit() {
        assertRefused(
                "advertised.listeners names CONTROLLER",
                "process.roles",
                "broker",
                "node.id",
                "7",
                "controller.quorum.voters",
                "1@localhost:9093",
                "listeners",
                "PLAINTEXT://localhost:9192",
                "advertised.listeners",
                "PLAINTEXT://localhost:9192,CONTROLLER://localhost:9093");
        assertRefused(
                "names node.id=1, but process.roles has no controller",
                "process.roles",
                "broker",
                "controller.quorum.voters",
                "1@localhost:9093");
        assertRefused(
                "does not name node.id=4",
                "node.id",
                "4",
                "controller.quorum.voters",
                "1@localhost:9093,2@localhost:9094");
        NodeConfig controller = config(
                "process.roles", "controller",
                "node.id", "2",
                "listeners", "CONTROLLER://localhost:9094",
                "controller.quorum.voters", "1@localhost:9093,2@localhost:9094");
        assertThat(controller.isBroker()).isFalse();
        assertThat(controller.listeners()).hasSize(1);
        assertThat(controller.interBrokerListener()).isNull();
    }

    @Test
    void pluginKeysOfTheReferencesAuthorizerAreHarmlessAlone() {
        assertThat(config("super.users", "User:admin", "allow.everyone.if.no.acl.found", "true")
                        .nodeId())
                .isEqualTo(1);
    }

    @Test
    void everyFindingIsToldAtOnce() {
        assertThat(NodeConfig.findings(map(
                        "num.partitions",
                        "x",
                        "log.retention.hour",
                        "1",
                        "process.roles",
                        "broker",
                        "log.dirs",
                        "/a,/a")))
                .hasSize(4)
                .anySatisfy(finding -> assertThat(finding).contains("num.partitions"))
                .anySatisfy(finding -> assertThat(finding).contains("log.retention.hours"))
                .anySatisfy(finding -> assertThat(finding).contains("controller.quorum.bootstrap.servers"))
                .anySatisfy(finding -> assertThat(finding).contains("names /a twice"));
        assertThat(NodeConfig.findings(map("broker.session.timeout.ms", "1000", "log.retention.ms", "0")))
                .hasSize(2);
        assertThat(NodeConfig.findings(map())).isEmpty();
    }

    @Test
    void whatFollowsFromAWrongListenerIsNotToldToo() {
        assertThat(NodeConfig.findings(map("process.roles", "brokr", "listeners", "CONTROLLER://:1")))
                .singleElement()
                .asString()
                .contains("process.roles");
        assertThat(NodeConfig.findings(map("listeners", "PLAINTEXT://:1,PLAINTEXT://:2")))
                .hasSize(1);
    }
}
