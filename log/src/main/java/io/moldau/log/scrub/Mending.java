package io.moldau.log.scrub;

import io.moldau.log.CleaningView;
import io.moldau.log.PartitionLog;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.producer.CompletedTransaction;
import io.moldau.log.segment.LogSegment;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// Writes a damaged segment anew: what is sound of it, and for the rest what another replica has. The new segment takes
/// the old one's place in one step, so that a crash at any time leaves one of them; indexes are made again with it.
///
/// Used once, by one thread, which must be the only one that replaces segments of the log. Appends and reads go on.
public final class Mending {

    /// How it ended.
    public enum Outcome {
        MENDED,
        /// No other replica could give the records.
        NOT_TO_BE_HAD,
        /// The log was cut or deleted meanwhile, or the pace ended it: look at it again.
        LATER
    }

    private static final int CHUNK = 256 << 10;

    private final PartitionLog log;
    private final SoundRecords source;
    private final CleaningPace pace;
    private final ByteBuffer checking = ByteBuffer.allocateDirect(CHUNK);
    private final ByteBuffer copy = ByteBuffer.allocateDirect(CHUNK);

    public Mending(PartitionLog log, SoundRecords source, CleaningPace pace) {
        this.log = log;
        this.source = source;
        this.pace = pace;
    }

    /// Mends the segment that the damage is in.
    ///
    /// @throws IOException if the disk fails
    public Outcome mend(Damage damage) throws IOException {
        if (damage.segment() >= log.view().activeSegmentBaseOffset()) {
            log.roll();
        }
        try (var view = log.viewForCleaning()) {
            if (view == null) {
                return Outcome.LATER;
            }
            var segments = view.segments();
            for (int i = 0; i + 1 < segments.size(); i++) {
                if (segments.get(i).baseOffset() == damage.segment()) {
                    return mend(view, segments.get(i), segments.get(i + 1).baseOffset());
                }
            }
            return Outcome.LATER;
        }
    }

    private Outcome mend(CleaningView view, LogSegment segment, long endOffset) throws IOException {
        var mended = log.createCleaned(segment.baseOffset());
        boolean used = false;
        try {
            var outcome = write(segment, mended, endOffset);
            if (outcome == Outcome.MENDED) {
                for (var entry : segment.transactionIndex().entries()) {
                    mended.addAborted(
                            new CompletedTransaction(entry.producerId(), entry.firstOffset(), entry.lastOffset(), true),
                            entry.lastStableOffset());
                }
                mended.becomeInactive();
                mended.force();
                used = log.replace(view, List.of(segment), mended);
                return used ? Outcome.MENDED : Outcome.LATER;
            }
            return outcome;
        } finally {
            if (!used) {
                mended.deleteFiles();
            }
        }
    }

    private Outcome write(LogSegment segment, LogSegment mended, long endOffset) throws IOException {
        var check = new SegmentCheck(
                segment, new SegmentCheck.Bounds(segment.sizeInBytes(), endOffset, log.leaderEpochs()), checking);
        int copyFrom = 0;
        while (true) {
            if (check.next()) {
                int position = mended.sizeInBytes() + check.position() - copyFrom;
                int size = check.nextPosition() - check.position();
                mended.index(
                        check.lastOffset(),
                        check.maxTimestamp(),
                        position,
                        size,
                        log.config().indexIntervalBytes());
                if (check.nextPosition() - copyFrom >= CHUNK) {
                    copy(segment, copyFrom, check.nextPosition(), mended);
                    copyFrom = check.nextPosition();
                    if (!pace.spent(CHUNK)) {
                        return Outcome.LATER;
                    }
                }
                continue;
            }
            copy(segment, copyFrom, check.nextPosition(), mended);
            var damage = check.damage();
            if (damage == null) {
                return Outcome.MENDED;
            }
            if (!fetch(damage, segment.sizeInBytes(), mended)) {
                return Outcome.NOT_TO_BE_HAD;
            }
            check.skip();
            copyFrom = check.nextPosition();
        }
    }

    private void copy(LogSegment from, int position, int end, LogSegment to) throws IOException {
        int at = position;
        while (at < end) {
            copy.clear().limit(Math.min(copy.capacity(), end - at));
            int read = from.file().read(copy, at);
            if (read <= 0) {
                throw new IOException("'" + from.path() + "' ends at byte " + at + " of " + end);
            }
            append(to, copy.flip());
            at += read;
        }
    }

    private static void append(LogSegment to, ByteBuffer bytes) throws IOException {
        int size = bytes.remaining();
        to.write(bytes);
        to.publish(to.sizeInBytes() + size);
    }

    private boolean fetch(Damage damage, int segmentSize, LogSegment mended) throws IOException {
        long next = damage.fromOffset();
        while (next < damage.toOffset()) {
            var fetched = source.fetch(log, next, damage.toOffset());
            if (fetched == null) {
                return false;
            }
            if (!fetched.hasRemaining()) {
                // A segment must end with a batch, or the next start takes what is missing there for lost.
                return damage.toPosition() < segmentSize;
            }
            int position = mended.sizeInBytes();
            var batches = new RecordBatches(fetched.duplicate());
            while (batches.tryNext() == RecordBatches.Step.BATCH) {
                RecordBatch batch = batches.batch();
                mended.index(
                        batch.lastOffset(),
                        batch.maxTimestamp(),
                        position,
                        batch.sizeInBytes(),
                        log.config().indexIntervalBytes());
                position += batch.sizeInBytes();
                next = batch.nextOffset();
            }
            append(mended, fetched);
        }
        return true;
    }
}
