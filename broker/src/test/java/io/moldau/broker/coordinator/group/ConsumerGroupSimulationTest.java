package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ConsumerGroupsTest.assigned;
import static io.moldau.broker.coordinator.group.ConsumerGroupsTest.owning;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupState;
import io.moldau.broker.coordinator.group.consumer.EmbeddedProtocol;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import io.moldau.wire.message.ConsumerProtocolSubscription;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.SyncGroupResponseData;
import io.moldau.wire.protocol.ByteBufferWritable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Members of both protocols that join, beat, leave, crash and come back by chance while topics grow, commits fail and
/// the shard moves: nobody ever has what another has, and in the end everybody has its share.
class ConsumerGroupSimulationTest {

    private static final List<String> TOPICS = List.of("t", "u");

    /// A client that follows its protocol, and says that it has given something up only once it has.
    private static final class Client {
        private final int number;
        private final boolean isClassic;
        private final @Nullable String instance;
        private boolean running;
        private String id = "";
        private int epoch;
        private int lives;
        private boolean saysAll;
        private Map<Uuid, Set<Integer>> has = new TreeMap<>();
        private @Nullable Answer<ConsumerGroupHeartbeatResponseData> beating;
        private @Nullable Answer<JoinGroupResponseData> joining;
        private @Nullable Answer<SyncGroupResponseData> syncing;

        Client(int number, boolean isClassic, boolean isStatic) {
            this.number = number;
            this.isClassic = isClassic;
            this.instance = isStatic ? "instance" + number : null;
        }

        void start() {
            running = true;
            id = isClassic ? "" : "client" + number + "-" + ++lives;
            giveUp();
        }

        /// Has nothing, and joins.
        void giveUp() {
            epoch = isClassic ? -1 : 0;
            has = new TreeMap<>();
            beating = null;
            joining = null;
            syncing = null;
        }

        void stop() {
            running = false;
            giveUp();
        }
    }

    private final Map<String, Uuid> ids = new HashMap<>();

    @Seeds(count = 80)
    void consumers(long seed) {
        run(seed, 0);
    }

    @Seeds(count = 80)
    void consumersOfBothProtocols(long seed) {
        run(seed, 2);
    }

    private void run(long seed, int classic) {
        var random = new SplittableRandom(seed);
        var it = new GroupHarness(
                GroupCoordinatorConfig.DEFAULTS.withInitialRebalanceDelayMs(0), seed, random.nextInt(2) * 1_000);
        ids.clear();
        ids.put("t", it.topic("t", 1 + random.nextInt(6)));
        var clients = new ArrayList<Client>();
        for (int i = 0; i < 5; i++) {
            clients.add(new Client(i, i < classic, i >= classic && random.nextInt(3) == 0));
        }
        for (int step = 0; step < 300; step++) {
            chance(random, it, clients);
            for (var client : clients) {
                if (client.running) {
                    act(it, client);
                    checkSafety(it, clients);
                }
            }
            it.advance(random.nextInt(4_000));
        }
        settle(it, clients);
    }

    private void chance(SplittableRandom random, GroupHarness it, List<Client> clients) {
        var client = clients.get(random.nextInt(clients.size()));
        switch (random.nextInt(26)) {
            case 0, 1, 2, 3 -> {
                if (!client.running) {
                    client.start();
                }
            }
            case 4 -> {
                if (client.running && client.epoch > 0) {
                    leave(it, client, -1);
                }
            }
            case 5 -> {
                if (client.running && client.epoch > 0 && client.instance != null) {
                    leave(it, client, -2);
                }
            }
            case 6 -> client.stop(); // crashes: its session runs out
            case 7 -> {
                if (client.running) {
                    client.start(); // restarts, forgetting its id
                }
            }
            case 8 -> it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
            case 9 -> it.holdCommits();
            case 10, 11, 12 -> it.commitAll();
            case 13 -> {
                it.commitAll();
                it.restart();
            }
            case 14 -> {
                var topic = TOPICS.get(random.nextInt(TOPICS.size()));
                var existing = it.image().topics().topic(topic);
                int partitions = existing == null ? 1 : existing.partitions().size() + random.nextInt(2);
                ids.put(topic, it.topic(topic, Math.min(partitions, 9)));
            }
            case 15 -> client.saysAll = true;
            default -> {}
        }
    }

    private static void leave(GroupHarness it, Client client, int how) {
        if (client.isClassic) {
            it.leave(client.id);
        } else {
            it.heartbeat(it.beat(client.id, how).setInstanceId(client.instance), 1);
        }
        client.stop();
    }

