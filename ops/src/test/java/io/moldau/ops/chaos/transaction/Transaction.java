package io.moldau.ops.chaos.transaction;

import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/// A transaction as its client knows it.
///
/// @param beganNanos before anything of it was sent, of `System.nanoTime`
/// @param endedNanos after its client knew the outcome; `Long.MAX_VALUE` when it never did
/// @param writes where its records were sent; [Mark#index] counts them from 0
/// @param readFrom whose records its client was given by a read_committed consumer between begin and end
public record Transaction(
        Id id, long beganNanos, long endedNanos, Outcome outcome, List<TopicPartition> writes, Set<Id> readFrom) {

    /// The `number`-th of a producer, which has one at a time.
    public record Id(int producer, long number) {
        @Override
        public String toString() {
            return producer + ":" + number;
        }
    }

    /// What the client was told.
    public enum Outcome {
        COMMITTED,
        /// Or never asked to commit.
        ABORTED,
        /// It asked for a commit and was not told how that went.
        UNKNOWN
    }
}
