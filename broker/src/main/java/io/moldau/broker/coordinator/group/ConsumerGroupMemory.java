package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// What is remembered of consumer groups besides their records, and lost with the shard: nothing in it matters for
/// longer than until the members' next heartbeats.
final class ConsumerGroupMemory {

    private static final class OfGroup {
        private int checkedInEpoch = Integer.MAX_VALUE;
        private boolean resolving;
        private final Set<String> rejoining = new HashSet<>(0);
    }

    private final Map<String, OfGroup> groups = new HashMap<>();
    private long newTopicsOffset;

    private OfGroup of(String groupId) {
        return groups.computeIfAbsent(groupId, id -> new OfGroup());
    }

    void forget(String groupId) {
        groups.remove(groupId);
    }

    int size() {
        return groups.size();
    }

    /// Whether the group's hash may be another than that of its topics now. An epoch that was taken back counts as
    /// never reached.
    boolean mayBeStale(ConsumerGroup group) {
        var it = groups.get(group.groupId());
        return it == null || it.checkedInEpoch > group.epoch();
    }

    void checked(String groupId, int epoch) {
        of(groupId).checkedInEpoch = epoch;
    }

    void topicsChanged(String groupId) {
        var it = groups.get(groupId);
        if (it != null) {
            it.checkedInEpoch = Integer.MAX_VALUE;
        }
    }

    /// The offset of the last metadata that brought new topics.
    long newTopicsOffset() {
        return newTopicsOffset;
    }

    void newTopicsAt(long metadataOffset) {
        newTopicsOffset = metadataOffset;
    }

    boolean isResolving(String groupId) {
        var it = groups.get(groupId);
        return it != null && it.resolving;
    }

    void resolving(String groupId, boolean value) {
        of(groupId).resolving = value;
    }

    /// The member of the classic protocol has been told to join again, and has its rebalance time-out for it.
    void askToRejoin(String groupId, String memberId, int rebalanceTimeoutMs, CoordinatorResult.Builder out) {
        if (of(groupId).rejoining.add(memberId)) {
            out.schedule(new GroupTimer.RejoinTimeout(groupId, memberId), rebalanceTimeoutMs);
        }
    }

    void hasRejoined(String groupId, String memberId, CoordinatorResult.Builder out) {
        var it = groups.get(groupId);
        if (it != null && it.rejoining.remove(memberId)) {
            out.cancel(new GroupTimer.RejoinTimeout(groupId, memberId));
        }
    }

    /// Nothing of the member is waited for any more. Its session runs on, and finds nobody when it ends: the log may
    /// still refuse that the member goes, and then nobody else would notice that it is silent.
    void cancelTimers(String groupId, String memberId, CoordinatorResult.Builder out) {
        out.cancel(new GroupTimer.Revocation(groupId, memberId));
        out.cancel(new GroupTimer.FetchAssignmentTimeout(groupId, memberId));
        hasRejoined(groupId, memberId, out);
    }
}
