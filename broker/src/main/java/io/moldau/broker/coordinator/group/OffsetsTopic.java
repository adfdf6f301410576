package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.KeyHash;
import java.util.Map;

/// The internal topic that groups live in.
public final class OffsetsTopic {

    public static final String NAME = "__consumer_offsets";

    private OffsetsTopic() {}

    /// The topic's settings when it is created.
    ///
    /// @param segmentBytes `offsets.topic.segment.bytes`; small segments are compacted, and loaded, sooner
    public static Map<String, String> configs(int segmentBytes) {
        return Map.of(
                "cleanup.policy", "compact",
                "compression.type", "producer",
                "segment.bytes", Integer.toString(segmentBytes));
    }

    /// The partition whose leader coordinates the group.
    public static int partitionFor(String groupId, int partitions) {
        return KeyHash.partitionFor(groupId, partitions);
    }
}
