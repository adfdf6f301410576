package io.moldau.metadata.controller.op;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import io.moldau.metadata.controller.BrokerHeartbeats;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.controller.TopicConfigDescriber;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.StripedReplicaPlacer;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Brokers come, crash, lose the ends of their logs and go, replicas lag, catch up and are moved, and the controller's
/// operations answer. A simple model of the data says what each replica holds and what is committed. After every step
/// the partitions are sound, and nobody leads cleanly who lacks a committed record.
class PartitionLifePropertyTest {

    private static final int BROKERS = 6;
    private static final int STEPS = 250;

    private static final class World {
        final SplittableRandom random;
        final ControllerSettings settings;
        final BrokerHeartbeats heartbeats = new BrokerHeartbeats(1L << 40);
        /// Brokers whose process runs.
        final Set<Integer> running = new HashSet<>();
        /// Brokers whose last process ended in order, and the epoch it had.
        final Map<Integer, Long> stoppedClean = new HashMap<>();
        /// What each broker's replica of a partition holds: ids of records.
        final Map<String, List<Integer>> logs = new HashMap<>();
        final Map<String, List<Integer>> committed = new HashMap<>();
        MetadataImage image;
        int nextRecord;
        int incarnations;
        String trace = "";

        World(long seed, boolean eligibleLeaders) {
            random = new SplittableRandom(seed);
            settings = ControllerSettings.DEFAULTS.withMinInsyncReplicas(1 + random.nextInt(3));
            image = eligibleLeaders ? TestImages.withEligibleLeaders(TestImages.empty()) : TestImages.empty();
        }

        <T> T run(String what, ControllerResult<T> result) {
            trace = what;
            MetadataImage before = image;
            image = TestImages.apply(image, result.records());
            check(before);
            return result.response();
        }

        @Nullable
        BrokerRegistration broker(int id) {
            return image.cluster().broker(id);
        }

        List<Integer> log(String partition, int broker) {
            return logs.computeIfAbsent(partition + "@" + broker, key -> new ArrayList<>());
        }

        // ---- Brokers.

        void start(int id) {
            BrokerRegistration existing = broker(id);
            long clean =
                    existing != null && Objects.equals(stoppedClean.get(id), existing.epoch()) ? existing.epoch() : -1;
            var result = new RegisterBroker(settings)
                    .plan(
                            image,
                            TestImages.registration(id, new Uuid(1, ++incarnations)).toBuilder()
                                    .setPreviousBrokerEpoch(clean)
                                    .build(),
                            false);
            stoppedClean.remove(id);
            running.add(id);
            long epoch =
                    run("start " + id + (clean < 0 ? "" : " clean"), result).getBrokerEpoch();
            heartbeats.register(id, epoch, 0, 0);
            heartbeats.touch(id, epoch, 1_000_000, 0);
        }

        BrokerHeartbeatResponse heartbeat(int id, boolean shutDown) {
            return run(
                    "heartbeat " + id + (shutDown ? " to shut down" : ""),
                    new BrokerHeartbeat(settings)
                            .plan(
                                    image,
                                    BrokerHeartbeatRequest.newBuilder()
                                            .setBrokerId(id)
                                            .setBrokerEpoch(Objects.requireNonNull(broker(id))
                                                    .epoch())
                                            .setCurrentMetadataIndex(1_000_000)
                                            .setWantShutDown(shutDown)
                                            .build(),
                                    heartbeats));
        }

        void stop(int id) {
            BrokerRegistration broker = Objects.requireNonNull(broker(id));
            boolean may = false;
            for (int i = 0; i < 3 && !may; i++) {
                may = heartbeat(id, true).getShouldShutDown();
                heartbeats.shuttingDown(id, 1_000);
            }
            running.remove(id);
            stoppedClean.put(id, broker.epoch());
            heartbeats.remove(id);
        }

        /// The process dies, and the end of its logs with it.
        void crash(int id) {
            running.remove(id);
            heartbeats.remove(id);
            logs.forEach((key, log) -> {
                if (key.endsWith("@" + id) && !log.isEmpty()) {
                    log.subList(random.nextInt(log.size() + 1), log.size()).clear();
                }
            });
        }

        // ---- Data.

        boolean serves(PartitionRegistration partition) {
            return partition.hasLeader()
                    && running.contains(partition.leader())
                    && image.cluster().isUnfenced(partition.leader());
        }

