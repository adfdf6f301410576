package io.moldau.ops.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.NodeHandle;
import io.moldau.ops.chaos.cluster.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.QuorumInfo.ReplicaState;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Three brokers under load, while their controllers go from one to three to five and back to three.
class QuorumGrowthIT {

    private static final Duration JOIN = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void controllersComeAndGo(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        var settings = RunSettings.of("1 to 3 to 5 to 3 controllers", ChaosOptions.seed(), ChaosOptions.partitions(30));
        var plan = ClusterPlan.of(subject, folder)
                .controllers(101, 102, 103, 104, 105)
                .brokers(1, 2, 3)
                .dynamicQuorum();
        try (var cluster = ClusterProcesses.start(plan, List.of(101, 1, 2, 3));
                var run = new ChaosRun(cluster, settings);
                var probe = new MetadataProbe(cluster.bootstrap(), ChaosRun.TOPIC, run.history())) {
            var stalls = new ArrayList<String>();
            for (int id : new int[] {102, 103, 104, 105}) {
                join(cluster, cluster.node(id));
                stalls.add("+%d %.2f s".formatted(id, probe.takeLongest().seconds()));
            }
            assertThat(voters(cluster)).containsExactlyInAnyOrder(101, 102, 103, 104, 105);
            for (int i = 0; i < 2; i++) {
                // The leader goes first: that is the harder case.
                int leader = cluster.view().activeController();
                leave(cluster, cluster.node(leader));
                stalls.add("-%d %.2f s".formatted(leader, probe.takeLongest().seconds()));
            }
            assertThat(voters(cluster)).hasSize(3);
            run.awaitFresh(System.nanoTime());
            var gaps = run.history().takeGaps();
            var report = run.finish();
            System.out.printf(
                    "CHAOS quorum growth %s: longest change of metadata in each step: %s; longest gap %.2f s%n",
                    subject, stalls, gaps.partition().seconds());
            assertThat(report.clean()).as("%s%n%s", report, report.problems()).isTrue();
        }
    }

    private static Set<Integer> voters(ClusterProcesses cluster) throws Exception {
        return cluster.view().quorum().voters().stream()
                .map(ReplicaState::replicaId)
                .collect(Collectors.toSet());
    }

    private static void join(ClusterProcesses cluster, NodeHandle node) {
        node.start();
        cluster.await("node " + node.id() + " to follow the quorum", JOIN, () -> directory(cluster, node.id()) != null);
        cluster.await("node " + node.id() + " to be a voter", JOIN, () -> {
            if (!voters(cluster).contains(node.id())) {
                var endpoint = new RaftVoterEndpoint(
                        "CONTROLLER", "127.0.0.1", node.plan().controllerPort());
                cluster.view()
                        .admin()
                        .addRaftVoter(node.id(), directory(cluster, node.id()), Set.of(endpoint))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            return voters(cluster).contains(node.id());
        });
    }

    private static void leave(ClusterProcesses cluster, NodeHandle node) {
        cluster.await("node " + node.id() + " to be no voter", JOIN, () -> {
            var state = state(cluster, node.id(), true);
            if (state != null) {
                cluster.view()
                        .admin()
                        .removeRaftVoter(node.id(), state.replicaDirectoryId())
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            return !voters(cluster).contains(node.id());
        });
        node.stop();
    }

    private static @Nullable Uuid directory(ClusterProcesses cluster, int id) throws Exception {
        var state = state(cluster, id, false);
        return state == null ? null : state.replicaDirectoryId();
    }

    private static @Nullable ReplicaState state(ClusterProcesses cluster, int id, boolean voter) throws Exception {
        var quorum = cluster.view().quorum();
        return (voter ? quorum.voters() : quorum.observers())
                .stream().filter(it -> it.replicaId() == id).findFirst().orElse(null);
    }
}
