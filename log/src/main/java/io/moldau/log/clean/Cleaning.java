package io.moldau.log.clean;

import io.moldau.log.CleaningView;
import io.moldau.log.LogConfig;
import io.moldau.log.PartitionLog;
import io.moldau.log.producer.CompletedTransaction;
import io.moldau.log.recovery.BatchScan;
import io.moldau.log.recovery.ControlBatches;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.TransactionIndex;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One compaction of one log: reads the part that no compaction has seen and notes the newest offset of each key, then
/// writes all segments up to there anew, without what later records make superfluous, group by group. Each group takes
/// its place in the log as soon as it is whole.
///
/// Used once, by one thread, which reads and writes files all the time; the log is appended to meanwhile.
public final class Cleaning {

    private static final Logger LOG = LoggerFactory.getLogger(Cleaning.class);
    private static final int PACE_BYTES = 64 << 10;

    /// Buffers that outlive one compaction. Belongs to one of them at a time.
    public static final class Workspace {
        private final int ioBytes;
        private final BatchScan scan;
        private final ByteBuffer output;
        private final ByteBuffer scratch = ByteBuffer.allocateDirect(4096);

        public Workspace(int ioBytes) {
            this.ioBytes = ioBytes;
            this.scan = new BatchScan(ioBytes / 2);
            this.output = ByteBuffer.allocateDirect(ioBytes / 2);
        }

        public int ioBytes() {
            return ioBytes;
        }
    }

    /// How it ended.
    public sealed interface Result {

        /// The log is compacted up to `upTo`; less than was asked for if there are too many keys for the memory.
        record Done(long upTo, CleaningStats stats) implements Result {}

        /// The log was cut or deleted meanwhile, or the pace ended it. What was finished by then counts.
        record Ended() implements Result {}
    }

    private static final Result ENDED = new Result.Ended();

    private final PartitionLog log;
    private final CleaningView view;
    private final LogConfig config;
    private final Workspace workspace;
    private final CleaningPace pace;
    private final long nowMs;
    private final OffsetMap newest;
    private final RecordCursor cursor = new RecordCursor();

    private boolean ended;
    private long unpaced;
    private long bytesRead;
    private long bytesWritten;
    private long bytesBefore;
    private long bytesAfter;

    /// @param nowMs the wall clock, against which the age of tombstones is measured
    public Cleaning(
            PartitionLog log,
            CleaningView view,
            CleanerConfig cleaner,
            Workspace workspace,
            CleaningPace pace,
            long nowMs) {
        this.log = log;
        this.view = view;
        this.config = log.config();
        this.workspace = workspace;
        this.pace = pace;
        this.nowMs = nowMs;
        this.newest = new OffsetMap(cleaner.mapBytes(), cleaner.mapLoadFactor());
    }

    /// @param firstDirty where the part begins that no compaction has seen
    /// @param upTo where to end, at the beginning of a segment
    /// @throws IOException if the log cannot be read, or the new files cannot be written; the log is as before, or
    ///     compacted in part
    /// @throws CorruptLogException if a batch is damaged
    public Result run(long firstDirty, long upTo) throws IOException {
        var aborted = new ArrayList<TransactionIndex.Entry>();
        for (var segment : view.segments()) {
            aborted.addAll(segment.transactionIndex().entries());
        }
        long knownUpTo = noteKeys(firstDirty, upTo, new CleanedTransactions(aborted));
        if (ended) {
            return ENDED;
        }
        var filter = new BatchFilter(newest, knownUpTo, view.lastBatches(), config.deleteRetentionMs(), nowMs);
        var transactions = new CleanedTransactions(aborted);
        for (var group : groups(knownUpTo)) {
            if (!rewrite(group, filter, transactions)) {
                return ENDED;
            }
        }
        return new Result.Done(
                knownUpTo,
                new CleaningStats(
                        bytesRead, bytesWritten, bytesBefore, bytesAfter, newest.size(), newest.utilization()));
    }

    // ---- keys

    /// @return up to where the keys are known: `upTo`, or where the memory was full
    private long noteKeys(long firstDirty, long upTo, CleanedTransactions transactions) throws IOException {
        var keys = new Keys(firstDirty, upTo, transactions);
        var segments = view.segments();
        for (int i = 0; i < segments.size() && segments.get(i).baseOffset() < upTo; i++) {
            if (segments.get(i + 1).baseOffset() <= firstDirty) {
                continue;
            }
            var segment = segments.get(i);
            int from = Math.max(0, segment.positionOf(firstDirty, segment.sizeInBytes(), workspace.scratch));
            scan(segment, from, keys);
            if (ended || keys.full) {
                break;
            }
        }
        return keys.upTo;
    }

    private final class Keys implements BatchScan.Visitor {
        private final long from;
        private final CleanedTransactions transactions;
        private long upTo;
        private boolean full;

        Keys(long from, long upTo, CleanedTransactions transactions) {
            this.from = from;
            this.upTo = upTo;
            this.transactions = transactions;
        }

        @Override
        public boolean visit(RecordBatch batch, int position) {
            bytesRead += batch.sizeInBytes();
            if (!goOn(batch.sizeInBytes())) {
                return false;
            }
            if (batch.isControl()) {
                transactions.endsEmptyTransaction(batch, ControlBatches.marker(batch));
            } else if (!transactions.isAborted(batch)) {
                note(batch);
            }
            return !full;
        }

        private void note(RecordBatch batch) {
            cursor.open(batch, DecompressionLimits.DEFAULT);
            while (cursor.next()) {
                var key = cursor.key();
                if (key != null && cursor.offset() >= from && !newest.put(key, cursor.offset())) {
                    full = true;
                    upTo = cursor.offset();
                    cursor.close();
                    return;
                }
            }
        }
    }

