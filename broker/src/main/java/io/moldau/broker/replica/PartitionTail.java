package io.moldau.broker.replica;

import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The newest batches of one partition in memory, without a gap up to the log's end.
///
/// Fills only while somebody reads at the end: every such read asks for the next appends to be kept. Batches are
/// packed one behind the other into blocks, so that many small ones are one piece to send. Guarded by its own
/// monitor, which is held for the copying of a few kilobytes at most.
final class PartitionTail {

    /// Appends kept after the last read at the end.
    private static final int KEEP_APPENDS = 1000;

    private static final int SMALLEST_BLOCK = 4 * 1024;
    private static final int LARGEST_BLOCK = 64 * 1024;

    /// Larger appends are not kept: they leave by sendfile.
    private static final int LARGEST_APPEND = 128 * 1024;

    /// Packed batches, the i-th ending before `ends[i]`.
    private static final class Block {
        private final MemorySource.Block memory;
        private final ByteBuffer bytes;
        private final long baseOffset;
        private long[] lastOffsets = new long[8];
        private int[] ends = new int[8];
        private int count;

        Block(MemorySource.Block memory, long baseOffset) {
            this.memory = memory;
            this.bytes = memory.buffer();
            this.baseOffset = baseOffset;
        }

        int used() {
            return count == 0 ? 0 : ends[count - 1];
        }

        int free() {
            return memory.capacity() - used();
        }

        void add(ByteBuffer source, int at, int size, long lastOffset) {
            if (count == ends.length) {
                lastOffsets = Arrays.copyOf(lastOffsets, 2 * count);
                ends = Arrays.copyOf(ends, 2 * count);
            }
            int start = used();
            bytes.put(start, source, at, size);
            lastOffsets[count] = lastOffset;
            ends[count] = start + size;
            count++;
        }

        int start(int i) {
            return i == 0 ? 0 : ends[i - 1];
        }

        /// The first batch that reaches `offset`; `count` if none does.
        int find(long offset) {
            int at = Arrays.binarySearch(lastOffsets, 0, count, offset);
            return at >= 0 ? at : -at - 1;
        }
    }

    private final TailCache cache;
    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private long nextOffset = -1L;
    private int capacity;
    private boolean registered;
    private volatile int keepAppends;
    private volatile boolean marked;

    PartitionTail(TailCache cache) {
        this.cache = cache;
    }

    /// Batches were appended to the log; called by the appender, in the order of offsets.
    void appended(ByteBuffer batches, long baseOffset) {
        int wanted = keepAppends;
        if (wanted <= 0) {
            if (nextOffset >= 0) {
                clear();
            }
            return;
        }
        keepAppends = wanted - 1; // racing with a read that asks for more: it asks again
        int size = batches.remaining();
        if (size > LARGEST_APPEND || !cache.makeRoom(Math.max(size, LARGEST_BLOCK), this)) {
            clear();
            return;
        }
        add(batches, baseOffset);
    }

    private synchronized void add(ByteBuffer batches, long baseOffset) {
        if (baseOffset != nextOffset) {
            dropAll();
        }
        int at = batches.position();
        while (batches.limit() - at >= RecordBatch.HEADER_SIZE) { // less than that is not a batch, and was not appended
            int size = RecordBatch.LOG_OVERHEAD + batches.getInt(at + RecordBatch.LENGTH_OFFSET);
            long batchBase = batches.getLong(at);
            long lastOffset = batchBase + batches.getInt(at + RecordBatch.LAST_OFFSET_DELTA_OFFSET);
            blockFor(size, batchBase).add(batches, at, size, lastOffset);
            nextOffset = lastOffset + 1;
            at += size;
        }
        while (capacity > cache.partitionBytes() && blocks.size() > 1) {
            drop(blocks.removeFirst());
        }
        if (!registered) {
            registered = true;
            cache.register(this);
        }
    }

    private Block blockFor(int size, long baseOffset) {
        Block last = blocks.peekLast();
        if (last != null && last.free() >= size) {
            return last;
        }
        int next = last == null ? SMALLEST_BLOCK : Math.min(LARGEST_BLOCK, 2 * last.memory.capacity());
        var block = new Block(cache.allocate(Math.max(size, next)), baseOffset);
        capacity += block.memory.capacity();
        blocks.addLast(block);
        return block;
    }

    /// Batches from the one that holds `offset` on, below `upToOffset`, at most `maxBytes` of them, or one if
    /// `atLeastOne`. Null if the offset is not here. The caller owns the parts' references.
    @Nullable
    RecordParts read(long offset, int maxBytes, long upToOffset, boolean atLeastOne) {
        wanted();
        synchronized (this) {
            Block oldest = blocks.peekFirst();
            if (oldest == null || offset < oldest.baseOffset || offset >= nextOffset) {
                return null;
            }
            List<RecordBytes> parts = new ArrayList<>(2);
            int total = 0;
            boolean full = false;
            for (Block block : blocks) {
                int i = block.find(offset);
                int from = i;
                int taken = 0;
                while (i < block.count && block.lastOffsets[i] < upToOffset) {
                    int size = block.ends[i] - block.start(i);
                    if (total + size > maxBytes && !(atLeastOne && total == 0)) {
                        full = true;
                        break;
                    }
                    total += size;
                    taken += size;
                    i++;
                }
                if (taken > 0) {
                    parts.add(block.memory.slice(block.start(from), taken));
                }
                if (full || i < block.count) {
                    break;
                }
            }
            return total == 0 ? RecordParts.EMPTY : new RecordParts(parts, total);
        }
    }

    /// Somebody waits at the end: the next appends are worth keeping.
    void wanted() {
        marked = true;
        keepAppends = KEEP_APPENDS;
    }

    /// Takes the mark that somebody has read here.
    boolean takeMark() {
        boolean was = marked;
        marked = false;
        return was;
    }

    /// Forgets everything, and that the cache knows of it.
    void giveUp() {
        synchronized (this) {
            registered = false;
            dropAll();
        }
    }

    /// Forgets everything: the log was cut, or the partition is gone.
    synchronized void clear() {
        dropAll();
    }

    private void dropAll() {
        Block block;
        while ((block = blocks.pollFirst()) != null) {
            drop(block);
        }
        nextOffset = -1L;
    }

    private void drop(Block block) {
        capacity -= block.memory.capacity();
        cache.release(block.memory);
    }
}
