package io.moldau.broker.coordinator.runtime;

import io.moldau.common.Errors;
import io.moldau.common.time.TimerTask;
import io.moldau.wire.record.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Records of one or more operations that go to the log together, and who waits for them. Owned by the shard's mailbox,
/// except for the hand-over of the append's outcome.
final class WriteBatch implements CoordinatorLog.AppendListener {

    /// How the append ended.
    sealed interface Outcome {
        record Appended(long lastOffset, long highWatermark) implements Outcome {}

        record Rejected(Errors error, String message) implements Outcome {}

        /// Nobody has told yet, and the shard has stopped asking: whoever tells wakes it.
        record Awaited() implements Outcome {}
    }

    private static final Outcome AWAITED = new Outcome.Awaited();

    private final long sequence;
    private final BatchBuilder builder;
    private final @Nullable Transaction transaction;
    private final List<Completion> completions = new ArrayList<>();
    private final long plannedNanos;
    private final Runnable onLateOutcome;
    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
    private @Nullable TimerTask timeout;
    private long lastOffset = -1L;

    /// @param transaction what the batch belongs to, null if to none
    /// @param onLateOutcome called, on any thread, when the outcome comes after [#await]
    WriteBatch(
            long sequence,
            BatchBuilder builder,
            @Nullable Transaction transaction,
            long plannedNanos,
            Runnable onLateOutcome) {
        this.sequence = sequence;
        this.builder = builder;
        this.transaction = transaction;
        this.plannedNanos = plannedNanos;
        this.onLateOutcome = onLateOutcome;
    }

    long sequence() {
        return sequence;
    }

    @Nullable
    Transaction transaction() {
        return transaction;
    }

    long plannedNanos() {
        return plannedNanos;
    }

    boolean isEmpty() {
        return builder.isEmpty();
    }

    int sizeInBytes() {
        return builder.sizeInBytes();
    }

    int recordCount() {
        return builder.recordCount();
    }

    void append(long timestamp, byte[] key, byte @Nullable [] value) {
        builder.append(timestamp, key, value);
    }

    ByteBuffer build() {
        return builder.build();
    }

    void await(List<Completion> more) {
        completions.addAll(more);
    }

    /// The completions, which are this batch's no more.
    List<Completion> takeCompletions() {
        var taken = List.copyOf(completions);
        completions.clear();
        return taken;
    }

    int operations() {
        return completions.size();
    }

    void expireBy(TimerTask task) {
        timeout = task;
    }

    boolean hasTimeout() {
        return timeout != null;
    }

    void cancelTimeout() {
        if (timeout != null) {
            timeout.cancel();
        }
    }

    void appendedUpTo(long offset) {
        lastOffset = offset;
    }

    long lastOffset() {
        return lastOffset;
    }

    @Override
    public void appended(long offset, long highWatermark) {
        arrive(new Outcome.Appended(offset, highWatermark));
    }

    @Override
    public void rejected(Errors error, String message) {
        arrive(new Outcome.Rejected(error, message));
    }

    private void arrive(Outcome result) {
        if (outcome.getAndSet(result) == AWAITED) {
            onLateOutcome.run();
        }
    }

    /// The outcome, or null if it is still to come; it is then announced.
    @Nullable
    Outcome pollOutcome() {
        return outcome.compareAndSet(null, AWAITED) ? null : knownOutcome();
    }

    private @Nullable Outcome knownOutcome() {
        var known = outcome.get();
        return known == AWAITED ? null : known;
    }
}
