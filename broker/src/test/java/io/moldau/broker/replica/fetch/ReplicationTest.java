package io.moldau.broker.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.replica.Durability;
import io.moldau.broker.replica.FetchIsolation;
import io.moldau.broker.replica.FollowerTerm;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRead;
import io.moldau.broker.replica.RecordParts;
import io.moldau.broker.replica.ReplicationThrottle;
import io.moldau.broker.replica.ThrottledReplicas;
import io.moldau.broker.replica.fetch.ReplicaCluster.Broker;
import io.moldau.broker.replica.fetch.ReplicaCluster.Entry;
import io.moldau.common.Errors;
import io.moldau.log.AppendOutcome;
import io.moldau.testing.Seeds;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.RecordBytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Replicas that follow each other: what is acknowledged stays, logs agree, the ISR is what it says.
class ReplicationTest {

    private ReplicaCluster cluster = new ReplicaCluster(1, 1);

    private Broker broker(int id) {
        Broker broker = cluster.brokers.get(id);
        assertThat(broker).isNotNull();
        return Objects.requireNonNull(broker);
    }

    private void start(long seed, int minInsyncReplicas, int... ids) {
        cluster = new ReplicaCluster(seed, minInsyncReplicas, ids);
    }

    @AfterEach
    void noFaults() {
        cluster.close();
        assertThat(cluster.faults.faults()).isEmpty();
    }

    private void assertLogsEqual() {
        List<Entry> first = null;
        for (Broker broker : cluster.brokers.values()) {
            if (broker.isUp()) {
                List<Entry> entries = broker.entries();
                if (first == null) {
                    first = entries;
                }
                assertThat(entries).as(broker.toString()).isEqualTo(first);
            }
        }
    }

