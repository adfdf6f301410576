package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupState.EMPTY;
import static io.moldau.broker.coordinator.group.ClassicGroupState.STABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.SyncGroupResponseData;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Members that join, beat, leave, crash and restart by chance, against what must hold whatever they do.
class GroupSimulationTest {

    /// A client that follows the protocol: joins, syncs, beats, and obeys the errors it gets.
    private static final class Member {
        private final int number;
        private final @Nullable String instance;
        private boolean running;
        private String id = "";
        private int generation = -1;
        private @Nullable String assignment;
        private @Nullable Answer<JoinGroupResponseData> joining;
        private @Nullable Answer<SyncGroupResponseData> syncing;

        Member(int number, boolean isStatic) {
            this.number = number;
            this.instance = isStatic ? "instance" + number : null;
        }

        void start() {
            running = true;
            id = "";
            rejoin();
        }

        void rejoin() {
            generation = -1;
            assignment = null;
            joining = null;
            syncing = null;
        }
    }

    private final Map<Integer, Map<String, String>> assignedInGeneration = new HashMap<>();

    @Seeds(count = 60)
    void membersAgreeOnGenerationAndAssignment(long seed) {
        var random = new SplittableRandom(seed);
        var it = new GroupHarness(
                GroupCoordinatorConfig.DEFAULTS.withInitialRebalanceDelayMs(random.nextInt(2) * 3_000), seed);
        var members = new ArrayList<Member>();
        for (int i = 0; i < 5; i++) {
            members.add(new Member(i, random.nextInt(3) == 0));
        }
        for (int step = 0; step < 400; step++) {
            chance(random, it, members);
            for (var member : members) {
                if (member.running) {
                    act(it, member);
                }
            }
            checkSafety(it, members);
            it.advance(random.nextInt(2_000));
        }
        settle(it, members);
    }

    private static void chance(SplittableRandom random, GroupHarness it, List<Member> members) {
        var member = members.get(random.nextInt(members.size()));
        switch (random.nextInt(24)) {
            case 0, 1, 2 -> {
                if (!member.running) {
                    member.start();
                }
            }
            case 3 -> {
                if (member.running && !member.id.isEmpty()) {
                    it.leave(member.id);
                    member.running = false;
                }
            }
            case 4 -> member.running = false; // crashes: its session runs out
            case 5 -> {
                if (member.running) {
                    member.start(); // restarts, forgetting its id
                }
            }
            case 6 -> {
                if (member.running) {
                    member.rejoin();
                }
            }
            case 7 -> it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
            case 8 -> it.holdCommits();
            case 9, 10, 11 -> it.commitAll();
            case 12 -> {
                it.commitAll();
                it.restart();
            }
            default -> {}
        }
    }

    /// One step of a client.
    private void act(GroupHarness it, Member member) {
        if (member.joining != null) {
            if (member.joining.isThere()) {
                onJoined(it, member, member.joining.get());
            }
        } else if (member.syncing != null) {
            if (member.syncing.isThere()) {
                onSynced(member, member.syncing.get());
            }
        } else if (member.generation == -1) {
            member.joining = it.join(it.joinRequest(member.id).setGroupInstanceId(member.instance), 9);
        } else {
            var error = it.heartbeat(member.id, member.generation, member.instance);
            switch (error) {
                case NONE -> {}
                case REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION -> member.rejoin();
                case UNKNOWN_MEMBER_ID -> member.start();
                case FENCED_INSTANCE_ID -> member.start();
                default -> throw new AssertionError("a heartbeat was answered with " + error);
            }
        }
    }

    private void onJoined(GroupHarness it, Member member, JoinGroupResponseData join) {
        member.joining = null;
        switch (Errors.forCode(join.errorCode())) {
            case NONE -> {
                member.id = join.memberId();
                member.generation = join.generationId();
                boolean leads = join.leader().equals(member.id) && !join.skipAssignment();
                Map<String, String> assignments = leads
                        ? join.members().stream()
                                .collect(Collectors.toMap(
                                        other -> other.memberId(),
                                        other -> join.generationId() + " for " + other.memberId()))
                        : Map.of();
                if (leads) {
                    assertThat(assignments).as("the leader is told of itself").containsKey(member.id);
                }
                member.syncing = it.sync(member.id, member.generation, assignments);
            }
            case MEMBER_ID_REQUIRED -> member.id = join.memberId();
            case UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID -> member.id = "";
            case REBALANCE_IN_PROGRESS, NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> {}
            default -> throw new AssertionError("a join was answered with " + Errors.forCode(join.errorCode()));
        }
    }

