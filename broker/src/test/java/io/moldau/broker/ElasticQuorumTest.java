package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.DuplicateVoterException;
import org.apache.kafka.common.errors.FeatureUpdateFailedException;
import org.apache.kafka.common.errors.InvalidUpdateVersionException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.VoterNotFoundException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A quorum that begins with one node and changes while it works, asked for by the reference's own client.
@Timeout(240)
class ElasticQuorumTest {

    @TempDir
    private Path data;

    private static Set<Integer> ids(List<QuorumInfo.ReplicaState> replicas) {
        Set<Integer> ids = new TreeSet<>();
        replicas.forEach(replica -> ids.add(replica.replicaId()));
        return ids;
    }

    private static QuorumInfo await(Admin admin, Predicate<QuorumInfo> condition) throws Exception {
        while (true) {
            QuorumInfo info = admin.describeMetadataQuorum().quorumInfo().get();
            if (condition.test(info)) {
                return info;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private Uuid directoryId(int id) throws Exception {
        Properties meta = new Properties();
        meta.load(new StringReader(Files.readString(data.resolve("node-" + id).resolve("meta.properties"))));
        return Uuid.fromString(meta.getProperty("directory.id"));
    }

    /// Changes come one at a time: while another one ends, the answer is to try again.
    private static void add(Admin admin, int id, Uuid directoryId, RaftVoterEndpoint endpoint) throws Exception {
        while (true) {
            try {
                admin.addRaftVoter(id, directoryId, Set.of(endpoint)).all().get();
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TimeoutException)) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    @Test
    void controllersJoinAndLeaveARunningCluster() throws Exception {
        List<Integer> ports = TestCluster.freePorts(4);
        String first = "127.0.0.1:" + ports.get(0);
        TestCluster nodes = new TestCluster(data)
                .add(1, "listeners", "PLAINTEXT://127.0.0.1:" + ports.get(3) + ",CONTROLLER://" + first);
        try (TestCluster cluster = nodes.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
                Admin ofControllers = Admin.create(Map.of("bootstrap.controllers", first))) {
            assertThat(ids(admin.describeMetadataQuorum().quorumInfo().get().voters()))
                    .containsExactly(1);
            for (int id = 2; id <= 3; id++) {
                cluster.add(
                        id,
                        "process.roles",
                        "controller",
                        "listeners",
                        "CONTROLLER://127.0.0.1:" + ports.get(id - 1),
                        "controller.quorum.bootstrap.servers",
                        first,
                        "controller.quorum.auto.join.enable",
                        Boolean.toString(id == 2));
            }
            cluster.start();
            assertThat(cluster.node(3).clusterId()).isEqualTo(cluster.node(1).clusterId());

            // One by itself, one when it is told to.
            await(admin, info -> ids(info.voters()).equals(Set.of(1, 2)));
            QuorumInfo before = await(
                    ofControllers,
                    info -> ids(info.observers()).contains(3) && info.nodes().containsKey(3));
            assertThat(before.observers())
                    .filteredOn(observer -> observer.replicaId() == 3)
                    .singleElement()
                    .satisfies(observer ->
                            assertThat(observer.replicaDirectoryId()).isEqualTo(directoryId(3)));
            assertThat(Objects.requireNonNull(before.nodes().get(3)).endpoints())
                    .singleElement()
                    .satisfies(known -> assertThat(known.port()).isEqualTo(ports.get(2)));
            RaftVoterEndpoint endpoint = new RaftVoterEndpoint("CONTROLLER", "127.0.0.1", ports.get(2));
            add(admin, 3, directoryId(3), endpoint);
            QuorumInfo grown = await(admin, info -> ids(info.voters()).equals(Set.of(1, 2, 3)));
            assertThat(grown.leaderId()).isEqualTo(1);
            assertThat(grown.highWatermark()).isPositive();
            await(
                    admin,
                    info -> info.voters().stream()
                            .allMatch(voter -> voter.logEndOffset() >= info.highWatermark() - 5
                                    && voter.lastCaughtUpTimestamp().orElse(0) > 0));
            assertThat(Objects.requireNonNull(grown.nodes().get(3)).endpoints()).hasSize(1);

            assertThatThrownBy(() -> admin.addRaftVoter(3, directoryId(3), Set.of(endpoint))
                            .all()
                            .get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(DuplicateVoterException.class);
            assertThatThrownBy(() ->
                            admin.removeRaftVoter(3, Uuid.randomUuid()).all().get())
                    .hasCauseInstanceOf(VoterNotFoundException.class);

            admin.createTopics(List.of(new NewTopic("orders", 3, (short) 1)))
                    .all()
                    .get();
            ofControllers.removeRaftVoter(3, directoryId(3)).all().get();
            await(admin, info -> ids(info.voters()).equals(Set.of(1, 2)));
            await(admin, info -> ids(info.observers()).contains(3));
            // And once more.
            add(admin, 3, directoryId(3), endpoint);
            await(admin, info -> ids(info.voters()).equals(Set.of(1, 2, 3)));
            // A voter that is stopped is missed by nobody.
            cluster.stop(2);
            admin.createTopics(List.of(new NewTopic("payments", 3, (short) 1)))
                    .all()
                    .get();
            assertThat(admin.listTopics().names().get()).contains("orders", "payments");
        }
    }

    private static String[] controller(int port, String first) {
        return new String[] {
            "process.roles",
            "controller",
            "listeners",
            "CONTROLLER://127.0.0.1:" + port,
            "controller.quorum.bootstrap.servers",
            first,
            "controller.quorum.auto.join.enable",
            "true"
        };
    }

    /// Raft's list of voters keeps the address with which a voter joined; its registration tells
    /// where it is now.
    @Test
    void aVoterThatComesBackAtAnotherAddressIsFoundThere() throws Exception {
        List<Integer> ports = TestCluster.freePorts(5);
        String first = "127.0.0.1:" + ports.get(0);
        TestCluster nodes = new TestCluster(data)
                .add(1, "listeners", "PLAINTEXT://127.0.0.1:" + ports.get(3) + ",CONTROLLER://" + first);
        try (TestCluster cluster = nodes.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            for (int id = 2; id <= 3; id++) {
                cluster.add(id, controller(ports.get(id - 1), first)).start();
                int joined = id;
                await(admin, info -> ids(info.voters()).contains(joined));
            }
            cluster.stop(2);
            admin.createTopics(List.of(new NewTopic("meanwhile", 1, (short) 1)))
                    .all()
                    .get();

            cluster.add(2, controller(ports.get(4), first)).start();

            QuorumInfo moved = await(
                    admin,
                    info -> info.voters().stream()
                            .anyMatch(voter -> voter.replicaId() == 2 && voter.logEndOffset() >= info.highWatermark()));
            assertThat(Objects.requireNonNull(moved.nodes().get(2)).endpoints())
                    .singleElement()
                    .satisfies(known -> assertThat(known.port()).isEqualTo(ports.get(4)));
        }
    }

    @Test
    void featuresGoDownAndUpAgain() throws Exception {
        String feature = "eligible.leader.replicas.version";
        List<Integer> ports = TestCluster.freePorts(2);
        String controller = "127.0.0.1:" + ports.get(0);
        TestCluster nodes = new TestCluster(data)
                .add(1, "listeners", "PLAINTEXT://127.0.0.1:" + ports.get(1) + ",CONTROLLER://" + controller);
        try (TestCluster cluster = nodes.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
                Admin ofControllers = Admin.create(Map.of("bootstrap.controllers", controller))) {
            // The controller may register a moment after the broker.
            while (true) {
                try {
                    update(admin, feature, 0, UpgradeType.SAFE_DOWNGRADE);
                    break;
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(FeatureUpdateFailedException.class);
                    TimeUnit.MILLISECONDS.sleep(20);
                }
            }
            awaitLevel(admin, feature, 0);
            assertThatThrownBy(() -> update(admin, feature, 2, UpgradeType.UPGRADE))
                    .hasCauseInstanceOf(InvalidUpdateVersionException.class)
                    .hasMessageContaining("supports only levels 0 to 1");
            update(ofControllers, feature, 1, UpgradeType.UPGRADE);
            awaitLevel(admin, feature, 1);
            assertThat(ofControllers.describeCluster().nodes().get())
                    .singleElement()
                    .satisfies(node -> assertThat(node.port()).isEqualTo(ports.get(0)));
        }
    }

    private static void update(Admin admin, String feature, int level, UpgradeType type) throws Exception {
        admin.updateFeatures(Map.of(feature, new FeatureUpdate((short) level, type)), new UpdateFeaturesOptions())
                .all()
                .get();
    }

    /// What a broker tells comes with the metadata.
    private static void awaitLevel(Admin admin, String feature, int level) throws Exception {
        while (true) {
            var finalized = admin.describeFeatures().featureMetadata().get().finalizedFeatures();
            var range = finalized.get(feature);
            if ((range == null ? 0 : range.maxVersionLevel()) == level) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
