package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupState.COMPLETING_REBALANCE;
import static io.moldau.broker.coordinator.group.ClassicGroupState.PREPARING_REBALANCE;
import static io.moldau.broker.coordinator.group.ClassicGroupState.STABLE;
import static io.moldau.broker.coordinator.group.GroupHarness.protocol;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Members with an instance id (KIP-345): two of them, `a` leading.
class StaticMembersTest {

    private final GroupHarness it = new GroupHarness();
    private String a = "";
    private String b = "";

    private Answer<JoinGroupResponseData> join(String instance, String memberId, int version) {
        return it.join(it.joinRequest(memberId).setGroupInstanceId(instance), version);
    }

    @BeforeEach
    void stable() {
        var first = join("a", "", 5);
        var second = join("b", "", 5);
        it.advance(0);
        a = first.get().memberId();
        b = second.get().memberId();
        it.sync(b, 1, Map.of());
        it.sync(a, 1, Map.of(a, "A", b, "B"));
        assertThat(it.group().state()).isEqualTo(STABLE);
    }

    @Test
    void theyAreNotAskedToComeBackWithAnId() {
        assertThat(a).startsWith("a-");
        assertThat(it.group().generationId()).isEqualTo(1);
    }

    @Test
    void oneThatRestartsKeepsItsAssignmentUnderANewId() {
        var again = join("b", "", 5).get();

        assertThat(again.errorCode()).isZero();
        assertThat(again.generationId()).isEqualTo(1);
        assertThat(again.memberId()).startsWith("b-").isNotEqualTo(b);
        assertThat(again.leader()).isEqualTo(a);
        assertThat(it.group().state()).isEqualTo(STABLE);
        assertThat(new String(it.sync(again.memberId(), 1, Map.of()).get().assignment(), StandardCharsets.UTF_8))
                .isEqualTo("B");
        assertThat(it.heartbeat(b, 1, "b")).isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(it.heartbeat(again.memberId(), 1, "b")).isEqualTo(Errors.NONE);
    }

    @Test
    void theNewIdSurvivesAFailOver() {
        var again = join("b", "", 5).get().memberId();
        it.restart();

        assertThat(it.heartbeat(again, 1, "b")).isEqualTo(Errors.NONE);
        assertThat(it.heartbeat(b, 1, "b")).isEqualTo(Errors.FENCED_INSTANCE_ID);
    }

    @Test
    void anOldLeaderThatRestartsIsNotToldThatItLeads() {
        var again = join("a", "", 5).get();

        assertThat(again.leader()).isEqualTo(a).isNotEqualTo(again.memberId());
        assertThat(again.members()).isEmpty();
        assertThat(it.group().leaderId()).isEqualTo(again.memberId());
    }

    @Test
    void aNewLeaderThatRestartsIsToldToSkipTheAssignment() {
        var again = join("a", "", 9).get();

        assertThat(again.leader()).isEqualTo(again.memberId());
        assertThat(again.skipAssignment()).isTrue();
        assertThat(again.members()).hasSize(2);
    }

    @Test
    void aRestartThatCannotBeStoredChangesNothing() {
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        var again = join("b", "", 9).get();

        assertThat(Errors.forCode(again.errorCode())).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.heartbeat(b, 1, "b")).isEqualTo(Errors.NONE);
    }

    @Test
    void aRestartWithAnotherProtocolRebalances() {
        var one = it.joinRequest("")
                .setGroupInstanceId("b")
                .setProtocols(List.of(protocol("sticky", "t"), protocol("range", "t")));
        it.join(one, 9);

        assertThat(it.group().state()).as("the group's protocol would stay").isEqualTo(STABLE);

        // With the leader able to do both, the new choice is by vote.
        var two = it.joinRequest("")
                .setGroupInstanceId("a")
                .setProtocols(List.of(protocol("sticky", "t"), protocol("range", "t")));
        var held = it.join(two, 9);

        assertThat(held.isThere()).isFalse();
        assertThat(it.group().state()).isEqualTo(PREPARING_REBALANCE);
    }

    @Test
    void aRestartWhileTheAssignmentIsComputedRebalances() {
        var joinA = join("a", a, 9);
        var joinB = join("b", b, 9);
        assertThat(joinA.get().generationId()).isEqualTo(2);
        assertThat(joinB.get().generationId()).isEqualTo(2);
        assertThat(it.group().state()).isEqualTo(COMPLETING_REBALANCE);

        var again = join("b", "", 9);

        assertThat(again.isThere()).isFalse();
        assertThat(it.group().state()).isEqualTo(PREPARING_REBALANCE);
        join("a", a, 9);
        assertThat(again.get().generationId()).isEqualTo(3);
    }

    @Test
    void twoClientsWithOneInstanceFenceEachOther() {
        var held = join("a", a, 9);
        assertThat(held.isThere()).isFalse();
        join("a", "", 9);

        assertThat(Errors.forCode(held.get().errorCode())).isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(Errors.forCode(join("a", a, 9).get().errorCode())).isEqualTo(Errors.FENCED_INSTANCE_ID);
    }

    @Test
    void aRebalanceWaitsForOneThatIsLateUntilItsSessionEnds() {
        var held = join("a", a, 9);
        it.advance(GroupHarness.SESSION_MS - 1);
        assertThat(held.isThere()).isFalse();
        it.advance(1);

        assertThat(held.get().members()).hasSize(1);
    }

    @Test
    void anAdministratorRemovesOneByItsInstance() {
        var answer = it.leave(new MemberIdentity().setMemberId("").setGroupInstanceId("b"));

        assertThat(answer.get().members().getFirst().errorCode()).isZero();
        assertThat(it.heartbeat(b, 1, "b")).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void oneThatLeavesUnderAnIdThatIsNotItsOwnIsFenced() {
        var answer = it.leave(new MemberIdentity().setMemberId(a).setGroupInstanceId("b"));

        assertThat(Errors.forCode(answer.get().members().getFirst().errorCode()))
                .isEqualTo(Errors.FENCED_INSTANCE_ID);
    }

    @Test
    void commitsOfAFencedInstanceAreRefused() {
        join("b", "", 9);
        var request = it.commitRequest(b, 1, "t", 0, 5L).setGroupInstanceId("b");

        assertThat(GroupHarness.errorOf(it.commit(request).get())).isEqualTo(Errors.FENCED_INSTANCE_ID);
    }
}
