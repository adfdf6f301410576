package io.moldau.ops.chaos;

import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.NodeHandle;
import io.moldau.ops.chaos.net.Flow;
import io.moldau.ops.chaos.net.LinkKind;
import io.moldau.ops.chaos.net.NetworkNamespaces;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// Makes faults for one cluster: their kinds, targets and times are drawn from one seeded source. One thread.
public final class Faults {

    /// What may happen in a run of mixed faults.
    public enum Kind {
        KILL,
        PAUSE,
        CLEAN_RESTART,
        CUT_FROM_CONTROLLERS,
        CUT_FROM_FOLLOWERS,
        SLOW_LINKS,
        DRIPPING_LINKS,
        HALF_CLOSED_LINKS,
        ALL_AT_ONCE
    }

    /// By which role a node is chosen.
    public enum Target {
        BUSIEST,
        ACTIVE_CONTROLLER,
        FOLLOWER,
        ANY
    }

    private final ClusterProcesses cluster;
    private final String topic;
    private final RandomGenerator random;

    public Faults(ClusterProcesses cluster, String topic, RandomGenerator random) {
        this.cluster = cluster;
        this.topic = topic;
        this.random = random;
    }

    /// A node with the role, as things are now.
    public NodeHandle choose(Target target) throws Exception {
        var brokers = cluster.brokers();
        return switch (target) {
            case BUSIEST -> cluster.node(cluster.view().busiest(topic));
            case ACTIVE_CONTROLLER -> cluster.node(cluster.view().activeController());
            case FOLLOWER -> {
                int leader = cluster.view().leader(topic, 0);
                yield pick(brokers.stream().filter(it -> it.id() != leader).toList());
            }
            case ANY -> pick(cluster.nodes());
        };
    }

    /// kill -9, and a start when the others have taken over.
    public Fault kill(NodeHandle node) {
        return new Fault("kill -9 of node " + node.id(), true, Duration.ZERO, node::kill, node::start);
    }

    /// One of the kinds, with a target and times of its own.
    public Fault draw(List<Kind> kinds) throws Exception {
        return make(pick(kinds));
    }

    public Fault make(Kind kind) throws Exception {
        return switch (kind) {
            case KILL -> {
                var target = pick(List.of(Target.values()));
                var node = choose(target);
                // Often it comes back before anybody has noticed.
                boolean patient = random.nextBoolean();
                yield new Fault(
                        "kill -9 of node " + node.id() + " (" + target + ")",
                        patient,
                        patient ? Duration.ZERO : millis(0, 1_500),
                        node::kill,
                        node::start);
            }
            case PAUSE -> {
                var target = pick(List.of(Target.values()));
                var node = choose(target);
                var time = millis(500, 12_000);
                yield lasting("SIGSTOP of node " + node.id() + " (" + target + ")", time, node::pause, node::resume);
            }
            case CLEAN_RESTART -> {
                var node = choose(Target.ANY);
                yield new Fault("restart of node " + node.id(), true, Duration.ZERO, node::stop, node::start);
            }
            case CUT_FROM_CONTROLLERS -> {
                var node = choose(random.nextBoolean() ? Target.BUSIEST : Target.ANY);
                int side = random.nextInt(3);
                yield lasting(
                        "cut of node " + node.id() + " from controllers" + sideName(side),
                        millis(1_000, 12_000),
                        () -> cutFromControllers(node, side),
                        cluster.network()::heal);
            }
            case CUT_FROM_FOLLOWERS -> {
                var node = choose(Target.BUSIEST);
                int side = random.nextInt(3);
                yield lasting(
                        "cut of node " + node.id() + " from followers" + sideName(side),
                        millis(1_000, 6_000),
                        () -> eachPeer(node, LinkKind.BROKER, peer -> cut(peer, node, LinkKind.BROKER, side)),
                        cluster.network()::heal);
            }
            case SLOW_LINKS -> {
                var flow = new Flow.Delayed(random.nextInt(5, 120));
                yield lasting(
                        "links slower by " + flow.millis() + " ms",
                        millis(1_000, 6_000),
                        () -> everyLink(flow),
                        cluster.network()::heal);
            }
            case DRIPPING_LINKS -> {
                var node = choose(Target.ANY);
                var flow = new Flow.Drip(random.nextInt(1, 200), random.nextInt(1, 10));
                yield lasting(
                        "links of node " + node.id() + " drip " + flow.bytes() + " bytes each " + flow.pauseMillis()
                                + " ms",
                        millis(1_000, 6_000),
                        () -> linksOf(node, flow),
                        cluster.network()::heal);
            }
            case HALF_CLOSED_LINKS -> {
                var node = choose(Target.ANY);
                var kind2 = pick(List.of(LinkKind.values()));
                yield lasting(
                        "half-closed connections into node " + node.id() + " (" + kind2 + ")",
                        millis(200, 2_000),
                        () -> cluster.network().halfClose(node.id(), kind2),
                        () -> {});
            }
            case ALL_AT_ONCE -> allAtOnce();
        };
    }

