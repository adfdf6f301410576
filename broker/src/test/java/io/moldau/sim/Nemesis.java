package io.moldau.sim;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// Makes trouble, and ends it.
final class Nemesis {

    private final SimulatedCluster cluster;
    private final Scheduler scheduler;
    private final SplittableRandom random;
    private final long meanPauseNanos;
    private boolean active;
    private int temporaryTopics;

    Nemesis(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.scheduler = cluster.scheduler();
        this.random = scheduler.split();
        this.meanPauseNanos = TimeUnit.MILLISECONDS.toNanos(
                switch (cluster.scenario().level()) {
                    case 1 -> 2_000;
                    case 2 -> 800;
                    default -> 300;
                });
    }

    void start(long seconds) {
        active = cluster.scenario().level() > 0;
        // The cluster comes into being first.
        scheduler.after(2_500_000_000L, null, "nemesis", this::next);
    }

    /// Everything is put right again.
    void stop() {
        active = false;
        cluster.network().healAll();
        for (SimulatedNode node : cluster.nodes()) {
            node.pauseUntil(0);
            if (cluster.scenario().isController(node.id())) {
                cluster.quorum().reconnect(node.id());
            }
            startLater(node, 100);
        }
    }

    private void next() {
        if (!active) {
            return;
        }
        trouble();
        scheduler.after(random.nextLong(2 * meanPauseNanos), null, "nemesis", this::next);
    }

    private SimulatedNode randomNode() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    private long nanos(int fromMs, int toMs) {
        return TimeUnit.MILLISECONDS.toNanos(random.nextInt(fromMs, toMs));
    }

    private void trouble() {
        switch (random.nextInt(20)) {
            case 0, 1 -> crash(victim(), SimulatedNode.End.KILLED);
            case 2, 3, 14 ->
                crash(
                        victim(),
                        random.nextBoolean() ? SimulatedNode.End.POWER_LOST_CLEAN : SimulatedNode.End.POWER_LOST_TORN);
            case 4 -> {
                if (random.nextInt(4) == 0) {
                    crashAll();
                }
            }
            case 5 -> stopInOrder(randomNode());
            case 6 -> cutPair();
            case 7 -> isolate(randomNode());
            case 8 -> pause(randomNode());
            case 9 -> stepClock(randomNode());
            case 10 -> electController();
            case 11 -> lagController();
            case 12 -> disturbNetwork();
            case 13 -> topics();
            case 15, 16 -> stall();
            case 17 -> reassign();
            case 18 -> cluster.admin().electPreferredLeaders();
            default -> {
                cluster.log().note(null, "snapshot", "");
                cluster.quorum().snapshotAndPurge();
            }
        }
    }

    /// Any node, or one with a replica that is on its way back into the ISR: that is when most can go wrong.
    private SimulatedNode victim() {
        List<SimulatedNode> behind = new ArrayList<>();
        for (Placed it : placed()) {
            for (int replica : it.registration().replicas()) {
                if (!it.registration().isr().contains(replica)) {
                    behind.add(cluster.node(replica));
                }
            }
        }
        return behind.isEmpty() || random.nextBoolean() ? randomNode() : behind.get(random.nextInt(behind.size()));
    }

    /// A partition and what the quorum has committed of it.
    private record Placed(TopicIdPartition id, PartitionRegistration registration) {}

    private List<Placed> placed() {
        List<Placed> all = new ArrayList<>();
        for (TopicImage topic : cluster.checks().metadata().image().topics().topics()) {
            topic.partitions()
                    .forEach((number, registration) -> all.add(new Placed(
                            new TopicIdPartition(topic.id(), new TopicPartition(topic.name(), number)), registration)));
        }
        return all;
    }

