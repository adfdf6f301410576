package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;
import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about transactions.
public final class TransactionKeys {

    public static final ConfigKey<Integer> TRANSACTION_MAX_TIMEOUT_MS = ConfigKey.of(
                    "transaction.max.timeout.ms", ConfigType.intAtLeast(1))
            .defaultTo(900_000)
            .importance(HIGH)
            .describedAs("Longest transaction time-out a producer may ask for.");

    public static final ConfigKey<Boolean> PARTITION_VERIFICATION_ENABLE = ConfigKey.of(
                    "transaction.partition.verification.enable", ConfigType.bool())
            .defaultTo(true)
            .importance(LOW)
            .describedAs("Whether a transactional write is checked against the partitions its transaction names.");

    public static final ConfigKey<Integer> ADD_PARTITIONS_RETRY_BACKOFF_MAX_MS = ConfigKey.of(
                    "add.partitions.to.txn.retry.backoff.max.ms", ConfigType.intAtLeast(0))
            .defaultTo(100)
            .importance(HIGH)
            .describedAs("Longest time the server itself retries adding a partition to a transaction.");

    public static final ConfigKey<Integer> ADD_PARTITIONS_RETRY_BACKOFF_MS = ConfigKey.of(
                    "add.partitions.to.txn.retry.backoff.ms", ConfigType.intAtLeast(1))
            .defaultTo(20)
            .importance(HIGH)
            .describedAs("Pause before the server adds a partition to a transaction again.");

    public static final ConfigKey<Integer> TRANSACTION_STATE_LOG_LOAD_BUFFER_SIZE = ConfigKey.of(
                    "transaction.state.log.load.buffer.size", ConfigType.intAtLeast(1))
            .defaultTo(5_242_880)
            .importance(HIGH)
            .describedAs("How many bytes at a time are read when a transaction coordinator loads.");

    public static final ConfigKey<Integer> TRANSACTION_STATE_LOG_MIN_ISR = ConfigKey.of(
                    "transaction.state.log.min.isr", ConfigType.intAtLeast(1))
            .defaultTo(2)
            .importance(HIGH)
            .describedAs("Fewest in-sync replicas of the transaction state topic.");

    public static final ConfigKey<Integer> TRANSACTION_STATE_LOG_NUM_PARTITIONS = ConfigKey.of(
                    "transaction.state.log.num.partitions", ConfigType.intAtLeast(1))
            .defaultTo(50)
            .importance(HIGH)
            .describedAs("Number of partitions of the transaction state topic; must not change once it exists.");

    public static final ConfigKey<Short> TRANSACTION_STATE_LOG_REPLICATION_FACTOR = ConfigKey.of(
                    "transaction.state.log.replication.factor", ConfigType.shortAtLeast(1))
            .defaultTo((short) 3)
            .importance(HIGH)
            .describedAs("Replication factor of the transaction state topic. Left at its default, a smaller cluster "
                    + "uses as many replicas as it has brokers.");

    public static final ConfigKey<Integer> TRANSACTION_STATE_LOG_SEGMENT_BYTES = ConfigKey.of(
                    "transaction.state.log.segment.bytes", ConfigType.intAtLeast(1))
            .defaultTo(104_857_600)
            .importance(HIGH)
            .describedAs("Segment size of the transaction state topic.");

    public static final ConfigKey<Integer> ABORT_TIMED_OUT_INTERVAL_MS = ConfigKey.of(
                    "transaction.abort.timed.out.transaction.cleanup.interval.ms", ConfigType.intAtLeast(1))
            .defaultTo(10_000)
            .importance(LOW)
            .describedAs(
                    "Pause before a transaction past its time-out, which could not be aborted then, is looked at again.");

    public static final ConfigKey<Integer> REMOVE_EXPIRED_INTERVAL_MS = ConfigKey.of(
                    "transaction.remove.expired.transaction.cleanup.interval.ms", ConfigType.intAtLeast(1))
            .defaultTo(3_600_000)
            .importance(LOW)
            .describedAs("How often expired transactional ids are looked for.");

    public static final ConfigKey<Integer> TRANSACTIONAL_ID_EXPIRATION_MS = ConfigKey.of(
                    "transactional.id.expiration.ms", ConfigType.intAtLeast(1))
            .defaultTo(604_800_000)
            .importance(HIGH)
            .describedAs("How long an idle transactional id is remembered.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(TRANSACTION_MAX_TIMEOUT_MS),
            KnownKey.used(TRANSACTION_STATE_LOG_LOAD_BUFFER_SIZE),
            KnownKey.used(TRANSACTION_STATE_LOG_MIN_ISR),
            KnownKey.used(TRANSACTION_STATE_LOG_NUM_PARTITIONS),
            KnownKey.used(TRANSACTION_STATE_LOG_REPLICATION_FACTOR),
            KnownKey.used(TRANSACTION_STATE_LOG_SEGMENT_BYTES),
            KnownKey.used(ABORT_TIMED_OUT_INTERVAL_MS),
            KnownKey.used(REMOVE_EXPIRED_INTERVAL_MS),
            KnownKey.used(PARTITION_VERIFICATION_ENABLE).clusterWide(),
            KnownKey.later(
                    ConfigKey.of("transaction.two.phase.commit.enable", ConfigType.bool())
                            .defaultTo(false)
                            .importance(LOW)
                            .describedAs("Whether transactions may be prepared for an outer coordinator."),
                    Reasons.TXN),
            KnownKey.used(TRANSACTIONAL_ID_EXPIRATION_MS),
            KnownKey.used(ADD_PARTITIONS_RETRY_BACKOFF_MAX_MS),
            KnownKey.used(ADD_PARTITIONS_RETRY_BACKOFF_MS));

    private TransactionKeys() {}
}
