package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Walks the record batches in a buffer, from its position to its limit.
///
/// One [RecordBatch] view moves along, so walking allocates nothing for a batch. The buffer's position does not move.
/// Reusable, and not for use by several threads at once.
///
/// ```
/// var batches = new RecordBatches(buffer);
/// while (batches.next()) {
///     long offset = batches.batch().baseOffset();
/// }
/// ```
public final class RecordBatches {

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final RecordBatch batch = new RecordBatch();
    private ByteBuffer buffer = EMPTY;
    private int nextPosition;

    /// What stands at a place where a batch should begin.
    public enum Step {
        /// A whole batch, by its length and magic; its checksum has not been looked at.
        BATCH,
        /// Nothing: the region ends here.
        END,
        /// The beginning of a batch whose rest lies beyond the end of the region.
        TORN,
        /// A length too small for a batch.
        BAD_LENGTH,
        /// Another message format than v2.
        OTHER_MAGIC
    }

    public RecordBatches() {}

    public RecordBatches(ByteBuffer buffer) {
        reset(buffer);
    }

    /// Starts again, in this buffer.
    public RecordBatches reset(ByteBuffer region) {
        buffer = region;
        nextPosition = region.position();
        return this;
    }

    /// Moves to the next batch; false at the end of the region.
    ///
    /// @throws MalformedMessageException if something else than a whole batch is left
    /// @throws UnsupportedMagicException if a batch has another format
    public boolean next() {
        return switch (tryNext()) {
            case BATCH -> true;
            case END -> false;
            case TORN -> throw torn(buffer, nextPosition);
            case BAD_LENGTH -> throw badLength(buffer, nextPosition);
            case OTHER_MAGIC ->
                throw new UnsupportedMagicException(buffer.get(nextPosition + RecordBatch.MAGIC_OFFSET));
        };
    }

    /// Moves to the next batch if there is a whole one, and says what there is. Anything but [Step#BATCH] leaves
    /// [#nextPosition] where it is.
    public Step tryNext() {
        Step step = probe(buffer, nextPosition);
        if (step == Step.BATCH) {
            batch.wrapProbed(buffer, nextPosition);
            nextPosition += batch.sizeInBytes();
        }
        return step;
    }

    /// The view, at the batch that `next` moved to.
    public RecordBatch batch() {
        return batch;
    }

    /// Where the next batch begins: the end of the sound part seen so far.
    public int nextPosition() {
        return nextPosition;
    }

    /// A view for each batch, for callers that want to hold several.
    ///
    /// @throws MalformedMessageException as [#next]
    public static List<RecordBatch> toList(ByteBuffer buffer) {
        var list = new ArrayList<RecordBatch>();
        var batches = new RecordBatches(buffer);
        while (batches.next()) {
            list.add(new RecordBatch().wrapProbed(buffer, batches.batch().position()));
        }
        return list;
    }

    /// What stands at `position` of the buffer, whose limit ends the region.
    static Step probe(ByteBuffer buffer, int position) {
        int remaining = buffer.limit() - position;
        if (remaining <= 0) {
            return Step.END;
        }
        if (remaining <= RecordBatch.MAGIC_OFFSET) {
            return Step.TORN;
        }
        // The magic comes first: for another format the smallest length is another one too.
        if (buffer.get(position + RecordBatch.MAGIC_OFFSET) != RecordBatch.MAGIC_V2) {
            return Step.OTHER_MAGIC;
        }
        int length = buffer.getInt(position + RecordBatch.LENGTH_OFFSET);
        if (length < RecordBatch.HEADER_SIZE - RecordBatch.LOG_OVERHEAD) {
            return Step.BAD_LENGTH;
        }
        return length > remaining - RecordBatch.LOG_OVERHEAD ? Step.TORN : Step.BATCH;
    }

    static MalformedMessageException torn(ByteBuffer buffer, int position) {
        int remaining = buffer.limit() - position;
        String declared = remaining < RecordBatch.LOG_OVERHEAD
                ? "even its length is missing"
                : "it says " + buffer.getInt(position + RecordBatch.LENGTH_OFFSET) + " bytes follow its length";
        return new MalformedMessageException(
                "The record batch at byte " + position + " is cut off after " + remaining + " bytes; " + declared);
    }

    static MalformedMessageException badLength(ByteBuffer buffer, int position) {
        return new MalformedMessageException("The record batch at byte " + position + " has length "
                + buffer.getInt(position + RecordBatch.LENGTH_OFFSET) + ", the smallest possible is "
                + (RecordBatch.HEADER_SIZE - RecordBatch.LOG_OVERHEAD));
    }
}
