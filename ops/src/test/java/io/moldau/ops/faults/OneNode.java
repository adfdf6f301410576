package io.moldau.ops.faults;

import io.moldau.ops.AdministeredNode;
import java.util.Map;

/// A node in this process that is broker and controller, with the topics of [Wire#prepare].
final class OneNode implements AutoCloseable {

    private final Stages stages;
    private final AdministeredNode node;
    private final Wire wire;
    private boolean closed;

    OneNode(Stages stages) throws Exception {
        this.stages = stages;
        int controller = stages.port();
        node = stages.start(Map.of(
                "listeners",
                "PLAINTEXT://127.0.0.1:" + stages.port() + ",CONTROLLER://127.0.0.1:" + controller,
                "controller.quorum.voters",
                "1@127.0.0.1:" + controller,
                "log.dirs",
                stages.folder().toString(),
                "offsets.topic.num.partitions",
                "5",
                "group.initial.rebalance.delay.ms",
                "0",
                "auto.create.topics.enable",
                "false",
                "log.retention.ms",
                "-1"));
        wire = new Wire(bootstrap());
        wire.prepare();
    }

    AdministeredNode node() {
        return node;
    }

    Wire wire() {
        return wire;
    }

    String bootstrap() {
        return Stages.bootstrap(node);
    }

    String admin() {
        return Stages.admin(node);
    }

    String controller() {
        return "127.0.0.1:"
                + node.node().listeners().stream()
                        .filter(listener -> listener.listenerName().equals("CONTROLLER"))
                        .findFirst()
                        .orElseThrow()
                        .port();
    }

    /// Everything `moldau doctor` says of it.
    String doctor() {
        return stages.moldau("doctor", "-b", bootstrap(), "--node", admin());
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            wire.close();
            node.close();
        }
    }
}
