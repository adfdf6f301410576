package io.moldau.sim;

import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.transaction.TransactionsTopic;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.metadata.quorum.SimulatedQuorum;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A whole cluster with its users, on one thread, from one seed: controllers on a simulated quorum,
/// brokers with real replicas, fetchers and coordinators on simulated disks, clients, and the trouble
/// they are in.
///
/// [#run] lets trouble go on for a while, checking after every step what must always hold, then ends
/// the trouble and waits for everything to work again.
final class SimulatedCluster {

    /// How long after the end of the trouble everything must work.
    private static final long RECOVERY_SECONDS = 40;

    private static final long MAX_STEPS = 3_000_000;

    private final long seed;
    private final EventLog log;
    private final Scheduler scheduler;
    private final Scenario scenario;
    private final SimulatedNetwork network;
    private final SimulatedQuorum.Group quorum;
    private final SplittableRandom random;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Checks checks;
    private final Path scratch;
    private final SimulatedAdmin admin;
    private final List<SimulatedProducer> producers = new ArrayList<>();
    private final List<SimulatedConsumer> consumers = new ArrayList<>();
    private final List<SimulatedCommitter> committers = new ArrayList<>();
    private final List<SimulatedMember> members = new ArrayList<>();
    private final List<SimulatedTransactor> transactors = new ArrayList<>();
    private final Nemesis nemesis;
    private boolean quorumScheduled;
    private @Nullable SimulationFailure failure;

    /// @param scratch a directory for files that are no part of what is simulated
    /// @param lines gets a line for every event; null where nobody reads
    SimulatedCluster(long seed, Path scratch, @Nullable Consumer<String> lines) {
        this.seed = seed;
        this.scratch = scratch;
        this.log = new EventLog(lines);
        this.scheduler = new Scheduler(seed, log);
        this.random = scheduler.split();
        this.scenario = Scenario.draw(scheduler.split());
        this.quorum = new SimulatedQuorum.Group(
                scenario.controllers(), scheduler.split(), AppliedMetadata.TAIL_BYTES, scenario.metadataTail());
        this.network = new SimulatedNetwork(scheduler, id -> id < nodes().size() ? node(id).process() : null);
        this.checks = new Checks(this);
        for (int id = 0; id < scenario.nodes(); id++) {
            nodes.add(new SimulatedNode(this, id));
        }
        this.admin = new SimulatedAdmin(this);
        this.nemesis = new Nemesis(this);
        log.note(null, "scenario", scenario.toString(), seed);
    }

    // ---- the parts

    Scheduler scheduler() {
        return scheduler;
    }

    Scenario scenario() {
        return scenario;
    }

    SimulatedNetwork network() {
        return network;
    }

    SimulatedQuorum.Group quorum() {
        return quorum;
    }

    EventLog log() {
        return log;
    }

    Checks checks() {
        return checks;
    }

