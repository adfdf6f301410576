package io.moldau.broker.replica;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/// The newest records of partitions that are being read at their end, in memory: one copy serves every tailing
/// consumer without a read from the file.
///
/// One byte budget for the node, counted in real memory; when it is used up, tails that were not read since the
/// last sweep go first. Thread-safe.
public final class TailCache {

    private final MemorySource memory;
    private final long budget;
    private final int partitionBytes;
    private final AtomicLong used = new AtomicLong();
    private final Queue<PartitionTail> sweep = new ConcurrentLinkedQueue<>();

    /// @param budget bytes of all tails together
    /// @param partitionBytes bytes of one tail
    public TailCache(MemorySource memory, long budget, int partitionBytes) {
        this.memory = memory;
        this.budget = budget;
        this.partitionBytes = partitionBytes;
    }

    /// An empty tail for one partition, which takes no memory before somebody reads there.
    PartitionTail newTail() {
        return new PartitionTail(this);
    }

    public long usedBytes() {
        return used.get();
    }

    int partitionBytes() {
        return partitionBytes;
    }

    MemorySource.Block allocate(int bytes) {
        used.addAndGet(bytes);
        return memory.allocate(bytes);
    }

    void release(MemorySource.Block block) {
        used.addAndGet(-block.capacity());
        block.release();
    }

    /// The tail has memory now and may be asked to give it up.
    void register(PartitionTail tail) {
        sweep.add(tail);
    }

    /// Makes room for `bytes` more. False if that did not work. The caller holds no tail's monitor.
    boolean makeRoom(int bytes, PartitionTail asking) {
        if (used.get() + bytes <= budget) {
            return true;
        }
        // Twice around at most: the first time may only take the marks away.
        for (int left = 2 * sweep.size(); left > 0 && used.get() + bytes > budget; left--) {
            PartitionTail tail = sweep.poll();
            if (tail == null) {
                break;
            }
            if (tail == asking || tail.takeMark()) {
                sweep.add(tail);
            } else {
                tail.giveUp();
            }
        }
        return used.get() + bytes <= budget;
    }
}
