package io.moldau.broker.coordinator.group;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The groups of one node's coordinator at a moment, as far as they were asked for.
///
/// @param groups at most as many as asked for
/// @param groupsLeftOff how many more there are
/// @param offsetsLeftOff how many committed offsets were left off, of the groups named here
/// @param loadingShards how many shards could not be asked since they are not loaded
public record GroupCensus(List<Group> groups, int groupsLeftOff, int offsetsLeftOff, int loadingShards) {

    /// One group.
    ///
    /// @param type of which protocol it is: `classic` or `consumer`
    /// @param protocolType `consumer` for a group of consumers; empty for one that only has offsets
    public record Group(
            String groupId, String type, String state, String protocolType, int members, List<Offset> offsets) {}

    /// How far a group has committed to have read one partition.
    ///
    /// @param offset the next one it will read
    /// @param committedMs when it said so
    public record Offset(
            String topic,
            int partition,
            long offset,
            long committedMs,
            @Nullable String metadata) {}
}
