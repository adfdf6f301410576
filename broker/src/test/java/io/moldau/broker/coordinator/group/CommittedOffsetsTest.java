package io.moldau.broker.coordinator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Commits, fetches, deletions and expiry of offsets.
class CommittedOffsetsTest {

    private static final long RETENTION_MS = GroupCoordinatorConfig.DEFAULTS.offsetsRetentionMs();
    private static final long CHECK_MS = GroupCoordinatorConfig.DEFAULTS.offsetsRetentionCheckIntervalMs();

    private final GroupHarness it = new GroupHarness();

    private OffsetFetchResponsePartitions row(boolean requireStable) {
        return it.fetch(requireStable, "t", 0)
                .get()
                .topics()
                .getFirst()
                .partitions()
                .getFirst();
    }

    @Test
    void whatIsCommittedIsFetchedAlsoAfterAFailOver() {
        assertThat(it.commitError("", -1)).isEqualTo(Errors.NONE);
        for (int i = 0; i < 2; i++) {
            var row = row(false);
            assertThat(row.committedOffset()).isEqualTo(7);
            assertThat(row.committedLeaderEpoch()).isEqualTo(3);
            assertThat(row.metadata()).isEqualTo("note");
            assertThat(it.fetchAll().get().topics()).hasSize(1);
            it.restart();
        }
    }

    @Test
    void whatIsNotCommittedHasTheOffsetMinusOne() {
        var row = row(false);
        assertThat(row.committedOffset()).isEqualTo(-1);
        assertThat(row.committedLeaderEpoch()).isEqualTo(-1);
        assertThat(row.metadata()).isEmpty();
        assertThat(row.errorCode()).isZero();
        assertThat(it.fetchAll().get().topics()).isEmpty();
    }

    @Test
    void readersSeeOnlyWhatIsBelowTheHighWatermark() {
        it.commitError("", -1);
        it.holdCommits();
        var answer = it.commit(it.commitRequest("", -1, "t", 0, 8L));

        assertThat(answer.isThere()).isFalse();
        assertThat(it.committed("t", 0)).isEqualTo(7);
        var stable = it.fetch(true, "t", 0);
        assertThat(stable.isThere())
                .as("a stable offset waits for the commit before it")
                .isFalse();

        it.commitAll();

        assertThat(answer.isThere()).isTrue();
        assertThat(it.committed("t", 0)).isEqualTo(8);
        assertThat(stable.get().topics().getFirst().partitions().getFirst().committedOffset())
                .isEqualTo(8);
    }