        void produce(String key, PartitionRegistration partition) {
            if (serves(partition)) {
                log(key, partition.leader()).add(nextRecord++);
            }
        }

        void fetch(String key, PartitionRegistration partition, int follower) {
            if (serves(partition) && running.contains(follower) && follower != partition.leader()) {
                List<Integer> log = log(key, follower);
                log.clear();
                log.addAll(log(key, partition.leader()));
            }
        }

        /// The high watermark moves only while the ISR is large enough.
        void commit(String key, PartitionRegistration partition) {
            int minimum =
                    Math.min(settings.minInsyncReplicas(), partition.replicas().size());
            if (!serves(partition) || partition.isr().size() < minimum) {
                return;
            }
            List<Integer> leaders = log(key, partition.leader());
            int common = leaders.size();
            for (int id : partition.isr()) {
                common = Math.min(common, commonPrefix(leaders, log(key, id)));
            }
            if (common > committed.getOrDefault(key, List.of()).size()) {
                committed.put(key, List.copyOf(leaders.subList(0, common)));
            }
        }

        static int commonPrefix(List<Integer> a, List<Integer> b) {
            int i = 0;
            while (i < a.size() && i < b.size() && a.get(i).equals(b.get(i))) {
                i++;
            }
            return i;
        }

        /// The leader drops who lags, or takes in who has caught up.
        void alterIsr(String key, TopicImage topic, int id, PartitionRegistration partition) {
            if (!serves(partition)) {
                return;
            }
            var isr = new ArrayList<>(partition.isr());
            isr.removeIf(member -> member != partition.leader() && random.nextInt(3) == 0);
            for (int replica : partition.replicas()) {
                if (!isr.contains(replica)
                        && running.contains(replica)
                        && log(key, replica).equals(log(key, partition.leader()))
                        && random.nextInt(3) > 0) {
                    isr.add(replica);
                }
            }
            var proposal = AlterPartitionRequest.PartitionIsr.newBuilder()
                    .setPartitionId(id)
                    .setLeaderEpoch(partition.leaderEpoch())
                    .setPartitionEpoch(partition.partitionEpoch());
            for (int member : isr) {
                BrokerRegistration broker = broker(member);
                proposal.addNewIsr(AlterPartitionRequest.IsrMember.newBuilder()
                        .setBrokerId(member)
                        .setBrokerEpoch(broker == null ? 0 : broker.epoch()));
            }
            run(
                    "isr " + isr,
                    new AlterPartition(settings)
                            .plan(
                                    image,
                                    AlterPartitionRequest.newBuilder()
                                            .setBrokerId(partition.leader())
                                            .setBrokerEpoch(Objects.requireNonNull(broker(partition.leader()))
                                                    .epoch())
                                            .addTopics(AlterPartitionRequest.TopicIsr.newBuilder()
                                                    .setTopicId(MetadataRecords.id(topic.id()))
                                                    .addPartitions(proposal))
                                            .build()));
        }

        // ---- Administration.

        void createTopic() {
            run(
                    "create topic",
                    new CreateTopics(
                                    settings,
                                    new StripedReplicaPlacer(),
                                    ConfigValidator.acceptAll(),
                                    TopicConfigDescriber.none(),
                                    random)
                            .plan(
                                    image,
                                    new CreateTopicsRequestData()
                                            .setTopics(List.of(new CreatableTopic()
                                                    .setName("t"
                                                            + image.topics()
                                                                    .topics()
                                                                    .size())
                                                    .setNumPartitions(2)
                                                    .setReplicationFactor((short) (1 + random.nextInt(4)))))));
        }

        void reassign(String topic, int id) {
            List<Integer> target = null;
            if (random.nextInt(3) > 0) {
                var ids = new ArrayList<Integer>();
                image.cluster().brokers().forEach(broker -> ids.add(broker.id()));
                Collections.shuffle(ids, Random.from(random));
                target = List.copyOf(ids.subList(0, Math.min(ids.size(), 1 + random.nextInt(3))));
            }
            run(
                    "reassign " + topic + "-" + id + " to " + target,
                    new AlterPartitionReassignments(settings)
                            .plan(
                                    image,
                                    new AlterPartitionReassignmentsRequestData()
                                            .setTopics(List.of(new ReassignableTopic()
                                                    .setName(topic)
                                                    .setPartitions(List.of(new ReassignablePartition()
                                                            .setPartitionIndex(id)
                                                            .setReplicas(target)))))));
        }

