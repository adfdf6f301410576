package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ConsumerGroupsTest.assigned;
import static io.moldau.broker.coordinator.group.ConsumerGroupsTest.count;
import static io.moldau.broker.coordinator.group.ConsumerGroupsTest.owning;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.group.ConsumerGroupConfig.MigrationPolicy;
import io.moldau.broker.coordinator.group.consumer.ConsumerGroupState;
import io.moldau.broker.coordinator.group.consumer.EmbeddedProtocol;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerProtocolSubscription;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import io.moldau.wire.protocol.ByteBufferWritable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Groups that move between the protocols while they have members, and members of the classic protocol in consumer
/// groups.
class GroupMigrationTest {

    private static final short VERSION = 3;

    private final GroupHarness it = new GroupHarness();
    private final Uuid topic = it.topic("t", 4);

    // ---- to the consumer protocol ----

    @Test
    void aMemberOfTheNewProtocolTakesTheGroupAlong() {
        var old = classicGroup(Set.of(0, 1, 2, 3));
        int before = it.log().size();
        var joined = it.heartbeat(it.joining("new", "t"));
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(it.log().get(before).isTombstone())
                .as("the classic group ends")
                .isTrue();
        var group = it.consumerGroup();
        assertThat(group.member(old).isClassic()).isTrue();
        assertThat(group.member(old).current().assigned().byTopic().get(topic).keySet())
                .containsExactly(0, 1, 2, 3);
        assertThat(group.epoch()).isEqualTo(2);
        assertThat(count(assigned(joined))).isZero();

        assertThat(it.heartbeat(old, 1)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        var rejoined = it.join(request(old, Set.of(0, 1, 2, 3)), 9).get();
        assertThat(Errors.forCode(rejoined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(rejoined.generationId()).as("it has to give up first").isEqualTo(1);
        var kept = synced(old, 1);
        assertThat(kept).hasSize(2);
        assertThat(it.heartbeat(old, 1)).as("and to say so").isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        assertThat(it.join(request(old, kept), 9).get().generationId()).isEqualTo(2);
        assertThat(synced(old, 2)).isEqualTo(kept);
        assertThat(it.heartbeat(old, 2)).isEqualTo(Errors.NONE);

        var given = assigned(it.heartbeat(it.beat("new", 2)));
        assertThat(count(given)).isEqualTo(2);
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.STABLE);
        assertThat(it.replayed().consumerGroup(GroupHarness.GROUP)).isEqualTo(it.consumerGroup());
    }

    @Test
    void whoWaitsInAClassicRebalanceIsToldToJoinAgain() {
        var old = classicGroup(Set.of(0));
        var waiting = it.join(it.join(request("", Set.of()), 9).get().memberId());
        assertThat(waiting.isThere()).isFalse();
        it.heartbeat(it.joining("new", "t"));
        assertThat(Errors.forCode(waiting.get().errorCode())).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        assertThat(it.consumerGroup().members().get(old)).isNotNull();
    }

    @Test
    void aRefusedMoveLeavesTheClassicGroup() {
        var old = classicGroup(Set.of(0, 1, 2, 3));
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(it.errorOf(it.joining("new", "t"))).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.heartbeat(old, 1)).isEqualTo(Errors.NONE);
    }

    @Test
    void anEmptyClassicGroupMakesRoom() {
        var old = classicGroup(Set.of(0));
        it.commit(it.commitRequest(old, 1, "t", 0, 5));
        it.leave(old);
        it.advance(0);
        assertThat(it.errorOf(it.joining("new", "t"))).isEqualTo(Errors.NONE);
        assertThat(it.consumerGroup().epoch()).isEqualTo(2);
        assertThat(it.committed("t", 0)).as("offsets stay").isEqualTo(5);
        assertThat(it.replayed().consumerGroup(GroupHarness.GROUP)).isEqualTo(it.consumerGroup());
    }

    @Test
    void aGroupOfOffsetsOnlyBecomesAConsumerGroup() {
        it.commit(it.commitRequest("", -1, "t", 0, 5));
        assertThat(it.errorOf(it.joining("new", "t"))).isEqualTo(Errors.NONE);
        assertThat(it.committed("t", 0)).isEqualTo(5);
        var replayed = it.replayed();
        assertThat(replayed.consumerGroup(GroupHarness.GROUP)).isEqualTo(it.consumerGroup());
    }

    @Test
    void groupsOfOtherProtocolsStay() {
        var request = it.joinRequest("").setProtocolType("connect");
        it.join(request.setMemberId(it.join(request, 9).get().memberId()), 9);
        assertThat(it.errorOf(it.joining("new", "t"))).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
    }

    @Test
    void theSettingsMayForbidIt() {
        for (var policy : List.of(MigrationPolicy.DISABLED, MigrationPolicy.DOWNGRADE)) {
            var strict = harness(policy);
            strict.stableGroup(1);
            assertThat(strict.errorOf(strict.joining("new", "t"))).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        }
        var closed = harness(MigrationPolicy.DISABLED);
        closed.heartbeat(closed.joining("new", "t"));
        assertThat(Errors.forCode(closed.join(request("", Set.of()), 9).get().errorCode()))
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }

    private static GroupHarness harness(MigrationPolicy policy) {
        var strict = new GroupHarness(
                GroupCoordinatorConfig.DEFAULTS
                        .withInitialRebalanceDelayMs(0)
                        .with(ConsumerGroupConfig.DEFAULTS.withMigration(policy)),
                1);
        strict.topic("t", 1);
        return strict;
    }

    // ---- in a consumer group ----

    @Test
    void aClassicMemberJoinsAConsumerGroup() {
        it.heartbeat(it.joining("new", "t"));
        var id = it.join(request("", Set.of()), 9).get();
        assertThat(Errors.forCode(id.errorCode())).isEqualTo(Errors.MEMBER_ID_REQUIRED);
        var joined = it.join(request(id.memberId(), Set.of()), 9).get();
        assertThat(joined.errorCode()).isZero();
        assertThat(joined.protocolName()).isEqualTo("range");
        assertThat(joined.members()).as("nobody leads").isEmpty();
        assertThat(synced(id.memberId(), joined.generationId())).isEmpty();
        it.heartbeat(owning(it.beat("new", 2), assigned(it.heartbeat(it.beat("new", 2)))));
        assertThat(it.heartbeat(id.memberId(), 3))
                .as("there is something to get")
                .isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        assertThat(it.join(request(id.memberId(), Set.of()), 9).get().generationId())
                .isEqualTo(3);
        assertThat(synced(id.memberId(), 3)).hasSize(2);
    }

    @Test
    void classicRequestsAreCheckedInAConsumerGroup() {
        it.heartbeat(it.joining("new", "t"));
        var id = member();
        assertThat(it.heartbeat("nobody", 2)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.heartbeat("new", 2)).as("not of this protocol").isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.heartbeat(id, 7)).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(Errors.forCode(it.sync(id, 7, Map.of()).get().errorCode())).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(Errors.forCode(it.sync(new SyncGroupRequestData()
                                .setGroupId(GroupHarness.GROUP)
                                .setMemberId(id)
                                .setGenerationId(3)
                                .setProtocolName("sticky"))
                        .get()
                        .errorCode()))
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(Errors.forCode(it.join(request("", Set.of()).setProtocolType("connect"), 9)
                        .get()
                        .errorCode()))
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(Errors.forCode(it.join(request("", Set.of()).setSessionTimeoutMs(1), 9)
                        .get()
                        .errorCode()))
                .isEqualTo(Errors.INVALID_SESSION_TIMEOUT);
        assertThat(it.commitError(id, 3)).isEqualTo(Errors.NONE);
        assertThat(it.commitError(id, 9)).isEqualTo(Errors.ILLEGAL_GENERATION);
    }

