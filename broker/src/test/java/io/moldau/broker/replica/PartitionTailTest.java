package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionTailTest {

    /// Everything that was ever appended; what the tail answers must be a stretch of it.
    private static final class Naive {
        record Batch(long base, long last, byte[] bytes) {}

        final List<Batch> batches = new ArrayList<>();
        long next;

        byte[] append(Random random, int count, int maxPayload) {
            var all = new ArrayList<Batch>();
            int total = 0;
            for (int i = 0; i < count; i++) {
                int records = 1 + random.nextInt(5);
                byte[] bytes = new byte[RecordBatch.HEADER_SIZE + random.nextInt(maxPayload)];
                random.nextBytes(bytes);
                ByteBuffer.wrap(bytes)
                        .putLong(0, next)
                        .putInt(RecordBatch.LENGTH_OFFSET, bytes.length - RecordBatch.LOG_OVERHEAD)
                        .putInt(RecordBatch.LAST_OFFSET_DELTA_OFFSET, records - 1);
                all.add(new Batch(next, next + records - 1, bytes));
                next += records;
                total += bytes.length;
            }
            batches.addAll(all);
            var joined = ByteBuffer.allocate(total);
            all.forEach(batch -> joined.put(batch.bytes()));
            return joined.array();
        }

        byte[] read(long offset, int maxBytes, long upTo, boolean atLeastOne, int size) {
            var out = ByteBuffer.allocate(size);
            int total = 0;
            for (Batch batch : batches) {
                if (batch.last() < offset) {
                    continue;
                }
                if (batch.last() >= upTo
                        || total + batch.bytes().length > maxBytes && !(atLeastOne && total == 0)
                        || total + batch.bytes().length > size) {
                    break;
                }
                out.put(batch.bytes());
                total += batch.bytes().length;
            }
            assertThat(total).isEqualTo(size);
            return out.array();
        }

        int wholeSize(long offset, int maxBytes, long upTo, boolean atLeastOne) {
            int total = 0;
            for (Batch batch : batches) {
                if (batch.last() < offset) {
                    continue;
                }
                if (batch.last() >= upTo || total + batch.bytes().length > maxBytes && !(atLeastOne && total == 0)) {
                    break;
                }
                total += batch.bytes().length;
            }
            return total;
        }
    }

    private static byte[] bytes(RecordParts parts) {
        var out = ByteBuffer.allocate(parts.sizeInBytes());
        for (RecordBytes part : parts.parts()) {
            out.put(((BufferRecords) part).buffer());
        }
        assertThat(out.hasRemaining()).isFalse();
        return out.array();
    }

    private static void release(@Nullable RecordParts parts) {
        if (parts != null) {
            parts.parts().forEach(part -> ((BufferRecords) part).release());
        }
    }

    @Seeds(count = 40)
    void givesWhatTheLogWouldGive(long seed) {
        var random = new Random(seed);
        var memory = new HeapMemory();
        var cache = new TailCache(memory, 300_000, 100_000);
        var tails = List.of(cache.newTail(), cache.newTail(), cache.newTail());
        var logs = List.of(new Naive(), new Naive(), new Naive());
        List<RecordParts> held = new ArrayList<>();
        List<byte[]> heldBytes = new ArrayList<>();
        int hits = 0;
        for (int step = 0; step < 600; step++) {
            int which = random.nextInt(3);
            PartitionTail tail = tails.get(which);
            Naive log = logs.get(which);
            switch (random.nextInt(10)) {
                case 0 -> {
                    if (random.nextInt(20) == 0) {
                        tail.clear();
                    }
                }
                case 1, 2, 3, 4 -> {
                    long base = log.next;
                    int payload = random.nextInt(10) == 0 ? 70_000 : 3_000;
                    tail.appended(ByteBuffer.wrap(log.append(random, 1 + random.nextInt(4), payload)), base);
                }
                default -> {
                    long offset = Math.max(0, log.next - random.nextInt(40));
                    int maxBytes = random.nextInt(20_000);
                    long upTo = log.next - (random.nextInt(4) == 0 ? random.nextInt(5) : 0);
                    boolean atLeastOne = random.nextBoolean();
                    RecordParts parts = tail.read(offset, maxBytes, upTo, atLeastOne);
                    if (parts != null) {
                        hits++;
                        int whole = log.wholeSize(offset, maxBytes, upTo, atLeastOne);
                        assertThat(parts.sizeInBytes()).isEqualTo(whole);
                        byte[] expected = log.read(offset, maxBytes, upTo, atLeastOne, whole);
                        assertThat(bytes(parts)).isEqualTo(expected);
                        if (random.nextInt(3) == 0) {
                            held.add(parts); // sent later, when the tail has long moved on
                            heldBytes.add(expected);
                        } else {
                            release(parts);
                        }
                    }
                }
            }
            assertThat(cache.usedBytes()).isLessThanOrEqualTo(300_000 + 150_000);
        }
        assertThat(hits).isPositive();
        for (int i = 0; i < held.size(); i++) {
            assertThat(bytes(held.get(i))).isEqualTo(heldBytes.get(i));
            release(held.get(i));
        }
        tails.forEach(PartitionTail::clear);
        assertThat(cache.usedBytes()).isZero();
        assertThat(memory.liveBlocks.get()).isZero();
    }

    @Test
    void keepsNothingWhileNobodyReads() {
        var memory = new HeapMemory();
        var cache = new TailCache(memory, 1 << 20, 1 << 18);
        PartitionTail tail = cache.newTail();
        var log = new Naive();
        var random = new Random(1);
        tail.appended(ByteBuffer.wrap(log.append(random, 3, 100)), 0);
        assertThat(memory.liveBlocks.get()).isZero();

        tail.wanted();
        long base = log.next;
        tail.appended(ByteBuffer.wrap(log.append(random, 3, 100)), base);
        assertThat(tail.read(base - 1, 1000, log.next, true))
                .as("the batch before is not here")
                .isNull();
        RecordParts parts = tail.read(base, 100_000, log.next, true);
        assertThat(parts).isNotNull();
        release(parts);
        tail.clear();
    }

    @Test
    void aTailThatIsReadOutlivesOneThatIsNot() {
        var memory = new HeapMemory();
        var cache = new TailCache(memory, 100_000, 1 << 18);
        PartitionTail idle = cache.newTail();
        PartitionTail read = cache.newTail();
        var random = new Random(2);
        var idleLog = new Naive();
        var readLog = new Naive();
        idle.wanted();
        idle.appended(ByteBuffer.wrap(idleLog.append(random, 1, 100)), 0);
        idle.takeMark();
        read.wanted();
        long firstOffset = 0;
        for (int i = 0; i < 20; i++) {
            long base = readLog.next;
            read.appended(ByteBuffer.wrap(readLog.append(random, 1, 8_000)), base);
            read.wanted();
        }
        assertThat(idle.read(firstOffset, 1000, idleLog.next, true)).isNull();
        RecordParts parts = read.read(readLog.next - 1, 100_000, readLog.next, true);
        assertThat(parts).isNotNull();
        release(parts);
        read.clear();
        idle.clear();
        assertThat(memory.liveBlocks.get()).isZero();
    }
}
