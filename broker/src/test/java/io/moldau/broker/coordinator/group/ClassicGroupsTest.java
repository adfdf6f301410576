package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupState.COMPLETING_REBALANCE;
import static io.moldau.broker.coordinator.group.ClassicGroupState.EMPTY;
import static io.moldau.broker.coordinator.group.ClassicGroupState.PREPARING_REBALANCE;
import static io.moldau.broker.coordinator.group.ClassicGroupState.STABLE;
import static io.moldau.broker.coordinator.group.GroupHarness.protocol;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.SyncGroupRequestData;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Rebalances as stories.
class ClassicGroupsTest {

    private final GroupHarness it = new GroupHarness();

    private static Errors error(Answer<JoinGroupResponseData> join) {
        return Errors.forCode(join.get().errorCode());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void aMemberIsGivenAnIdFirst() {
        var first = it.join("").get();

        assertThat(Errors.forCode(first.errorCode())).isEqualTo(Errors.MEMBER_ID_REQUIRED);
        assertThat(first.memberId()).startsWith("client-");
        assertThat(it.group().size()).isZero();

        var second = it.join(first.memberId());
        it.advance(0);

        assertThat(error(second)).isEqualTo(Errors.NONE);
        assertThat(second.get().generationId()).isEqualTo(1);
        assertThat(second.get().leader()).isEqualTo(first.memberId());
        assertThat(second.get().protocolName()).isEqualTo("range");
        assertThat(second.get().members()).hasSize(1);
    }

    @Test
    void anOldClientJoinsInOneStep() {
        var join = it.join(it.joinRequest(""), 3);
        it.advance(0);

        assertThat(error(join)).isEqualTo(Errors.NONE);
        assertThat(join.get().memberId()).startsWith("client-");
    }

    @Test
    void theFirstRebalanceWaitsForMoreMembersAsLongAsTheyKeepComing() {
        var slow = new GroupHarness(GroupCoordinatorConfig.DEFAULTS, 1L);
        var one = slow.joinTwice();
        slow.advance(2_999);
        var two = slow.joinTwice();
        slow.advance(1);
        assertThat(one.isThere()).as("extended, for a second member came").isFalse();

        slow.advance(2_999);
        assertThat(one.isThere()).isFalse();
        slow.advance(1);

        assertThat(error(one)).isEqualTo(Errors.NONE);
        assertThat(error(two)).isEqualTo(Errors.NONE);
        assertThat(one.get().generationId()).isEqualTo(two.get().generationId());
    }

    @Test
    void theFirstRebalanceWaitsNoLongerThanTheRebalanceTimeOut() {
        var slow = new GroupHarness(GroupCoordinatorConfig.DEFAULTS, 1L);
        var request = slow.joinRequest(slow.join("").get().memberId()).setRebalanceTimeoutMs(7_000);
        var one = slow.join(request, 9);
        for (int ms = 0; ms < 7_000; ms += 500) {
            assertThat(one.isThere()).isFalse();
            slow.advance(500);
            slow.join(slow.joinRequest(slow.join("").get().memberId()).setRebalanceTimeoutMs(7_000), 9);
        }
        slow.advance(2_500);

        assertThat(error(one)).isEqualTo(Errors.NONE);
    }

    @Test
    void onlyTheLeaderIsToldTheMembers() {
        var ids = it.stableGroup(3);
        var joins = ids.stream().map(it::join).toList();

        assertThat(joins.get(0).get().members()).hasSize(3);
        assertThat(joins.get(1).get().members()).isEmpty();
        assertThat(joins.get(2).get().members()).isEmpty();
        assertThat(joins)
                .allSatisfy(join -> assertThat(join.get().generationId()).isEqualTo(2));
    }

    @Test
    void aRebalanceIsCountedOnceTheNewDivisionIsInTheLog() {
        var ids = it.stableGroup(2);
        int before = it.rebalances().size();
        assertThat(it.rebalances()).isNotEmpty().containsOnly(Group.Type.CLASSIC);

        var leader = it.join(ids.getFirst());
        it.join(ids.getLast());
        it.advance(0);
        assertThat(it.rebalances()).as("joined, but nothing is divided yet").hasSize(before);

        it.sync(ids.getFirst(), leader.get().generationId(), Map.of(ids.getFirst(), "all of it"));
        assertThat(it.rebalances()).hasSize(before + 1);
    }

    @Test
    void aNewMemberIsHeldUntilTheOthersHaveJoinedAgain() {
        var ids = it.stableGroup(1);
        var newcomer = it.joinTwice();

        assertThat(newcomer.isThere()).isFalse();
        assertThat(it.heartbeat(ids.getFirst(), 1)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);

        var again = it.join(ids.getFirst());

        assertThat(newcomer.get().generationId()).isEqualTo(2);
        assertThat(again.get().generationId()).isEqualTo(2);
        assertThat(again.get().members()).hasSize(2);
        assertThat(it.heartbeat(ids.getFirst(), 1)).isEqualTo(Errors.ILLEGAL_GENERATION);
    }

    @Test
    void aFollowersSyncIsHeldUntilTheLeaderBringsTheAssignment() {
        var one = it.joinTwice();
        var two = it.joinTwice();
        it.advance(0);
        var leader = one.get().leader();
        var follower = leader.equals(one.get().memberId())
                ? two.get().memberId()
                : one.get().memberId();

        var held = it.sync(follower, 1, Map.of());
        assertThat(held.isThere()).isFalse();
        var led = it.sync(leader, 1, Map.of(leader, "L", follower, "F"));

        assertThat(text(led.get().assignment())).isEqualTo("L");
        assertThat(text(held.get().assignment())).isEqualTo("F");
        assertThat(held.get().protocolType()).isEqualTo("consumer");
        assertThat(it.group().state()).isEqualTo(STABLE);
    }

    @Test
    void syncsAreAnsweredOnlyOnceTheAssignmentIsCommitted() {
        var one = it.joinTwice();
        it.advance(0);
        it.holdCommits();
        var sync = it.sync(one.get().memberId(), 1, Map.of(one.get().memberId(), "A"));

        assertThat(sync.isThere()).isFalse();
        assertThat(it.group().state()).isEqualTo(COMPLETING_REBALANCE);
        assertThat(it.heartbeat(one.get().memberId(), 1)).isEqualTo(Errors.NONE);

        it.commitAll();

        assertThat(text(sync.get().assignment())).isEqualTo("A");
        assertThat(it.group().state()).isEqualTo(STABLE);
    }

    /// A leader that got no answer may calculate again and come to something else. What members are told must be what
    /// is in the log.
    @Test
    void aLeaderThatSyncsAgainDoesNotReplaceTheAssignmentThatIsBeingStored() {
        var one = it.joinTwice();
        it.advance(0);
        it.holdCommits();
        var leader = one.get().memberId();
        it.sync(leader, 1, Map.of(leader, "A"));
        var again = it.sync(leader, 1, Map.of(leader, "B"));

        it.commitAll();

        assertThat(text(again.get().assignment())).isEqualTo("A");
        assertThat(text(Objects.requireNonNull(it.replayed().group(GroupHarness.GROUP))
                        .member(leader)
                        .assignment()))
                .isEqualTo("A");
    }

    @Test
    void anAssignmentThatCannotBeStoredBringsAnotherRebalance() {
        var one = it.joinTwice();
        it.advance(0);
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        var sync = it.sync(one.get().memberId(), 1, Map.of(one.get().memberId(), "A"));

        assertThat(Errors.forCode(sync.get().errorCode())).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.group().state()).isEqualTo(PREPARING_REBALANCE);
    }

