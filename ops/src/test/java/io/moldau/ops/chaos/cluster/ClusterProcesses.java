package io.moldau.ops.chaos.cluster;

import io.moldau.ops.chaos.net.Network;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A cluster of processes on this machine. Owned by the test that starts it; whatever happens, [#close] leaves no
/// process.
public final class ClusterProcesses implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(240);

    private final ClusterPlan plan;
    private final Map<Integer, NodeHandle> nodes = new TreeMap<>();
    private final Thread onExit;
    private final ClusterView view;

    private ClusterProcesses(ClusterPlan plan) {
        this.plan = plan;
        plan.nodes().forEach(node -> nodes.put(node.id(), new NodeHandle(plan.subject(), node)));
        // A test run that is interrupted must not leave nodes behind.
        onExit = new Thread(this::killAll, "cluster-end");
        view = new ClusterView(bootstrap(), plan.replicationFactor());
    }

    /// Starts every node, and waits until the brokers know each other.
    public static ClusterProcesses start(ClusterPlan plan) throws IOException {
        return start(plan, plan.nodes().stream().map(NodePlan::id).toList());
    }

    /// Starts some of the nodes; the others may be started later.
    public static ClusterProcesses start(ClusterPlan plan, List<Integer> first) throws IOException {
        var cluster = new ClusterProcesses(plan);
        try {
            Runtime.getRuntime().addShutdownHook(cluster.onExit);
            for (var node : cluster.nodes()) {
                node.prepare();
            }
            var network = plan.network();
            if (network != null) {
                network.owners(cluster::ownerOf);
            }
            plan.openLinks();
            first.forEach(id -> cluster.node(id).start());
            int brokers = (int) first.stream()
                    .filter(id -> cluster.node(id).plan().broker())
                    .count();
            cluster.await(
                    "all brokers to be known",
                    START,
                    () -> cluster.view.brokers().size() == brokers);
            return cluster;
        } catch (Throwable e) {
            cluster.close();
            throw e;
        }
    }

    public Subject subject() {
        return plan.subject();
    }

    public Network network() {
        return Objects.requireNonNull(plan.network(), "The plan has no proxies.");
    }

    public ClusterView view() {
        return view;
    }

    public List<NodeHandle> nodes() {
        return List.copyOf(nodes.values());
    }

    public List<NodeHandle> brokers() {
        return nodes.values().stream().filter(node -> node.plan().broker()).toList();
    }

    public List<NodeHandle> controllers() {
        return nodes.values().stream().filter(node -> node.plan().controller()).toList();
    }

    public NodeHandle node(int id) {
        return Objects.requireNonNull(nodes.get(id), () -> "There is no node " + id + ".");
    }

    /// Where clients begin: every broker's address.
    public String bootstrap() {
        return brokers().stream()
                .map(node -> node.plan().address() + ":" + node.plan().clientPort())
                .collect(Collectors.joining(","));
    }

    /// Where tools reach the controllers directly.
    public String controllerBootstrap() {
        return controllers().stream()
                .map(node -> node.plan().address() + ":" + node.plan().controllerPort())
                .collect(Collectors.joining(","));
    }

    /// Polls until the condition holds. A node that ended by itself ends the wait, with what it said.
    public void await(String what, Duration atMost, Condition condition) {
        Await.until(what, atMost, condition, this::words);
    }

    /// What the nodes said last, for the message of a failure.
    public String words() {
        var words = new ArrayList<String>();
        for (var node : nodes.values()) {
            words.add("--- node " + node.id() + (node.alive() ? "" : " (does not run)"));
            words.addAll(node.lastWords(25));
        }
        return String.join("\n", words);
    }

    private int ownerOf(int remotePort) {
        var pids = new TreeMap<Integer, Long>();
        nodes.forEach((id, node) -> {
            if (node.alive()) {
                pids.put(id, node.pid());
            }
        });
        return ConnectionOwner.find(remotePort, pids);
    }

    private void killAll() {
        // All of them first: a wait that fails for one must not leave the others.
        nodes.values().forEach(NodeHandle::abandon);
        nodes.values().forEach(NodeHandle::kill);
    }

    @Override
    public void close() {
        view.close();
        killAll();
        var network = plan.network();
        if (network != null) {
            network.close();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException alreadyExiting) {
            // The hook itself runs, and does the same.
            return;
        }
    }
}