    @Test
    void aRefusedWriteLeavesTheOffsetAsItWas() {
        it.commitError("", -1);
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        var answer = it.commit(it.commitRequest("", -1, "t", 0, 8L));

        assertThat(GroupHarness.errorOf(answer.get())).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.committed("t", 0)).isEqualTo(7);
        it.refuseNextWrite(Errors.MESSAGE_TOO_LARGE);
        assertThat(it.commitError("", -1)).isEqualTo(Errors.INVALID_COMMIT_OFFSET_SIZE);
    }

    @Test
    void metadataHasALimit() {
        var request = it.commitRequest("", -1, "t", 0, 8L);
        var partition = request.topics().getFirst().partitions().getFirst();
        partition.setCommittedMetadata("x".repeat(4_097));
        assertThat(GroupHarness.errorOf(it.commit(request).get())).isEqualTo(Errors.OFFSET_METADATA_TOO_LARGE);
        partition.setCommittedMetadata("x".repeat(4_096));
        assertThat(GroupHarness.errorOf(it.commit(request).get())).isEqualTo(Errors.NONE);
        partition.setCommittedMetadata(null);
        assertThat(GroupHarness.errorOf(it.commit(request).get())).isEqualTo(Errors.NONE);
        assertThat(row(false).metadata()).isEmpty();
    }

    @Test
    void whoNamesAGroupThatIsNotThereIsToldInItsVersionsWords() {
        var request = it.commitRequest("m", 4, "t", 0, 8L);
        assertThat(GroupHarness.errorOf(it.commit(request, 8).get())).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(GroupHarness.errorOf(it.commit(request, 9).get())).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
    }

    @Test
    void membersCommitInTheirGenerationAndOutsidersNotAtAll() {
        var ids = it.stableGroup(1);
        assertThat(it.commitError(ids.getFirst(), 1)).isEqualTo(Errors.NONE);
        assertThat(it.commitError(ids.getFirst(), 0)).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(it.commitError("nobody", 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(it.commitError("", -1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void aCommitIsASignOfLife() {
        var ids = it.stableGroup(1);
        for (int i = 0; i < 3; i++) {
            it.advance(GroupHarness.SESSION_MS - 1);
            assertThat(it.commitError(ids.getFirst(), 1)).isEqualTo(Errors.NONE);
        }
    }

    @Test
    void aMemberThatHasNoAssignmentYetCannotCommit() {
        var join = it.joinTwice();
        it.advance(0);
        assertThat(it.commitError(join.get().memberId(), 1)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
    }

    @Test
    void aMemberCommitsForTheGenerationThatIsEnding() {
        var ids = it.stableGroup(1);
        it.joinTwice();
        assertThat(it.commitError(ids.getFirst(), 1)).isEqualTo(Errors.NONE);
    }

    @Test
    void offsetsOfSubscribedTopicsAreNotDeleted() {
        var ids = it.stableGroup(1); // subscribed to m
        it.commit(it.commitRequest(ids.getFirst(), 1, "m", 0, 5L));
        it.commit(it.commitRequest(ids.getFirst(), 1, "t", 0, 6L));

        assertThat(it.deleteError("m", 0)).isEqualTo(Errors.GROUP_SUBSCRIBED_TO_TOPIC);
        assertThat(it.deleteError("t", 0)).isEqualTo(Errors.NONE);
        assertThat(it.committed("m", 0)).isEqualTo(5);
        assertThat(it.committed("t", 0)).isEqualTo(-1);
    }

    @Test
    void offsetsOfALiveGroupOfAnotherProtocolAreNotDeleted() {
        var request = it.joinRequest("").setProtocolType("connect");
        it.join(request, 3);
        it.advance(0);
        assertThat(it.deleteOffsets("t", 0).get().errorCode()).isEqualTo(Errors.NON_EMPTY_GROUP.code());
        assertThat(it.inGroup("none").deleteOffsets("t", 0).get().errorCode())
                .isEqualTo(Errors.GROUP_ID_NOT_FOUND.code());
    }

    @Test
    void aGroupIsDeletedWithItsOffsetsOnceItIsEmpty() {
        var ids = it.stableGroup(1);
        it.commitError(ids.getFirst(), 1);
        assertThat(it.deleteGroup()).isEqualTo(Errors.NON_EMPTY_GROUP);
        it.leave(ids.getFirst());
        assertThat(it.deleteGroup()).isEqualTo(Errors.NONE);
        assertThat(it.deleteGroup()).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        assertThat(it.committed("t", 0)).isEqualTo(-1);
        it.restart();
        assertThat(it.shard().group(GroupHarness.GROUP)).isNull();
        assertThat(it.committed("t", 0)).isEqualTo(-1);
    }

    @Test
    void aDeletionThatIsRefusedLeavesTheGroup() {
        it.commitError("", -1);
        it.refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(it.deleteGroup()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.committed("t", 0)).isEqualTo(7);
    }

    @Test
    void offsetsOfADeletedTopicGo() {
        var old = new Uuid(1, 1);
        var current = new Uuid(2, 2);
        it.commit(it.commitRequest("", -1, "t", 0, 8L));
        var second = it.commitRequest("", -1, "t", 1, 9L);
        second.topics().getFirst().setTopicId(current);
        it.commit(second);
        it.commit(it.commitRequest("", -1, "other", 0, 10L));
        it.run(it.shard().onTopicsDeleted(Map.of("t", old)));

        assertThat(it.committed("t", 0)).as("of an unknown topic").isEqualTo(-1);
        assertThat(it.committed("t", 1)).as("of the topic that is there now").isEqualTo(9);
        assertThat(it.committed("other", 0)).isEqualTo(10);
        it.run(it.shard().onTopicsDeleted(Map.of("t", current)));
        assertThat(it.committed("t", 1)).isEqualTo(-1);
    }

    @Test
    void offsetsOfATopicThatWentWhileNobodyLookedGo() {
        var gone = new Uuid(1, 1);
        var current = new Uuid(2, 2);
        var request = it.commitRequest("", -1, "t", 0, 7L);
        request.topics().getFirst().setTopicId(gone);
        it.commit(request);
        var second = it.commitRequest("", -1, "t", 1, 9L);
        second.topics().getFirst().setTopicId(current);
        it.commit(second);
        it.commit(it.commitRequest("", -1, "t", 2, 11L));
        it.commit(it.commitRequest("", -1, "gone", 0, 12L));
        it.run(it.shard().removeOrphanedOffsets(name -> name.equals("t") ? current : null));

        assertThat(it.committed("t", 0)).as("of the topic before").isEqualTo(-1);
        assertThat(it.committed("t", 1)).isEqualTo(9);
        assertThat(it.committed("t", 2))
                .as("of an unknown topic, which may be this")
                .isEqualTo(11);
        assertThat(it.committed("gone", 0)).isEqualTo(-1);
    }

    @Test
    void offsetsExpireWhenTheGroupHasBeenEmptyForTheirRetention() {
        var ids = it.stableGroup(1);
        it.run(it.shard().onLoaded(it.nowMs()));
        it.commitError(ids.getFirst(), 1);
        it.leave(ids.getFirst());
        it.advance(RETENTION_MS - CHECK_MS);
        assertThat(it.committed("t", 0)).isEqualTo(7);
        it.advance(2 * CHECK_MS);

        assertThat(it.committed("t", 0)).isEqualTo(-1);
        assertThat(it.shard().group(GroupHarness.GROUP))
                .as("and the group with them")
                .isNull();
    }

    @Test
    void offsetsOfALiveGroupExpireOnlyForTopicsItDoesNotRead() {
        var ids = it.stableGroup(1);
        it.run(it.shard().onLoaded(it.nowMs()));
        it.commit(it.commitRequest(ids.getFirst(), 1, "m", 0, 5L));
        it.commit(it.commitRequest(ids.getFirst(), 1, "t", 0, 6L));
        for (long ms = 0; ms < RETENTION_MS + CHECK_MS; ms += 9_000) {
            assertThat(it.heartbeat(ids.getFirst(), 1)).isEqualTo(Errors.NONE);
            it.advance(9_000);
        }

        assertThat(it.committed("m", 0)).isEqualTo(5);
        assertThat(it.committed("t", 0)).isEqualTo(-1);
    }

    @Test
    void anOldClientsOwnRetentionCounts() {
        it.run(it.shard().onLoaded(it.nowMs()));
        it.commit(it.commitRequest("", -1, "t", 0, 6L).setRetentionTimeMs(1_000), 4);
        it.commit(it.commitRequest("", -1, "u", 0, 6L), 5);
        it.restart();
        it.advance(CHECK_MS);

        assertThat(it.committed("t", 0)).isEqualTo(-1);
        assertThat(it.committed("u", 0)).isEqualTo(6);
    }

    @Test
    void offsetsOfAnOpenTransactionAreUnstableUntilItEnds() {
        it.commitError("", -1);
        var record = GroupRecords.offset(
                GroupHarness.GROUP, new TopicPartition("t", 0), new CommittedOffset(20, 1, "txn", 1L, -1L, Uuid.ZERO));
        it.shard().replay(42L, (short) 0, record);

        assertThat(row(true).errorCode()).isEqualTo(Errors.UNSTABLE_OFFSET_COMMIT.code());
        assertThat(row(false).committedOffset()).isEqualTo(7);

        it.shard().replayEndTransaction(42L, (short) 0, false);
        assertThat(row(true).committedOffset()).isEqualTo(7);
        it.shard().replay(42L, (short) 0, record);
        it.shard().replayEndTransaction(42L, (short) 0, true);
        it.commitError("", -1);
        it.shard().replay(42L, (short) 0, record);
        it.shard().replayEndTransaction(42L, (short) 0, true);
        it.shard().timeline().commitUpTo(Long.MAX_VALUE);
        assertThat(row(true).committedOffset()).isEqualTo(20);
    }

    // ---- transactions ----

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private void pending(long producerId, long offset) {
        it.shard()
                .offsets()
                .replay(
                        producerId,
                        GroupHarness.GROUP,
                        PARTITION,
                        new CommittedOffset(offset, -1, "", it.nowMs(), CommittedOffset.NO_EXPIRY, Uuid.ZERO));
    }

    private void end(long producerId, boolean committed) {
        it.shard().replayEndTransaction(producerId, (short) 0, committed);
    }

    private Errors transactional(String memberId, int generation, int version) {
        var error = new Errors[1];
        it.run(it.shard()
                .commitTransactionalOffsets(
                        GroupHarness.context(version),
                        it.commitRequest(memberId, generation, "t", 0, 8L),
                        answer -> error[0] = GroupHarness.errorOf(answer),
                        it.nowMs()));
        return error[0];
    }

    @Test
    void aCommitInATransactionNamesTheMemberOrNobody() {
        assertThat(transactional("m", 4, 5)).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(transactional("m", 4, 6)).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        var ids = it.stableGroup(1);
        assertThat(transactional(ids.getFirst(), 1, 5)).isEqualTo(Errors.NONE);
        assertThat(transactional(ids.getFirst(), 0, 5)).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(transactional("nobody", 1, 5)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        // Producers before version 3 of the request say nothing of the member.
        assertThat(transactional("", -1, 2)).isEqualTo(Errors.NONE);
    }

    @Test
    void aCommitInATransactionDoesNotWaitForTheAssignmentAndIsNoSignOfLife() {
        var join = it.joinTwice();
        it.advance(0);
        assertThat(transactional(join.get().memberId(), 1, 5)).isEqualTo(Errors.NONE);
        it.restart();
        var ids = new GroupHarness();
        var member = ids.stableGroup(1).getFirst();
        ids.advance(GroupHarness.SESSION_MS - 1);
        ids.run(ids.shard()
                .commitTransactionalOffsets(
                        GroupHarness.context(5), ids.commitRequest(member, 1, "t", 0, 8L), answer -> {}, ids.nowMs()));
        ids.advance(2);
        assertThat(ids.group().size()).isZero();
    }

    @Test
    void theLastCommitInTheLogCountsWheneverItsTransactionEnds() {
        it.commitError("", -1);
        pending(1, 20);
        it.commit(it.commitRequest("", -1, "t", 0, 8L));
        assertThat(row(true).errorCode()).isEqualTo(Errors.UNSTABLE_OFFSET_COMMIT.code());
        end(1, true);
        assertThat(row(true).committedOffset()).isEqualTo(8);

        pending(1, 30);
        pending(2, 40);
        end(2, true);
        assertThat(row(true).errorCode()).isEqualTo(Errors.UNSTABLE_OFFSET_COMMIT.code());
        end(1, true);
        assertThat(row(true).committedOffset()).isEqualTo(40);

        pending(1, 50);
        pending(2, 60);
        end(1, true);
        assertThat(it.shard().offsets().get(GroupHarness.GROUP, PARTITION))
                .extracting(CommittedOffset::offset)
                .isEqualTo(50L);
        end(2, true);
        assertThat(row(true).committedOffset()).isEqualTo(60);
        it.shard().timeline().commitUpTo(Long.MAX_VALUE);
        it.shard().offsets().compact();
        assertThat(it.shard().offsets().openTransactions()).isZero();
    }

    @Test
    void theEndOfATransactionIsTakenBackWithItsMarker() {
        it.commitError("", -1);
        var timeline = it.shard().timeline();
        timeline.writeAt(100);
        pending(1, 20);
        timeline.writeAt(101);
        end(1, true);
        assertThat(row(true).committedOffset()).isEqualTo(20);
        timeline.revertTo(100);
        assertThat(row(true).errorCode()).isEqualTo(Errors.UNSTABLE_OFFSET_COMMIT.code());
        timeline.writeAt(102);
        end(1, false);
        assertThat(row(true).committedOffset()).isEqualTo(7);
        timeline.revertTo(101);
        timeline.writeAt(103);
        end(1, true);
        timeline.commitUpTo(103);
        assertThat(row(false).committedOffset()).isEqualTo(20);

        timeline.writeAt(104);
        pending(2, 30);
        timeline.revertTo(103);
        end(2, true);
        assertThat(row(true).committedOffset()).isEqualTo(20);
        timeline.commitUpTo(104);
        it.shard().offsets().compact();
        assertThat(it.shard().offsets().openTransactions()).isZero();
    }
}
