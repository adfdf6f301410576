package io.moldau.broker.coordinator.transaction;

import java.util.Map;

/// The internal topic that transactions live in.
public final class TransactionsTopic {

    public static final String NAME = "__transaction_state";

    private TransactionsTopic() {}

    /// The topic's settings when it is created.
    ///
    /// @param minInsyncReplicas `transaction.state.log.min.isr`
    /// @param segmentBytes `transaction.state.log.segment.bytes`
    public static Map<String, String> configs(int minInsyncReplicas, int segmentBytes) {
        return Map.of(
                "cleanup.policy", "compact",
                "compression.type", "uncompressed",
                "unclean.leader.election.enable", "false",
                "min.insync.replicas", Integer.toString(minInsyncReplicas),
                "segment.bytes", Integer.toString(segmentBytes));
    }
}