    @Test
    void anAssignmentThatIsOvertakenByAJoinIsNotGivenOut() {
        var one = it.joinTwice();
        it.advance(0);
        var leader = one.get().memberId();
        it.holdCommits();
        var sync = it.sync(leader, 1, Map.of(leader, "A"));
        it.joinTwice();

        assertThat(Errors.forCode(sync.get().errorCode())).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        it.commitAll();
        assertThat(it.group().state()).isEqualTo(PREPARING_REBALANCE);
    }

    @Test
    void whoDoesNotJoinAgainInTimeIsOut() {
        var ids = it.stableGroup(2);
        var leader = it.join(ids.get(0));
        for (int ms = 0; ms < GroupHarness.REBALANCE_MS; ms += 5_000) {
            assertThat(leader.isThere()).isFalse();
            assertThat(it.heartbeat(ids.get(1), 1)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
            it.advance(5_000);
        }

        assertThat(leader.get().members()).hasSize(1);
        assertThat(it.heartbeat(ids.get(1), 2)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void aLateLeaderLosesTheLead() {
        var ids = it.stableGroup(2);
        // The follower's changed subscription begins the rebalance.
        var changed = it.joinRequest(ids.get(1)).setProtocols(List.of(protocol("range", "other")));
        var follower = it.join(changed, 9);
        it.advance(GroupHarness.REBALANCE_MS);

        assertThat(follower.get().leader()).isEqualTo(ids.get(1));
        assertThat(follower.get().members()).hasSize(1);
    }

    @Test
    void aSilentMemberIsOut() {
        var ids = it.stableGroup(2);
        it.advance(GroupHarness.SESSION_MS - 1);
        assertThat(it.heartbeat(ids.get(0), 1)).isEqualTo(Errors.NONE);
        it.advance(1);

        assertThat(it.heartbeat(ids.get(1), 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.heartbeat(ids.get(0), 1)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
    }

    @Test
    void aMemberWhoseRequestIsHeldNeedsNoHeartbeat() {
        var ids = it.stableGroup(2);
        var held = it.join(ids.get(0));
        for (int i = 0; i < 5; i++) {
            it.heartbeat(ids.get(1), 1);
            it.advance(GroupHarness.SESSION_MS - 1);
        }
        it.join(ids.get(1));

        assertThat(error(held)).isEqualTo(Errors.NONE);
        assertThat(held.get().members()).hasSize(2);
    }

    @Test
    void aMemberThatDoesNotFetchItsAssignmentIsOut() {
        var one = it.joinTwice();
        var two = it.joinTwice();
        it.advance(0);
        var leader = one.get().leader();
        var other = leader.equals(one.get().memberId())
                ? two.get().memberId()
                : one.get().memberId();
        it.sync(leader, 1, Map.of());
        for (int ms = 0; ms < GroupHarness.REBALANCE_MS; ms += 5_000) {
            assertThat(it.heartbeat(leader, 1)).isEqualTo(Errors.NONE);
            assertThat(it.heartbeat(other, 1)).isEqualTo(Errors.NONE);
            it.advance(5_000);
        }

        assertThat(it.heartbeat(other, 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.group().state()).isEqualTo(PREPARING_REBALANCE);
    }

    @Test
    void anIdThatIsNeverUsedHoldsUpTheNextRebalanceForItsSessionOnly() {
        var ids = it.stableGroup(1);
        it.join("");
        var leader = it.join(ids.getFirst());

        assertThat(leader.isThere()).isFalse();
        it.advance(GroupHarness.SESSION_MS);

        assertThat(error(leader)).isEqualTo(Errors.NONE);
        assertThat(leader.get().members()).hasSize(1);
    }

    @Test
    void thePreferredProtocolOfAllWins() {
        var one = it.join("").get().memberId();
        var two = it.join("").get().memberId();
        var three = it.join("").get().memberId();
        var first = it.join(
                it.joinRequest(one).setProtocols(List.of(protocol("a", "t"), protocol("b", "t"), protocol("c", "t"))),
                9);
        it.join(it.joinRequest(two).setProtocols(List.of(protocol("c", "t"), protocol("b", "t"))), 9);
        it.join(it.joinRequest(three).setProtocols(List.of(protocol("b", "t"), protocol("c", "t"))), 9);
        it.advance(0);

        assertThat(first.get().protocolName()).isEqualTo("b");
    }

    @Test
    void whoSharesNoProtocolIsRefused() {
        it.stableGroup(1);
        var request = it.joinRequest("").setProtocols(List.of(protocol("sticky", "t")));
        assertThat(error(it.join(request, 9))).isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(error(it.join(it.joinRequest("").setProtocolType("connect"), 9)))
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(error(it.inGroup("h").join(it.joinRequest("").setProtocols(List.of()), 9)))
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }

    @Test
    void sessionsMayBeNeitherTooShortNorTooLong() {
        assertThat(error(it.join(it.joinRequest("").setSessionTimeoutMs(5_999), 9)))
                .isEqualTo(Errors.INVALID_SESSION_TIMEOUT);
        assertThat(error(it.join(it.joinRequest("").setSessionTimeoutMs(1_800_001), 9)))
                .isEqualTo(Errors.INVALID_SESSION_TIMEOUT);
    }

    @Test
    void aFullGroupTakesNobodyElse() {
        var small = new GroupHarness(
                GroupCoordinatorConfig.DEFAULTS.withInitialRebalanceDelayMs(0).withMaxGroupSize(2), 1L);
        var ids = small.stableGroup(2);

        assertThat(error(small.join(""))).isEqualTo(Errors.GROUP_MAX_SIZE_REACHED);
        assertThat(small.heartbeat(ids.getFirst(), 1)).isEqualTo(Errors.NONE);
    }

    @Test
    void theLastOneToLeaveLeavesAnEmptyGroup() {
        var ids = it.stableGroup(1);
        it.leave(ids.getFirst());

        assertThat(it.group().state()).isEqualTo(EMPTY);
        assertThat(it.group().generationId()).isEqualTo(2);
        it.restart();
        assertThat(it.group().state()).isEqualTo(EMPTY);
        assertThat(it.group().generationId()).isEqualTo(2);
        assertThat(it.group().protocolType()).isEqualTo("consumer");
    }

    @Test
    void severalMembersLeaveInOneRequestAndEachHasItsOwnError() {
        var ids = it.stableGroup(3);
        var answer = it.leave(
                new MemberIdentity().setMemberId(ids.get(1)),
                new MemberIdentity().setMemberId("nobody"),
                new MemberIdentity().setMemberId("").setGroupInstanceId("nothing"));

        assertThat(answer.get().members())
                .extracting(member -> Errors.forCode(member.errorCode()))
                .containsExactly(Errors.NONE, Errors.UNKNOWN_MEMBER_ID, Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.group().size()).isEqualTo(2);
    }

    @Test
    void theGroupSurvivesAFailOver() {
        var ids = it.stableGroup(2);
        it.restart();

        assertThat(it.group().state()).isEqualTo(STABLE);
        assertThat(it.heartbeat(ids.get(0), 1)).isEqualTo(Errors.NONE);
        var sync = it.sync(ids.get(1), 1, Map.of());
        assertThat(text(sync.get().assignment())).isEqualTo("for " + ids.get(1));
        it.advance(GroupHarness.SESSION_MS);
        assertThat(it.heartbeat(ids.get(1), 1)).as("sessions run again").isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void whoeverWaitsWhenTheShardMovesIsSentElsewhere() {
        var ids = it.stableGroup(2);
        var join = it.join(ids.get(0));
        it.restart();

        assertThat(error(join)).isEqualTo(Errors.NOT_COORDINATOR);
    }

    @Test
    void aRepeatedJoinTakesThePlaceOfTheOneBefore() {
        var ids = it.stableGroup(2);
        var abandoned = it.join(ids.get(0));
        var current = it.join(ids.get(0));

        assertThat(error(abandoned)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        it.join(ids.get(1));
        assertThat(error(current)).isEqualTo(Errors.NONE);
    }

    @Test
    void handedOutIdsAreBounded() {
        var config = GroupCoordinatorConfig.DEFAULTS;
        for (int i = 0; i < config.maxPendingMembers(); i++) {
            it.join("");
        }
        assertThat(error(it.join(""))).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        it.advance(GroupHarness.SESSION_MS);
        assertThat(error(it.join(""))).isEqualTo(Errors.MEMBER_ID_REQUIRED);
    }

    @Test
    void aGroupThatCannotBeStoredIsNotThere() {
        it.refuseNextWrite(Errors.NOT_LEADER_OR_FOLLOWER);
        it.join("");

        assertThat(it.shard().group(GroupHarness.GROUP)).isNull();
    }

    @Test
    void anOldClientWaitingInAGroupThatCannotBeStoredIsTold() {
        it.refuseNextWrite(Errors.NOT_LEADER_OR_FOLLOWER);
        var join = it.join(it.joinRequest(""), 3);

        assertThat(error(join)).isEqualTo(Errors.NOT_COORDINATOR);
    }

    @Test
    void protocolsNamedInASyncMustBeTheGroups() {
        var ids = it.stableGroup(1);
        var request = new SyncGroupRequestData()
                .setGroupId(GroupHarness.GROUP)
                .setMemberId(ids.getFirst())
                .setGenerationId(1);

        assertThat(it.sync(request.setProtocolType("connect")).get().errorCode())
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL.code());
        assertThat(it.sync(request.setProtocolType("consumer").setProtocolName("sticky"))
                        .get()
                        .errorCode())
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL.code());
        assertThat(it.sync(request.setProtocolName("range")).get().errorCode()).isZero();
    }
}
