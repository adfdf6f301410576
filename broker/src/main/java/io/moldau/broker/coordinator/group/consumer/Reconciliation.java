package io.moldau.broker.coordinator.group.consumer;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Brings a member from what it has to what it is to have, such that no partition ever has two owners (KIP-848).
///
/// A member first gives up what it loses and stays in its epoch meanwhile; then it comes into the target's epoch and
/// gets what nobody else has; the rest follows as the others let go of it. Pure.
public final class Reconciliation {

    /// Whether somebody has the partition or is still giving it up.
    @FunctionalInterface
    public interface Ownership {
        boolean isOwned(Uuid topic, int partition);
    }

    private final int targetEpoch;
    private final Map<Uuid, Set<Integer>> target;
    private final Set<Uuid> subscribed;
    private final @Nullable Map<Uuid, Set<Integer>> owned;
    private final Ownership ownership;

    /// @param subscribed the topics the member subscribes to by now: what it is to have may be older than that
    /// @param owned what the member says it has, or null if it says nothing
    public Reconciliation(
            int targetEpoch,
            Map<Uuid, Set<Integer>> target,
            Set<Uuid> subscribed,
            @Nullable Map<Uuid, Set<Integer>> owned,
            Ownership ownership) {
        this.targetEpoch = targetEpoch;
        this.target = target;
        this.subscribed = subscribed;
        this.owned = owned;
        this.ownership = ownership;
    }

    /// Where the member is next: often where it was.
    ///
    /// @param subscriptionChanged whether it subscribes to something else than at its last heartbeat
    /// @throws ApiException FENCED_MEMBER_EPOCH if only joining again can help
    public CurrentAssignment next(CurrentAssignment current, boolean subscriptionChanged) {
        return switch (current.state()) {
            case STABLE -> {
                if (current.epoch() != targetEpoch) {
                    yield towardsTarget(current, current.epoch());
                }
                yield subscriptionChanged ? withoutUnsubscribed(current) : current;
            }
            case UNREVOKED_PARTITIONS -> {
                if (mayStillHave(current.pendingRevocation())) {
                    yield subscriptionChanged ? withoutUnsubscribed(current) : current;
                }
                yield towardsTarget(current, current.epoch());
            }
            case UNRELEASED_PARTITIONS -> towardsTarget(current, current.epoch());
            case UNKNOWN -> {
                if (owned == null || !owned.isEmpty()) {
                    throw new ApiException(
                            Errors.FENCED_MEMBER_EPOCH,
                            "This broker does not know the state the member is in. Give up all partitions and join"
                                    + " again.");
                }
                yield towardsTarget(current, targetEpoch);
            }
        };
    }

    private boolean mayStillHave(PartitionEpochs revoked) {
        return owned == null || revoked.intersects(owned);
    }

    private CurrentAssignment towardsTarget(CurrentAssignment current, int epoch) {
        var kept = new PartitionEpochs.Builder();
        var revoked = new PartitionEpochs.Builder();
        current.assigned().forEach((topic, partition, since) -> {
            boolean stays = subscribed.contains(topic)
                    && target.getOrDefault(topic, Set.of()).contains(partition);
            (stays ? kept : revoked).add(topic, partition, since);
        });
        var pendingRevocation = revoked.build();
        if (!pendingRevocation.isEmpty() && mayStillHave(pendingRevocation)) {
            return new CurrentAssignment(
                    epoch, current.epoch(), MemberState.UNREVOKED_PARTITIONS, kept.build(), pendingRevocation);
        }
        boolean waits = false;
        for (var topic : target.entrySet()) {
            if (!subscribed.contains(topic.getKey())) {
                continue;
            }
            for (int partition : new TreeSet<>(topic.getValue())) {
                if (current.assigned().contains(topic.getKey(), partition)) {
                    continue;
                }
                if (ownership.isOwned(topic.getKey(), partition)) {
                    waits = true;
                } else {
                    kept.add(topic.getKey(), partition, targetEpoch);
                }
            }
        }
        return new CurrentAssignment(
                targetEpoch,
                current.epoch(),
                waits ? MemberState.UNRELEASED_PARTITIONS : MemberState.STABLE,
                kept.build(),
                PartitionEpochs.NONE);
    }

    /// What the member has unsubscribed from goes at once; everything else waits for a target that knows.
    private CurrentAssignment withoutUnsubscribed(CurrentAssignment current) {
        var kept = new PartitionEpochs.Builder();
        var revoked = new PartitionEpochs.Builder();
        current.pendingRevocation().forEach(revoked::add);
        current.assigned()
                .forEach((topic, partition, since) ->
                        (subscribed.contains(topic) ? kept : revoked).add(topic, partition, since));
        var assigned = kept.build();
        if (assigned.equals(current.assigned())) {
            return current;
        }
        var pendingRevocation = revoked.build();
        boolean waits = !pendingRevocation.isEmpty() && mayStillHave(pendingRevocation);
        return new CurrentAssignment(
                current.epoch(),
                current.epoch(),
                waits ? MemberState.UNREVOKED_PARTITIONS : current.state(),
                assigned,
                waits ? pendingRevocation : current.pendingRevocation());
    }
}