    /// What is sent over the connections between two machines arrives late; over new connections all is
    /// well. Mostly where messages about who is in sync go.
    private void stall() {
        List<Placed> all = placed();
        int client = randomNode().id();
        int server = randomNode().id();
        if (!all.isEmpty() && random.nextInt(4) > 0) {
            PartitionRegistration it = all.get(random.nextInt(all.size())).registration();
            List<Integer> replicas = it.replicas();
            boolean toController = random.nextBoolean();
            client = toController ? it.leader() : replicas.get(random.nextInt(replicas.size()));
            server = toController ? cluster.quorum().leader() : it.leader();
        }
        if (client < 0 || server < 0) {
            return;
        }
        long nanos = nanos(200, 6_000);
        boolean back = random.nextInt(4) == 0;
        cluster.log().note(null, back ? "stall back" : "stall", "", client, server, nanos / 1_000_000);
        cluster.network().stall(client, server, back, nanos);
    }

    /// Moves a partition to other brokers or into another order, or calls a move off.
    private void reassign() {
        List<Placed> all = placed();
        if (all.isEmpty()) {
            return;
        }
        Placed it = all.get(random.nextInt(all.size()));
        if (it.registration().isReassigning() && random.nextBoolean()) {
            cluster.admin().reassign(it.id().topicPartition(), null);
            return;
        }
        List<Integer> brokers = new ArrayList<>();
        for (SimulatedNode node : cluster.nodes()) {
            if (cluster.scenario().isBroker(node.id())) {
                brokers.add(random.nextInt(brokers.size() + 1), node.id());
            }
        }
        int replicas = random.nextInt(4) == 0 ? Scenario.MIN_IN_SYNC : Scenario.REPLICAS;
        cluster.admin().reassign(it.id().topicPartition(), List.copyOf(brokers.subList(0, replicas)));
    }

    /// A node ended in order; somebody starts it again.
    void stopped(SimulatedNode node) {
        startLater(node, active ? 4_000 : 100);
    }

    private void startLater(SimulatedNode node, int withinMs) {
        scheduler.after(nanos(1, withinMs + 2), null, "start", () -> {
            if (!node.isRunning()) {
                cluster.log().note(node, "start", "");
                node.start();
            }
        });
    }

    private void crash(SimulatedNode node, SimulatedNode.End end) {
        if (!mayCrash(node, end)) {
            return;
        }
        cluster.crash(node, end);
        startLater(node, random.nextInt(4) == 0 ? 6_000 : 1_000);
    }

    /// Where nothing is forced to the disk a process may end only while the controller is right about
    /// who else has all that is committed, of every partition that the node has a replica of. What all
    /// of them have lost nobody can bring back; and the controller takes every crash for a loss.
    private boolean mayCrash(SimulatedNode node, SimulatedNode.End end) {
        Scenario scenario = cluster.scenario();
        if (scenario.syncs() || !scenario.isBroker(node.id())) {
            return true;
        }
        if (!scenario.losesPower()) {
            return end == SimulatedNode.End.KILLED;
        }
        for (Placed it : placed()) {
            if (it.registration().replicas().contains(node.id()) && !hasOther(it, node.id())) {
                return false;
            }
        }
        return true;
    }

    /// Whether others than that one are counted on, and all of them may be.
    private boolean hasOther(Placed it, int than) {
        boolean others = false;
        for (int replica : it.registration().replicas()) {
            boolean countedOn = it.registration().isr().contains(replica)
                    || it.registration().elr().contains(replica);
            if (replica != than && countedOn) {
                if (!isAsRegistered(cluster.node(replica))
                        || cluster.checks().logs().mirror(replica, it.id()).isDamaged()) {
                    return false;
                }
                others = true;
            }
        }
        return others;
    }

    private boolean isAsRegistered(SimulatedNode node) {
        SimulatedNode.Process process = node.process();
        SimulatedNode.Broker broker = process == null ? null : process.broker();
        return broker != null
                && broker.registrar().brokerEpoch()
                        == cluster.checks().metadata().brokerEpoch(node.id());
    }

    private void crashAll() {
        Scenario scenario = cluster.scenario();
        if (!scenario.syncs() && scenario.losesPower()) {
            return;
        }
        SimulatedNode.End end =
                scenario.syncs() ? SimulatedNode.End.values()[random.nextInt(3)] : SimulatedNode.End.KILLED;
        for (SimulatedNode node : cluster.nodes()) {
            crash(node, end);
        }
    }

