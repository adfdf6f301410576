package io.moldau.ops.chaos.load;

import java.util.Arrays;

/// The records of one producer in one partition, and what was said of each. Guarded by itself.
final class Stream {

    /// Sent, and nothing was heard since.
    static final long WAITING = Long.MIN_VALUE;
    /// The client gave it up. It may be there or not.
    static final long FAILED = Long.MIN_VALUE + 1;
    /// Acknowledged without an offset: the broker knew it already (error 46 of a producer with sequences).
    static final long SOMEWHERE = -1;

    private final int producer;
    private final int partition;
    private long[] offsets = new long[64];
    private int sent;
    private long acknowledged;
    private long lastAckNanos = Long.MIN_VALUE;
    private long freshest = Long.MIN_VALUE;
    private Gap longest = Gap.NONE;

    Stream(int producer, int partition) {
        this.producer = producer;
        this.partition = partition;
        Arrays.fill(offsets, WAITING);
    }

    int producer() {
        return producer;
    }

    synchronized void sent(long sequence) {
        room(sequence);
        sent = Math.max(sent, (int) sequence + 1);
    }

    synchronized void acknowledged(long sequence, long offset, long sentNanos, long nowNanos) {
        sent(sequence);
        offsets[(int) sequence] = offset < 0 ? SOMEWHERE : offset;
        acknowledged++;
        long since = lastAckNanos == Long.MIN_VALUE ? sentNanos : Math.max(lastAckNanos, sentNanos);
        longest = longest.longer(new Gap(nowNanos - since, producer, partition, nowNanos));
        lastAckNanos = nowNanos;
        freshest = Math.max(freshest, sentNanos);
    }

    synchronized void failed(long sequence) {
        sent(sequence);
        offsets[(int) sequence] = FAILED;
    }

    /// Whether something was acknowledged that was sent after the given moment.
    synchronized boolean freshSince(long nanos) {
        return freshest >= nanos;
    }

    synchronized Gap takeLongest() {
        var taken = longest;
        longest = Gap.NONE;
        return taken;
    }

    synchronized long[] outcomes() {
        return Arrays.copyOf(offsets, sent);
    }

    /// Whose it is, and how many of its records wait for an answer, from which one on.
    @Override
    public synchronized String toString() {
        long waiting = 0;
        long first = -1;
        for (int i = 0; i < sent; i++) {
            if (offsets[i] == WAITING) {
                waiting++;
                first = first < 0 ? i : first;
            }
        }
        return "producer %d, partition %d: %d of %d records wait, from %d on"
                .formatted(producer, partition, waiting, sent, first);
    }

    synchronized long acknowledged() {
        return acknowledged;
    }

    private void room(long sequence) {
        if (sequence >= offsets.length) {
            int before = offsets.length;
            offsets = Arrays.copyOf(offsets, (int) Math.max(before * 2L, sequence + 1));
            Arrays.fill(offsets, before, offsets.length, WAITING);
        }
    }
}