    /// Every node is killed; they come back in any order.
    public Fault allAtOnce() {
        return new Fault(
                "kill -9 of all nodes at once",
                false,
                millis(0, 1_000),
                () -> cluster.nodes().parallelStream().forEach(NodeHandle::kill),
                () -> cluster.nodes().forEach(NodeHandle::start));
    }

    /// The node and the others do not hear of each other; clients reach all of them.
    public Fault isolate(NodeHandle node, NetworkNamespaces namespaces) {
        return lasting(
                "isolation of node " + node.id(),
                millis(1_000, 15_000),
                () -> namespaces.isolate(node.id()),
                namespaces::heal);
    }

    public Fault pause(NodeHandle node, Duration time) {
        return lasting("SIGSTOP of node " + node.id(), time, node::pause, node::resume);
    }

    private static Fault lasting(String what, Duration time, Fault.Step begin, Fault.Step end) {
        return new Fault(what + " for " + time.toMillis() + " ms", false, time, begin, end);
    }

    private static String sideName(int side) {
        return switch (side) {
            case 1 -> " (requests only)";
            case 2 -> " (answers only)";
            default -> "";
        };
    }

    private void cut(NodeHandle from, NodeHandle to, LinkKind kind, int side) {
        cluster.network()
                .link(from.id(), to.id(), kind)
                .set(side == 2 ? Flow.OPEN : Flow.CUT, side == 1 ? Flow.OPEN : Flow.CUT);
    }

    private void cutFromControllers(NodeHandle node, int side) {
        for (var other : cluster.controllers()) {
            if (other.id() != node.id()) {
                cut(node, other, LinkKind.CONTROLLER, side);
            }
        }
        if (node.plan().controller()) {
            for (var other : cluster.nodes()) {
                if (other.id() != node.id()) {
                    cut(other, node, LinkKind.CONTROLLER, side);
                }
            }
        }
    }

    private void eachPeer(NodeHandle node, LinkKind kind, Consumer<NodeHandle> action) {
        var peers = kind == LinkKind.BROKER ? cluster.brokers() : cluster.nodes();
        peers.stream().filter(it -> it.id() != node.id()).forEach(action);
    }

    private void linksOf(NodeHandle node, Flow flow) {
        for (var other : cluster.nodes()) {
            for (var kind : LinkKind.values()) {
                if (other.id() != node.id()) {
                    cluster.network().link(node.id(), other.id(), kind).set(flow);
                    cluster.network().link(other.id(), node.id(), kind).set(flow);
                }
            }
        }
    }

    private void everyLink(Flow flow) {
        cluster.nodes().forEach(node -> linksOf(node, flow));
    }

    private Duration millis(int from, int to) {
        return Duration.ofMillis(random.nextInt(from, to + 1));
    }

    private <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
