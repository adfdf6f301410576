package io.moldau.sim;

import io.moldau.broker.coordinator.group.GroupCoordinatorConfig;
import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.transaction.TransactionsTopic;
import io.moldau.broker.replica.Durability;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.log.LogConfig;
import io.moldau.metadata.quorum.AppliedMetadata;
import java.util.SplittableRandom;

/// What kind of cluster and what kind of trouble one seed gets.
///
/// @param controllers how many nodes are controllers: the first ones
/// @param brokers how many nodes are brokers
/// @param combined whether the controllers are brokers too
/// @param topics how many topics there are to begin with
/// @param partitions how many partitions each of them has
/// @param forcing what is forced to the disk; if anything is, machines may lose their power at any time
/// @param losesPower whether machines lose their power where nothing is forced: then only while
///     another one is known to have all that is committed
/// @param faultSeconds how long faults go on
/// @param level how many of them: from 0, none, to 3
/// @param segmentBytes how large a segment gets
/// @param metadataTail how many of the latest metadata batches a controller has at hand for brokers
/// @param members how many members a group has whose members come and go; 0 if there is none
/// @param transactors how many transactional ids are used, each by two that fence each other; 0 if there are
///     no transactions
/// @param compacts whether the topics of groups and of transactions are compacted all the time
record Scenario(
        int controllers,
        int brokers,
        boolean combined,
        int topics,
        int partitions,
        Forcing forcing,
        boolean losesPower,
        int faultSeconds,
        int level,
        int segmentBytes,
        int metadataTail,
        int members,
        int transactors,
        boolean compacts) {

    /// What is forced to the disk.
    enum Forcing {
        NOTHING,
        /// Every append, before it returns: `flush.messages` is 1.
        APPENDS,
        /// What is acknowledged, before it is: `moldau.durability` is `flushed`.
        COMMITS
    }

    /// Without a group there is little to compact.
    Scenario {
        compacts = compacts && members > 0;
    }

    static final int REPLICAS = 3;
    static final int MIN_IN_SYNC = 2;
    static final int GROUP_PARTITIONS = 2;
    static final int TRANSACTION_PARTITIONS = 2;

    /// Short sessions, so that much happens.
    static final GroupCoordinatorConfig GROUPS = new GroupCoordinatorConfig(
            SimulatedMember.SESSION_MS,
            60_000,
            300,
            100,
            10_000,
            4_096,
            GroupCoordinatorConfig.DEFAULTS.offsetsRetentionMs(),
            GroupCoordinatorConfig.DEFAULTS.offsetsRetentionCheckIntervalMs(),
            GroupCoordinatorConfig.DEFAULTS.offsetCommitTimeoutMs(),
            GroupCoordinatorConfig.DEFAULTS.maxPendingMembers(),
            GroupCoordinatorConfig.DEFAULTS.consumer());

    static Scenario draw(SplittableRandom random) {
        boolean combined = random.nextInt(3) > 0;
        return new Scenario(
                3,
                random.nextBoolean() ? 4 : 3,
                combined,
                1 + random.nextInt(2),
                1 + random.nextInt(2),
                switch (random.nextInt(6)) {
                    case 0 -> Forcing.APPENDS;
                    case 3 -> Forcing.COMMITS;
                    default -> Forcing.NOTHING;
                },
                random.nextBoolean(),
                10 + random.nextInt(20),
                random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(3),
                random.nextBoolean() ? 1 << 20 : 2_500 + random.nextInt(4_000),
                random.nextBoolean() ? AppliedMetadata.TAIL_ENTRIES : 1 + random.nextInt(20),
                random.nextBoolean() ? 0 : 2 + random.nextInt(2),
                random.nextBoolean() ? 0 : 1 + random.nextInt(2),
                random.nextInt(3) > 0);
    }

    boolean syncs() {
        return forcing != Forcing.NOTHING;
    }

    int nodes() {
        return combined ? Math.max(controllers, brokers) : controllers + brokers;
    }

    boolean isController(int node) {
        return node < controllers;
    }

    boolean isBroker(int node) {
        return combined ? node < brokers : node >= controllers;
    }

    private static boolean isInternal(String topic) {
        return topic.equals(OffsetsTopic.NAME) || topic.equals(TransactionsTopic.NAME);
    }

    /// Whether the topic's logs are compacted all the time.
    boolean isCompacted(String topic) {
        return compacts && isInternal(topic);
    }

    TopicSettings settings(String topic) {
        var log = LogConfig.DEFAULTS.toBuilder()
                .segmentBytes(segmentBytes)
                .flushMessages(forcing == Forcing.APPENDS ? 1 : Long.MAX_VALUE)
                // Clocks are set to all kinds of times.
                .timestampAfterMaxMs(Long.MAX_VALUE)
                .indexIntervalBytes(512);
        if (isInternal(topic)) {
            log.retentionMs(-1);
        }
        if (isCompacted(topic)) {
            log.compact(true)
                    .delete(false)
                    .segmentBytes(1_000)
                    .minCleanableDirtyRatio(0.01)
                    .deleteRetentionMs(2_000)
                    .fileDeleteDelayMs(1_000);
        }
        return new TopicSettings(
                log.build(), MIN_IN_SYNC, forcing == Forcing.COMMITS ? Durability.FLUSHED : Durability.REPLICATED);
    }
}
