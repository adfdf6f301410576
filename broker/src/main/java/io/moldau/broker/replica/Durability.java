package io.moldau.broker.replica;

import java.util.Locale;

/// What it takes for a replica to have a record, `moldau.durability`: what a leader counts of its
/// own log, and a follower tells of its own, when the high watermark and with it the answer to
/// acks=all depend on it.
public enum Durability {

    /// The record is in the log; the operating system may still hold it in memory. Kafka's way.
    REPLICATED,

    /// The record has been forced to the disk, and survives a power cut.
    FLUSHED;

    /// By the setting's value.
    public static Durability of(String value) {
        return valueOf(value.toUpperCase(Locale.ROOT));
    }
}