    SimulatedAdmin admin() {
        return admin;
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    SimulatedNode node(int id) {
        return nodes.get(id);
    }

    int nodeOf(String host) {
        return Integer.parseInt(host.substring(host.indexOf('-') + 1));
    }

    @Nullable
    NodeToController controllerAt(int node) {
        SimulatedNode.Process process = node(node).process();
        return process == null ? null : process.localController();
    }

    Path scratch(int node) {
        return scratch.resolve("snapshot-" + seed + "-" + node);
    }

    int randomBroker(SplittableRandom from) {
        int node;
        do {
            node = from.nextInt(nodes.size());
        } while (!scenario.isBroker(node));
        return node;
    }

    /// Everything that happened, as one number.
    long hash() {
        return log.hash();
    }

    /// Ends the simulation after this step.
    void fail(String message, @Nullable Throwable cause) {
        log.note(null, "FAILED", message);
        if (failure == null) {
            failure = new SimulationFailure(message, cause);
        }
    }

    void crash(SimulatedNode node, SimulatedNode.End end) {
        if (node.isRunning()) {
            log.note(node, "crash", end.toString());
            node.crash(end);
            checks.crashed(node, end != SimulatedNode.End.KILLED);
        }
    }

    /// A node ended in order.
    void nodeStopped(SimulatedNode node) {
        log.note(node, "stopped", "");
        checks.crashed(node, false);
        nemesis.stopped(node);
    }

    // ---- running

    /// @throws SimulationFailure with what went wrong, when, and how to see it again
    void run() {
        for (SimulatedNode node : nodes) {
            scheduler.after(random.nextLong(500_000_000), node, "start", node::start);
        }
        elections();
        admin.start();
        createTopics();
        startClients();
        nemesis.start(scenario.faultSeconds());
        advance(scenario.faultSeconds(), () -> false);
        nemesis.stop();
        log.note(null, "trouble ends", "");
        producers.forEach(SimulatedProducer::stopMakingRecords);
        members.forEach(SimulatedMember::calmDown);
        for (int i = 0; i < transactors.size(); i++) {
            transactors.get(i).calmDown(i % 2 > 0);
        }
        if (!advance(RECOVERY_SECONDS, this::isWell)) {
            throw failed(new SimulationFailure(
                    "not well " + RECOVERY_SECONDS + " s after the trouble ended: " + complaint(), null));
        }
        checks.finalLook(checks.metadata().image());
        check();
    }

    /// @return whether the condition came true in time
    private boolean advance(long seconds, java.util.function.BooleanSupplier until) {
        long end = scheduler.now() + TimeUnit.SECONDS.toNanos(seconds);
        long nextLook = scheduler.now();
        while (true) {
            Machine machine;
            try {
                if (!scheduler.step(end)) {
                    return until.getAsBoolean();
                }
                machine = scheduler.last();
                checks.afterStep(machine);
            } catch (RuntimeException | AssertionError e) {
                throw failed(new SimulationFailure("something was thrown: " + e, e));
            }
            check();
            driveQuorum();
            if (scheduler.now() >= nextLook) {
                if (until.getAsBoolean()) {
                    return true;
                }
                nextLook = scheduler.now() + 50_000_000;
            }
            if (scheduler.steps() > MAX_STEPS) {
                throw failed(new SimulationFailure("more than " + MAX_STEPS + " steps", null));
            }
        }
    }

    private void check() {
        if (failure != null) {
            throw failed(failure);
        }
    }

    private SimulationFailure failed(SimulationFailure what) {
        var text = new StringBuilder("seed ").append(seed).append(": ").append(what.getMessage());
        text.append("\n  at ")
                .append(scheduler.now() / 1_000_000)
                .append(" ms, step ")
                .append(scheduler.steps());
        text.append("\n  ").append(scenario);
        text.append("\n  replay: ").append(Replay.command(seed)).append("\nthe last events:\n");
        log.last().forEach(line -> text.append("  ").append(line).append('\n'));
        return new SimulationFailure(text.toString(), what.getCause());
    }

    /// Whatever can happen inside the quorum does, one thing at a time.
    private void driveQuorum() {
        if (!quorumScheduled && quorum.hasWork()) {
            quorumScheduled = true;
            scheduler.after(random.nextLong(10_000, 400_000), null, "quorum", () -> {
                quorumScheduled = false;
                quorum.step();
            });
        }
    }

    /// A quorum without a leader, or with one that nobody hears, elects another.
    private void elections() {
        scheduler.after(random.nextLong(50_000_000, 400_000_000), null, "election", () -> {
            int leader = quorum.leader();
            if (leader < 0 || !isElectable(leader)) {
                List<Integer> electable = new ArrayList<>();
                for (int id = 0; id < scenario.controllers(); id++) {
                    if (isElectable(id)) {
                        electable.add(id);
                    }
                }
                if (electable.size() > scenario.controllers() / 2) {
                    int elected = electable.get(random.nextInt(electable.size()));
                    log.note(node(elected), "elected", "");
                    quorum.elect(elected);
                }
            }
            elections();
        });
    }

    boolean isElectable(int id) {
        return node(id).isRunning() && !node(id).isPaused() && quorum.isReachable(id);
    }

    // ---- what is done with the cluster

    static String topic(int number) {
        return "topic-" + number;
    }

    private void createTopics() {
        scheduler.after(1_500_000_000, admin, "create topics", () -> {
            admin.create(OffsetsTopic.NAME, Scenario.GROUP_PARTITIONS);
            if (scenario.transactors() > 0) {
                admin.create(TransactionsTopic.NAME, Scenario.TRANSACTION_PARTITIONS);
            }
            for (int i = 0; i < scenario.topics(); i++) {
                admin.create(topic(i), scenario.partitions());
            }
        });
    }

    /// As soon as all topics are there.
    private void startClients() {
        scheduler.after(200_000_000, admin, "start clients", () -> {
            List<TopicIdPartition> partitions = partitions(checks.metadata().image());
            if (partitions.size() < scenario.topics() * scenario.partitions()
                    || checks.metadata().image().topics().topic(OffsetsTopic.NAME) == null) {
                startClients();
                return;
            }
            int number = 0;
            for (int i = 0; i < 2; i++) {
                var producer = new SimulatedProducer(this, i);
                partitions.forEach(producer::use);
                producers.add(producer);
                producer.start();
            }
            for (TopicIdPartition partition : partitions) {
                var consumer = new SimulatedConsumer(this, number, partition, false);
                consumers.add(consumer);
                consumer.start();
                if (number < 2) {
                    var committer = new SimulatedCommitter(this, number, partition);
                    committers.add(committer);
                    committer.start();
                }
                number++;
            }
            for (int i = 0; i < scenario.transactors(); i++) {
                for (int of = 0; of < 2; of++) {
                    var transactor = new SimulatedTransactor(this, i, of == 0, partitions);
                    transactors.add(transactor);
                    transactor.start();
                }
            }
            for (TopicIdPartition partition : scenario.transactors() > 0 ? partitions : List.<TopicIdPartition>of()) {
                var consumer = new SimulatedConsumer(this, 10 + number++, partition, true);
                consumers.add(consumer);
                consumer.start();
            }
            for (int i = 0; i < scenario.members(); i++) {
                var member = new SimulatedMember(this, "team-0", i, random.nextInt(3) == 0, partitions);
                members.add(member);
                member.start();
            }
        });
    }

    private static List<TopicIdPartition> partitions(MetadataImage image) {
        List<TopicIdPartition> all = new ArrayList<>();
        for (int i = 0; ; i++) {
            TopicImage topic = image.topics().topic(topic(i));
            if (topic == null) {
                return all;
            }
            topic.partitions()
                    .forEach((number, registration) ->
                            all.add(new TopicIdPartition(topic.id(), new TopicPartition(topic.name(), number))));
        }
    }

    // ---- whether all is well

    private long committedBefore = -1;
    private int membersCommittedBefore = -1;

    private boolean isWell() {
        if (producers.isEmpty() || complaint() != null) {
            return false;
        }
        // Groups must still work, not only have worked.
        long now = committers.stream().mapToLong(SimulatedCommitter::progress).sum();
        if (committedBefore < 0) {
            committedBefore = now;
        }
        return committers.stream().allMatch(committer -> committer.progress() > 0)
                && now > committedBefore + 2L * committers.size()
                && areTogether();
    }

    /// Whether all members are in one generation and commit.
    private boolean areTogether() {
        if (members.isEmpty()) {
            return true;
        }
        int commits = members.stream().mapToInt(SimulatedMember::commits).sum();
        if (membersCommittedBefore < 0) {
            membersCommittedBefore = commits;
        }
        int generation = members.getFirst().generation();
        return generation >= 0
                && members.stream().allMatch(member -> member.generation() == generation)
                && commits > membersCommittedBefore + 2;
    }

    /// What is not as it should be, null if nothing.
    private @Nullable String complaint() {
        MetadataImage image = checks.metadata().image();
        for (SimulatedNode node : nodes) {
            SimulatedNode.Process process = node.process();
            if (process == null) {
                return node + " does not run";
            }
            SimulatedNode.Broker broker = process.broker();
            if (broker != null && !image.cluster().isUnfenced(node.id())) {
                return node + " is fenced";
            }
        }
        for (TopicImage topic : image.topics().topics()) {
            for (var entry : topic.partitions().entrySet()) {
                PartitionRegistration it = entry.getValue();
                String complaint = !it.hasLeader()
                        ? " has no leader"
                        : it.isReassigning()
                                ? " is being reassigned"
                                : it.isr().size() < it.replicas().size() ? " is not all in sync" : null;
                if (complaint != null) {
                    return topic.name() + "-" + entry.getKey() + complaint + ": " + it;
                }
            }
        }
        for (SimulatedProducer producer : producers) {
            if (!producer.isDone()) {
                return producer.waitsFor();
            }
        }
        for (SimulatedConsumer consumer : consumers) {
            // Also of those who wait for transactions: none may hang.
            int committed = checks.commits().history(consumer.partition()).size();
            if (consumer.position() < committed) {
                return consumer + " is at " + consumer.position() + " of " + committed;
            }
        }
        for (SimulatedTransactor transactor : transactors) {
            if (!transactor.isDone()) {
                return transactor + " is not done";
            }
        }
        String transactions = checks.transactions().complaint();
        if (transactions != null) {
            return transactions;
        }
        return admin.isDone() ? null : "the admin has tasks left";
    }
}
