package io.moldau.ops.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.Faults.Kind;
import io.moldau.ops.chaos.Faults.Target;
import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.chaos.net.Network;
import io.moldau.ops.chaos.net.NetworkNamespaces;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Faults against three nodes that are brokers and controllers, under load of Java clients and librdkafka.
///
/// The short form runs always. `-Dmoldau.long=true` runs the others too, `-Dmoldau.chaos.subject=reference` runs them
/// against Apache Kafka and `both` against both, `-Dmoldau.chaos.rounds=N` changes the number of rounds, and
/// `-Dmoldau.seed=N` repeats the faults of a run.
class ChaosIT {

    @TempDir
    private Path folder;

    /// Four kills, one pause, and all nodes at once.
    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shortForm(Subject subject) throws Exception {
        var settings = RunSettings.of("short", ChaosOptions.seed(), 20);
        try (var cluster =
                        ClusterProcesses.start(ClusterPlan.of(subject, folder).combined(3));
                var run = new ChaosRun(cluster, settings)) {
            var faults = new Faults(cluster, ChaosRun.TOPIC, random(settings));
            run.round(faults.kill(faults.choose(Target.BUSIEST)));
            run.round(faults.kill(faults.choose(Target.ACTIVE_CONTROLLER)));
            run.round(faults.pause(faults.choose(Target.BUSIEST), Duration.ofSeconds(3)));
            run.round(faults.kill(faults.choose(Target.FOLLOWER)));
            run.round(faults.kill(faults.choose(Target.ACTIVE_CONTROLLER)));
            run.round(faults.allAtOnce());
            assertClean(run.finish());
        }
    }

    /// The busiest broker that is not the active controller.
    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void killsOfTheBusiestBroker(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        kills(subject, "kills of the busiest broker", Target.BUSIEST);
    }

    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void killsOfBrokerAndActiveController(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        kills(subject, "kills of broker and active controller", Target.ACTIVE_CONTROLLER);
    }

    private void kills(Subject subject, String scenario, Target target) throws Exception {
        var settings = RunSettings.of(scenario, ChaosOptions.seed(), ChaosOptions.partitions(1_000));
        var plan = ClusterPlan.of(subject, folder).combined(3);
        if (settings.partitions() > 500) {
            plan.heap(subject == Subject.MOLDAU ? "256m" : "512m");
        }
        try (var cluster = ClusterProcesses.start(plan);
                var run = new ChaosRun(cluster, settings)) {
            var faults = new Faults(cluster, ChaosRun.TOPIC, random(settings));
            for (int round = 0; round < ChaosOptions.rounds(20); round++) {
                run.round(faults.kill(faults.choose(target)));
            }
            assertClean(run.finish());
        }
    }

    /// Kills, pauses, cuts and slow links between nodes, all nodes at once; drawn by the seed.
    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 180, unit = TimeUnit.MINUTES)
    void mixedFaults(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        var settings = RunSettings.of("mixed faults", ChaosOptions.seed(), ChaosOptions.partitions(30));
        try (var network = new Network();
                var cluster = ClusterProcesses.start(
                        ClusterPlan.proxied(subject, folder, network).combined(3));
                var run = new ChaosRun(cluster, settings)) {
            var faults = new Faults(cluster, ChaosRun.TOPIC, random(settings));
            var kinds = List.copyOf(EnumSet.allOf(Kind.class));
            for (int round = 0; round < ChaosOptions.rounds(200); round++) {
                run.round(faults.draw(kinds));
            }
            assertClean(run.finish());
        }
    }

    /// Nodes that lose every packet to and from the others, each in a network namespace of its own.
    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void isolation(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        assumeTrue(NetworkNamespaces.possible(), "needs Linux, root and ip");
        var settings = RunSettings.of("isolation", ChaosOptions.seed(), ChaosOptions.partitions(30));
        try (var namespaces = NetworkNamespaces.open();
                var cluster = ClusterProcesses.start(
                        ClusterPlan.isolated(subject, folder, namespaces).combined(3));
                var run = new ChaosRun(cluster, settings)) {
            var faults = new Faults(cluster, ChaosRun.TOPIC, random(settings));
            for (int round = 0; round < ChaosOptions.rounds(20); round++) {
                run.round(faults.isolate(
                        faults.choose(round % 2 == 0 ? Target.BUSIEST : Target.ACTIVE_CONTROLLER), namespaces));
            }
            assertClean(run.finish());
        }
    }

    private static RandomGenerator random(RunSettings settings) {
        return new Random(settings.seed());
    }

    private static void assertClean(Report report) {
        assertThat(report.clean()).as("%s%n%s", report, report.problems()).isTrue();
        assertThat(report.findings().acknowledged()).as("acknowledged records").isPositive();
    }
}
