package io.moldau.log.append;

import io.moldau.wire.record.DecompressionLimits;

/// What a topic demands of batches.
///
/// @param logAppendTime whether the broker's time takes the place of the producer's
/// @param fullValidation whether every record of a compressed batch is looked at too
/// @param limits how far decompression may go
public record AppendRules(
        int maxMessageBytes,
        boolean compact,
        boolean logAppendTime,
        long timestampBeforeMaxMs,
        long timestampAfterMaxMs,
        boolean fullValidation,
        DecompressionLimits limits) {

    boolean boundsOldTimestamps() {
        return !logAppendTime && timestampBeforeMaxMs != Long.MAX_VALUE;
    }

    boolean boundsNewTimestamps() {
        return !logAppendTime && timestampAfterMaxMs != Long.MAX_VALUE;
    }

    /// Whether each record must be looked at, whatever the header says.
    boolean needsRecords() {
        return compact || fullValidation || boundsOldTimestamps();
    }
}
