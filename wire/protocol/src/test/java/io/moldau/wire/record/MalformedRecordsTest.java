package io.moldau.wire.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.testing.RandomBatches;
import io.moldau.testing.Seeds;
import io.moldau.wire.protocol.MalformedMessageException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Bytes from anywhere: only the declared exception comes out, and little memory is spent before it does.
class MalformedRecordsTest {

    private static final DecompressionLimits LIMITS = DecompressionLimits.of(4 << 20);

    @ParameterizedTest
    @EnumSource
    void everyTruncationOfABatchIsSeen(Compression compression) {
        ByteBuffer batch = new RandomBatches(new Random(1)).batch(10, compression, 5);
        for (int length = 0; length < batch.remaining(); length++) {
            var batches = new RecordBatches(batch.slice(0, length));
            if (length == 0) {
                assertThat(batches.tryNext()).isEqualTo(RecordBatches.Step.END);
                continue;
            }
            assertThat(batches.tryNext()).isEqualTo(RecordBatches.Step.TORN);
            assertThatThrownBy(batches::next)
                    .isInstanceOf(MalformedMessageException.class)
                    .hasMessageContaining("cut off after " + length + " bytes");
            assertThat(batches.nextPosition()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyTruncationOfTheRecordsIsSeenThoughLengthAndChecksumFit(Compression compression) {
        ByteBuffer batch = new RandomBatches(new Random(2)).batch(10, compression, 5);
        byte[] records = RawBatches.recordsOf(batch);
        for (int length = 0; length < records.length; length++) {
            byte[] some = new byte[length];
            System.arraycopy(records, 0, some, 0, length);
            RecordBatch truncated = RecordBatch.at(RawBatches.with(batch, compression, some));
            assertThat(truncated.isCrcValid()).isTrue();
            assertThatExceptionOfType(MalformedMessageException.class)
                    .as("%s bytes of %s", length, records.length)
                    .isThrownBy(() -> truncated.records(LIMITS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytesBehindTheRecordsAreSeen(Compression compression) {
        ByteBuffer plain = new RandomBatches(new Random(3)).batch(10, Compression.NONE, 5);
        byte[] records = RawBatches.recordsOf(plain);
        ByteBuffer longer = ByteBuffer.allocate(records.length + 1).put(records).rewind();
        ByteBuffer packed = compression.compress(longer, compression.defaultLevel());
        byte[] bytes = new byte[packed.remaining()];
        packed.get(bytes);
        assertThatThrownBy(() -> RecordBatch.at(RawBatches.with(plain, compression, bytes))
                        .records(LIMITS))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("left after the 5 records");
    }

    @Seeds(count = 300)
    void anyBitsMayFlip(long seed) {
        var random = new Random(seed);
        ByteBuffer batch = new RandomBatches(random).batch(10);
        for (int round = 0; round < 40; round++) {
            ByteBuffer broken = RawBatches.copy(batch);
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                // Not in the offset, length and magic, which other tests break.
                int at = RecordBatch.ATTRIBUTES_OFFSET
                        + random.nextInt(broken.capacity() - RecordBatch.ATTRIBUTES_OFFSET);
                broken.put(at, (byte) (broken.get(at) ^ 1 << random.nextInt(8)));
            }
            // Two flips may have hit the same bit.
            assertThat(RecordBatch.at(broken).isCrcValid()).isEqualTo(broken.equals(batch));
            readsOrRefuses(RawBatches.fixCrc(broken));
        }
    }

    @Seeds(count = 300)
    void anythingMayFollowTheHeader(long seed) {
        var random = new Random(seed);
        ByteBuffer batch = new RandomBatches(random).batch(10);
        for (Compression compression : Compression.values()) {
            byte[] noise = new byte[random.nextInt(400)];
            random.nextBytes(noise);
            readsOrRefuses(RawBatches.with(batch, compression, noise));
            if (noise.length > 20) {
                // Behind a beginning that is right, noise gets farther.
                ByteBuffer sound = compression.compress(ByteBuffer.allocate(100), compression.defaultLevel());
                sound.get(0, noise, 0, Math.min(random.nextInt(5, 20), sound.remaining()));
                readsOrRefuses(RawBatches.with(batch, compression, noise));
            }
        }
    }

    @Seeds(count = 50)
    void anyHeaderIsReadOrRefused(long seed) {
        var random = new Random(seed);
        byte[] noise = new byte[61 + random.nextInt(100)];
        for (int round = 0; round < 200; round++) {
            random.nextBytes(noise);
            ByteBuffer buffer = ByteBuffer.wrap(noise);
            if (random.nextInt(10) > 0) {
                buffer.put(RecordBatch.MAGIC_OFFSET, (byte) 2);
            }
            if (random.nextInt(10) > 0) {
                buffer.putInt(RecordBatch.LENGTH_OFFSET, random.nextInt(40, noise.length));
            }
            try {
                RecordBatch batch = RecordBatch.at(buffer);
                assertThat(batch.toString()).contains("recordCount=" + batch.recordCount());
                assertThat(batch.isCrcValid()).isFalse();
                batch.records(LIMITS);
            } catch (MalformedMessageException expected) {
                assertThat(expected).hasMessageMatching("(?s).{20,}");
            }
        }
    }

    private static void readsOrRefuses(ByteBuffer bytes) {
        RecordBatch batch = RecordBatch.at(bytes);
        assertThat(batch.isCrcValid()).isTrue();
        long before = Allocations.ofThisThread();
        try {
            List<Record> records = batch.records(LIMITS);
            assertThat(records).hasSize(batch.recordCount());
        } catch (MalformedMessageException expected) {
            assertThat(expected).hasMessageMatching("(?s).{20,}");
        }
        // Four times the limit: the window while it doubles, the codec's block, and the records themselves.
        assertThat(Allocations.ofThisThread() - before).isLessThan(4L * LIMITS.maxRecordBytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 4, 6, 1_000_000, Integer.MAX_VALUE})
    void aWrongCountOfRecordsIsRefusedCheaply(int count) {
        for (Compression compression : Compression.values()) {
            ByteBuffer batch = new RandomBatches(new Random(4)).batch(10, compression, 5);
            batch.putInt(RecordBatch.RECORD_COUNT_OFFSET, count);
            long before = Allocations.ofThisThread();
            assertThatExceptionOfType(MalformedMessageException.class)
                    .isThrownBy(() -> RecordBatch.at(batch).records(LIMITS));
            assertThat(Allocations.ofThisThread() - before).isLessThan(1 << 20);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7})
    void anUnknownCodecIsRefused(int id) {
        ByteBuffer batch = new RandomBatches(new Random(5)).batch(10, Compression.NONE, 1);
        batch.putShort(RecordBatch.ATTRIBUTES_OFFSET, (short) id);
        assertThat(RecordBatch.at(batch).compressionId()).isEqualTo(id);
        assertThatThrownBy(() -> RecordBatch.at(batch).records(LIMITS))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("codec has the id " + id);
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 3, -1})
    void otherFormatsAreToldApart(byte magic) {
        ByteBuffer batch = new RandomBatches(new Random(6)).batch(10, Compression.NONE, 1);
        batch.put(RecordBatch.MAGIC_OFFSET, magic);
        // The smallest message of format 0 is smaller than a header of format 2.
        batch.putInt(RecordBatch.LENGTH_OFFSET, 14);
        var batches = new RecordBatches(batch);
        assertThat(batches.tryNext()).isEqualTo(RecordBatches.Step.OTHER_MAGIC);
        assertThatExceptionOfType(UnsupportedMagicException.class)
                .isThrownBy(batches::next)
                .satisfies(e -> assertThat(e.magic()).isEqualTo(magic));
    }

    @ParameterizedTest
    @CsvSource({"-2147483648", "-1", "0", "48"})
    void aLengthBelowTheHeadersIsRefused(int length) {
        ByteBuffer batch = new RandomBatches(new Random(7)).batch(10, Compression.NONE, 1);
        batch.putInt(RecordBatch.LENGTH_OFFSET, length);
        var batches = new RecordBatches(batch);
        assertThat(batches.tryNext()).isEqualTo(RecordBatches.Step.BAD_LENGTH);
        assertThatThrownBy(batches::next).hasMessageContaining("has length " + length);
    }

    @Test
    void aLengthBeyondTheLargestBufferIsTorn() {
        ByteBuffer batch = new RandomBatches(new Random(8)).batch(10, Compression.NONE, 1);
        batch.putInt(RecordBatch.LENGTH_OFFSET, Integer.MAX_VALUE);
        assertThat(new RecordBatches(batch).tryNext()).isEqualTo(RecordBatches.Step.TORN);
    }

    @Test
    void theSoundBatchesBeforeATornOneAreRead() {
        ByteBuffer whole = new RandomBatches(new Random(9)).batches(0, 3);
        int soundEnd = RecordBatches.toList(whole).get(2).position();
        var batches = new RecordBatches(whole.slice(0, whole.remaining() - 1));
        assertThat(batches.next()).isTrue();
        assertThat(batches.next()).isTrue();
        assertThat(batches.tryNext()).isEqualTo(RecordBatches.Step.TORN);
        assertThat(batches.nextPosition()).isEqualTo(soundEnd);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // length, attributes, timestamp delta, offset delta, key, value, header count
                "01 | says it has -1 bytes",
                "80 80 80 80 80 00 | more than 5 bytes",
                "0c 00 00 00 03 01 00 | has a key of -2 bytes",
                "0c 00 00 00 01 03 00 | has a value of -2 bytes",
                "0c 00 00 00 01 01 01 | says it has -1 headers",
                "0c 00 00 00 7e 01 00 | ends 61 bytes before the end of its key",
                "0c 00 00 00 01 7e 00 | ends 62 bytes before the end of its value",
                "10 00 00 00 01 01 02 01 01 | has a header without a key",
                "0c 00 00 00 01 01 02 | ends inside a number",
                "0e 00 00 00 01 01 00 00 | has 1 bytes more than its fields take",
                "0c 00 80 80 80 80 80 | ends inside a number",
                "18 00 80 80 80 80 80 80 80 80 80 80 80 | more than 10 bytes",
                "00 | ends 1 bytes before the end of its attributes",
                "7e 00 | says it has 63 bytes, 1 are left",
            })
    void oneBrokenField(String hex, String reason) {
        byte[] records = HexFormat.ofDelimiter(" ").parseHex(hex.strip());
        ByteBuffer batch = new RandomBatches(new Random(10)).batch(10, Compression.NONE, 1);
        for (Compression compression : Compression.values()) {
            ByteBuffer packed = compression.compress(ByteBuffer.wrap(records), compression.defaultLevel());
            byte[] bytes = new byte[packed.remaining()];
            packed.get(bytes);
            assertThatThrownBy(() -> RecordBatch.at(RawBatches.with(batch, compression, bytes))
                            .records(LIMITS))
                    .as("%s", compression)
                    .isInstanceOf(MalformedMessageException.class)
                    .hasMessageContaining(reason);
        }
    }
}
