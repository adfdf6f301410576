package io.moldau.broker.metadata;

import java.util.Set;

/// Which topic names are the broker's own; and, by the controller's word, which may be used at all.
public final class TopicNames {

    public static final String CONSUMER_OFFSETS = "__consumer_offsets";
    public static final String TRANSACTION_STATE = "__transaction_state";
    public static final String SHARE_GROUP_STATE = "__share_group_state";

    private static final Set<String> INTERNAL = Set.of(CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE);

    private TopicNames() {}

    public static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }

    public static boolean isValid(String name) {
        return io.moldau.metadata.controller.op.TopicNames.problem(name).isEmpty();
    }

    /// Why a topic must not be called so; empty if it may.
    public static String reasonAgainst(String name) {
        return io.moldau.metadata.controller.op.TopicNames.problem(name).orElse("");
    }
}