    // ---- a client's step ----

    private void act(GroupHarness it, Client client) {
        if (client.isClassic) {
            actClassic(it, client);
            return;
        }
        if (client.beating == null) {
            var request = client.epoch == 0
                    ? it.joining(client.id, "t", "u")
                    : owning(it.beat(client.id, client.epoch), client.has);
            if (client.saysAll && client.epoch != 0) {
                request.setSubscribedTopicNames(TOPICS).setRebalanceTimeoutMs(GroupHarness.REBALANCE_MS);
                client.saysAll = false;
            }
            client.beating = it.heartbeat(request.setInstanceId(client.instance), 1);
        }
        if (client.beating != null && client.beating.isThere()) {
            var response = client.beating.get();
            client.beating = null;
            onBeat(client, response);
        }
    }

    private static void onBeat(Client client, ConsumerGroupHeartbeatResponseData response) {
        switch (Errors.forCode(response.errorCode())) {
            case NONE -> {
                client.epoch = response.memberEpoch();
                var assigned = assigned(response);
                if (assigned != null) {
                    client.has = assigned;
                }
            }
            case FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID -> client.giveUp();
            case GROUP_ID_NOT_FOUND -> client.start();
            case FENCED_INSTANCE_ID -> client.stop();
            case UNRELEASED_INSTANCE_ID, COORDINATOR_NOT_AVAILABLE -> {}
            default -> throw new AssertionError("a heartbeat was answered with " + response);
        }
    }

    private void actClassic(GroupHarness it, Client client) {
        if (client.joining != null) {
            if (client.joining.isThere()) {
                var response = client.joining.get();
                client.joining = null;
                onJoined(it, client, response);
            }
        } else if (client.syncing != null) {
            if (client.syncing.isThere()) {
                var response = client.syncing.get();
                client.syncing = null;
                onSynced(client, response);
            }
        } else if (client.epoch < 0) {
            client.joining = it.join(
                    it.joinRequest(client.id)
                            .setProtocols(new ArrayList<>(List.of(new JoinGroupRequestProtocol()
                                    .setName("cooperative-sticky")
                                    .setMetadata(subscription(client.has))))),
                    9);
        } else {
            switch (it.heartbeat(client.id, client.epoch)) {
                case NONE -> {}
                case REBALANCE_IN_PROGRESS -> client.epoch = -1; // and keeps what it has
                case UNKNOWN_MEMBER_ID -> client.start();
                case ILLEGAL_GENERATION -> client.giveUp();
                default -> throw new AssertionError("a heartbeat was answered with an error");
            }
        }
    }

    private void onJoined(GroupHarness it, Client client, JoinGroupResponseData join) {
        switch (Errors.forCode(join.errorCode())) {
            case NONE -> {
                client.id = join.memberId();
                client.epoch = join.generationId();
                // As the leader of a classic group: everything for the first of all.
                Map<String, byte[]> assignments = new TreeMap<>();
                if (join.leader().equals(client.id)) {
                    for (var member : join.members()) {
                        assignments.put(member.memberId(), new byte[0]);
                    }
                    assignments.put(
                            join.members().stream()
                                    .map(m -> m.memberId())
                                    .min(String::compareTo)
                                    .orElseThrow(),
                            EmbeddedProtocol.assignment(everything(it), subscription(Map.of()), this::name));
                }
                client.syncing = it.syncBytes(client.id, client.epoch, assignments);
            }
            case MEMBER_ID_REQUIRED -> client.id = join.memberId();
            case UNKNOWN_MEMBER_ID -> client.start();
            case REBALANCE_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> {}
            default -> throw new AssertionError("a join was answered with " + join);
        }
    }

    private void onSynced(Client client, SyncGroupResponseData sync) {
        switch (Errors.forCode(sync.errorCode())) {
            case NONE -> {
                var partitions = new TreeMap<Uuid, Set<Integer>>();
                EmbeddedProtocol.assignment(sync.assignment())
                        .assignedPartitions()
                        .forEach(it -> partitions.put(
                                Objects.requireNonNull(ids.get(it.topic())), new TreeSet<>(it.partitions())));
                boolean givesUp = !containsAll(partitions, client.has);
                client.has = partitions;
                if (givesUp) {
                    client.epoch = -1; // the cooperative protocol: joins again once it has given up
                }
            }
            case UNKNOWN_MEMBER_ID -> client.start();
            case REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR ->
                client.epoch = -1;
            default -> throw new AssertionError("a sync was answered with " + sync);
        }
    }

