package io.moldau.ops.chaos.transaction;

import java.util.List;

/// What one copier does: it shares its transactional id, its group and its partitions with a rival.
///
/// @param partitions of both topics; a record keeps its partition
/// @param seed of sizes, aborts and pauses
record CopyPlan(
        String bootstrap,
        String from,
        String to,
        String transactionalId,
        String group,
        List<Integer> partitions,
        long seed) {

    /// So short that a transaction of a copier that is gone ends within the run.
    static final int TIMEOUT_MS = 15_000;

    /// At most that many records in a transaction.
    static final int MOST_RECORDS = 40;

    static final int ABORTED_PERCENT = 20;

    /// Now and then a copier falls asleep within a transaction, for so long that its rival may replace it.
    static final int ASLEEP_PERCENT = 3;

    static final int ASLEEP_MOST_MS = 2_000;
    static final int FENCED_MOST_MS = 2_500;
}
