package io.moldau.testing;

import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.Header;
import io.moldau.wire.record.Record;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Random records and batches, the same for the same source of randomness: small and large, with nulls, empty and
/// compressible values, headers, and timestamps that go back and forth.
public final class RandomBatches {

    private static final long BASE_TIMESTAMP = 1_700_000_000_000L;

    private final RandomGenerator random;

    public RandomBatches(RandomGenerator random) {
        this.random = random;
    }

    /// A sound batch with any codec.
    public ByteBuffer batch(long baseOffset) {
        return batch(baseOffset, compression(), 1 + random.nextInt(20));
    }

    public ByteBuffer batch(long baseOffset, Compression compression, int recordCount) {
        var builder = new BatchBuilder().baseOffset(baseOffset).compression(compression);
        records(baseOffset, recordCount, RecordBatch.NO_SEQUENCE).forEach(builder::append);
        return builder.build();
    }

    /// A batch of an idempotent producer.
    public ByteBuffer batch(long baseOffset, int recordCount, long producerId, short epoch, int baseSequence) {
        var builder = new BatchBuilder()
                .baseOffset(baseOffset)
                .compression(compression())
                .producer(producerId, epoch, baseSequence);
        records(baseOffset, recordCount, baseSequence).forEach(builder::append);
        return builder.build();
    }

    /// Several batches one behind the other, their offsets without gaps.
    public ByteBuffer batches(long baseOffset, int batchCount) {
        var all = new ArrayList<ByteBuffer>();
        long offset = baseOffset;
        int size = 0;
        for (int i = 0; i < batchCount; i++) {
            ByteBuffer batch = batch(offset);
            offset = RecordBatch.at(batch).nextOffset();
            size += batch.remaining();
            all.add(batch);
        }
        ByteBuffer joined = ByteBuffer.allocate(size);
        all.forEach(joined::put);
        return joined.flip();
    }

    public Compression compression() {
        return Compression.forId(random.nextInt(Compression.values().length));
    }

    /// Records with consecutive offsets.
    public List<Record> records(long baseOffset, int count, int baseSequence) {
        var records = new ArrayList<Record>();
        for (int i = 0; i < count; i++) {
            int sequence = baseSequence == RecordBatch.NO_SEQUENCE
                    ? RecordBatch.NO_SEQUENCE
                    : RecordBatch.sequenceAfter(baseSequence, i);
            records.add(new Record(
                    baseOffset + i,
                    BASE_TIMESTAMP + random.nextInt(-1_000_000, 1_000_000),
                    sequence,
                    bytes(24),
                    bytes(random.nextInt(40) == 0 ? 70_000 : 200),
                    headers()));
        }
        return records;
    }

    private List<Header> headers() {
        int count = random.nextInt(4) == 0 ? random.nextInt(1, 4) : 0;
        var headers = new ArrayList<Header>();
        for (int i = 0; i < count; i++) {
            headers.add(new Header(random.nextBoolean() ? "trace" : "k\u00e9y-" + random.nextInt(100), bytes(30)));
        }
        return headers;
    }

    /// Null, empty, noise or repetitive.
    private @Nullable ByteBuffer bytes(int maxSize) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            return null;
        }
        byte[] bytes = new byte[kind == 1 ? 0 : random.nextInt(maxSize + 1)];
        if (kind < 6) {
            random.nextBytes(bytes);
        } else {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) ('a' + i % 7);
            }
        }
        return ByteBuffer.wrap(bytes);
    }
}