    private static boolean containsAll(Map<Uuid, Set<Integer>> all, Map<Uuid, Set<Integer>> some) {
        return some.entrySet().stream()
                .allMatch(it -> all.getOrDefault(it.getKey(), Set.of()).containsAll(it.getValue()));
    }

    private String name(Uuid id) {
        return ids.entrySet().stream()
                .filter(it -> it.getValue().equals(id))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private byte[] subscription(Map<Uuid, Set<Integer>> owned) {
        var subscription = new ConsumerProtocolSubscription().setTopics(TOPICS);
        owned.forEach((id, partitions) -> subscription
                .ownedPartitions()
                .add(new ConsumerProtocolSubscription.TopicPartition()
                        .setTopic(name(id))
                        .setPartitions(List.copyOf(partitions))));
        var out = new ByteBufferWritable();
        out.writeShort(3);
        subscription.write(out, (short) 3);
        return out.toByteArray();
    }

    private static Map<Uuid, Set<Integer>> everything(GroupHarness it) {
        var all = new TreeMap<Uuid, Set<Integer>>();
        it.image()
                .topics()
                .topics()
                .forEach(topic ->
                        all.put(topic.id(), new TreeSet<>(topic.partitions().keySet())));
        return all;
    }

    // ---- what must hold ----

    /// Nothing has two owners: neither as the coordinator sees it, nor as its members do. Who is out of the group and
    /// has not heard of it does not count, and neither do the generations of classic groups.
    private static void checkSafety(GroupHarness it, List<Client> clients) {
        var group = it.shard().consumerGroup(GroupHarness.GROUP);
        if (group == null) {
            return;
        }
        var owners = new HashMap<String, String>();
        for (var member : group.members().all()) {
            var current = member.current();
            current.assigned().forEach((topic, partition, epoch) -> own(owners, topic, partition, member.id()));
            current.pendingRevocation()
                    .forEach((topic, partition, epoch) -> own(owners, topic, partition, member.id()));
            current.assigned()
                    .forEach((topic, partition, epoch) ->
                            assertThat(group.members().owner(topic, partition)).isEqualTo(member.id()));
        }
        for (var client : clients) {
            if (client.running
                    && !client.isClassic
                    && client.epoch > 0
                    && group.members().get(client.id) != null) {
                client.has.forEach((topic, partitions) ->
                        partitions.forEach(partition -> own(owners, topic, partition, client.id)));
            }
        }
    }

    private static void own(Map<String, String> owners, Uuid topic, int partition, String memberId) {
        var other = owners.put(topic + "-" + partition, memberId);
        assertThat(other == null || other.equals(memberId))
                .as("%s and %s have partition %s", other, memberId, partition)
                .isTrue();
    }

    /// Without further faults everybody has its share, and no member more than one above another.
    private void settle(GroupHarness it, List<Client> clients) {
        it.commitAll();
        for (int step = 0; step < 120; step++) {
            for (var client : clients) {
                if (client.running) {
                    act(it, client);
                }
            }
            it.advance(1_500);
        }
        var running = clients.stream().filter(client -> client.running).toList();
        if (running.stream().allMatch(client -> client.isClassic)) {
            return; // a classic group by now, which has tests of its own
        }
        var group = it.consumerGroup();
        assertThat(group.state()).as("%s", group).isEqualTo(ConsumerGroupState.STABLE);
        assertThat(group.size()).isEqualTo(running.size());
        var all = new TreeMap<Uuid, Set<Integer>>();
        for (var client : running) {
            var member = group.member(client.id);
            assertThat(client.epoch).isEqualTo(member.epoch());
            var has = new TreeMap<Uuid, Set<Integer>>();
            member.current().assigned().byTopic().forEach((topic, epochs) -> has.put(topic, epochs.keySet()));
            assertThat(client.has).isEqualTo(has).isEqualTo(group.target(client.id));
            client.has.forEach((topic, partitions) -> partitions.forEach(partition -> assertThat(
                            all.computeIfAbsent(topic, id -> new TreeSet<>()).add(partition))
                    .as("partition %s is had once", partition)
                    .isTrue()));
        }
        assertThat(all).isEqualTo(everything(it));
        var replayed = it.replayed().consumerGroup(GroupHarness.GROUP);
        assertThat(replayed).isEqualTo(group);
    }
}