    private void onSynced(Member member, SyncGroupResponseData sync) {
        member.syncing = null;
        switch (Errors.forCode(sync.errorCode())) {
            case NONE -> {
                member.assignment = new String(sync.assignment(), StandardCharsets.UTF_8);
                var before = assignedInGeneration
                        .computeIfAbsent(member.generation, g -> new HashMap<>())
                        .put(member.id, member.assignment);
                assertThat(before == null || before.equals(member.assignment))
                        .as("one assignment in one generation")
                        .isTrue();
            }
            case UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID -> member.start();
            case REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR ->
                member.rejoin();
            default -> throw new AssertionError("a sync was answered with " + Errors.forCode(sync.errorCode()));
        }
    }

    private static void checkSafety(GroupHarness it, List<Member> members) {
        var group = it.shard().group(GroupHarness.GROUP);
        if (group == null || !group.is(STABLE)) {
            return;
        }
        assertThat(group.memberIds()).contains(java.util.Objects.requireNonNull(group.leaderId()));
        for (var member : members) {
            if (member.running
                    && member.generation == group.generationId()
                    && group.has(member.id)
                    && member.assignment != null) {
                assertThat(member.assignment)
                        .as("the group knows what it told member %s", member.number)
                        .isEqualTo(new String(group.member(member.id).assignment(), StandardCharsets.UTF_8));
            }
        }
    }

    /// Without further faults everybody who runs ends up in one generation with an assignment, nobody is lost, and the
    /// log says what the shard says.
    private void settle(GroupHarness it, List<Member> members) {
        it.commitAll();
        for (int step = 0; step < 400; step++) {
            for (var member : members) {
                if (member.running) {
                    act(it, member);
                }
            }
            it.advance(500);
        }
        var running = members.stream().filter(member -> member.running).toList();
        var group = it.group();
        if (running.isEmpty()) {
            assertThat(group.state()).isEqualTo(EMPTY);
        } else {
            assertThat(group.state()).isEqualTo(STABLE);
            assertThat(group.memberIds())
                    .isEqualTo(running.stream().map(member -> member.id).collect(Collectors.toSet()));
            assertThat(running).allSatisfy(member -> {
                assertThat(member.generation).isEqualTo(group.generationId());
                assertThat(member.assignment).endsWith(" for " + originalId(member, group));
                assertThat(it.heartbeat(member.id, member.generation, member.instance))
                        .isEqualTo(Errors.NONE);
            });
        }
        checkReplay(it, group);
    }

    // A static member that took over an assignment has one that was made for its id before.
    private String originalId(Member member, ClassicGroup group) {
        var assignment = new String(group.member(member.id).assignment(), StandardCharsets.UTF_8);
        var made = assignment.substring(assignment.indexOf(" for ") + 5);
        assertThat(made).startsWith((member.instance == null ? "client" : member.instance) + "-");
        if (member.instance == null) {
            assertThat(made).isEqualTo(member.id);
        }
        return made;
    }

    private static void checkReplay(GroupHarness it, ClassicGroup live) {
        var replayed = java.util.Objects.requireNonNull(it.replayed().group(GroupHarness.GROUP));
        assertThat(replayed.state()).isEqualTo(live.state());
        assertThat(replayed.generationId()).isEqualTo(live.generationId());
        assertThat(replayed.leaderId()).isEqualTo(live.leaderId());
        assertThat(replayed.protocolName()).isEqualTo(live.protocolName());
        assertThat(replayed.memberIds()).isEqualTo(Set.copyOf(live.memberIds()));
        for (var id : live.memberIds()) {
            assertThat(replayed.member(id).assignment())
                    .isEqualTo(live.member(id).assignment());
            assertThat(replayed.member(id).groupInstanceId())
                    .isEqualTo(live.member(id).groupInstanceId());
        }
    }
}
