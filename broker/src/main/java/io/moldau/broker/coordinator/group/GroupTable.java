package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.Timeline;
import io.moldau.broker.coordinator.runtime.TimelineMap;
import org.jspecify.annotations.Nullable;

/// The groups of one shard, of whichever protocol. Owned by its [GroupShard].
final class GroupTable {

    private final TimelineMap<String, Group> groups;

    GroupTable(Timeline timeline) {
        this.groups = new TimelineMap<>(timeline);
    }

    TimelineMap<String, Group> map() {
        return groups;
    }

    @Nullable
    Group find(String groupId) {
        return groups.get(groupId);
    }

    @Nullable
    ClassicGroup classic(String groupId) {
        return groups.get(groupId) instanceof ClassicGroup group ? group : null;
    }

    @Nullable
    ConsumerGroup consumer(String groupId) {
        return groups.get(groupId) instanceof ConsumerGroup group ? group : null;
    }

    /// The group, or a new classic one: what a commit founds is a place for offsets.
    Group getOrCreate(String groupId, long nowMs) {
        var group = groups.get(groupId);
        return group == null ? createClassic(groupId, nowMs) : group;
    }

    ClassicGroup createClassic(String groupId, long nowMs) {
        var group = new ClassicGroup(groupId, nowMs);
        groups.put(groupId, group);
        return group;
    }

    /// Removes an empty consumer group, so that a classic one can be founded in its place. Nothing that the operation
    /// writes is replayed then.
    void makeRoomForClassic(String groupId, CoordinatorResult.Builder out) {
        var group = consumer(groupId);
        if (group != null) {
            group.tombstones().forEach(out::write);
            out.withoutReplay();
            groups.remove(groupId);
        }
    }
}