    private void stopInOrder(SimulatedNode node) {
        if (node.isRunning() && !node.isPaused()) {
            cluster.log().note(node, "stop", "");
            node.stop();
        }
    }

    private void cutPair() {
        int a = randomNode().id();
        int b = randomNode().id();
        if (a == b) {
            return;
        }
        boolean both = random.nextBoolean();
        cluster.log().note(null, both ? "cut" : "cut one way", "", a, b);
        cluster.network().cut(a, b);
        if (both) {
            cluster.network().cut(b, a);
        }
        scheduler.after(nanos(200, 6_000), null, "heal", () -> {
            cluster.network().heal(a, b);
            cluster.network().heal(b, a);
        });
    }

    private void isolate(SimulatedNode node) {
        cluster.log().note(node, "isolate", "");
        boolean in = random.nextInt(4) > 0;
        boolean out = !in || random.nextInt(4) > 0;
        List<Integer> others = new ArrayList<>();
        for (SimulatedNode other : cluster.nodes()) {
            if (other != node) {
                others.add(other.id());
            }
        }
        for (int other : others) {
            if (in) {
                cluster.network().cut(other, node.id());
            }
            if (out) {
                cluster.network().cut(node.id(), other);
            }
        }
        boolean controller = cluster.scenario().isController(node.id());
        if (controller) {
            cluster.quorum().cutOff(node.id());
        }
        scheduler.after(nanos(200, 7_000), null, "heal", () -> {
            for (int other : others) {
                cluster.network().heal(other, node.id());
                cluster.network().heal(node.id(), other);
            }
            if (controller) {
                cluster.quorum().reconnect(node.id());
            }
        });
    }

    private void pause(SimulatedNode node) {
        if (!node.isRunning() || node.isPaused()) {
            return;
        }
        long forNanos = nanos(50, 5_000);
        cluster.log().note(node, "pause", "", forNanos / 1_000_000);
        node.pauseUntil(scheduler.now() + forNanos);
        if (cluster.scenario().isController(node.id())) {
            cluster.quorum().cutOff(node.id());
            scheduler.after(forNanos, null, "resume", () -> cluster.quorum().reconnect(node.id()));
        }
    }

    private void stepClock(SimulatedNode node) {
        long byMs = random.nextLong(-3_600_000, 3_600_000);
        cluster.log().note(node, "clock step", "", byMs);
        node.stepWallClock(byMs);
    }

    private void electController() {
        int id = random.nextInt(cluster.scenario().controllers());
        if (cluster.isElectable(id)) {
            cluster.log().note(cluster.node(id), "elected", "by nemesis");
            cluster.quorum().elect(id);
        }
    }

    private void lagController() {
        int id = random.nextInt(cluster.scenario().controllers());
        cluster.log().note(cluster.node(id), "lag", "");
        cluster.quorum().cutOff(id);
        scheduler.after(
                nanos(100, 3_000), null, "catch up", () -> cluster.quorum().reconnect(id));
    }

    private void disturbNetwork() {
        double resets = random.nextInt(3) == 0 ? random.nextDouble() * 0.05 : 0;
        double slow = random.nextDouble() * 0.3;
        double stalls = random.nextInt(3) == 0 ? random.nextDouble() * 0.02 : 0;
        cluster.log().note(null, "disturb", "", (long) (resets * 1000), (long) (slow * 1000), (long) (stalls * 1000));
        cluster.network().disturb(resets, slow, stalls);
        scheduler.after(nanos(200, 3_000), null, "calm", () -> cluster.network().disturb(0, 0, 0));
    }

    private void topics() {
        if (temporaryTopics > 0 && random.nextBoolean()) {
            cluster.admin().delete("temporary-" + random.nextInt(temporaryTopics));
        } else if (temporaryTopics < 3) {
            cluster.admin().create("temporary-" + temporaryTopics++, 1);
        } else {
            cluster.admin().create("temporary-" + random.nextInt(temporaryTopics), 1);
        }
    }
}
