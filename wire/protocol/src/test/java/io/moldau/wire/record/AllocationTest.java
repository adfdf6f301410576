package io.moldau.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a produce request does with its batches, and a follower's or a recovery's walk over a segment, create nothing.
class AllocationTest {

    private static final int ROUNDS = 2_000;

    private final RecordBatches batches = new RecordBatches();
    private final RecordCursor cursor = new RecordCursor();
    private long sum;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void validatingAndStampingABatchOf16KiB(boolean direct) {
        ByteBuffer buffer = batchOf16KiB(direct);
        assertThat(allocatedBy(() -> validateAndStamp(buffer))).isZero();
    }

    /// A request brings a buffer of its own; the checksum needs a second view of it, and nothing else is made.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBufferThatWasNotSeenBeforeCostsOneView(boolean direct) {
        ByteBuffer[] buffers = {batchOf16KiB(direct), batchOf16KiB(direct)};
        long each = allocatedBy(() -> {
            validateAndStamp(buffers[0]);
            validateAndStamp(buffers[1]);
        });
        assertThat(each).isLessThanOrEqualTo(2 * 96);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void checkingThatEveryRecordHasAKey(boolean direct) {
        ByteBuffer buffer = batchOf16KiB(direct);
        assertThat(allocatedBy(() -> {
                    batches.reset(buffer);
                    while (batches.next()) {
                        cursor.open(batches.batch(), DecompressionLimits.DEFAULT);
                        while (cursor.next()) {
                            sum += cursor.hasKey() ? cursor.offset() : cursor.timestamp();
                        }
                    }
                }))
                .isZero();
    }

    private void validateAndStamp(ByteBuffer buffer) {
        batches.reset(buffer);
        while (batches.next()) {
            RecordBatch batch = batches.batch();
            if (batch.isCrcValid()
                    && batch.compression() == Compression.NONE
                    && batch.timestampType() == TimestampType.CREATE_TIME
                    && !batch.isControl()) {
                sum += batch.lastOffset() + batch.maxTimestamp() + batch.lastSequence() + batch.recordCount();
                sum += batch.attributes() + batch.producerId() + batch.producerEpoch();
                batch.setBaseOffset(sum);
                batch.setPartitionLeaderEpoch(7);
            }
        }
    }

    /// Bytes for each round, after enough rounds for classes to be loaded and code to be compiled.
    private static long allocatedBy(Runnable code) {
        for (int i = 0; i < ROUNDS; i++) {
            code.run();
        }
        long before = Allocations.ofThisThread();
        for (int i = 0; i < ROUNDS; i++) {
            code.run();
        }
        return (Allocations.ofThisThread() - before) / ROUNDS;
    }

    private static ByteBuffer batchOf16KiB(boolean direct) {
        var builder = new BatchBuilder();
        while (builder.sizeInBytes() < 16 << 10) {
            builder.append(1_700_000_000_000L, new byte[10], new byte[100], List.of(Header.of("h", new byte[4])));
        }
        ByteBuffer heap = builder.build();
        return direct ? ByteBuffer.allocateDirect(heap.remaining()).put(heap).flip() : heap;
    }
}
