package io.moldau.ops.faults;

import io.moldau.broker.NodeServices;
import io.moldau.broker.api.data.BreakableStorage;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.ops.AdministeredNode;
import io.moldau.wire.message.FindCoordinatorRequestData;
import io.moldau.wire.message.FindCoordinatorResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// A controller and three brokers in this process. Broker 2 keeps another time, and the disks of broker 3 can break.
/// Faults stop its nodes one after the other; none comes back.
final class SmallCluster implements AutoCloseable {

    static final int CONTROLLER = 100;
    private static final Duration AHEAD = Duration.ofMinutes(10);

    private final Stages stages;
    private final int controllerPort;
    private final Map<Integer, AdministeredNode> nodes = new TreeMap<>();
    private final Path goodDisk;
    private final Path badDisk;
    private final BreakableStorage disks = new BreakableStorage();

    SmallCluster(Stages stages) throws Exception {
        this.stages = stages;
        this.controllerPort = stages.port();
        this.goodDisk = stages.folder();
        this.badDisk = stages.folder();
        nodes.put(
                CONTROLLER,
                stages.start(Map.of(
                        "node.id",
                        "" + CONTROLLER,
                        "process.roles",
                        "controller",
                        "controller.quorum.voters",
                        voters(),
                        "controller.listener.names",
                        "CONTROLLER",
                        "listeners",
                        "CONTROLLER://127.0.0.1:" + controllerPort,
                        "min.insync.replicas",
                        "2",
                        "log.dirs",
                        stages.folder().toString())));
        nodes.put(1, stages.start(broker(1, stages.folder().toString())));
        nodes.put(
                2,
                stages.start(
                        broker(2, stages.folder().toString()),
                        NodeServices.real().withTime(ahead())));
        nodes.put(
                3,
                stages.start(
                        broker(3, goodDisk + "," + badDisk), NodeServices.real().withStorage(disks)));
    }

    String voters() {
        return CONTROLLER + "@127.0.0.1:" + controllerPort;
    }

    Map<String, String> broker(int id, String data) {
        return new HashMap<>(Map.of(
                "node.id",
                "" + id,
                "process.roles",
                "broker",
                "controller.quorum.voters",
                voters(),
                "controller.listener.names",
                "CONTROLLER",
                "listeners",
                "PLAINTEXT://127.0.0.1:" + stages.port(),
                "log.dirs",
                data,
                "min.insync.replicas",
                "2",
                "offsets.topic.num.partitions",
                "1",
                "offsets.topic.replication.factor",
                "3",
                "group.initial.rebalance.delay.ms",
                "0"));
    }

    private static Time ahead() {
        Time real = new SystemTime();
        return new Time() {
            @Override
            public long milliseconds() {
                return real.milliseconds() + AHEAD.toMillis();
            }

            @Override
            public long nanoseconds() {
                return real.nanoseconds();
            }
        };
    }

    AdministeredNode node(int id) {
        return Objects.requireNonNull(nodes.get(id), () -> "node " + id + " is stopped");
    }

    BreakableStorage disks() {
        return disks;
    }

    Path badDisk() {
        return badDisk;
    }

    void stop(int id) {
        AdministeredNode node = nodes.remove(id);
        if (node != null) {
            node.close();
        }
    }

    /// The first broker, which stays to the end.
    String bootstrap() {
        return Stages.bootstrap(node(1));
    }

    /// A connection to the coordinator of a group.
    Wire coordinator(String group) {
        var id = new AtomicInteger();
        try (var wire = new Wire(bootstrap())) {
            Wire.untilNone(() -> {
                var found = wire.answer(
                        ApiKey.FIND_COORDINATOR,
                        3,
                        new FindCoordinatorRequestData().setKey(group),
                        FindCoordinatorResponseData.class);
                id.set(found.nodeId());
                return Wire.told(found);
            });
        }
        return new Wire(Stages.bootstrap(node(id.get())));
    }

    /// A connection to a broker that runs and is not that one.
    Wire other(Wire wire) {
        return new Wire(List.of(1, 2).stream()
                .map(id -> Stages.bootstrap(node(id)))
                .filter(address -> !address.equals(wire.address()))
                .findFirst()
                .orElseThrow());
    }

    /// A command asked of the first broker.
    String moldau(String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("-b", bootstrap()));
        return stages.moldau("", line);
    }

    String until(String part, String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("-b", bootstrap()));
        return stages.until(part, line.toArray(String[]::new));
    }

    /// All at once: without a controller each waits in vain for its leave.
    @Override
    public void close() {
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            nodes.values().forEach(node -> all.submit(node::close));
        }
        nodes.clear();
    }
}
