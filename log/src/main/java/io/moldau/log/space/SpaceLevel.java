package io.moldau.log.space;

/// How much room a log directory's volume has. The order is from good to bad.
public enum SpaceLevel {
    /// Everything is written.
    AMPLE,
    /// Below the first watermark: topics over their budget take no records of clients, and what retention lets go
    /// of is deleted at once.
    SHORT,
    /// Below the second: no topic takes records of clients. What the node itself must write goes on.
    FULL
}