    @Test
    void whoDoesNotAskForItsAssignmentIsOut() {
        it.heartbeat(it.joining("new", "t"));
        var id = member();
        stayAlive("new", GroupHarness.REBALANCE_MS, id);
        assertThat(it.consumerGroup().members().get(id)).isNull();
    }

    @Test
    void whoDoesNotJoinAgainInTimeIsOut() {
        it.heartbeat(it.joining("new", "t"));
        var id = member();
        it.sync(id, 3, Map.of());
        it.heartbeat(it.joining("another", "t"));
        it.heartbeat(it.beat("another", -1));
        it.heartbeat(owning(it.beat("new", 2), Map.of(topic, Set.of(0, 1))));
        assertThat(it.heartbeat(id, 3)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        stayAlive("new", GroupHarness.REBALANCE_MS, id);
        assertThat(it.consumerGroup().members().get(id)).isNull();
    }

    private void stayAlive(String memberId, int ms, String classicId) {
        for (int passed = 0; passed < ms; passed += 5_000) {
            it.advance(5_000);
            it.heartbeat(it.beat(memberId, it.consumerGroup().member(memberId).epoch()));
            var classic = it.consumerGroup().members().get(classicId);
            if (classic != null) {
                it.heartbeat(classicId, classic.epoch());
            }
        }
    }

    @Test
    void administratorsRemoveMembersOfEitherKind() {
        it.heartbeat(it.joining("new", "t").setInstanceId("i"));
        it.heartbeat(it.joining("other", "t"));
        var left = it.leave(new MemberIdentity().setGroupInstanceId("i"), new MemberIdentity().setMemberId("nobody"))
                .get();
        assertThat(left.members())
                .extracting(member -> Errors.forCode(member.errorCode()))
                .containsExactly(Errors.NONE, Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.consumerGroup().members().get("new")).isNull();
    }

    @Test
    void aClassicMemberFoundsAGroupInThePlaceOfAnEmptyConsumerGroup() {
        it.heartbeat(it.joining("new", "t"));
        it.heartbeat(it.beat("new", -1));
        assertThat(it.heartbeat("old", 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        var founder = it.joinTwice();
        it.advance(0);
        assertThat(founder.get().errorCode()).isZero();
        assertThat(it.group().size()).isEqualTo(1);
        assertThat(it.shard().consumerGroup(GroupHarness.GROUP)).isNull();
    }

    // ---- back to the classic protocol ----

    @Test
    void theLastMemberOfTheNewProtocolLetsTheGroupGoBack() {
        var old = classicGroup(Set.of(0, 1, 2, 3));
        it.heartbeat(it.joining("new", "t"));
        it.heartbeat(it.beat("new", -1));
        assertThat(it.shard().consumerGroup(GroupHarness.GROUP)).isNull();
        assertThat(it.group().memberIds()).containsExactly(old);
        assertThat(it.group().state()).isEqualTo(ClassicGroupState.PREPARING_REBALANCE);
        assertThat(it.heartbeat(old, it.group().generationId())).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        var joined = it.join(request(old, Set.of()), 9).get();
        assertThat(joined.errorCode()).isZero();
        assertThat(joined.leader()).isEqualTo(old);
        assertThat(joined.generationId()).isEqualTo(3);

        var replayed = Objects.requireNonNull(it.replayed().group(GroupHarness.GROUP));
        assertThat(replayed.state()).isEqualTo(ClassicGroupState.STABLE);
        assertThat(replayed.memberIds()).containsExactly(old);
    }

    @Test
    void aRefusedWayBackLeavesTheConsumerGroup() {
        var old = classicGroup(Set.of(0, 1, 2, 3));
        it.heartbeat(it.joining("new", "t"));
        it.holdCommits();
        it.commitAll();
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(it.errorOf(it.beat("new", -1))).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.consumerGroup().size()).isEqualTo(2);
        assertThat(it.heartbeat(old, 1)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        assertThat(it.errorOf(it.beat("new", -1))).isEqualTo(Errors.NONE);
        assertThat(it.group().memberIds()).containsExactly(old);
    }

    @Test
    void theSessionOfTheLastOneEndingIsTheSame() {
        var old = classicGroup(Set.of(0, 1, 2, 3));
        it.heartbeat(it.joining("new", "t"));
        for (int passed = 0; passed < GroupHarness.CONSUMER_SESSION_MS; passed += 5_000) {
            it.advance(5_000);
            if (it.shard().consumerGroup(GroupHarness.GROUP) != null) {
                it.heartbeat(old, 1);
            }
        }
        assertThat(it.group().memberIds()).containsExactly(old);
    }

    @Test
    void aStaticMemberMayComeBackInTheClassicProtocol() {
        it.heartbeat(it.joining("new", "t").setInstanceId("i"));
        it.heartbeat(it.beat("new", -2).setInstanceId("i"));
        var joined = it.join(request("", Set.of()).setGroupInstanceId("i"), 9).get();
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(it.shard().consumerGroup(GroupHarness.GROUP)).isNull();
        assertThat(it.group().memberIds()).containsExactly(joined.memberId());
        assertThat(it.group().generationId()).isEqualTo(joined.generationId());
        assertThat(synced(joined.memberId(), joined.generationId())).hasSize(4);
    }

    @Test
    void whereTheWayBackIsForbiddenTheGroupStays() {
        var strict = harness(MigrationPolicy.UPGRADE);
        strict.heartbeat(strict.joining("new", "t"));
        var id = strict.join(request("", Set.of()), 9).get().memberId();
        strict.join(request(id, Set.of()), 9);
        strict.heartbeat(strict.beat("new", -1));
        assertThat(strict.consumerGroup().members().classicCount()).isEqualTo(1);
        int epoch = strict.consumerGroup().member(id).epoch();
        assertThat(strict.heartbeat(id, epoch)).as("its assignment is due").isEqualTo(Errors.REBALANCE_IN_PROGRESS);
    }

    // ---- tools ----

    /// A classic group of one member with these partitions, in generation 1.
    private String classicGroup(Set<Integer> partitions) {
        var id = it.join(request("", Set.of()), 9).get().memberId();
        var join = it.join(request(id, Set.of()), 9);
        it.advance(0);
        assertThat(join.get().generationId()).isEqualTo(1);
        it.sync(new SyncGroupRequestData()
                .setGroupId(GroupHarness.GROUP)
                .setMemberId(id)
                .setGenerationId(1)
                .setAssignments(List.of(new SyncGroupRequestAssignment()
                        .setMemberId(id)
                        .setAssignment(EmbeddedProtocol.assignment(
                                Map.of(topic, partitions), subscription(Set.of()), name -> "t")))));
        return id;
    }

    /// A classic member that has joined the consumer group.
    private String member() {
        var id = it.join(request("", Set.of()), 9).get().memberId();
        assertThat(it.join(request(id, Set.of()), 9).get().errorCode()).isZero();
        return id;
    }

    private JoinGroupRequestData request(String memberId, Set<Integer> owned) {
        return it.joinRequest(memberId)
                .setProtocols(new ArrayList<>(
                        List.of(new JoinGroupRequestProtocol().setName("range").setMetadata(subscription(owned)))));
    }

    private static byte[] subscription(Set<Integer> owned) {
        var subscription = new ConsumerProtocolSubscription().setTopics(List.of("t"));
        if (!owned.isEmpty()) {
            subscription
                    .ownedPartitions()
                    .add(new ConsumerProtocolSubscription.TopicPartition()
                            .setTopic("t")
                            .setPartitions(List.copyOf(owned)));
        }
        var out = new ByteBufferWritable();
        out.writeShort(VERSION);
        subscription.write(out, VERSION);
        return out.toByteArray();
    }

    /// The partitions that a sync of the member tells.
    private Set<Integer> synced(String memberId, int generation) {
        var response = it.sync(memberId, generation, Map.of()).get();
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
        var partitions = new TreeSet<Integer>();
        EmbeddedProtocol.assignment(response.assignment())
                .assignedPartitions()
                .forEach(assigned -> partitions.addAll(assigned.partitions()));
        return partitions;
    }
}
