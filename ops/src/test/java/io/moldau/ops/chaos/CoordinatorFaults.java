package io.moldau.ops.chaos;

import io.moldau.ops.chaos.Faults.Target;
import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.NodeHandle;
import io.moldau.ops.chaos.cluster.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/// Faults of the nodes that coordinate given transactional ids and groups. One thread.
final class CoordinatorFaults {

    private final ClusterProcesses cluster;
    private final Faults faults;
    private final List<String> transactionalIds;
    private final List<String> groups;
    private final RandomGenerator random;

    CoordinatorFaults(
            ClusterProcesses cluster,
            Faults faults,
            List<String> transactionalIds,
            List<String> groups,
            RandomGenerator random) {
        this.cluster = cluster;
        this.faults = faults;
        this.transactionalIds = transactionalIds;
        this.groups = groups;
        this.random = random;
    }

    /// Three nodes that look for transactions that are over their time every second.
    static ClusterPlan plan(Subject subject, Path folder) {
        return ClusterPlan.of(subject, folder)
                .with("transaction.state.log.num.partitions", "5")
                .with("transaction.state.log.replication.factor", "3")
                .with("transaction.state.log.min.isr", "2")
                .with("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000")
                .combined(3);
    }

    NodeHandle ofTransactions(String id) throws Exception {
        return cluster.node(cluster.view().coordinator("__transaction_state", id));
    }

    NodeHandle ofGroup(String group) throws Exception {
        return cluster.node(cluster.view().coordinator("__consumer_offsets", group));
    }

    /// It comes back before anybody may have noticed.
    Fault quickKill(NodeHandle node) {
        return new Fault(
                "kill -9 of node " + node.id() + ", back soon",
                false,
                Duration.ofMillis(random.nextInt(1_000)),
                node::kill,
                node::start);
    }

    /// Mostly kills, and mostly of coordinators.
    Fault draw() throws Exception {
        var node = target();
        int kind = random.nextInt(20);
        if (kind == 0) {
            return faults.allAtOnce();
        }
        if (kind < 4) {
            return faults.pause(node, Duration.ofMillis(random.nextInt(500, 8_000)));
        }
        return random.nextBoolean() ? faults.kill(node) : quickKill(node);
    }

    private NodeHandle target() throws Exception {
        return switch (random.nextInt(6)) {
            case 0, 1 -> ofTransactions(transactionalIds.get(random.nextInt(transactionalIds.size())));
            case 2, 3 ->
                groups.isEmpty() ? faults.choose(Target.FOLLOWER) : ofGroup(groups.get(random.nextInt(groups.size())));
            case 4 -> faults.choose(Target.BUSIEST);
            default -> faults.choose(Target.ACTIVE_CONTROLLER);
        };
    }
}
