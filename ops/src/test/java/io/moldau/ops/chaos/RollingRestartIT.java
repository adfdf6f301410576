package io.moldau.ops.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every node of five is stopped in order and started again, one after the other, twice, under load.
class RollingRestartIT {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void nobodyNotices(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        var settings = RunSettings.of("rolling restart", ChaosOptions.seed(), ChaosOptions.partitions(50));
        var plan = ClusterPlan.of(subject, folder).combined(3).brokers(4, 5);
        try (var cluster = ClusterProcesses.start(plan);
                var run = new ChaosRun(cluster, settings);
                var watch = new IsrWatch(cluster.view(), ChaosRun.TOPIC, 2)) {
            for (int time = 0; time < 2; time++) {
                for (var node : cluster.nodes()) {
                    run.round(new Fault("restart of node " + node.id(), true, Duration.ZERO, node::stop, node::start));
                }
            }
            var report = run.finish();
            System.out.printf(
                    "CHAOS rolling restart %s: at most %d partitions below min.insync.replicas in %d looks%n",
                    subject, watch.worst(), watch.answers());
            assertThat(report.clean()).as("%s%n%s", report, report.problems()).isTrue();
            assertThat(watch.worst()).as("partitions below min.insync.replicas").isZero();
        }
    }
}
