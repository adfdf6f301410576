package io.moldau.ops.records;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicPartition;
import io.moldau.ops.records.RecordPage.Bounds;
import io.moldau.ops.records.RecordPage.Found;
import io.moldau.ops.records.RecordQuery.Start;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.Header;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordSearchTest {

    private static final TopicPartition PARTITION = new TopicPartition("words", 3);
    private static final Bounds PLENTY = new Bounds(1_000, 1 << 20, 5);

    private final MockTime time = new MockTime();
    private final Log log = new Log();

    /// A partition in memory: batches one after the other, of which a read gives some.
    private final class Log implements RecordSource {
        final List<ByteBuffer> batches = new ArrayList<>();
        long start;
        long end;
        int batchesOfARead = 2;
        Duration slowness = Duration.ZERO;

        void add(BatchBuilder batch) {
            add(batch.build());
        }

        void add(ByteBuffer batch) {
            RecordBatch.at(batch).setBaseOffset(end);
            batches.add(batch);
            end = RecordBatch.at(batch).nextOffset();
        }

        /// Records with key `k0`, `k1` and so on, one batch for each size.
        void addRecords(int... sizes) {
            for (int size : sizes) {
                var batch = new BatchBuilder().partitionLeaderEpoch(5);
                for (int i = 0; i < size; i++) {
                    batch.append(1_000 + end + i, ("k" + (end + i)).getBytes(UTF_8), ("v" + (end + i)).getBytes(UTF_8));
                }
                add(batch);
            }
        }

        @Override
        public Bounds bounds() {
            return new Bounds(start, end);
        }

        @Override
        public long offsetAt(long timestampMs) {
            return timestampMs - 1_000 < end ? Math.max(start, timestampMs - 1_000) : -1;
        }

        @Override
        public ByteBuffer read(long offset) {
            time.advance(slowness);
            List<ByteBuffer> some = batches.stream()
                    .filter(batch -> RecordBatch.at(batch).lastOffset() >= offset)
                    .limit(batchesOfARead)
                    .toList();
            var bytes = ByteBuffer.allocate(
                    some.stream().mapToInt(ByteBuffer::remaining).sum() + 7);
            some.forEach(batch -> bytes.put(batch.duplicate()));
            // And the beginning of the next one, as a bounded read has it.
            return bytes.put(new byte[7]).flip();
        }
    }

    private RecordPage search(Start start, @Nullable String key, int limit, Bounds bounds) {
        var query = new RecordQuery(start, key == null ? null : Bytes.ofText(key), limit);
        return new RecordSearch(log, query, time, bounds).run(PARTITION, 1);
    }

    private static List<Long> offsets(RecordPage page) {
        return page.records().stream().map(Found::offset).toList();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Test
    void beginsInTheMiddleOfABatchAndEndsInTheMiddleOfAnother() {
        log.addRecords(10, 10, 10);

        RecordPage page = search(new Start.At(7), null, 9, PLENTY);

        assertThat(offsets(page)).isEqualTo(range(7, 16));
        assertThat(page.stopped()).isEqualTo("limit");
        assertThat(page.nextOffset()).isEqualTo(16);
        assertThat(page.previousOffset()).isZero();
        assertThat(page.startOffset()).isEqualTo(7);
        assertThat(page.highWatermark()).isEqualTo(30);
        assertThat(page.leader()).isEqualTo(1);
        assertThat(offsets(search(new Start.At(page.nextOffset()), null, 100, PLENTY)))
                .isEqualTo(range(16, 30));
    }

    @Test
    void nothingIsShownFromTheHighWatermarkOn() {
        log.addRecords(10);
        log.end = 6;

        RecordPage page = search(new Start.At(0), null, 100, PLENTY);

        assertThat(offsets(page)).isEqualTo(range(0, 6));
        assertThat(page.stopped()).isEqualTo("end");
        assertThat(page.nextOffset()).isEqualTo(6);
    }

    @Test
    void theNewestAreTheLast() {
        log.addRecords(10, 10);
        assertThat(offsets(search(new Start.Newest(), null, 4, PLENTY))).isEqualTo(range(16, 20));
        assertThat(search(new Start.Newest(), null, 4, PLENTY).previousOffset()).isEqualTo(12);
    }

    @Test
    void anOffsetThatIsGoneBeginsWithTheFirstThatIsLeft() {
        log.addRecords(10, 10);
        log.start = 12;
        assertThat(offsets(search(new Start.At(3), null, 3, PLENTY))).isEqualTo(range(12, 15));
        assertThat(search(new Start.At(3), null, 3, PLENTY).previousOffset()).isNull();
        assertThat(search(new Start.At(1_000), null, 3, PLENTY).records()).isEmpty();
    }

    @Test
    void sinceATime() {
        log.addRecords(10, 10);
        assertThat(offsets(search(new Start.Since(1_013), null, 2, PLENTY))).isEqualTo(range(13, 15));
        RecordPage none = search(new Start.Since(2_000), null, 2, PLENTY);
        assertThat(none.startOffset()).isNull();
        assertThat(none.records()).isEmpty();
        assertThat(none.stopped()).isEqualTo("end");
    }

    @Test
    void aKeyIsLookedForAndHowFarIsTold() {
        log.addRecords(100, 100, 100);

        RecordPage found = search(new Start.At(0), "k250", 10, PLENTY);
        assertThat(offsets(found)).isEqualTo(List.of(250L));
        assertThat(found.scannedRecords()).isEqualTo(300);
        assertThat(found.stopped()).isEqualTo("end");

        RecordPage bounded = search(new Start.At(0), "k250", 10, new Bounds(120, 1 << 20, 5));
        assertThat(bounded.records()).isEmpty();
        assertThat(bounded.scannedRecords()).isEqualTo(120);
        assertThat(bounded.stopped()).isEqualTo("bound");
        assertThat(bounded.nextOffset()).isEqualTo(120);
        assertThat(bounded.bounds().records()).isEqualTo(120);
        assertThat(offsets(search(new Start.At(bounded.nextOffset()), "k250", 10, PLENTY)))
                .isEqualTo(List.of(250L));
    }

    @Test
    void bytesAndTimeBoundASearchToo() {
        log.batchesOfARead = 1;
        log.addRecords(10, 10, 10);
        assertThat(search(new Start.At(0), "x", 10, new Bounds(1_000, 1, 5)).scannedRecords())
                .isEqualTo(10);
        log.slowness = Duration.ofSeconds(3);
        RecordPage slow = search(new Start.At(0), "x", 10, PLENTY);
        assertThat(slow.stopped()).isEqualTo("bound");
        assertThat(slow.scannedRecords()).isEqualTo(20);
    }

    @Test
    void holesOfCompactionEndNothing() {
        log.addRecords(3);
        log.add(new BatchBuilder().append(1, null, null).lastOffset(47));
        log.addRecords(2);
        assertThat(offsets(search(new Start.At(0), null, 100, PLENTY))).isEqualTo(List.of(0L, 1L, 2L, 3L, 51L, 52L));
        assertThat(offsets(search(new Start.At(20), null, 100, PLENTY))).isEqualTo(List.of(51L, 52L));
    }

    @Test
    void everythingOfARecordIsTold() {
        log.add(new BatchBuilder()
                .compression(Compression.LZ4)
                .producer(77, (short) 1, 4)
                .transactional(true)
                .partitionLeaderEpoch(5)
                .append(
                        1_234,
                        new byte[] {0, (byte) 0xff},
                        "<b>ü</b>".getBytes(UTF_8),
                        List.of(Header.of("trace", "t".getBytes(UTF_8)), Header.of("none", null))));
        log.add(ControlRecord.endTransactionBatch(77, (short) 1, 1_300, new ControlRecord.EndTransaction(false, 0)));

        List<Found> records = search(new Start.At(0), null, 10, PLENTY).records();

        Found data = records.getFirst();
        assertThat(data.kind()).isEqualTo("data");
        assertThat(data.timestampMs()).isEqualTo(1_234);
        assertThat(data.timestampType()).isEqualTo("CreateTime");
        assertThat(data.key()).isEqualTo(new Bytes(2, null, "00ff", false));
        assertThat(data.value()).isEqualTo(new Bytes(9, "<b>ü</b>", null, false));
        assertThat(data.headers().get(0).value()).isEqualTo(new Bytes(1, "t", null, false));
        assertThat(data.headers().get(1).value()).isNull();
        assertThat(data.transactional()).isTrue();
        assertThat(data.producerId()).isEqualTo(77);
        assertThat(data.leaderEpoch()).isEqualTo(5);
        assertThat(data.compression()).isEqualTo("lz4");
    }

    @Test
    void marksAreNoDataAndHaveNoKeys() {
        log.addRecords(1);
        log.add(ControlRecord.endTransactionBatch(7, (short) 1, 1_300, new ControlRecord.EndTransaction(true, 0)));

        assertThat(search(new Start.At(0), null, 10, PLENTY).records())
                .extracting(Found::kind)
                .containsExactly("data", "commit");
        var query = new RecordQuery(new Start.At(0), ByteBuffer.wrap(new byte[] {0, 0, 0, 1}), 10);
        assertThat(new RecordSearch(log, query, time, PLENTY).run(PARTITION, 1).records())
                .isEmpty();
    }

    @Test
    void aBatchThatCannotBeTakenApartIsToldAndPassedOver() {
        log.addRecords(1);
        ByteBuffer broken = new BatchBuilder()
                .compression(Compression.GZIP)
                .append(1, null, "x".repeat(100).getBytes(UTF_8))
                .build();
        broken.put(broken.limit() - 20, (byte) (broken.get(broken.limit() - 20) ^ 0x55));
        broken.put(RecordBatch.RECORDS_OFFSET, (byte) 0);
        log.add(broken);
        log.addRecords(1);

        assertThat(search(new Start.At(0), null, 10, PLENTY).records())
                .extracting(Found::kind)
                .containsExactly("data", "unreadable", "data");
    }

    @Seeds(count = 100)
    void pagesTogetherAreEverything(long seed) {
        var random = new Random(seed);
        List<Long> all = new ArrayList<>();
        for (int i = random.nextInt(1, 12); i > 0; i--) {
            var batch = new BatchBuilder().compression(random.nextBoolean() ? Compression.NONE : Compression.ZSTD);
            int size = random.nextInt(1, 20);
            for (int j = 0; j < size; j++) {
                all.add(log.end + j);
                batch.append(1, null, new byte[random.nextInt(50)]);
            }
            log.add(batch);
        }
        log.batchesOfARead = random.nextInt(1, 4);
        var bounds = new Bounds(random.nextInt(1, 40), random.nextInt(1, 2_000), 5);

        List<Long> seen = new ArrayList<>();
        RecordPage page = search(new Start.At(0), null, random.nextInt(1, 30), bounds);
        seen.addAll(offsets(page));
        while (!page.stopped().equals("end")) {
            page = search(new Start.At(page.nextOffset()), null, random.nextInt(1, 30), bounds);
            seen.addAll(offsets(page));
        }

        assertThat(seen).isEqualTo(all);
        assertThat(Objects.requireNonNull(page.startOffset())).isLessThanOrEqualTo(page.highWatermark());
    }
}