        void allowUncleanElections(String topic) {
            run(
                    "unclean elections of " + topic,
                    ControllerResult.of(
                            List.of(MetadataRecords.of(ConfigRecord.newBuilder()
                                    .setResourceType(2)
                                    .setResourceName(topic)
                                    .setName("unclean.leader.election.enable")
                                    .setValue("true")
                                    .build())),
                            true));
        }

        void step() {
            int id = random.nextInt(BROKERS);
            switch (random.nextInt(12)) {
                case 0 -> {
                    if (!running.contains(id)) {
                        start(id);
                    }
                }
                case 1 -> {
                    if (running.contains(id) && broker(id) != null) {
                        heartbeat(id, false);
                    }
                }
                case 2 -> {
                    BrokerRegistration broker = broker(id);
                    if (broker != null && (random.nextInt(3) == 0 || !running.contains(id))) {
                        run("fence " + id, new FenceBroker(settings).plan(image, id, broker.epoch()));
                    }
                }
                case 3 -> {
                    if (running.contains(id) && broker(id) != null && random.nextInt(3) == 0) {
                        if (random.nextBoolean()) {
                            stop(id);
                        } else {
                            crash(id);
                        }
                    }
                }
                case 4 -> {
                    if (image.topics().topics().size() < 3
                            && image.cluster().brokers().stream().anyMatch(BrokerRegistration::isActive)) {
                        createTopic();
                    }
                }
                case 5 -> {
                    switch (random.nextInt(8)) {
                        case 0 ->
                            run(
                                    "elect unclean",
                                    new ElectLeaders(settings)
                                            .plan(
                                                    image,
                                                    new ElectLeadersRequestData()
                                                            .setElectionType((byte) 1)
                                                            .setTopicPartitions(null)));
                        case 1 -> {
                            if (!running.contains(id) && broker(id) != null) {
                                run(
                                        "unregister " + id,
                                        new UnregisterBroker(settings)
                                                .plan(image, new UnregisterBrokerRequestData().setBrokerId(id)));
                            }
                        }
                        case 2 -> {
                            if (!image.topics().topics().isEmpty() && random.nextInt(4) == 0) {
                                allowUncleanElections("t0");
                            }
                        }
                        default -> run("balance", new BalanceLeaders(settings).plan(image));
                    }
                }
                default -> {
                    for (TopicImage topic : List.copyOf(image.topics().topics())) {
                        for (int partition : topic.partitions().keySet()) {
                            onPartition(topic, partition, id);
                        }
                    }
                }
            }
        }

        void onPartition(TopicImage topic, int id, int broker) {
            String key = topic.name() + "-" + id;
            switch (random.nextInt(6)) {
                case 0 -> produce(key, partition(topic, id));
                case 1 -> fetch(key, partition(topic, id), broker);
                case 2 -> {
                    for (int replica : partition(topic, id).replicas()) {
                        fetch(key, partition(topic, id), replica);
                    }
                }
                case 3 -> alterIsr(key, topic, id, partition(topic, id));
                case 4 -> commit(key, partition(topic, id));
                default -> {
                    if (random.nextInt(6) == 0) {
                        reassign(topic.name(), id);
                    }
                }
            }
        }

        PartitionRegistration partition(TopicImage topic, int id) {
            return TestImages.partition(image, topic.name(), id);
        }

        // ---- What must hold.

