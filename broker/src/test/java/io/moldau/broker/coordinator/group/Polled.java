package io.moldau.broker.coordinator.group;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// A member of a group that is polled with others in turn, on one thread.
interface Polled {

    void pollOnce();

    /// What it reads now.
    Set<?> partitions();

    static void pollUntil(BooleanSupplier done, Polled... members) {
        while (!done.getAsBoolean()) {
            for (var member : members) {
                member.pollOnce();
            }
        }
    }

    /// Whether the members have six partitions among them, this many each.
    static boolean share(int each, Polled... members) {
        var all = new HashSet<Object>();
        for (var member : members) {
            if (member.partitions().size() != each) {
                return false;
            }
            all.addAll(member.partitions());
        }
        return all.size() == 6;
    }
}
