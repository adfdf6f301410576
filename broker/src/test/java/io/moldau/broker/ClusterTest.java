package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.metadata.image.BrokerRegistration;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Several nodes with real clients: roles, who is who, and what is asked at one node and done by another.
@Timeout(180)
class ClusterTest {

    @TempDir
    private Path data;

    private static Admin admin(String bootstrapServers) {
        return Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    private static Set<Integer> ids(Iterable<Node> nodes) {
        Set<Integer> ids = new TreeSet<>();
        nodes.forEach(node -> ids.add(node.id()));
        return ids;
    }

    /// The client asks any of the nodes, and one that was not asked to create the topic may hear of it a moment later.
    private static TopicDescription described(Admin admin, String topic) throws Exception {
        while (true) {
            try {
                return Objects.requireNonNull(admin.describeTopics(List.of(topic))
                        .allTopicNames()
                        .get()
                        .get(topic));
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
            }
        }
    }

    @Test
    void threeCombinedNodesAreOneCluster() throws Exception {
        try (TestCluster cluster = TestCluster.combined(data, 3).start()) {
            // Every node, asked alone, says the same.
            for (int id = 1; id <= 3; id++) {
                try (Admin admin = admin(cluster.address(id, "PLAINTEXT"))) {
                    while (!ids(admin.describeCluster().nodes().get()).equals(Set.of(1, 2, 3))) {
                        Thread.onSpinWait();
                    }
                    DescribeClusterResult described = admin.describeCluster();
                    assertThat(described.controller().get().id()).isBetween(1, 3);
                    assertThat(described.clusterId().get())
                            .isEqualTo(cluster.node(1).clusterId());
                    String topic = "made-at-" + id;
                    admin.createTopics(List.of(new NewTopic(topic, 6, (short) 3)))
                            .all()
                            .get();
                    TopicDescription seen = described(admin, topic);
                    for (TopicPartitionInfo partition : seen.partitions()) {
                        assertThat(ids(partition.replicas())).containsExactly(1, 2, 3);
                        assertThat(partition.leader().id()).isBetween(1, 3);
                    }
                    assertThat(seen.partitions().stream()
                                    .map(partition -> partition.leader().id())
                                    .collect(Collectors.toSet()))
                            .hasSize(3);
                }
            }
            // A change asked of one node is seen at another.
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, "made-at-1");
            try (Admin first = admin(cluster.address(1, "PLAINTEXT"));
                    Admin last = admin(cluster.address(3, "PLAINTEXT"))) {
                first.incrementalAlterConfigs(Map.of(
                                resource,
                                List.of(new AlterConfigOp(
                                        new ConfigEntry("retention.ms", "12345"), AlterConfigOp.OpType.SET))))
                        .all()
                        .get();
                last.deleteTopics(List.of("made-at-2")).all().get();
                while (first.listTopics().names().get().contains("made-at-2")
                        || !"12345"
                                .equals(Objects.requireNonNull(last.describeConfigs(List.of(resource))
                                                .all()
                                                .get()
                                                .get(resource))
                                        .get("retention.ms")
                                        .value())) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void theClusterGoesOnWithoutTheNodeThatIsStopped() throws Exception {
        try (TestCluster cluster = TestCluster.combined(data, 3).start();
                Admin admin = admin(cluster.bootstrapServers())) {
            // One after the other, so that one of them was the active controller.
            for (int id = 1; id <= 3; id++) {
                int stopped = id;
                String before = "before-" + id;
                admin.createTopics(List.of(new NewTopic(before, 6, (short) 3)))
                        .all()
                        .get();
                cluster.stop(id);
                admin.createTopics(List.of(new NewTopic("without-" + id, 2, (short) 2)))
                        .all()
                        .get();
                // Whoever is asked may hear of it a moment later.
                while (described(admin, before).partitions().stream()
                        .anyMatch(partition ->
                                partition.leader() == null || partition.leader().id() == stopped)) {
                    Thread.onSpinWait();
                }
                Set<Integer> others = new TreeSet<>(Set.of(1, 2, 3));
                others.remove(stopped);
                while (!ids(admin.describeCluster().nodes().get()).equals(others)) {
                    Thread.onSpinWait();
                }
                cluster.start();
                while (ids(admin.describeCluster().nodes().get()).size() < 3) {
                    Thread.onSpinWait();
                }
            }
            for (int id = 1; id <= 3; id++) {
                assertThat(described(admin, "without-" + id).partitions()).hasSize(2);
            }
        }
    }

    @Test
    void controllersAndBrokersInProcessesOfTheirOwn() throws Exception {
        List<Integer> ports = TestCluster.freePorts(3);
        String voters =
                "101@127.0.0.1:" + ports.get(0) + ",102@127.0.0.1:" + ports.get(1) + ",103@127.0.0.1:" + ports.get(2);
        TestCluster nodes = new TestCluster(data);
        for (int i = 0; i < 3; i++) {
            nodes.add(
                    101 + i,
                    "process.roles",
                    "controller",
                    "listeners",
                    "CONTROLLER://127.0.0.1:" + ports.get(i),
                    "controller.quorum.voters",
                    voters);
        }
        nodes.add(
                1,
                "process.roles",
                "broker",
                "listeners",
                "PLAINTEXT://127.0.0.1:0",
                "broker.rack",
                "east",
                "controller.quorum.voters",
                voters);
        // One address of any controller is enough.
        nodes.add(
                2,
                "process.roles",
                "broker",
                "listeners",
                "PLAINTEXT://127.0.0.1:0",
                "controller.quorum.bootstrap.servers",
                "127.0.0.1:" + ports.get(2));
        try (TestCluster cluster = nodes.start();
                Admin admin = admin(cluster.bootstrapServers());
                Admin ofControllers = Admin.create(Map.of("bootstrap.controllers", "127.0.0.1:" + ports.get(1)))) {
            assertThat(cluster.nodes().stream()
                            .map(io.moldau.broker.Node::clusterId)
                            .distinct())
                    .hasSize(1);
            while (!ids(admin.describeCluster().nodes().get()).equals(Set.of(1, 2))) {
                Thread.onSpinWait();
            }
            assertThat(admin.describeCluster().nodes().get())
                    .extracting(Node::rack)
                    .containsExactlyInAnyOrder("east", null);
            admin.createTopics(List.of(new NewTopic("orders", 4, (short) 2)))
                    .all()
                    .get();
            assertThat(ids(ofControllers.describeCluster().nodes().get())).containsExactly(101, 102, 103);
            int active = ofControllers.describeCluster().controller().get().id();
            ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, "1");
            ofControllers
                    .incrementalAlterConfigs(Map.of(
                            resource,
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("log.retention.ms", "54321"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
            cluster.stop(active);
            admin.createTopics(List.of(new NewTopic("payments", 4, (short) 2)))
                    .all()
                    .get();
            while (!admin.listTopics().names().get().equals(Set.of("orders", "payments"))) {
                Thread.onSpinWait();
            }
            assertThat(cluster.node(1).metadata().image().cluster().brokers())
                    .extracting(BrokerRegistration::fenced)
                    .containsOnly(false);
        }
    }
}
