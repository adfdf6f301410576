package io.moldau.broker.coordinator.transaction;

/// Settings of the transaction coordinator, under Kafka's names in the comments and with Kafka's defaults.
///
/// @param maxTimeoutMs `transaction.max.timeout.ms`
/// @param abortRetryIntervalMs `transaction.abort.timed.out.transaction.cleanup.interval.ms`: transactions time out on
///     their own timers, and what could not be aborted then is looked at again so often
/// @param expirationMs `transactional.id.expiration.ms`
/// @param expirationCheckIntervalMs `transaction.remove.expired.transaction.cleanup.interval.ms`
/// @param maxTransactionalIds how many ids one shard remembers at most, a bound of ours
public record TransactionCoordinatorConfig(
        int maxTimeoutMs,
        int abortRetryIntervalMs,
        int expirationMs,
        int expirationCheckIntervalMs,
        int maxTransactionalIds) {

    public static final TransactionCoordinatorConfig DEFAULTS =
            new TransactionCoordinatorConfig(900_000, 10_000, 604_800_000, 3_600_000, 200_000);
}
