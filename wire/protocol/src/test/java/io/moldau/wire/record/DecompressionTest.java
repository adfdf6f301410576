package io.moldau.wire.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.moldau.testing.RandomBatches;
import io.moldau.wire.protocol.MalformedMessageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyOutputStream;

/// Frames that other clients write, and bytes that hold far more than they are.
class DecompressionTest {

    private static final int MANY = 64 << 20;

    private final ByteBuffer plain = new RandomBatches(new Random(1)).batch(0, Compression.NONE, 400);

    @FunctionalInterface
    private interface Compressor {
        OutputStream over(OutputStream out) throws IOException;
    }

    private static byte[] compress(Compressor compressor, byte[] bytes) throws IOException {
        var out = new ByteArrayOutputStream();
        try (OutputStream stream = compressor.over(out)) {
            stream.write(bytes);
        }
        return out.toByteArray();
    }

    private void assertReads(Compression compression, byte[] compressed) {
        ByteBuffer batch = RawBatches.with(plain, compression, compressed);
        assertThat(RecordBatch.at(batch).records(DecompressionLimits.DEFAULT))
                .isEqualTo(RecordBatch.at(plain).records(DecompressionLimits.DEFAULT));
        ByteBuffer direct =
                ByteBuffer.allocateDirect(batch.capacity()).put(batch).flip();
        assertThat(RecordBatch.at(direct).records(DecompressionLimits.DEFAULT))
                .isEqualTo(RecordBatch.at(plain).records(DecompressionLimits.DEFAULT));
    }

