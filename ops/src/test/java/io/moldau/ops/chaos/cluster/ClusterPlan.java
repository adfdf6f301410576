package io.moldau.ops.chaos.cluster;

import io.moldau.ops.chaos.net.LinkKind;
import io.moldau.ops.chaos.net.Network;
import io.moldau.ops.chaos.net.NetworkNamespaces;
import io.moldau.ops.node.NodeProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The shape of a cluster: who plays which role, on which ports, with which settings. Not thread-safe.
///
/// With a network of proxies between the nodes, brokers and controllers are reached by each other through proxies, and
/// by clients directly. Ports are chosen once, so a node comes back where it was.
public final class ClusterPlan {

    private final Subject subject;
    private final Path folder;
    private final @Nullable Network network;
    private final @Nullable NetworkNamespaces namespaces;
    private final Map<String, String> common = new TreeMap<>();
    private String heap;
    private boolean dynamicQuorum;
    private int directories = 1;
    private int nextPort = 24_000 + (int) (ProcessHandle.current().pid() * 37 % 6_000);

    private final Map<Integer, Shape> shapes = new LinkedHashMap<>();

    private record Shape(boolean broker, boolean controller, Ports ports) {}

    private record Ports(int client, int peer, int peerProxy, int controller, int controllerProxy, int admin) {}

    private ClusterPlan(
            Subject subject, Path folder, @Nullable Network network, @Nullable NetworkNamespaces namespaces) {
        this.subject = subject;
        this.folder = folder;
        this.network = network;
        this.namespaces = namespaces;
        heap = subject == Subject.MOLDAU ? "128m" : "256m";
        common.put("group.initial.rebalance.delay.ms", "0");
        common.put("offsets.topic.num.partitions", "10");
        common.put("min.insync.replicas", "2");
        common.put("default.replication.factor", "3");
        common.put("offsets.topic.replication.factor", "3");
    }

    public static ClusterPlan of(Subject subject, Path folder) {
        return new ClusterPlan(subject, folder, null, null);
    }

    /// With a proxy in every link between nodes.
    public static ClusterPlan proxied(Subject subject, Path folder, Network network) {
        return new ClusterPlan(subject, folder, network, null);
    }

    /// With a network namespace for each node.
    public static ClusterPlan isolated(Subject subject, Path folder, NetworkNamespaces namespaces) {
        return new ClusterPlan(subject, folder, null, namespaces);
    }

    /// Nodes 1 to `count`, each broker and controller.
    public ClusterPlan combined(int count) {
        IntStream.rangeClosed(1, count).forEach(id -> add(id, true, true));
        return this;
    }

    public ClusterPlan brokers(int... ids) {
        IntStream.of(ids).forEach(id -> add(id, true, false));
        return this;
    }

    public ClusterPlan controllers(int... ids) {
        IntStream.of(ids).forEach(id -> add(id, false, true));
        return this;
    }

    public ClusterPlan heap(String size) {
        heap = size;
        return this;
    }

    public ClusterPlan with(String key, String value) {
        common.put(key, value);
        return this;
    }

    /// Each node has so many log directories.
    public ClusterPlan directories(int count) {
        directories = count;
        return this;
    }

    /// The quorum begins with its first controller alone, and the others join it (KIP-853). Which one that is says the
    /// format step of the reference; one of ours founds a quorum when it knows of no others.
    public ClusterPlan dynamicQuorum() {
        dynamicQuorum = true;
        return this;
    }

    private void add(int id, boolean broker, boolean controller) {
        boolean proxied = network != null;
        var ports = new Ports(
                broker ? port() : 0,
                broker && proxied ? port() : 0,
                broker && proxied ? port() : 0,
                controller ? port() : 0,
                controller && proxied ? port() : 0,
                subject == Subject.MOLDAU && namespaces == null ? port() : 0);
        shapes.put(id, new Shape(broker, controller, ports));
    }

    private int port() {
        int port = NodeProcess.freePort(nextPort);
        nextPort = port + 1;
        return port;
    }

    Subject subject() {
        return subject;
    }

    @Nullable
    Network network() {
        return network;
    }

    int replicationFactor() {
        return Integer.parseInt(common.getOrDefault("default.replication.factor", "3"));
    }

    /// The nodes, in the order in which they were named.
    List<NodePlan> nodes() {
        return shapes.keySet().stream().map(this::node).toList();
    }