    @Seeds(count = 20)
    void followersCopyTheLeader(long seed) {
        start(seed, 1, 1, 2, 3);
        cluster.lead(1, List.of(1, 2, 3));
        cluster.settle();
        Set<String> acknowledged = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            String value = "v" + i;
            broker(1).produce(value, true, () -> acknowledged.add(value));
            cluster.drift();
        }
        cluster.pass(1000);
        assertThat(acknowledged).hasSize(20);
        assertLogsEqual();
        assertThat(broker(2).entries()).hasSize(20);
        assertThat(broker(2).partition().highWatermark()).isEqualTo(20);
        assertThat(broker(3).partition().highWatermark()).isEqualTo(20);
    }

    @Test
    void nothingIsAcknowledgedBeforeAllInSyncReplicasHaveIt() {
        start(1, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(50);
        broker(2).crash(false);
        var acknowledged = new ArrayList<String>();
        broker(1).produce("a", true, () -> acknowledged.add("a"));
        cluster.pass(500);
        assertThat(acknowledged).isEmpty();
        assertThat(broker(1).partition().highWatermark()).isZero();
        // Proposed to leave, and counted until the controller has agreed.
        cluster.pass(600);
        broker(1).tick();
        assertThat(acknowledged).isEmpty();
        cluster.pass(300);
        assertThat(cluster.partitionState().isr()).containsExactly(1);
        assertThat(acknowledged).containsExactly("a");
    }

    @Test
    void aLeaderThatHungUpIsKnownUntilItAnswers() {
        start(3, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(600);
        assertThat(broker(2).leadersThatHungUp()).isEmpty();
        broker(1).crash(false);
        cluster.pass(2100); // the fetch that is open ends by then
        assertThat(broker(2).leadersThatHungUp()).containsExactly(1);
        broker(1).restart();
        cluster.pass(2100);
        broker(1).produce("a");
        cluster.pass(100);
        assertThat(broker(2).entries()).hasSize(1);
        assertThat(broker(2).leadersThatHungUp()).isEmpty();
    }

    @Test
    void theIsrShrinksAndGrowsThroughTheController() {
        start(2, 1, 1, 2, 3);
        cluster.lead(1, List.of(1, 2, 3));
        cluster.pass(50);
        broker(3).crash(false);
        broker(1).produce("a");
        cluster.pass(1100);
        broker(1).tick();
        cluster.pass(300);
        assertThat(cluster.partitionState().isr()).containsExactly(1, 2);
        broker(1).produce("b");
        broker(3).restart();
        cluster.pass(2000);
        assertThat(cluster.partitionState().isr()).containsExactly(1, 2, 3);
        assertThat(Objects.requireNonNull(broker(1).partition().leaderState()).isr())
                .containsExactly(1, 2, 3);
        assertLogsEqual();
    }

    @Seeds(count = 20)
    void aFollowerUnderANewBrokerEpochJoinsAgainThoughNothingHappensInThePartition(long seed) {
        start(seed, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(50);
        broker(1).produce("a");
        cluster.pass(600);
        // Its fetch session knows the position; the leader knows it under the epoch that does not count any more.
        cluster.registerAgain(2);
        assertThat(cluster.partitionState().isr()).containsExactly(1);
        cluster.pass(1500);
        broker(1).tick();
        cluster.pass(300);
        assertThat(cluster.partitionState().isr()).containsExactly(1, 2);
        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(broker(1).partition().leaderState())
                                        .follower(2))
                        .brokerEpoch())
                .isEqualTo(broker(2).epoch());
    }

    @Test
    void belowTheMinimumWritesAreRefusedAndNothingIsCommitted() {
        start(3, 2, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(50);
        broker(2).crash(false);
        var acknowledged = new ArrayList<String>();
        broker(1).produce("a", true, () -> acknowledged.add("a"));
        cluster.pass(1100);
        broker(1).tick();
        cluster.pass(300);
        assertThat(cluster.partitionState().isr()).containsExactly(1);
        assertThat(acknowledged).isEmpty();
        assertThat(broker(1).produce("b"))
                .isInstanceOfSatisfying(
                        AppendOutcome.Rejected.class,
                        it -> assertThat(it.error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS));
        broker(2).restart();
        cluster.pass(2000);
        assertThat(cluster.partitionState().isr()).containsExactly(1, 2);
        assertThat(acknowledged).containsExactly("a");
    }

    @Test
    void aFollowerFarBehindStartsWhereTheLeaderBegins() {
        start(4, 1, 1, 2);
        cluster.lead(1, List.of(1));
        cluster.pass(50);
        broker(2).crash(false);
        for (int i = 0; i < 10; i++) {
            broker(1).produce("v" + i);
        }
        cluster.pass(1100);
        broker(1).tick();
        cluster.pass(300);
        assertThat(cluster.partitionState().isr()).containsExactly(1);
        broker(1).partition().deleteRecordsBefore(7);
        broker(2).restart();
        cluster.pass(1000);
        assertThat(broker(2).partition().logStartOffset()).isEqualTo(7);
        assertLogsEqual();
        // And follows when more is deleted.
        broker(1).partition().deleteRecordsBefore(9);
        cluster.pass(1000);
        assertThat(broker(2).partition().logStartOffset()).isEqualTo(9);
    }

    @Test
    void aNewPartitionIsFetchedThoughAFetchWaitsAtItsLeader() {
        // A follower whose fetch waits half a second must not be half a second late after an election.
        start(5, 1, 1, 2, 3);
        cluster.lead(1, List.of(1, 2, 3));
        cluster.pass(700);
        long before = cluster.time.milliseconds();
        cluster.lead(2, List.of(1, 2, 3));
        cluster.settle();
        var acknowledged = new ArrayList<String>();
        broker(2).produce("a", true, () -> acknowledged.add("a"));
        while (acknowledged.isEmpty()) {
            cluster.pass(10);
        }
        assertThat(cluster.time.milliseconds() - before).isLessThan(200);
    }

    // --- KIP-107 ---

    @Test
    void recordsAreDeletedWhenEveryReplicaHasDeletedThem() {
        start(6, 1, 1, 2, 3);
        cluster.lead(1, List.of(1, 2, 3));
        cluster.pass(50);
        for (int i = 0; i < 10; i++) {
            broker(1).produce("v" + i);
        }
        cluster.pass(1100);
        Partition leader = broker(1).partition();
        assertThat(leader.deleteRecordsBefore(Partition.UP_TO_HIGH_WATERMARK)).isEqualTo(10);
        var outcomes = new ArrayList<Errors>();
        leader.whenLowWatermarkReaches(10, outcomes::add);
        assertThat(leader.lowWatermark()).isZero();
        assertThat(outcomes).isEmpty();
        // A fetch that waits at the leader does not hold it up.
        cluster.pass(100);
        assertThat(outcomes).containsExactly(Errors.NONE);
        assertThat(leader.lowWatermark()).isEqualTo(10);
        assertThat(broker(2).partition().logStartOffset()).isEqualTo(10);
        assertThat(broker(3).partition().logStartOffset()).isEqualTo(10);

        leader.whenLowWatermarkReaches(11, outcomes::add);
        cluster.lead(2, List.of(1, 2, 3));
        cluster.pass(100);
        assertThat(outcomes).containsExactly(Errors.NONE, Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(leader.lowWatermark()).isEqualTo(-1);
        leader.whenLowWatermarkReaches(0, outcomes::add);
        assertThat(outcomes).hasSize(3).last().isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    // --- KIP-73 ---

    /// Broker 1 leads 600 KB, and broker 2 has nothing of it.
    private void copyThrottled(ThrottledReplicas leaders, ThrottledReplicas followers, LongConsumer limit) {
        cluster.throttledLeaders = leaders;
        cluster.throttledFollowers = followers;
        cluster.fetchMaxBytes = 10_100; // one record, and little of the next
        broker(2).crash(false);
        cluster.lead(1, List.of(1));
        cluster.pass(50);
        for (int i = 0; i < 60; i++) {
            broker(1).produce("x".repeat(10_000));
        }
        limit.accept(20_000);
        broker(2).restart();
        cluster.pass(10_000);
        assertThat(broker(2).partition().logEndOffset()).isBetween(15L, 35L);
        assertThat(cluster.partitionState().isr()).containsExactly(1);

        limit.accept(ReplicationThrottle.UNLIMITED);
        cluster.pass(3_000);
        assertThat(broker(2).partition().logEndOffset()).isEqualTo(60);
        assertThat(cluster.partitionState().isr()).containsExactly(1, 2);

        // Who is in sync stays so, whatever the limit.
        limit.accept(1);
        for (int i = 0; i < 5; i++) {
            broker(1).produce("x".repeat(10_000));
        }
        cluster.pass(300);
        assertThat(broker(2).partition().logEndOffset()).isEqualTo(65);
    }

    @Test
    void aFollowerThatIsBehindFetchesNoFasterThanItsThrottle() {
        start(7, 1, 1, 2);
        copyThrottled(
                ThrottledReplicas.NONE, ThrottledReplicas.of(List.of("0:2"), 2), broker(2).followerThrottle::limit);
    }

    @Test
    void aLeaderSendsNoFasterThanItsThrottle() {
        start(8, 1, 1, 2);
        copyThrottled(ThrottledReplicas.of(List.of("*"), 1), ThrottledReplicas.NONE, broker(1).leaderThrottle::limit);
    }

    @Test
    void whatIsNotThrottledIsCopiedAtOnce() {
        start(9, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        broker(1).leaderThrottle.limit(1);
        broker(2).followerThrottle.limit(1);
        cluster.throttledFollowers = ThrottledReplicas.of(List.of("0:1", "1:2"), 2);
        cluster.pass(50);
        for (int i = 0; i < 20; i++) {
            broker(1).produce("x".repeat(10_000));
        }
        cluster.pass(500);
        assertThat(broker(2).partition().logEndOffset()).isEqualTo(20);
    }

    // --- what followers do besides ---

    @Test
    void anotherNumberOfFetchersTakesOverWhereTheOldOnesWere() {
        start(10, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(100);
        var acknowledged = new ArrayList<String>();
        for (int i = 0; i < 12; i++) {
            String value = "v" + i;
            broker(1).produce(value, true, () -> acknowledged.add(value));
            cluster.fetchersPerLeader(2, 1 + i % 5);
            cluster.pass(30);
        }
        cluster.pass(200);
        assertThat(acknowledged).hasSize(12);
        assertLogsEqual();
        assertThat(cluster.partitionState().isr()).containsExactly(1, 2);
    }

    /// Cutting a log forces files; an event loop that happens to be inside the partition must not come to do it.
    @Test
    void aCutIsNotLeftToWhoeverIsInsideThePartition() {
        start(11, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(50);
        for (int i = 0; i < 4; i++) {
            broker(1).produce("v" + i);
        }
        cluster.pass(600);
        Partition follower = broker(2).partition();
        var term = new FollowerTerm(1, cluster.partitionState().leaderEpoch());
        var ends = new ArrayList<Long>();
        // This callback runs inside.
        follower.positionAsFollower(
                term, outcome -> follower.truncateAsFollower(term, 1, cut -> ends.add(follower.logEndOffset())));
        assertThat(ends).isEmpty();
        assertThat(follower.logEndOffset()).isEqualTo(4);
        cluster.settle();
        broker(1).produce("v4");
        cluster.pass(1000);
        assertThat(ends).containsExactly(1L);
        assertLogsEqual();
    }

    /// A follower that serves consumers has the newest records in memory, as a leader has (KIP-392).
    @Test
    void whoReadsAtTheEndOfAFollowerReadsFromMemory() {
        start(12, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(50);
        broker(1).produce("a");
        cluster.pass(600);
        Partition follower = broker(2).partition();
        assertThat(readFromFollower(follower, 1).sizeInBytes()).isZero();
        broker(1).produce("b");
        cluster.pass(1200);
        RecordBytes read = readFromFollower(follower, 1);
        assertThat(read).isInstanceOf(RecordParts.class);
        assertThat(read.sizeInBytes()).isPositive();
        ((RecordParts) read).parts().forEach(part -> ((BufferRecords) part).release());
        cluster.lead(2, List.of(1, 2));
        cluster.pass(100);
        broker(2).produce("c");
        RecordBytes asLeader = readFromFollower(follower, 1);
        assertThat(asLeader).isInstanceOf(RecordParts.class);
        ((RecordParts) asLeader).parts().forEach(part -> ((BufferRecords) part).release());
    }

    private static RecordBytes readFromFollower(Partition partition, long offset) {
        return ((PartitionRead.Data)
                        partition.read(offset, 1 << 20, true, FetchIsolation.HIGH_WATERMARK, -1, -1, false))
                .records();
    }

    // --- KIP-101, KIP-279 ---

    /// A follower restarts before it has heard that its last record is committed; then the leader dies, and
    /// comes back
    /// as a follower. Cutting at the high watermark loses the record everywhere.
    private void restartBeforeTheWatermarkArrives() {
        cluster.lead(1, List.of(1, 2));
        cluster.pass(600);
        broker(1).produce("m1");
        cluster.pass(600);
        var acknowledged = new ArrayList<String>();
        broker(1).produce("m2", true, () -> acknowledged.add("m2"));
        while (acknowledged.isEmpty()) {
            cluster.step();
        }
        assertThat(broker(2).partition().logEndOffset()).isEqualTo(2);
        assertThat(broker(2).partition().highWatermark()).as("not heard yet").isEqualTo(1);
        broker(2).checkpoint();
        broker(2).crash(false);
        broker(2).restart();
        while (broker(2).partitionIfAny() == null) {
            cluster.step();
        }
        broker(1).crash(false); // before the follower could fetch again
        cluster.lead(2, List.of(1, 2));
        cluster.settle();
        broker(1).restart();
        cluster.pass(1500);
    }

    @Test
    void aRestartBeforeTheWatermarkArrivesLosesNothing() {
        start(6, 1, 1, 2);
        restartBeforeTheWatermarkArrives();
        assertThat(broker(2).values()).containsExactly("m1", "m2");
        assertLogsEqual();
    }

    @Test
    void plantedCuttingAtTheHighWatermarkLosesARecord() {
        start(6, 1, 1, 2);
        cluster.truncateToHighWatermark = true;
        restartBeforeTheWatermarkArrives();
        assertThat(broker(1).values()).doesNotContain("m2");
    }

    /// Both lose their power. The one that had the record only in memory comes back first, leads and writes
    /// another in
    /// its place.
    private void bothRestartWithDivergingTails() {
        cluster.lead(1, List.of(1, 2));
        cluster.pass(600);
        broker(1).produce("m1");
        cluster.pass(600);
        broker(2).flush();
        broker(2).checkpoint();
        broker(1).produce("m2");
        cluster.pass(600);
        broker(1).flush();
        broker(1).checkpoint();
        broker(1).crash(true);
        broker(2).crash(true);
        broker(2).restart();
        cluster.lead(2, List.of(2));
        cluster.settle();
        assertThat(broker(2).values()).containsExactly("m1");
        broker(2).produce("m3");
        cluster.settle();
        broker(1).restart();
        cluster.pass(2000);
    }

    @Test
    void divergingTailsAreCutWhereTheEpochsPart() {
        start(7, 1, 1, 2);
        bothRestartWithDivergingTails();
        assertThat(broker(2).values()).containsExactly("m1", "m3");
        assertLogsEqual();
    }

    @Test
    void plantedCuttingAtTheHighWatermarkLeavesDivergingTails() {
        start(7, 1, 1, 2);
        cluster.truncateToHighWatermark = true;
        bothRestartWithDivergingTails();
        assertThat(broker(1).values()).isNotEqualTo(broker(2).values());
    }

    /// Leaders change so fast that the follower's last epoch is one its leader never saw (KIP-279).
    private void leadersChangeQuickly() {
        cluster.lead(1, List.of(1, 2));
        cluster.pass(600);
        broker(1).produce("m1");
        cluster.pass(600);
        broker(2).crash(false);
        cluster.lead(1, List.of(1)); // epoch 1
        cluster.settle();
        broker(1).produce("a");
        cluster.settle();
        broker(1).crash(false);
        broker(2).restart();
        cluster.lead(2, List.of(2)); // epoch 2, unclean: "a" is lost
        cluster.settle();
        broker(2).produce("b");
        broker(2).produce("b2");
        cluster.settle();
        broker(2).crash(false);
        broker(1).restart();
        cluster.lead(1, List.of(1)); // epoch 3, unclean again
        cluster.settle();
        broker(1).produce("c");
        cluster.settle();
        broker(2).restart();
        cluster.pass(2000);
    }

    @Test
    void anEpochTheLeaderNeverSawIsCutAway() {
        start(8, 1, 1, 2);
        leadersChangeQuickly();
        assertThat(broker(1).values()).containsExactly("m1", "a", "c");
        assertLogsEqual();
    }

    @Test
    void plantedCuttingAtTheHighWatermarkKeepsAnEpochTheLeaderNeverSaw() {
        start(8, 1, 1, 2);
        cluster.truncateToHighWatermark = true;
        leadersChangeQuickly();
        assertThat(broker(1).values()).isNotEqualTo(List.of("m1", "a", "c"));
    }

    /// Fast elections without data between them (KAFKA-10706): the follower knows epochs that began and got nothing.
    @Test
    void epochsWithoutRecordsDoNotStopAFollower() {
        start(9, 1, 1, 2, 3);
        cluster.lead(1, List.of(1, 2, 3));
        cluster.pass(600);
        broker(1).produce("m1");
        cluster.pass(600);
        for (int i = 0; i < 3; i++) {
            cluster.lead(2, List.of(1, 2, 3));
            cluster.settle();
            cluster.lead(1, List.of(1, 2, 3));
            cluster.settle();
        }
        cluster.lead(3, List.of(1, 2, 3));
        cluster.pass(600);
        broker(3).produce("m2");
        cluster.pass(600);
        assertThat(broker(1).values()).containsExactly("m1", "m2");
        assertLogsEqual();
    }

    // --- durability ---

    /// What was acknowledged, and what is left of it after all have lost their power at once.
    private List<String> acknowledgedAndLeft(Durability durability) {
        start(10, 2, 1, 2, 3);
        cluster.durability = durability;
        cluster.lead(1, List.of(1, 2, 3));
        cluster.settle();
        var acknowledged = new ArrayList<String>();
        for (int i = 0; i < 10; i++) {
            String value = "v" + i;
            broker(1).produce(value, true, () -> acknowledged.add(value));
            cluster.drift();
        }
        cluster.pass(1000);
        assertThat(acknowledged).hasSize(10);
        for (int id = 1; id <= 3; id++) {
            broker(id).crash(true);
        }
        for (int id = 1; id <= 3; id++) {
            broker(id).restart();
        }
        cluster.lead(2, List.of(2));
        cluster.settle();
        return broker(2).values();
    }

    @Test
    void flushedRecordsOutliveAPowerCutOfAll() {
        assertThat(acknowledgedAndLeft(Durability.FLUSHED)).hasSize(10);
    }

    @Test
    void replicatedRecordsDoNot() {
        assertThat(acknowledgedAndLeft(Durability.REPLICATED)).isEmpty();
    }

    /// Older records are forced when a replica hears that records have to be.
    @Test
    void whatWasThereBeforeIsForcedToo() {
        start(11, 2, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.settle();
        broker(1).produce("before");
        cluster.settle();
        assertThat(broker(1).partition().log().flushedUpTo()).isZero();
        cluster.durability = Durability.FLUSHED;
        cluster.lead(2, List.of(1, 2));
        cluster.settle();
        assertThat(broker(1).partition().log().flushedUpTo()).isEqualTo(1);
        assertThat(broker(2).partition().log().flushedUpTo()).isEqualTo(1);
    }

    @Test
    void aLeaderWhoseDiskFailsAcknowledgesNothing() {
        start(12, 1, 1, 2);
        cluster.durability = Durability.FLUSHED;
        cluster.lead(1, List.of(1, 2));
        cluster.settle();
        broker(1).storage.failForces(1);
        var acknowledged = new ArrayList<String>();
        broker(1).produce("a", true, () -> acknowledged.add("a"));
        cluster.pass(1000);
        assertThat(acknowledged).isEmpty();
        assertThat(broker(1).partitionIfAny()).isNull();
    }

    @Test
    void aFollowerWhoseDiskFailsIsNotCountedOn() {
        start(13, 1, 1, 2);
        cluster.durability = Durability.FLUSHED;
        cluster.lead(1, List.of(1, 2));
        cluster.settle();
        broker(2).storage.failForces(1);
        var acknowledged = new ArrayList<String>();
        broker(1).produce("a", true, () -> acknowledged.add("a"));
        cluster.pass(500);
        assertThat(acknowledged).isEmpty();
    }

    /// As [#whatIsAcknowledgedStays], and machines lose their power.
    @Seeds(count = 60)
    void whatIsFlushedStays(long seed) {
        run(seed, Durability.FLUSHED);
    }

    // --- by chance ---

    /// Crashes, restarts and elections at random moments; with processes that die and disks that keep what
    /// was written,
    /// an acknowledged record is never lost.
    @Seeds(count = 60)
    void whatIsAcknowledgedStays(long seed) {
        run(seed, Durability.REPLICATED);
    }

    private void run(long seed, Durability durability) {
        start(seed, 2, 1, 2, 3);
        cluster.durability = durability;
        var random = new Random(seed ^ 0x5eed);
        cluster.lead(1, List.of(1, 2, 3));
        cluster.pass(100);
        Set<String> acknowledged = new HashSet<>();
        Map<Integer, Long> watermarks = new HashMap<>();
        int written = 0;
        for (int i = 0; i < 200; i++) {
            switch (random.nextInt(14)) {
                case 0 -> {
                    Broker victim = broker(1 + random.nextInt(3));
                    if (victim.isUp()
                            && cluster.brokers.values().stream()
                                            .filter(Broker::isUp)
                                            .count()
                                    > 1) {
                        victim.crash(durability == Durability.FLUSHED && random.nextBoolean());
                        watermarks.remove(victim.id);
                    }
                }
                case 1, 2 -> {
                    for (Broker broker : cluster.brokers.values()) {
                        if (!broker.isUp()) {
                            broker.restart();
                            break;
                        }
                    }
                }
                case 3 -> elect(random, false);
                case 4 -> cluster.brokers.values().forEach(Broker::tick);
                case 5 -> cluster.pass(random.nextInt(400));
                default -> {
                    for (Broker broker : cluster.brokers.values()) {
                        if (broker.partitionIfAny() != null
                                && broker.partition().isLeader()) {
                            String value = "v" + written++;
                            broker.produce(value, true, () -> acknowledged.add(value));
                        }
                    }
                }
            }
            elect(random, true);
            cluster.drift();
            for (Broker broker : cluster.brokers.values()) {
                if (broker.partitionIfAny() != null) {
                    long now = broker.partition().highWatermark();
                    assertThat(now)
                            .as("the high watermark of %s in step %d", broker, i)
                            .isGreaterThanOrEqualTo(watermarks.getOrDefault(broker.id, 0L));
                    watermarks.put(broker.id, now);
                }
            }
        }
        for (Broker broker : cluster.brokers.values()) {
            if (!broker.isUp()) {
                broker.restart();
            }
        }
        elect(random, true);
        for (int i = 0; i < 8; i++) {
            cluster.pass(600);
            cluster.brokers.values().forEach(Broker::tick);
        }
        assertThat(cluster.partitionState().isr()).containsExactlyInAnyOrder(1, 2, 3);
        assertLogsEqual();
        assertThat(acknowledged).isNotEmpty();
        assertThat(broker(1).values()).containsAll(acknowledged);
    }

    /// A leader from the ISR that is up.
    ///
    /// @param onlyIfDown only if there is none, or the one there is has died
    private void elect(Random random, boolean onlyIfDown) {
        var state = cluster.partitionState();
        if (onlyIfDown && broker(state.leader()).isUp()) {
            return;
        }
        List<Integer> alive =
                state.isr().stream().filter(id -> broker(id).isUp()).toList();
        if (!alive.isEmpty()) {
            // Those that are down stay: the new leader finds out.
            cluster.lead(alive.get(random.nextInt(alive.size())), state.isr());
        }
    }
}
