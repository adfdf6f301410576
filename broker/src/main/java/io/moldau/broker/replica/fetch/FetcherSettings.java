package io.moldau.broker.replica.fetch;

import io.moldau.broker.replica.fetch.FetcherState.BackOff;
import java.util.concurrent.TimeUnit;

/// How followers fetch.
///
/// @param minBytes `replica.fetch.min.bytes`
/// @param maxBytes `replica.fetch.max.bytes`, of one partition
/// @param responseMaxBytes `replica.fetch.response.max.bytes`
/// @param waitMaxMs `replica.fetch.wait.max.ms`
/// @param backoffMs `replica.fetch.backoff.ms`: the longest pause after failures
/// @param timeoutMs `replica.socket.timeout.ms`
/// @param fetchersPerLeader `num.replica.fetchers`
/// @param listenerName the listener brokers speak to each other by
public record FetcherSettings(
        int minBytes,
        int maxBytes,
        int responseMaxBytes,
        int waitMaxMs,
        long backoffMs,
        long timeoutMs,
        int fetchersPerLeader,
        String listenerName) {

    private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /// Kafka's.
    public static FetcherSettings defaults(String listenerName) {
        return new FetcherSettings(1, 1 << 20, 10 << 20, 500, 1000, 30_000, 1, listenerName);
    }

    BackOff backOff() {
        long most = TimeUnit.MILLISECONDS.toNanos(Math.max(1, backoffMs));
        return new BackOff(Math.min(FIRST_BACKOFF_NANOS, most), most);
    }
}