    private NodePlan node(int id) {
        Shape shape = Objects.requireNonNull(shapes.get(id));
        var settings = new TreeMap<>(common);
        settings.put("node.id", Integer.toString(id));
        settings.put("process.roles", roles(shape));
        settings.put("controller.listener.names", "CONTROLLER");
        if (dynamicQuorum) {
            settings.put(
                    "controller.quorum.bootstrap.servers",
                    subject == Subject.MOLDAU && isFirstController(id)
                            ? address(id) + ":" + reachedAt(shape.ports)
                            : controllers(other -> ""));
        } else {
            settings.put("controller.quorum.voters", controllers(other -> other + "@"));
        }
        listeners(address(id), shape, settings);
        if (directories > 1) {
            settings.put(
                    "log.dirs",
                    IntStream.rangeClosed(1, directories)
                            .mapToObj(number -> NodePlan.directory(folder.resolve("node-" + id), number)
                                    .toString())
                            .collect(Collectors.joining(",")));
        }
        String adminUrl = shape.ports.admin == 0 ? "" : "http://127.0.0.1:" + shape.ports.admin;
        if (!adminUrl.isEmpty()) {
            settings.put("admin.listener", adminUrl);
        }
        return new NodePlan(
                id,
                shape.broker,
                shape.controller,
                address(id),
                namespaces == null ? List.of() : namespaces.enter(id),
                folder.resolve("node-" + id),
                shape.ports.client,
                shape.ports.controller,
                adminUrl,
                heap,
                settings,
                referenceFormat(id, shape));
    }

    private String address(int id) {
        return namespaces == null ? "127.0.0.1" : namespaces.address(id);
    }

    private static String roles(Shape shape) {
        if (shape.broker) {
            return shape.controller ? "broker,controller" : "broker";
        }
        return "controller";
    }

    private String controllers(IntFunction<String> prefix) {
        return shapes.entrySet().stream()
                .filter(it -> it.getValue().controller)
                .map(it -> prefix.apply(it.getKey()) + address(it.getKey()) + ":" + reachedAt(it.getValue().ports))
                .collect(Collectors.joining(","));
    }

    private static int reachedAt(Ports ports) {
        return ports.controllerProxy == 0 ? ports.controller : ports.controllerProxy;
    }

    private void listeners(String address, Shape shape, Map<String, String> settings) {
        var listeners = new ArrayList<String>();
        var advertised = new ArrayList<String>();
        if (shape.broker) {
            listeners.add("PLAINTEXT://" + address + ":" + shape.ports.client);
            advertised.add("PLAINTEXT://" + address + ":" + shape.ports.client);
        }
        if (network != null && shape.broker) {
            listeners.add("PEER://" + address + ":" + shape.ports.peer);
            advertised.add("PEER://" + address + ":" + shape.ports.peerProxy);
            settings.put("inter.broker.listener.name", "PEER");
        }
        if (shape.controller) {
            listeners.add("CONTROLLER://" + address + ":" + shape.ports.controller);
        }
        if (network != null) {
            settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,PEER:PLAINTEXT,CONTROLLER:PLAINTEXT");
        }
        if (!listeners.isEmpty() && shape.broker | shape.controller) {
            settings.put("listeners", String.join(",", listeners));
        }
        if (network != null && !advertised.isEmpty()) {
            settings.put("advertised.listeners", String.join(",", advertised));
        }
    }

    private List<String> referenceFormat(int id, Shape shape) {
        if (!dynamicQuorum || !shape.controller) {
            return List.of();
        }
        return List.of(isFirstController(id) ? "--standalone" : "--no-initial-controllers");
    }

    private boolean isFirstController(int id) {
        return shapes.entrySet().stream()
                        .filter(it -> it.getValue().controller)
                        .findFirst()
                        .orElseThrow()
                        .getKey()
                == id;
    }

    /// Opens the proxies; the network owns them from then on.
    void openLinks() {
        var into = network;
        if (into == null) {
            return;
        }
        shapes.forEach((id, shape) -> {
            if (shape.ports.peerProxy != 0) {
                into.open(shape.ports.peerProxy, shape.ports.peer, id, LinkKind.BROKER);
            }
            if (shape.ports.controllerProxy != 0) {
                into.open(shape.ports.controllerProxy, shape.ports.controller, id, LinkKind.CONTROLLER);
            }
        });
    }
}
