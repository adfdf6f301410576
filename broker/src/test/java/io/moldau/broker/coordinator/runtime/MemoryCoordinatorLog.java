package io.moldau.broker.coordinator.runtime;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.wire.record.RecordBatch;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One partition in memory whose appends and commits a test can hold back or refuse.
public final class MemoryCoordinatorLog implements CoordinatorLog {

    private record Waiting(long offset, Runnable callback) {}

    private final List<ByteBuffer> batches = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final ArrayDeque<Runnable> heldAppends = new ArrayDeque<>();
    private int leaderEpoch;
    private long logEndOffset;
    private long highWatermark;
    private boolean holdAppends;
    private boolean holdCommits;
    private @Nullable Errors refusal;

    public MemoryCoordinatorLog(int leaderEpoch) {
        this.leaderEpoch = leaderEpoch;
    }

    @Override
    public synchronized @Nullable Range range(TopicPartition partition, int epoch) {
        return epoch == leaderEpoch ? new Range(0, logEndOffset) : null;
    }

    @Override
    public synchronized ByteBuffer read(TopicPartition partition, int epoch, long offset, int maxBytes) {
        if (epoch != leaderEpoch) {
            throw new ApiException(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        var out = new ByteArrayOutputStream();
        for (var bytes : batches) {
            var batch = RecordBatch.at(bytes);
            if (batch.lastOffset() >= offset && (out.size() == 0 || out.size() + bytes.remaining() <= maxBytes)) {
                out.write(bytes.array(), 0, bytes.remaining());
            }
        }
        return ByteBuffer.wrap(out.toByteArray());
    }

    @Override
    public void append(TopicPartition partition, int epoch, ByteBuffer batch, AppendListener listener) {
        synchronized (this) {
            if (holdAppends) {
                heldAppends.add(() -> appendNow(epoch, batch, listener));
                return;
            }
        }
        appendNow(epoch, batch, listener);
    }

    private void appendNow(int epoch, ByteBuffer batch, AppendListener listener) {
        var refused = Errors.NONE;
        long last = -1;
        long committed = -1;
        synchronized (this) {
            if (epoch != leaderEpoch) {
                refused = Errors.NOT_LEADER_OR_FOLLOWER;
            } else if (refusal != null) {
                refused = refusal;
                refusal = null;
            } else {
                var header = RecordBatch.at(batch);
                header.setBaseOffset(logEndOffset);
                last = header.lastOffset();
                logEndOffset = last + 1;
                batches.add(batch);
                if (!holdCommits) {
                    highWatermark = logEndOffset;
                }
                committed = highWatermark;
            }
        }
        if (refused == Errors.NONE) {
            listener.appended(last, committed);
        } else {
            listener.rejected(refused, "as the test wants it");
        }
    }

    @Override
    public void whenCommitted(TopicPartition partition, int epoch, long offset, Runnable callback) {
        synchronized (this) {
            if (highWatermark < offset) {
                waiting.add(new Waiting(offset, callback));
                return;
            }
        }
        callback.run();
    }

    // ---- the test's part ----

    synchronized int batches() {
        return batches.size();
    }

    synchronized long logEndOffset() {
        return logEndOffset;
    }

    synchronized void addBatch(ByteBuffer batch) {
        var header = RecordBatch.at(batch);
        header.setBaseOffset(logEndOffset);
        logEndOffset = header.lastOffset() + 1;
        highWatermark = logEndOffset;
        batches.add(batch);
    }

    synchronized void electedAt(int epoch) {
        leaderEpoch = epoch;
    }

    synchronized void holdAppends() {
        holdAppends = true;
    }

    void releaseAppends() {
        List<Runnable> released;
        synchronized (this) {
            holdAppends = false;
            released = new ArrayList<>(heldAppends);
            heldAppends.clear();
        }
        released.forEach(Runnable::run);
    }

    synchronized void holdCommits() {
        holdCommits = true;
    }

    void releaseCommits() {
        List<Waiting> reached;
        synchronized (this) {
            holdCommits = false;
            highWatermark = logEndOffset;
            reached = new ArrayList<>(waiting);
            waiting.clear();
        }
        reached.forEach(it -> it.callback().run());
    }

    synchronized void refuseNextAppend(Errors error) {
        refusal = error;
    }
}
