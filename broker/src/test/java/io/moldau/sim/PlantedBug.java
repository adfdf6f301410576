package io.moldau.sim;

import java.util.List;

/// A mistake that somebody could make, and that the simulation must find. Planted by
/// [PlantedClassLoader] into the compiled classes, so that nothing in the product knows of it.
///
/// Each is a list of calls that are replaced, inside one class, by a method of [Planted].
enum PlantedBug {
    /// A batch is acknowledged when it is in the leader's log.
    ACK_BEFORE_REPLICATION(new Swap(
            "io/moldau/broker/api/data/ProduceHandler$Exchange",
            "acknowledge",
            "io/moldau/broker/replica/Partition",
            "highWatermark",
            "endOfTime")),
    /// A follower cuts its log at its own high watermark (before KIP-101).
    TRUNCATE_TO_HIGH_WATERMARK(new Swap(
            "io/moldau/broker/replica/fetch/ReplicaFetcher",
            "",
            "io/moldau/broker/replica/Partition",
            "positionAsFollower",
            "cutAtHighWatermark")),
    /// A leader does not look at the epochs in a follower's fetch.
    IGNORE_LEADER_EPOCH(
            new Swap(
                    "io/moldau/broker/replica/Partition",
                    "readAsFollower",
                    "io/moldau/broker/replica/Partition$FollowerFetch",
                    "currentLeaderEpoch",
                    "noEpoch"),
            new Swap(
                    "io/moldau/broker/replica/Partition",
                    "readAsFollower",
                    "io/moldau/broker/replica/Partition$FollowerFetch",
                    "lastFetchedEpoch",
                    "noEpoch")),
    /// The controller takes a proposal that was made on another version of the partition.
    FORGET_PARTITION_EPOCH(
            new Swap(
                    "io/moldau/metadata/controller/op/AlterPartition",
                    "judge",
                    "io/moldau/metadata/message/AlterPartitionRequest$PartitionIsr",
                    "getPartitionEpoch",
                    "zero"),
            new Swap(
                    "io/moldau/metadata/controller/op/AlterPartition",
                    "judge",
                    "io/moldau/metadata/partition/PartitionRegistration",
                    "partitionEpoch",
                    "zero")),
    /// Nobody looks which process of a broker a position in the log comes from (before KIP-903).
    SKIP_BROKER_EPOCH(
            new Swap(
                    "io/moldau/metadata/controller/op/AlterPartition",
                    "isEligible",
                    "io/moldau/metadata/message/AlterPartitionRequest$IsrMember",
                    "getBrokerEpoch",
                    "noBrokerEpoch"),
            new Swap(
                    "io/moldau/broker/replica/LeaderState",
                    "",
                    "io/moldau/broker/replica/LeaderState$Eligibility",
                    "isEligible",
                    "anyProcess"),
            new Swap(
                    "io/moldau/broker/replica/Partition",
                    "checkFollower",
                    "io/moldau/broker/replica/Partition$FollowerFetch",
                    "brokerEpoch",
                    "noBrokerEpoch")),
    /// A leader counts on a smaller ISR before the controller has confirmed it.
    ACK_WITH_STALE_ISR(new Swap(
            "io/moldau/broker/replica/LeaderState",
            "propose",
            "io/moldau/broker/replica/LeaderState",
            "advance",
            "takeForGranted")),
    /// What `flush.messages` promises is not forced to the disk.
    NO_FSYNC(new Swap("io/moldau/log/segment/LogSegment", "", "io/moldau/log/storage/LogFile", "force", "doNotForce")),
    /// Only the latest batch of a producer is known to be a duplicate when it comes again.
    DEDUPE_WINDOW_OF_ONE(new Swap(
            "io/moldau/log/producer/ProducerStates", "", "io/moldau/log/producer/ProducerEntry", "find", "findLatest")),
    /// Metadata entries are applied in another order than they have.
    METADATA_OUT_OF_ORDER(new Swap(
            "io/moldau/metadata/channel/MetadataFetcher",
            "",
            "io/moldau/metadata/image/loader/MetadataLoader",
            "entries",
            "entriesBackwards")),
    /// A coordinator serves before its log has been read.
    COORDINATOR_SERVES_UNLOADED(new Swap(
            "io/moldau/broker/coordinator/runtime/ShardRunner",
            "load",
            "io/moldau/broker/coordinator/runtime/ShardRunner",
            "replayLog",
            "loadNothing")),
    /// A coordinator that loads a group counts on from the generation before.
    GENERATION_REUSED(new Swap(
            "io/moldau/broker/coordinator/group/GroupRecords",
            "group",
            "io/moldau/broker/coordinator/group/generated/GroupMetadataValue",
            "generation",
            "generationBefore")),
    /// Nobody looks whether a commit comes from a generation that is over.
    COMMIT_OF_OLD_GENERATION(new Swap(
            "io/moldau/broker/coordinator/group/ClassicGroup",
            "validateOffsetCommit",
            "io/moldau/broker/coordinator/group/ClassicGroup",
            "validateGeneration",
            "anyGeneration")),
    /// Transactions are ended by their state alone, their epoch stays: a late EndTxn ends the next one (before
    /// KIP-890).
    LATE_END_TXN(new Swap(
            "io/moldau/broker/coordinator/transaction/TransactionShard",
            "endTransaction",
            "io/moldau/broker/coordinator/transaction/TransactionShard",
            "endInEpoch",
            "endByState")),
    /// Readers of committed records are shown the first record of an open transaction.
    LAST_STABLE_OFFSET_OFF_BY_ONE(new Swap(
            "io/moldau/broker/replica/Partition", "", "io/moldau/log/LogView", "lastStableOffset", "oneBeyondStable")),
    /// A coordinator that takes over does not write the markers that are missing.
    MARKER_LOST_ON_MOVE(new Swap(
            "io/moldau/broker/coordinator/transaction/TransactionShard",
            "takeUp",
            "io/moldau/broker/coordinator/transaction/TransactionStatus",
            "isPrepared",
            "no")),
    /// Who takes over a transactional id is given the epoch of the one before.
    FENCING_SKIPPED(new Swap(
            "io/moldau/broker/coordinator/transaction/TransactionShard",
            "initProducer",
            "io/moldau/broker/coordinator/transaction/TransactionState",
            "initialized",
            "initializedUnfenced")),
    /// Compaction takes the newest record of a key too.
    COMPACTION_TAKES_NEWEST(new Swap(
            "io/moldau/log/clean/BatchFilter", "stays", "io/moldau/log/clean/OffsetMap", "get", "laterThanAll")),
    /// Compaction takes the marker of a transaction whose records are still there (KAFKA-13727).
    MARKER_LOST_BY_COMPACTION(new Swap(
            "io/moldau/log/clean/Cleaning$Writer",
            "",
            "io/moldau/log/clean/CleanedTransactions",
            "endsEmptyTransaction",
            "endsAnything"));

    /// One kind of call.
    ///
    /// @param inClass whose code is changed, by its internal name
    /// @param inMethod of that name; all if empty
    /// @param owner of the method that is called
    /// @param method that is called
    /// @param instead the method of [Planted] that is called with the same arguments, behind the object
    record Swap(String inClass, String inMethod, String owner, String method, String instead) {}

    private final List<Swap> swaps;

    PlantedBug(Swap... swaps) {
        this.swaps = List.of(swaps);
    }

    List<Swap> swaps() {
        return swaps;
    }
}