    private static byte[] join(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    private byte[] half(int which) {
        byte[] all = RawBatches.recordsOf(plain);
        int middle = all.length / 2;
        byte[] half = new byte[which == 0 ? middle : all.length - middle];
        System.arraycopy(all, which == 0 ? 0 : middle, half, 0, half.length);
        return half;
    }

    @Test
    void snappyWithoutFramingAsFromLibrdkafka() throws IOException {
        assertReads(Compression.SNAPPY, Snappy.compress(RawBatches.recordsOf(plain)));
    }

    @Test
    void snappyInOtherBlocksAndInTwoStreams() throws IOException {
        assertReads(
                Compression.SNAPPY,
                compress(out -> new SnappyOutputStream(out, 512 << 10), RawBatches.recordsOf(plain)));
        assertReads(
                Compression.SNAPPY,
                join(compress(SnappyOutputStream::new, half(0)), compress(SnappyOutputStream::new, half(1))));
    }

    @ParameterizedTest
    @EnumSource
    void lz4InBlocksOfAnySize(BLOCKSIZE blockSize) throws IOException {
        assertReads(
                Compression.LZ4,
                compress(out -> new LZ4FrameOutputStream(out, blockSize), RawBatches.recordsOf(plain)));
    }

    @Test
    void lz4WithContentSizeAndChecksums() throws IOException {
        byte[] records = RawBatches.recordsOf(plain);
        byte[] frame = compress(
                out -> new LZ4FrameOutputStream(
                        out,
                        BLOCKSIZE.SIZE_64KB,
                        records.length,
                        FLG.Bits.BLOCK_INDEPENDENCE,
                        FLG.Bits.BLOCK_CHECKSUM,
                        FLG.Bits.CONTENT_CHECKSUM,
                        FLG.Bits.CONTENT_SIZE),
                records);
        assertReads(Compression.LZ4, frame);

        // One bit inside the first block: its checksum tells.
        frame[40] ^= 1;
        assertThatThrownBy(() -> RecordBatch.at(RawBatches.with(plain, Compression.LZ4, frame))
                        .records(DecompressionLimits.DEFAULT))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("wrong checksum");
    }

    @Test
    void lz4BlocksThatDependOnEachOtherAreRefusedAsInKafka() throws IOException {
        byte[] frame = compress(LZ4FrameOutputStream::new, RawBatches.recordsOf(plain));
        frame[4] &= ~0x20;
        assertThatThrownBy(() -> RecordBatch.at(RawBatches.with(plain, Compression.LZ4, frame))
                        .records(DecompressionLimits.DEFAULT))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("depend on each other");
    }

    @Test
    void gzipInTwoMembers() throws IOException {
        assertReads(
                Compression.GZIP,
                join(compress(GZIPOutputStream::new, half(0)), compress(GZIPOutputStream::new, half(1))));
    }

    @Test
    void zstdInOneCallWithChecksumAndInTwoFrames() throws IOException {
        byte[] records = RawBatches.recordsOf(plain);
        assertReads(Compression.ZSTD, Zstd.compress(records, 3));
        assertReads(
                Compression.ZSTD, compress(out -> new ZstdOutputStreamNoFinalizer(out, 3).setChecksum(true), records));
        assertReads(Compression.ZSTD, join(Zstd.compress(half(0), 1), Zstd.compress(half(1), 19)));
    }

    @ParameterizedTest
    @EnumSource
    void roundTripOfBytes(Compression compression) {
        var random = new Random(3);
        for (int size : new int[] {0, 1, 63, 64 << 10, (64 << 10) + 1, 300_000}) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            ByteBuffer packed = compression.compress(ByteBuffer.wrap(bytes), compression.defaultLevel());
            assertThat(compression.decompress(packed, Math.max(size, 1))).isEqualTo(ByteBuffer.wrap(bytes));
            if (size > 1 && compression != Compression.NONE) {
                assertThatExceptionOfType(DecompressionLimitException.class)
                        .isThrownBy(() -> compression.decompress(packed, size - 1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void oneHugeRecordStopsAtTheLimit(Compression compression) {
        ByteBuffer bomb = new BatchBuilder()
                .compression(compression)
                .append(0, null, new byte[MANY])
                .build();
        assertThat(bomb.remaining()).isLessThan(MANY / 20);
        var limits = new DecompressionLimits(1 << 20, 1L << 30, 27);
        long before = Allocations.ofThisThread();
        assertThatExceptionOfType(DecompressionLimitException.class)
                .isThrownBy(() -> RecordBatch.at(bomb).records(limits))
                .withMessageContaining("more than the allowed 1048576");
        assertThat(Allocations.ofThisThread() - before).isLessThan(8 << 20);
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void manyRecordsStopAtTheLimit(Compression compression) {
        var builder = new BatchBuilder().compression(compression);
        byte[] value = new byte[8 << 10];
        for (int i = 0; i < 4096; i++) {
            builder.append(0, null, value);
        }
        ByteBuffer bomb = builder.build();
        var limits = DecompressionLimits.of(1 << 20);
        long before = Allocations.ofThisThread();
        assertThatExceptionOfType(DecompressionLimitException.class).isThrownBy(() -> {
            try (RecordCursor cursor = RecordBatch.at(bomb).cursor(limits)) {
                while (cursor.next()) {
                    assertThat(cursor.hasKey()).isFalse();
                }
            }
        });
        assertThat(Allocations.ofThisThread() - before).isLessThan(8 << 20);
    }

    /// Seven bytes each cost a hundred times as much as objects.
    @Test
    void tinyRecordsAreChargedForTheObjectsTheyBecome() {
        var builder = new BatchBuilder().compression(Compression.ZSTD);
        for (int i = 0; i < 100_000; i++) {
            builder.append(0, null, null);
        }
        RecordBatch bomb = RecordBatch.at(builder.build());
        var limits = DecompressionLimits.of(4 << 20);
        assertThatExceptionOfType(DecompressionLimitException.class).isThrownBy(() -> bomb.records(limits));
        int count = 0;
        try (RecordCursor cursor = bomb.cursor(limits)) {
            while (cursor.next()) {
                count++;
            }
        }
        assertThat(count).isEqualTo(100_000);
    }

    @Test
    void aSnappyBlockThatClaimsTooMuchIsRefusedBeforeItIsReserved() {
        // The length of one gigabyte, then a literal.
        byte[] block = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 0x04, 0x00, 'x'};
        long before = Allocations.ofThisThread();
        assertThatThrownBy(() -> RecordBatch.at(RawBatches.with(plain, Compression.SNAPPY, block))
                        .records(DecompressionLimits.DEFAULT))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("snappy");
        assertThat(Allocations.ofThisThread() - before).isLessThan(1 << 20);
    }

    @Test
    void aZstdWindowBeyondTheLimitIsRefused() throws IOException {
        byte[] frame =
                compress(out -> new ZstdOutputStreamNoFinalizer(out, 3).setLong(25), RawBatches.recordsOf(plain));
        RecordBatch batch = RecordBatch.at(RawBatches.with(plain, Compression.ZSTD, frame));
        assertThat(batch.records(DecompressionLimits.DEFAULT)).hasSize(400);
        assertThatThrownBy(() -> batch.records(new DecompressionLimits(1 << 20, 1 << 24, 20)))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void aCursorIsReusable() {
        var batches = new RandomBatches(new Random(5));
        try (var cursor = new RecordCursor()) {
            for (int i = 0; i < 50; i++) {
                ByteBuffer bytes = batches.batch(i, batches.compression(), 1 + i % 7);
                cursor.open(RecordBatch.at(bytes), DecompressionLimits.DEFAULT);
                var seen = new ArrayList<Record>();
                // Every third is left before its end.
                while (cursor.next() && (i % 3 != 0 || cursor.index() < 2)) {
                    seen.add(cursor.record());
                }
                var all = RecordBatch.at(bytes).records(DecompressionLimits.DEFAULT);
                assertThat(all).startsWith(seen.toArray(Record[]::new));
                assertThat(i % 3 == 0 || all.size() == seen.size()).isTrue();
            }
        }
    }
}
