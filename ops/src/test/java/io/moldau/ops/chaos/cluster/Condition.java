package io.moldau.ops.chaos.cluster;

/// Something that becomes true. A failed question counts as "not yet"; the wait's end tells the last failure.
@FunctionalInterface
public interface Condition {
    boolean holds() throws Exception;
}