        void check(MetadataImage before) {
            boolean eligibleLeaders = image.features().hasEligibleLeaderReplicas();
            for (TopicImage topic : image.topics().topics()) {
                topic.partitions().forEach((id, partition) -> {
                    String key = topic.name() + "-" + id;
                    var old = before.topics().partition(topic.id(), id);
                    String what = trace + ": " + key + " " + old + " -> " + partition;
                    boolean sole = partition.replicas().size() == 1;

                    assertThat(partition.replicas()).as(what).isNotEmpty().doesNotHaveDuplicates();
                    assertThat(partition.directories()).as(what).hasSameSizeAs(partition.replicas());
                    assertThat(partition.isr()).as(what).doesNotHaveDuplicates().isSubsetOf(partition.replicas());
                    assertThat(partition.elr())
                            .as(what)
                            .doesNotHaveDuplicates()
                            .isSubsetOf(partition.replicas())
                            .doesNotContainAnyElementsOf(partition.isr().isEmpty() ? List.of(-2) : partition.isr());
                    assertThat(partition.addingReplicas()).as(what).isSubsetOf(partition.replicas());
                    assertThat(partition.removingReplicas()).as(what).isSubsetOf(partition.replicas());
                    assertThat(partition.addingReplicas()).as(what).noneMatch(partition.removingReplicas()::contains);
                    if (eligibleLeaders) {
                        if (!sole) {
                            assertThat(partition.isr()).as(what).allMatch(image.cluster()::isUnfenced);
                        }
                        if (partition.isr().size()
                                >= Math.min(
                                        settings.minInsyncReplicas(),
                                        partition.replicas().size())) {
                            assertThat(partition.elr()).as(what).isEmpty();
                        }
                    } else {
                        assertThat(partition.isr()).as(what).isNotEmpty();
                        assertThat(partition.elr()).as(what).isEmpty();
                    }
                    if (partition.hasLeader()) {
                        assertThat(partition.isr()).as(what).contains(partition.leader());
                        assertThat(sole || image.cluster().isActive(partition.leader()))
                                .as(what)
                                .isTrue();
                        assertThat(partition.lastKnownElr()).as(what).isEmpty();
                    }
                    if (old != null) {
                        checkEpochs(what, old, partition);
                    }
                    checkLoss(key, what, old, partition, eligibleLeaders && !sole);
                });
            }
        }

        static void checkEpochs(String what, PartitionRegistration old, PartitionRegistration now) {
            assertThat(now.leaderEpoch()).as(what).isGreaterThanOrEqualTo(old.leaderEpoch());
            assertThat(now.partitionEpoch()).as(what).isGreaterThanOrEqualTo(old.partitionEpoch());
            if (!now.equals(old)) {
                assertThat(now.partitionEpoch()).as(what).isGreaterThan(old.partitionEpoch());
            }
            if (now.leader() != old.leader()) {
                assertThat(now.leaderEpoch()).as(what).isGreaterThan(old.leaderEpoch());
            }
        }

        void checkLoss(
                String key,
                String what,
                @Nullable PartitionRegistration old,
                PartitionRegistration now,
                boolean eligibleLeaders) {
            List<Integer> known = committed.getOrDefault(key, List.of());
            if (!now.hasLeader() || known.isEmpty()) {
                return;
            }
            List<Integer> leaders = log(key, now.leader());
            if (now.leaderRecoveryState() == LeaderRecoveryState.RECOVERING || !eligibleLeaders) {
                // What it lacks is lost, as was said.
                committed.put(key, List.copyOf(known.subList(0, commonPrefix(known, leaders))));
            } else if (running.contains(now.leader())
                    && (old == null || old.leader() != now.leader() || old.leaderEpoch() != now.leaderEpoch())) {
                assertThat(leaders).as("clean leader of " + what).startsWith(known.toArray(Integer[]::new));
            }
        }

        /// Everybody comes back: whoever may lead does.
        void recover() {
            for (int id = 0; id < BROKERS; id++) {
                if (!running.contains(id) || broker(id) == null) {
                    start(id);
                }
                BrokerRegistration broker = Objects.requireNonNull(broker(id));
                if (broker.inControlledShutdown()) {
                    running.remove(id);
                    start(id);
                }
                heartbeat(id, false);
            }
            for (TopicImage topic : image.topics().topics()) {
                topic.partitions().forEach((id, partition) -> {
                    boolean known = !partition.isr().isEmpty()
                            || !partition.elr().isEmpty()
                            || partition.replicas().containsAll(partition.lastKnownElr());
                    assertThat(partition.hasLeader() || !known)
                            .as(topic.name() + "-" + id + " " + partition)
                            .isTrue();
                });
            }
        }
    }

    @Seeds(count = 150)
    void withEligibleLeadersNothingCommittedIsLostByACleanElection(long seed) {
        live(new World(seed, true));
    }

    @Seeds(count = 60)
    void withoutThemPartitionsStaySound(long seed) {
        live(new World(seed, false));
    }

    private static void live(World world) {
        for (int id = 0; id < BROKERS; id++) {
            if (world.random.nextInt(4) > 0) {
                world.start(id);
                world.heartbeat(id, false);
            }
        }
        for (int i = 0; i < STEPS; i++) {
            world.step();
        }
        world.recover();
    }
}
