package io.moldau.broker.api.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.TestNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.BrokerIdNotRegisteredException;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.NoReassignmentInProgressException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What an administrator does with partitions and brokers, by the reference's own client, against a node of one.
@Timeout(60)
class PartitionAdministrationTest {

    private static final TopicPartition T0 = new TopicPartition("t", 0);

    @TempDir
    private Path data;

    private TestNode node;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        node = TestNode.start(data);
        admin = Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
        admin.createTopics(List.of(new NewTopic("t", 2, (short) 1))).all().get();
    }

    @AfterEach
    void stop() {
        admin.close();
        node.close();
    }

    private static void assertFails(KafkaFuture<?> future, Class<? extends Exception> cause) {
        assertThatThrownBy(future::get).hasCauseInstanceOf(cause);
    }

    @Test
    void leadersAreElected() throws Exception {
        Map<TopicPartition, Optional<Throwable>> one = admin.electLeaders(ElectionType.PREFERRED, Set.of(T0))
                .partitions()
                .get();
        assertThat(one.get(T0)).containsInstanceOf(ElectionNotNeededException.class);
        assertThat(admin.electLeaders(ElectionType.PREFERRED, null).partitions().get())
                .isEmpty();
        assertThat(admin.electLeaders(ElectionType.UNCLEAN, Set.of(new TopicPartition("nothing", 0)))
                        .partitions()
                        .get()
                        .get(new TopicPartition("nothing", 0)))
                .containsInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void replicasAreMoved() throws Exception {
        admin.alterPartitionReassignments(Map.of(T0, Optional.of(new NewPartitionReassignment(List.of(1)))))
                .all()
                .get();
        assertThat(admin.listPartitionReassignments().reassignments().get()).isEmpty();
        assertFails(
                admin.alterPartitionReassignments(Map.of(T0, Optional.of(new NewPartitionReassignment(List.of(1, 9)))))
                        .all(),
                InvalidReplicaAssignmentException.class);
        assertFails(
                admin.alterPartitionReassignments(Map.of(T0, Optional.empty())).all(),
                NoReassignmentInProgressException.class);
    }

    @Test
    void anUnknownBrokerCannotBeUnregistered() {
        assertFails(admin.unregisterBroker(99).all(), BrokerIdNotRegisteredException.class);
    }

    @Test
    void eligibleLeadersAreOnInANewCluster() throws Exception {
        var features = admin.describeFeatures().featureMetadata().get().finalizedFeatures();
        assertThat(Objects.requireNonNull(features.get("eligible.leader.replicas.version"))
                        .maxVersionLevel())
                .isEqualTo((short) 1);
        var cluster = new ConfigResource(ConfigResource.Type.BROKER, "");
        assertFails(
                admin.incrementalAlterConfigs(Map.of(
                                cluster,
                                List.of(new AlterConfigOp(
                                        new ConfigEntry("min.insync.replicas", ""), AlterConfigOp.OpType.DELETE))))
                        .all(),
                InvalidConfigurationException.class);
        var partition = Objects.requireNonNull(
                        admin.describeTopics(List.of("t")).allTopicNames().get().get("t"))
                .partitions()
                .getFirst();
        assertThat(partition.elr()).isEmpty();
        assertThat(partition.lastKnownElr()).isEmpty();
        assertThat(partition.isr()).hasSize(1);
    }

    @Test
    void throttlesOfReplicationAreAccepted() throws Exception {
        var topic = new ConfigResource(ConfigResource.Type.TOPIC, "t");
        var broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        admin.incrementalAlterConfigs(Map.of(
                        topic,
                        List.of(new AlterConfigOp(
                                new ConfigEntry("leader.replication.throttled.replicas", "0:1"),
                                AlterConfigOp.OpType.SET)),
                        broker,
                        List.of(
                                new AlterConfigOp(
                                        new ConfigEntry("leader.replication.throttled.rate", "1000000"),
                                        AlterConfigOp.OpType.SET),
                                new AlterConfigOp(
                                        new ConfigEntry("follower.replication.throttled.rate", "1000000"),
                                        AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }
}
