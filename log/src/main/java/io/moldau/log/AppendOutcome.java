package io.moldau.log;

import io.moldau.common.Errors;
import io.moldau.log.producer.VerificationGuard;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What became of batches handed to the leader's log. A failing disk is not among these: that is a
/// [io.moldau.log.storage.StorageException].
public sealed interface AppendOutcome {

    /// The batches are in the log.
    ///
    /// @param logAppendTimeMs what was stamped, -1 where the topic keeps the producer's time
    /// @param maxTimestamp the greatest timestamp appended, -1 if none has one
    /// @param rewritten the bytes that were stored, if the topic's compression made them other than those given;
    ///     null when the given buffer, stamped in place, is what is in the log
    record Appended(
            long baseOffset,
            long lastOffset,
            long logAppendTimeMs,
            long logStartOffset,
            long maxTimestamp,
            @Nullable ByteBuffer rewritten)
            implements AppendOutcome {}

    /// An idempotent producer sent again what is in the log already; nothing was appended.
    record Duplicate(long baseOffset, long lastOffset, long logAppendTimeMs, long logStartOffset)
            implements AppendOutcome {}

    /// Nothing was appended yet: the batch would be the first of its transaction in this log, so the transaction
    /// coordinator is asked first (KIP-890), and then the batch comes again with this guard.
    record Unverified(VerificationGuard guard) implements AppendOutcome {}

    /// Nothing was appended.
    record Rejected(Errors error, String message, List<RecordError> recordErrors) implements AppendOutcome {}

    /// One record to blame (KIP-467).
    record RecordError(int batchIndex, String message) {}
}
