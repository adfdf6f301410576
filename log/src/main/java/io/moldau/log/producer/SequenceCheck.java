package io.moldau.log.producer;

import io.moldau.common.Errors;

/// What the log's memory of a producer says about its next batch.
public sealed interface SequenceCheck {

    /// The batch is the next one.
    InOrder IN_ORDER = new InOrder();

    record InOrder() implements SequenceCheck {}

    /// The batch is one of the last five of this producer; it is in the log at these offsets.
    record Duplicate(long baseOffset, long lastOffset, long timestamp) implements SequenceCheck {}

    /// The batch would be the first of a transaction in this log, and the transaction coordinator has to be asked.
    Unverified UNVERIFIED = new Unverified();

    record Unverified() implements SequenceCheck {}

    record Refused(Errors error, String message) implements SequenceCheck {}
}
