package io.moldau.broker.replica;

/// Wants to know when a read of a partition may give something new: the high watermark rose, the log start moved,
/// or the partition changed its role or is gone.
///
/// Called by whatever thread caused the change, outside the partition's mailbox; must be quick and must not block.
@FunctionalInterface
public interface PartitionWatcher {

    /// @param bytes how many bytes became readable, 0 for other changes
    void partitionChanged(int bytes);
}
