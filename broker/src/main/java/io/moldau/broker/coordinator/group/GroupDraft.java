package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.common.Invariant;

/// A consumer group as it will be with the records that an operation has planned so far.
final class GroupDraft {

    private ConsumerGroup group;
    private final CoordinatorResult.Builder out;

    GroupDraft(ConsumerGroup group, CoordinatorResult.Builder out) {
        this.group = group;
        this.out = out;
    }

    ConsumerGroup group() {
        return group;
    }

    String groupId() {
        return group.groupId();
    }

    CoordinatorResult.Builder out() {
        return out;
    }

    void write(CoordinatorRecord record) {
        var next = group.after(record);
        if (next == null) {
            throw Invariant.unreachable("a plan for group " + group.groupId() + " removes it");
        }
        group = next;
        out.write(record);
    }
}
