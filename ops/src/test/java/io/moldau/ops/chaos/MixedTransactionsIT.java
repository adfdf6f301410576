package io.moldau.ops.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.Faults.Target;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.chaos.transaction.MixedTransactions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Clients write transactions over several topics and read those of each other, while nodes are killed and paused. A
/// checker then looks for what isolation forbids.
///
/// The options are those of [ChaosIT].
class MixedTransactionsIT {

    private static final int CLIENTS = 4;

    @TempDir
    private Path folder;

    /// Three kills and a pause.
    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shortForm(Subject subject) throws Exception {
        var settings = settings("mixed transactions, short");
        try (var cluster = ClusterProcesses.start(CoordinatorFaults.plan(subject, folder));
                var run = new ChaosRun(cluster, settings);
                var mixed = new MixedTransactions(cluster, CLIENTS, settings.seed())) {
            run.add(mixed);
            var random = new Random(settings.seed());
            var faults = new Faults(cluster, "mixed-a", random);
            var coordinators = new CoordinatorFaults(cluster, faults, mixed.transactionalIds(), List.of(), random);
            run.round(faults.kill(coordinators.ofTransactions("mixed-1")));
            run.round(coordinators.quickKill(faults.choose(Target.BUSIEST)));
            run.round(faults.pause(coordinators.ofTransactions("mixed-2"), Duration.ofSeconds(3)));
            run.round(coordinators.quickKill(coordinators.ofTransactions("mixed-3")));
            assertClean(run.finish());
        }
    }

    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 180, unit = TimeUnit.MINUTES)
    void manyKills(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        var settings = settings("mixed transactions");
        try (var cluster = ClusterProcesses.start(CoordinatorFaults.plan(subject, folder));
                var run = new ChaosRun(cluster, settings);
                var mixed = new MixedTransactions(cluster, CLIENTS, settings.seed())) {
            run.add(mixed);
            var random = new Random(settings.seed());
            var faults = new CoordinatorFaults(
                    cluster, new Faults(cluster, "mixed-a", random), mixed.transactionalIds(), List.of(), random);
            for (int round = 0; round < ChaosOptions.rounds(200); round++) {
                run.round(faults.draw());
            }
            assertClean(run.finish());
        }
    }

    private static RunSettings settings(String scenario) {
        return new RunSettings(scenario, ChaosOptions.seed(), 3, 1, 0, 15);
    }

    private static void assertClean(Report report) {
        assertThat(report.clean()).as("%s%n%s", report, report.problems()).isTrue();
    }
}
