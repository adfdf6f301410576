package io.moldau.broker.replica;

/// Up to where a fetch may read.
public enum FetchIsolation {
    /// Everything: followers.
    LOG_END,
    /// What all in-sync replicas have: consumers.
    HIGH_WATERMARK,
    /// What no open transaction can change any more: consumers with `isolation.level=read_committed`.
    LAST_STABLE_OFFSET
}
