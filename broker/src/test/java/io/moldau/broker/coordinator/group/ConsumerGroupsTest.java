package io.moldau.broker.coordinator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupState;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Consumer groups of one shard: each transition of members and groups, and each error.
class ConsumerGroupsTest {

    private final GroupHarness it = new GroupHarness();
    private Uuid topic = Uuid.ZERO;

    @BeforeEach
    void aTopic() {
        topic = it.topic("t", 6);
    }

    // ---- joining and dividing ----

    @Test
    void whoIsAloneGetsEverything() {
        var joined = it.heartbeat(it.joining("a", "t"));
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(joined.memberId()).isEqualTo("a");
        assertThat(joined.memberEpoch()).isEqualTo(2);
        assertThat(joined.heartbeatIntervalMs()).isEqualTo(GroupHarness.CONSUMER_HEARTBEAT_MS);
        assertThat(assigned(joined)).isEqualTo(Map.of(topic, Set.of(0, 1, 2, 3, 4, 5)));
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.STABLE);
    }

    @Test
    void whatHasNotChangedIsNotTold() {
        it.heartbeat(it.joining("a", "t"));
        var next = it.heartbeat(it.beat("a", 2));
        assertThat(next.memberEpoch()).isEqualTo(2);
        assertThat(next.assignment()).isNull();
        assertThat(it.log()).hasSize(5); // member, epoch, target, target's epoch, current
    }

    @Test
    void partitionsMoveOnlyOnceTheirOwnerHasLetThemGo() {
        it.heartbeat(it.joining("a", "t"));
        var joined = it.heartbeat(it.joining("b", "t"));
        assertThat(joined.memberEpoch()).isEqualTo(3);
        assertThat(assigned(joined)).as("all belong to the other still").isEmpty();
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.RECONCILING);

        var asked = it.heartbeat(it.beat("a", 2));
        assertThat(asked.memberEpoch())
                .as("it stays in its epoch while it gives up")
                .isEqualTo(2);
        var kept = assigned(asked);
        assertThat(count(kept)).isEqualTo(3);
        assertThat(assigned(it.heartbeat(it.beat("b", 3)))).isNull();

        var done = it.heartbeat(owning(it.beat("a", 2), kept));
        assertThat(done.memberEpoch()).isEqualTo(3);
        assertThat(done.assignment()).as("it has what it had").isNull();
        var rest = assigned(it.heartbeat(it.beat("b", 3)));
        assertThat(count(rest)).isEqualTo(3);
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.STABLE);
        var all = new TreeSet<>(Objects.requireNonNull(kept).get(topic));
        all.addAll(Objects.requireNonNull(rest).get(topic));
        assertThat(all).hasSize(6);
    }

    @Test
    void aMemberOfVersionZeroIsGivenAnId() {
        var joined = it.heartbeat(it.joining("", "t"), 0).get();
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(joined.memberId()).isNotEmpty();
    }

    @Test
    void whoCannotGiveUpInTimeIsOut() {
        it.heartbeat(it.joining("a", "t"));
        it.heartbeat(it.joining("b", "t"));
        it.heartbeat(it.beat("a", 2));
        for (int i = 0; i < 13; i++) {
            it.advance(5_000);
            it.heartbeat(it.beat("a", 2));
            it.heartbeat(it.beat("b", epochOf("b")));
        }
        assertThat(it.errorOf(it.beat("a", 2))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(owned("b")).isEqualTo(6);
    }

    @Test
    void whoHasGivenUpInTimeStays() {
        it.heartbeat(it.joining("a", "t"));
        it.heartbeat(it.joining("b", "t"));
        var kept = assigned(it.heartbeat(it.beat("a", 2)));
        it.heartbeat(owning(it.beat("a", 2), kept));
        for (int i = 0; i < 20; i++) {
            it.advance(5_000);
            assertThat(it.errorOf(it.beat("a", 3))).isEqualTo(Errors.NONE);
            assertThat(it.errorOf(it.beat("b", 3))).isEqualTo(Errors.NONE);
        }
    }

    @Test
    void whoIsSilentForItsSessionIsOut() {
        it.heartbeat(it.joining("a", "t"));
        it.advance(GroupHarness.CONSUMER_SESSION_MS - 1);
        assertThat(it.errorOf(it.beat("a", 2))).isEqualTo(Errors.NONE);
        it.advance(GroupHarness.CONSUMER_SESSION_MS);
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.EMPTY);
        assertThat(it.errorOf(it.beat("a", 2))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void sessionsBeginAnewAfterAFailOver() {
        it.heartbeat(it.joining("a", "t"));
        it.restart();
        assertThat(it.errorOf(it.beat("a", 2))).isEqualTo(Errors.NONE);
        it.restart();
        it.advance(GroupHarness.CONSUMER_SESSION_MS);
        assertThat(it.consumerGroup().members().isEmpty()).isTrue();
    }

    @Test
    void anExpiryThatTheLogRefusesIsTriedAgain() {
        it.heartbeat(it.joining("a", "t"));
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        it.advance(GroupHarness.CONSUMER_SESSION_MS);
        assertThat(it.consumerGroup().size()).isEqualTo(1);
        it.advance(GroupHarness.CONSUMER_SESSION_MS);
        assertThat(it.consumerGroup().size()).isZero();
    }

    @Test
    void whatTheLogRefusesHasNotHappened() {
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(it.errorOf(it.joining("a", "t"))).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.shard().consumerGroup(GroupHarness.GROUP)).isNull();
        assertThat(it.heartbeat(it.joining("a", "t")).memberEpoch()).isEqualTo(2);
    }

    @Test
    void answersWaitForTheLog() {
        it.holdCommits();
        var joined = it.heartbeat(it.joining("a", "t"), 1);
        assertThat(joined.isThere()).isFalse();
        assertThat(it.shard().describer().consumer(GroupHarness.GROUP).errorCode())
                .as("nobody is shown what is not committed")
                .isEqualTo(Errors.GROUP_ID_NOT_FOUND.code());
        it.commitAll();
        assertThat(joined.get().memberEpoch()).isEqualTo(2);
    }

    @Test
    void whoLeavesLeavesItsPartitions() {
        twoMembers();
        var left = it.heartbeat(it.beat("a", -1));
        assertThat(left.errorCode()).isZero();
        assertThat(left.memberEpoch()).isEqualTo(-1);
        assertThat(count(assigned(it.heartbeat(it.beat("b", 3))))).isEqualTo(6);
        assertThat(it.heartbeat(it.beat("b", 4)).memberEpoch()).isEqualTo(4);
        assertThat(it.errorOf(it.beat("a", 3))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void theNextOneAfterTheLastDoesNotWait() {
        var slow = new GroupHarness(GroupCoordinatorConfig.DEFAULTS, 1, 1_000);
        slow.topic("t", 2);
        slow.heartbeat(slow.joining("a", "t"));
        slow.heartbeat(slow.beat("a", -1));
        assertThat(count(assigned(slow.heartbeat(slow.joining("b", "t"))))).isEqualTo(2);
    }

    @Test
    void whoComeTogetherAreAssignedTogether() {
        var slow = new GroupHarness(GroupCoordinatorConfig.DEFAULTS, 1, 1_000);
        slow.topic("t", 4);
        slow.heartbeat(slow.joining("a", "t"));
        slow.heartbeat(slow.joining("b", "t"));
        slow.heartbeat(slow.joining("c", "t"));
        assertThat(slow.consumerGroup().state()).isEqualTo(ConsumerGroupState.ASSIGNING);
        assertThat(slow.consumerGroup().assignmentEpoch()).isEqualTo(2);
        slow.advance(1_000);
        slow.heartbeat(slow.beat("b", 2));
        assertThat(slow.consumerGroup().assignmentEpoch()).isEqualTo(4);
        assertThat(slow.consumerGroup().targets().keySet()).containsExactly("a", "b", "c");
    }

    // ---- epochs ----

    @Test
    void whoMissedAnAnswerMayAskAgain() {
        twoMembers();
        it.heartbeat(it.beat("b", -1));
        it.heartbeat(owning(it.beat("a", 3), Map.of())); // in epoch 4, with everything; the answer is lost
        assertThat(epochOf("a")).isEqualTo(4);
        assertThat(it.errorOf(it.beat("a", 3))).as("without saying what it has").isEqualTo(Errors.FENCED_MEMBER_EPOCH);
        var again = it.heartbeat(owning(it.beat("a", 3), Map.of(topic, Set.of(0))));
        assertThat(again.memberEpoch()).isEqualTo(4);
        assertThat(it.errorOf(owning(it.beat("a", 3), Map.of(topic, Set.of(99)))))
                .as("it has something that it was never given")
                .isEqualTo(Errors.FENCED_MEMBER_EPOCH);
    }

    @Test
    void otherEpochsAreFenced() {
        twoMembers();
        assertThat(it.errorOf(it.beat("a", 10))).isEqualTo(Errors.FENCED_MEMBER_EPOCH);
        it.heartbeat(it.beat("b", -1));
        it.heartbeat(it.beat("a", 3));
        assertThat(it.errorOf(owning(it.beat("a", 2), Map.of()))).isEqualTo(Errors.FENCED_MEMBER_EPOCH);
    }

    @Test
    void whoJoinsAgainIsTakenBackWithWhatItHad() {
        it.heartbeat(it.joining("a", "t"));
        var again = it.heartbeat(it.joining("a", "t"));
        assertThat(again.memberEpoch()).isEqualTo(2);
        assertThat(count(assigned(again))).isEqualTo(6);
    }

    // ---- requests that make no sense ----

    @Test
    void whatIsMissingIsAnInvalidRequest() {
        assertThat(it.errorOf(it.joining("", "t"))).as("no id").isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.joining("a", "t").setRebalanceTimeoutMs(-1))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.joining("a", "t").setTopicPartitions(null))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(owning(it.joining("a", "t"), Map.of(topic, Set.of(1)))))
                .isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.joining("a", "t").setSubscribedTopicNames(null)))
                .isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.joining("a", "t").setInstanceId(""))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.joining("a", "t").setRackId(""))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.joining("a", "t").setGroupId(""))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.beat("a", -3))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.errorOf(it.beat("a", -2)))
                .as("a dynamic member comes back")
                .isEqualTo(Errors.INVALID_REQUEST);
        assertThat(it.shard().groupCount()).isZero();
    }

    @Test
    void unknownNamesHaveErrorsOfTheirOwn() {
        assertThat(it.errorOf(it.beat("a", 2))).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        assertThat(it.errorOf(it.beat("a", -1))).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        it.heartbeat(it.joining("a", "t"));
        assertThat(it.errorOf(it.beat("b", 2))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.errorOf(it.beat("b", -1))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.errorOf(it.joining("b", "t").setServerAssignor("mine"))).isEqualTo(Errors.UNSUPPORTED_ASSIGNOR);
    }

    @Test
    void aGroupHasALargestSize() {
        var small =
                new GroupHarness(GroupCoordinatorConfig.DEFAULTS.with(ConsumerGroupConfig.DEFAULTS.withMaxSize(1)), 1);
        small.topic("t", 1);
        assertThat(small.errorOf(small.joining("a", "t"))).isEqualTo(Errors.NONE);
        assertThat(small.errorOf(small.joining("b", "t"))).isEqualTo(Errors.GROUP_MAX_SIZE_REACHED);
        assertThat(small.errorOf(small.joining("a", "t"))).isEqualTo(Errors.NONE);
    }

    // ---- static members ----

    @Test
    void aStaticMemberComesBackToWhatItHad() {
        it.heartbeat(it.joining("a", "t").setInstanceId("i"));
        it.heartbeat(it.joining("b", "t"));
        var left = it.heartbeat(it.beat("a", -2).setInstanceId("i"));
        assertThat(left.errorCode()).isZero();
        assertThat(left.memberEpoch()).isEqualTo(-2);
        int epoch = it.consumerGroup().epoch();
        var back = it.heartbeat(it.joining("a2", "t").setInstanceId("i"));
        assertThat(back.memberId()).isEqualTo("a2");
        assertThat(count(assigned(back))).isEqualTo(3);
        assertThat(it.consumerGroup().epoch()).as("nobody else notices").isEqualTo(epoch);
        assertThat(it.errorOf(it.beat("a", 3))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void aStaticMemberThatStaysAwayIsOutAfterItsSession() {
        it.heartbeat(it.joining("a", "t").setInstanceId("i"));
        it.heartbeat(it.beat("a", -2).setInstanceId("i"));
        assertThat(it.consumerGroup().size()).isEqualTo(1);
        it.advance(GroupHarness.CONSUMER_SESSION_MS);
        assertThat(it.consumerGroup().size()).isZero();
    }

    @Test
    void anInstanceIsOneMember() {
        it.heartbeat(it.joining("a", "t").setInstanceId("i"));
        assertThat(it.errorOf(it.joining("b", "t").setInstanceId("i"))).isEqualTo(Errors.UNRELEASED_INSTANCE_ID);
        assertThat(it.errorOf(it.beat("b", 2).setInstanceId("i"))).isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(it.errorOf(it.beat("b", -2).setInstanceId("i"))).isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(it.errorOf(it.beat("a", 2).setInstanceId("other"))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.errorOf(it.beat("a", 2).setInstanceId("i"))).isEqualTo(Errors.NONE);
    }

    @Test
    void aStaticMemberMayLeaveForGood() {
        it.heartbeat(it.joining("a", "t").setInstanceId("i"));
        assertThat(it.errorOf(it.beat("a", -1).setInstanceId("i"))).isEqualTo(Errors.NONE);
        assertThat(it.consumerGroup().size()).isZero();
        assertThat(it.errorOf(it.joining("b", "t").setInstanceId("i"))).isEqualTo(Errors.NONE);
    }

    // ---- topics ----

    @Test
    void newPartitionsAreAssigned() {
        it.heartbeat(it.joining("a", "t"));
        it.topic("t", 8);
        var next = it.heartbeat(it.beat("a", 2));
        assertThat(next.memberEpoch()).isEqualTo(3);
        assertThat(count(assigned(next))).isEqualTo(8);
    }

    @Test
    void aTopicThatComesLaterIsAssigned() {
        it.heartbeat(it.joining("a", "t", "later"));
        assertThat(owned("a")).isEqualTo(6);
        var id = it.topic("later", 1);
        assertThat(assigned(it.heartbeat(it.beat("a", 2)))).containsEntry(id, Set.of(0));
    }

    @Test
    void aTopicThatIsGoneIsTakenAway() {
        it.heartbeat(it.joining("a", "t"));
        it.deleteTopic("t");
        it.heartbeat(it.beat("a", 2));
        var next = it.heartbeat(owning(it.beat("a", 2), Map.of()));
        assertThat(next.memberEpoch()).isEqualTo(3);
        assertThat(owned("a")).isZero();
    }

    @Test
    void otherTopicsDoNotMatter() {
        it.heartbeat(it.joining("a", "t"));
        it.topic("other", 3);
        assertThat(it.heartbeat(it.beat("a", 2)).memberEpoch()).isEqualTo(2);
        assertThat(it.log()).hasSize(5);
    }

    @Test
    void whatChangedWhileNobodyCoordinatedIsSeenToo() {
        it.heartbeat(it.joining("a", "t"));
        it.topic("t", 9, false);
        it.restart();
        assertThat(count(assigned(it.heartbeat(it.beat("a", 2))))).isEqualTo(9);
    }

    @Test
    void whatIsUnsubscribedFromIsTakenAtOnce() {
        var other = it.topic("u", 2);
        it.heartbeat(it.joining("a", "t", "u"));
        it.heartbeat(it.beat("a", 2).setSubscribedTopicNames(List.of("u")));
        it.heartbeat(owning(it.beat("a", 2), Map.of(other, Set.of(0, 1))));
        assertThat(it.consumerGroup().member("a").current().assigned().byTopic().keySet())
                .containsExactly(other);
    }

    @Test
    void theMembersChooseTheAssignor() {
        it.topic("u", 1);
        it.heartbeat(it.joining("a", "t").setServerAssignor("range"));
        assertThat(it.shard().describer().consumer(GroupHarness.GROUP).assignorName())
                .isEqualTo("range");
        int epoch = it.consumerGroup().epoch();
        it.heartbeat(it.beat("a", 2).setServerAssignor("uniform"));
        assertThat(it.consumerGroup().epoch())
                .as("another assignor assigns anew")
                .isEqualTo(epoch + 1);
    }

    // ---- expressions ----

    @Test
    void anExpressionIsResolvedOutsideAndThenAssigned() {
        it.topic("orders-1", 1);
        var join = it.joining("a").setSubscribedTopicRegex("orders-.*").setSubscribedTopicNames(null);
        assertThat(count(assigned(it.heartbeat(join)))).isZero();
        assertThat(it.regexQuestions()).containsExactly(new RegexQuestion(GroupHarness.GROUP, Set.of("orders-.*")));
        it.answerRegexes();
        assertThat(count(assigned(it.heartbeat(it.beat("a", epochOf("a")))))).isEqualTo(1);
    }

    @Test
    void newTopicsAreMatched() {
        it.topic("orders-1", 1);
        it.heartbeat(it.joining("a").setSubscribedTopicRegex("orders-.*"));
        it.answerRegexes();
        it.heartbeat(it.beat("a", epochOf("a")));
        it.topic("orders-2", 1);
        it.heartbeat(it.beat("a", epochOf("a")));
        assertThat(it.regexQuestions()).as("not at once").isEmpty();
        it.advance(10_001);
        it.heartbeat(it.beat("a", epochOf("a")));
        it.answerRegexes();
        assertThat(count(assigned(it.heartbeat(it.beat("a", epochOf("a")))))).isEqualTo(2);
    }

    @Test
    void oneQuestionAtATime() {
        it.heartbeat(it.joining("a").setSubscribedTopicRegex("a.*"));
        it.heartbeat(it.joining("b").setSubscribedTopicRegex("b.*"));
        assertThat(it.regexQuestions()).hasSize(1);
        it.answerRegexes();
        it.advance(10_001);
        it.heartbeat(it.beat("a", epochOf("a")));
        assertThat(it.regexQuestions()).containsExactly(new RegexQuestion(GroupHarness.GROUP, Set.of("a.*", "b.*")));
    }

    @Test
    void whatIsNoExpressionIsRefused() {
        assertThat(it.errorOf(it.joining("a").setSubscribedTopicRegex("[")))
                .isEqualTo(Errors.INVALID_REGULAR_EXPRESSION);
        assertThat(it.shard().groupCount()).isZero();
    }

    @Test
    void anExpressionThatNobodyUsesIsForgotten() {
        it.heartbeat(it.joining("a").setSubscribedTopicRegex("t.*"));
        it.answerRegexes();
        assertThat(it.consumerGroup().regexes()).hasSize(1);
        it.heartbeat(it.beat("a", epochOf("a")).setSubscribedTopicRegex("u.*"));
        assertThat(it.consumerGroup().regexes()).isEmpty();
        it.advance(10_001);
        it.heartbeat(it.beat("a", epochOf("a")));
        it.answerRegexes();
        it.heartbeat(it.beat("a", -1));
        assertThat(it.consumerGroup().regexes()).isEmpty();
    }

    // ---- offsets ----

    @Test
    void aMemberCommitsInItsEpoch() {
        it.heartbeat(it.joining("a", "t"));
        assertThat(it.commitError("a", 2)).isEqualTo(Errors.NONE);
        assertThat(it.commitError("a", 3)).isEqualTo(Errors.STALE_MEMBER_EPOCH);
        assertThat(it.commitError("b", 2)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.commitError("", -1)).as("somebody else").isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        var old = it.commit(it.commitRequest("a", 2, "t", 0, 7L), 8);
        assertThat(GroupHarness.errorOf(old.get())).isEqualTo(Errors.UNSUPPORTED_VERSION);
    }

    @Test
    void whatAMemberHasKeptItMayCommitInItsOldEpoch() {
        it.heartbeat(it.joining("a", "t"));
        it.heartbeat(it.joining("b", "t"));
        var kept = Objects.requireNonNull(assigned(it.heartbeat(it.beat("a", 2))));
        it.heartbeat(owning(it.beat("a", 2), kept));
        assertThat(epochOf("a")).isEqualTo(3);
        int has = kept.getOrDefault(topic, Set.of()).iterator().next();
        int gave = IntStream.range(0, 6)
                .filter(i -> !kept.getOrDefault(topic, Set.of()).contains(i))
                .findFirst()
                .orElseThrow();
        assertThat(commitOf("a", 2, has)).isEqualTo(Errors.NONE);
        assertThat(commitOf("a", 2, gave)).isEqualTo(Errors.STALE_MEMBER_EPOCH);
        it.heartbeat(it.beat("b", 3));
        assertThat(commitOf("b", 2, gave)).as("it got it in epoch 3").isEqualTo(Errors.STALE_MEMBER_EPOCH);
        assertThat(commitOf("b", 3, gave)).isEqualTo(Errors.NONE);
    }

    private Errors commitOf(String memberId, int epoch, int partition) {
        var request = it.commitRequest(memberId, epoch, "t", partition, 7L);
        request.topics().getFirst().setTopicId(topic);
        return GroupHarness.errorOf(it.commit(request).get());
    }

    @Test
    void offsetsAreFetchedInTheMembersEpoch() {
        it.heartbeat(it.joining("a", "t"));
        assertThat(it.fetchError("a", 2)).isEqualTo(Errors.NONE);
        assertThat(it.fetchError("a", 0)).isEqualTo(Errors.STALE_MEMBER_EPOCH);
        assertThat(it.fetchError("b", 2)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.fetchError(null, -1)).isEqualTo(Errors.NONE);
    }

    @Test
    void offsetsOfTopicsThatAreReadStay() {
        it.heartbeat(it.joining("a", "t"));
        it.commit(it.commitRequest("a", 2, "t", 0, 7L));
        it.commit(it.commitRequest("a", 2, "u", 0, 7L));
        assertThat(it.deleteError("t", 0)).isEqualTo(Errors.GROUP_SUBSCRIBED_TO_TOPIC);
        assertThat(it.deleteError("u", 0)).isEqualTo(Errors.NONE);
        assertThat(it.committed("u", 0)).isEqualTo(-1);
        assertThat(it.committed("t", 0)).isEqualTo(7);
    }

    @Test
    void anEmptyGroupGoesWithItsLastOffset() {
        it.restart(); // loading begins the clean-ups
        it.heartbeat(it.joining("a", "t"));
        it.commit(it.commitRequest("a", 2, "t", 0, 7L));
        it.heartbeat(it.beat("a", -1));
        it.advance(600_000);
        assertThat(it.shard().groupCount()).isEqualTo(1);
        it.advance(GroupCoordinatorConfig.DEFAULTS.offsetsRetentionMs() + 600_000);
        assertThat(it.shard().groupCount()).isZero();
        assertThat(it.replayed().groupCount()).isZero();
    }

    // ---- administration ----

    @Test
    void aGroupWithMembersIsNotDeleted() {
        it.heartbeat(it.joining("a", "t"));
        it.commit(it.commitRequest("a", 2, "t", 0, 7L));
        assertThat(it.deleteGroup()).isEqualTo(Errors.NON_EMPTY_GROUP);
        it.heartbeat(it.beat("a", -1));
        assertThat(it.deleteGroup()).isEqualTo(Errors.NONE);
        assertThat(it.deleteGroup()).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        assertThat(it.replayed().groupCount()).isZero();
    }

    @Test
    void groupsAreListedByTypeAndState() {
        it.heartbeat(it.joining("a", "t"));
        it.inGroup("classic").stableGroup(1);
        var all = it.shard().describer().list(Set.of(), Set.of());
        assertThat(all).extracting(group -> group.groupType()).containsExactlyInAnyOrder("consumer", "classic");
        assertThat(it.shard().describer().list(Set.of("stable"), Set.of("consumer")))
                .singleElement()
                .satisfies(group -> {
                    assertThat(group.groupId()).isEqualTo(GroupHarness.GROUP);
                    assertThat(group.groupState()).isEqualTo("Stable");
                    assertThat(group.protocolType()).isEqualTo("consumer");
                });
        assertThat(it.shard().describer().list(Set.of("reconciling"), Set.of())).isEmpty();
    }

    @Test
    void eachDescriptionIsOfItsKind() {
        it.heartbeat(it.joining("a", "t").setRackId("r"));
        var described = it.shard().describer().consumer(GroupHarness.GROUP);
        assertThat(described.groupState()).isEqualTo("Stable");
        assertThat(described.groupEpoch()).isEqualTo(2);
        assertThat(described.assignmentEpoch()).isEqualTo(2);
        assertThat(described.members()).singleElement().satisfies(member -> {
            assertThat(member.memberType()).isEqualTo((byte) 1);
            assertThat(member.rackId()).isEqualTo("r");
            assertThat(member.subscribedTopicNames()).containsExactly("t");
            assertThat(member.assignment()).isEqualTo(member.targetAssignment());
            assertThat(member.assignment().topicPartitions().getFirst().topicName())
                    .isEqualTo("t");
        });
        var asClassic = it.shard().describer().classic(GroupHarness.GROUP, true);
        assertThat(asClassic.errorCode()).isEqualTo(Errors.GROUP_ID_NOT_FOUND.code());
        assertThat(asClassic.groupState()).isEqualTo("Dead");
        it.inGroup("classic").stableGroup(1);
        assertThat(it.shard().describer().consumer("classic").errorCode()).isEqualTo(Errors.GROUP_ID_NOT_FOUND.code());
    }

    @Test
    void theLogSaysWhatTheShardSays() {
        twoMembers();
        it.heartbeat(it.joining("c").setSubscribedTopicRegex("t.*").setInstanceId("i"));
        it.answerRegexes();
        it.heartbeat(it.beat("c", -2).setInstanceId("i"));
        assertThat(it.replayed().consumerGroup(GroupHarness.GROUP)).isEqualTo(it.consumerGroup());
    }

    // ---- tools ----

    /// Two members with three partitions each, in epoch 3.
    private void twoMembers() {
        it.heartbeat(it.joining("a", "t"));
        it.heartbeat(it.joining("b", "t"));
        it.heartbeat(owning(it.beat("a", 2), assigned(it.heartbeat(it.beat("a", 2)))));
        it.heartbeat(it.beat("b", 3));
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.STABLE);
    }

    private int epochOf(String memberId) {
        return it.consumerGroup().member(memberId).epoch();
    }

    private int owned(String memberId) {
        int[] count = {0};
        it.consumerGroup().member(memberId).current().assigned().forEach((id, partition, epoch) -> count[0]++);
        return count[0];
    }

    static ConsumerGroupHeartbeatRequestData owning(
            ConsumerGroupHeartbeatRequestData request, @Nullable Map<Uuid, ? extends Set<Integer>> owned) {
        var topics = new ArrayList<TopicPartitions>();
        if (owned != null) {
            owned.forEach((id, partitions) ->
                    topics.add(new TopicPartitions().setTopicId(id).setPartitions(List.copyOf(partitions))));
        }
        return request.setTopicPartitions(topics);
    }

    /// What the answer says the member has, or null if it says nothing.
    static @Nullable Map<Uuid, Set<Integer>> assigned(ConsumerGroupHeartbeatResponseData response) {
        var assignment = response.assignment();
        if (assignment == null) {
            return null;
        }
        var partitions = new TreeMap<Uuid, Set<Integer>>();
        assignment.topicPartitions().forEach(it -> partitions.put(it.topicId(), new TreeSet<>(it.partitions())));
        return partitions;
    }

    static int count(@Nullable Map<Uuid, Set<Integer>> partitions) {
        return partitions == null
                ? -1
                : partitions.values().stream().mapToInt(Set::size).sum();
    }
}
