package io.moldau.log;

import io.moldau.common.time.Time;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.ScratchBuffers;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;

/// What every log of a node shares.
///
/// @param random for the jitter of segment rolls
/// @param scratch for headers
/// @param checking for whole batches that are checked before they are served
/// @param checkedForNanos how long readers may have what was checked, or written by this process, without another check
/// @param producerIdExpirationMs `producer.id.expiration.ms`, which can change while the node runs
public record LogEnvironment(
        LogStorage storage,
        Time time,
        LogMetrics metrics,
        RandomGenerator random,
        ScratchBuffers scratch,
        ScratchBuffers checking,
        long checkedForNanos,
        IntSupplier producerIdExpirationMs) {}
