package io.moldau.ops.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.Faults.Target;
import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.chaos.transaction.TransactionalCopy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A topic is copied in transactions, some of which are aborted, by pairs of copiers that fight for one transactional
/// id, while nodes are killed and paused. Afterwards the copy is the original: nothing is lost, nothing is there twice,
/// and no transaction is left open.
///
/// The options are those of [ChaosIT].
class TransactionCopyIT {

    private static final int PARTITIONS = 6;
    private static final int IDS = 3;

    @TempDir
    private Path folder;

    /// Five kills, coordinators among them, and a pause.
    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shortForm(Subject subject) throws Exception {
        var settings = settings("transactional copy, short");
        try (var cluster = ClusterProcesses.start(plan(subject));
                var run = new ChaosRun(cluster, settings);
                var copy = new TransactionalCopy(cluster, ChaosRun.TOPIC, PARTITIONS, IDS, settings.seed())) {
            run.add(copy);
            var random = new Random(settings.seed());
            var faults = new Faults(cluster, ChaosRun.TOPIC, random);
            var coordinators = new CoordinatorFaults(cluster, faults, copy.transactionalIds(), copy.groups(), random);
            run.round(faults.kill(coordinators.ofTransactions("copy-0")));
            run.round(coordinators.quickKill(coordinators.ofGroup("copy-group-1")));
            run.round(faults.pause(coordinators.ofTransactions("copy-1"), Duration.ofSeconds(3)));
            run.round(faults.kill(faults.choose(Target.BUSIEST)));
            run.round(coordinators.quickKill(coordinators.ofTransactions("copy-2")));
            run.round(faults.kill(coordinators.ofTransactions("copy-1")));
            assertClean(run.finish());
        }
    }

    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 180, unit = TimeUnit.MINUTES)
    void manyKills(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        var settings = settings("transactional copy");
        try (var cluster = ClusterProcesses.start(plan(subject));
                var run = new ChaosRun(cluster, settings);
                var copy = new TransactionalCopy(cluster, ChaosRun.TOPIC, PARTITIONS, IDS, settings.seed())) {
            run.add(copy);
            var random = new Random(settings.seed());
            var faults = new CoordinatorFaults(
                    cluster,
                    new Faults(cluster, ChaosRun.TOPIC, random),
                    copy.transactionalIds(),
                    copy.groups(),
                    random);
            for (int round = 0; round < ChaosOptions.rounds(200); round++) {
                run.round(faults.draw());
            }
            assertClean(run.finish());
        }
    }

    private static RunSettings settings(String scenario) {
        return new RunSettings(scenario, ChaosOptions.seed(), PARTITIONS, 1, 1, 60);
    }

    private ClusterPlan plan(Subject subject) {
        return CoordinatorFaults.plan(subject, folder);
    }

    private static void assertClean(Report report) {
        assertThat(report.clean()).as("%s%n%s", report, report.problems()).isTrue();
    }
}
