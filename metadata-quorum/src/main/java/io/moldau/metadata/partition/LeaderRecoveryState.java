package io.moldau.metadata.partition;

import io.moldau.metadata.record.MetadataRecords;

/// Whether a partition's leader may be trusted to have every committed record (KIP-704).
public enum LeaderRecoveryState {
    RECOVERED,
    /// Elected from outside the ISR; the leader has not finished recovering.
    RECOVERING;

    public byte value() {
        return (byte) ordinal();
    }

    static LeaderRecoveryState of(io.moldau.metadata.record.LeaderRecoveryState state) {
        return switch (state) {
            case RECOVERED -> RECOVERED;
            case RECOVERING -> RECOVERING;
            case UNRECOGNIZED ->
                throw new IllegalArgumentException("a leader recovery state unknown to record layout "
                        + MetadataRecords.READER_VERSION + "; the record was written by a newer release");
        };
    }

    io.moldau.metadata.record.LeaderRecoveryState toRecord() {
        return this == RECOVERED
                ? io.moldau.metadata.record.LeaderRecoveryState.RECOVERED
                : io.moldau.metadata.record.LeaderRecoveryState.RECOVERING;
    }
}