    // ---- segments

    private List<List<LogSegment>> groups(long upTo) throws IOException {
        var segments = view.segments();
        var seen = new ArrayList<SegmentGroups.Segment>();
        for (int i = 0; i + 1 < segments.size() && segments.get(i).baseOffset() < upTo; i++) {
            var segment = segments.get(i);
            segment.loadIndexes(workspace.scratch);
            seen.add(new SegmentGroups.Segment(
                    segment.baseOffset(),
                    segments.get(i + 1).baseOffset(),
                    segment.sizeInBytes(),
                    Math.max(segment.offsetIndexSizeInBytes(), segment.timeIndexSizeInBytes())));
        }
        return new SegmentGroups(config.segmentBytes(), config.segmentIndexBytes())
                .of(seen).stream()
                        .map(group -> segments.subList(group.from(), group.to()))
                        .toList();
    }

    /// @return false if nothing more is to be done
    private boolean rewrite(List<LogSegment> group, BatchFilter filter, CleanedTransactions transactions)
            throws IOException {
        var cleaned = log.createCleaned(group.getFirst().baseOffset());
        boolean used = false;
        try {
            var writer = new Writer(cleaned, filter, transactions);
            for (var segment : group) {
                writer.lastBatchEnds = segment == group.getLast() ? segment.sizeInBytes() : -1;
                scan(segment, 0, writer);
                if (ended) {
                    return false;
                }
            }
            var kept = transactions.takeKept();
            if (group.size() == 1 && !writer.changed) {
                return true;
            }
            writer.finish(kept);
            if (!log.replace(view, group, cleaned)) {
                return false;
            }
            used = true;
            for (var segment : group) {
                bytesBefore += segment.sizeInBytes();
            }
            bytesAfter += cleaned.sizeInBytes();
            return true;
        } finally {
            if (!used) {
                discard(cleaned);
            }
        }
    }

    private void discard(LogSegment cleaned) {
        try {
            cleaned.deleteFiles();
        } catch (IOException e) {
            // The next start deletes it, if the directory is there at all.
            LOG.info("Files of an unfinished compaction stay for now file={} reason={}", cleaned.path(), e.toString());
        }
    }

    private final class Writer implements BatchScan.Visitor {
        private final LogSegment target;
        private final BatchFilter filter;
        private final CleanedTransactions transactions;
        private final ByteBuffer output = workspace.output.clear();
        private int lastBatchEnds;
        private boolean changed;

        Writer(LogSegment target, BatchFilter filter, CleanedTransactions transactions) {
            this.target = target;
            this.filter = filter;
            this.transactions = transactions;
        }

        @Override
        public boolean visit(RecordBatch batch, int position) throws IOException {
            int size = batch.sizeInBytes();
            bytesRead += size;
            // Something has to say where the segment ends: recovery takes a gap for a loss.
            boolean last = position + size == lastBatchEnds;
            BatchFilter.Outcome outcome;
            if (batch.isControl()) {
                boolean empty = transactions.endsEmptyTransaction(batch, ControlBatches.marker(batch));
                outcome = filter.marker(batch, empty, last);
            } else {
                outcome = filter.records(batch, transactions.isAborted(batch), last);
            }
            switch (outcome) {
                case BatchFilter.Outcome.Drop ignored -> changed = true;
                case BatchFilter.Outcome.Keep ignored -> write(batch);
                case BatchFilter.Outcome.Rewrite(ByteBuffer rewritten) -> {
                    changed = true;
                    write(RecordBatch.at(rewritten));
                }
            }
            return goOn(size);
        }

        private void write(RecordBatch batch) throws IOException {
            int size = batch.sizeInBytes();
            if (size > output.remaining()) {
                flush();
            }
            long position = (long) target.sizeInBytes() + output.position();
            if (position + size > Integer.MAX_VALUE) {
                throw new IOException("The compacted form of '" + target.path() + "' would exceed 2 GiB");
            }
            target.index(batch.lastOffset(), batch.maxTimestamp(), (int) position, size, config.indexIntervalBytes());
            if (size > output.remaining()) {
                append(batch.slice());
            } else {
                output.put(output.position(), batch.buffer(), batch.position(), size);
                output.position(output.position() + size);
            }
        }

        private void flush() throws IOException {
            append(output.flip());
            output.clear();
        }

        private void append(ByteBuffer batches) throws IOException {
            int size = batches.remaining();
            target.write(batches);
            target.publish(target.sizeInBytes() + size);
            bytesWritten += size;
            unpaced += size;
        }

        void finish(List<TransactionIndex.Entry> abortedTransactions) throws IOException {
            flush();
            for (var entry : abortedTransactions) {
                target.addAborted(
                        new CompletedTransaction(entry.producerId(), entry.firstOffset(), entry.lastOffset(), true),
                        entry.lastStableOffset());
            }
            target.becomeInactive();
            target.force();
        }
    }

    private boolean goOn(int bytes) {
        unpaced += bytes;
        if (unpaced >= PACE_BYTES) {
            ended |= !pace.spent(unpaced);
            unpaced = 0;
        }
        return !ended;
    }

    private void scan(LogSegment segment, int from, BatchScan.Visitor visitor) throws IOException {
        int size = segment.sizeInBytes();
        var stopped = new boolean[1];
        try {
            int end = workspace.scan.scan(segment, from, size, true, (batch, position) -> {
                stopped[0] = !visitor.visit(batch, position);
                return !stopped[0];
            });
            if (end < size && !stopped[0]) {
                throw new CorruptLogException("The batch at byte " + end + " of '" + segment.path() + "' is damaged");
            }
        } catch (MalformedMessageException e) {
            throw new CorruptLogException("A batch of '" + segment.path() + "' is damaged: " + e.getMessage());
        }
    }
}
