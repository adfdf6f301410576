package io.moldau.broker.coordinator.group.assignor;

import io.moldau.common.Uuid;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The members of a group as an assignor sees them, by member id.
public record GroupSpec(Map<String, Member> members) {

    /// @param instanceId of a static member
    /// @param rackId where the member says it is
    /// @param topics it subscribes to, all of which exist
    /// @param assigned its target so far: what an assignor should leave with it where it can
    public record Member(
            @Nullable String instanceId, @Nullable String rackId, Set<Uuid> topics, Map<Uuid, Set<Integer>> assigned) {}
}
