package io.moldau.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.config.ConfigException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// What a cluster in the test's process promises to those who test with it.
@MoldauCluster
class EmbeddedClusterTest {

    @Test
    void theParameterIsTheClassesCluster(EmbeddedCluster cluster, @BootstrapServers String servers) throws Exception {
        assertThat(cluster.brokers()).isEqualTo(1);
        assertThat(servers).isEqualTo(cluster.bootstrapServers());
        assertThat(cluster(servers).nodes().get()).hasSize(1);
    }

    @Nested
    class Inner {
        @Test
        void sharesTheOuterClassesCluster(EmbeddedCluster cluster) {
            assertThat(cluster.brokers()).isEqualTo(1);
        }
    }

    @Nested
    @MoldauCluster(brokers = 2)
    class InnerWithItsOwn {
        @Test
        void hasItsOwn(EmbeddedCluster cluster) {
            assertThat(cluster.brokers()).isEqualTo(2);
        }
    }

    @Test
    void threeBrokersHoldThreeReplicas() throws Exception {
        try (var cluster = EmbeddedCluster.start(3, Map.of());
                var admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            assertThat(cluster.bootstrapServers().split(",")).hasSize(3);
            admin.createTopics(List.of(new NewTopic("orders", 2, (short) 3)))
                    .all()
                    .get();
            var orders = Objects.requireNonNull(admin.describeTopics(List.of("orders"))
                            .topicNameValues()
                            .get("orders"))
                    .get();
            assertThat(orders.partitions())
                    .hasSize(2)
                    .allSatisfy(partition -> assertThat(partition.replicas())
                            .extracting(Node::id)
                            .containsExactlyInAnyOrder(1, 2, 3));
        }
    }

    @Test
    void clustersBesideEachOtherKnowNothingOfEachOther() throws Exception {
        try (var one = EmbeddedCluster.start();
                var other = EmbeddedCluster.start()) {
            assertThat(one.bootstrapServers()).isNotEqualTo(other.bootstrapServers());
            assertThat(cluster(one.bootstrapServers()).clusterId().get())
                    .isNotEqualTo(cluster(other.bootstrapServers()).clusterId().get());
        }
    }

    @Test
    void nothingStaysBehind() {
        Path folder;
        try (var cluster = EmbeddedCluster.start()) {
            folder = cluster.folder();
            assertThat(folder.resolve("node-1")).isDirectory();
            cluster.close();
        }
        assertThat(folder).doesNotExist();
    }

    @Test
    void aWrongSettingIsRefusedAsByANode() {
        assertThatThrownBy(() -> EmbeddedCluster.start(1, Map.of("num.partitons", "2")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("num.partitions");
        assertThatThrownBy(() -> EmbeddedCluster.start(0, Map.of())).isInstanceOf(IllegalArgumentException.class);
    }

    private static DescribeClusterResult cluster(String servers) {
        try (var admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            // Closing waits for what was asked.
            return admin.describeCluster();
        }
    }
}
