package io.moldau.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.RandomBatches;
import io.moldau.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Ours and kafka-clients' read each other's batches and write the same ones.
class RecordBatchParityTest {

    /// What a batch shall be, to be built by either side.
    private record Spec(
            Compression compression,
            int level,
            long baseOffset,
            long logAppendTime,
            long producerId,
            short producerEpoch,
            int baseSequence,
            boolean transactional,
            int leaderEpoch,
            long deleteHorizon,
            List<Record> records) {

        static Spec random(Random random) {
            var batches = new RandomBatches(random);
            var compression = batches.compression();
            int level = switch (compression) {
                case GZIP -> random.nextInt(1, 10);
                case LZ4 -> random.nextInt(1, 18);
                case ZSTD -> random.nextInt(-5, 12);
                case NONE, SNAPPY -> 0;
            };
            boolean idempotent = random.nextBoolean();
            int baseSequence = idempotent ? random.nextInt(3) == 0 ? Integer.MAX_VALUE - 3 : 17 : -1;
            long baseOffset = random.nextLong(1L << 40);
            return new Spec(
                    compression,
                    level,
                    baseOffset,
                    random.nextInt(3) == 0 ? 1_800_000_000_000L : -1,
                    idempotent ? random.nextLong(1L << 40) : -1,
                    (short) (idempotent ? random.nextInt(100) : -1),
                    baseSequence,
                    idempotent && random.nextBoolean(),
                    random.nextInt(-1, 50),
                    random.nextInt(4) == 0 ? 1_900_000_000_000L : -1,
                    batches.records(baseOffset, 1 + random.nextInt(30), baseSequence));
        }

        ByteBuffer ours() {
            var builder = new BatchBuilder()
                    .compression(compression, level)
                    .baseOffset(baseOffset)
                    .producer(producerId, producerEpoch, baseSequence)
                    .transactional(transactional)
                    .partitionLeaderEpoch(leaderEpoch);
            if (logAppendTime >= 0) {
                builder.logAppendTime(logAppendTime);
            }
            if (deleteHorizon >= 0) {
                builder.deleteHorizon(deleteHorizon);
            }
            records.forEach(builder::append);
            return builder.build();
        }

        ByteBuffer kafkas() {
            var type = logAppendTime >= 0
                    ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
                    : org.apache.kafka.common.record.TimestampType.CREATE_TIME;
            var builder = new MemoryRecordsBuilder(
                    new org.apache.kafka.common.utils.internals.ByteBufferOutputStream(512),
                    RecordBatch.MAGIC_V2,
                    kafkasCompression(),
                    type,
                    baseOffset,
                    logAppendTime,
                    producerId,
                    producerEpoch,
                    baseSequence,
                    transactional,
                    false,
                    leaderEpoch,
                    Integer.MAX_VALUE,
                    deleteHorizon);
            for (Record record : records) {
                builder.appendWithOffset(
                        record.offset(), record.timestamp(), record.key(), record.value(), kafkaHeaders(record));
            }
            return builder.build().buffer();
        }

        private org.apache.kafka.common.compress.Compression kafkasCompression() {
            return switch (compression) {
                case NONE -> org.apache.kafka.common.compress.Compression.NONE;
                case GZIP ->
                    org.apache.kafka.common.compress.Compression.gzip()
                            .level(level)
                            .build();
                case SNAPPY ->
                    org.apache.kafka.common.compress.Compression.snappy().build();
                case LZ4 ->
                    org.apache.kafka.common.compress.Compression.lz4()
                            .level(level)
                            .build();
                case ZSTD ->
                    org.apache.kafka.common.compress.Compression.zstd()
                            .level(level)
                            .build();
            };
        }
    }

    @Seeds(count = 60)
    void bothBuildTheSameBatch(long seed) {
        Spec spec = Spec.random(new Random(seed));
        ByteBuffer ours = spec.ours();
        ByteBuffer kafkas = spec.kafkas();
        // The streaming compressors may cut their blocks elsewhere, depending on how the bytes reach them.
        if (spec.compression != Compression.GZIP && spec.compression != Compression.ZSTD) {
            assertThat(ours).isEqualTo(kafkas);
        }
        assertSameHeader(RecordBatch.at(ours), kafkaBatch(kafkas), spec);
        assertSameHeader(RecordBatch.at(kafkas), kafkaBatch(ours), spec);
    }

    @Seeds(count = 60)
    void oursReadsWhatKafkaWrites(long seed) {
        Spec spec = Spec.random(new Random(seed));
        assertThat(RecordBatch.at(spec.kafkas()).records(DecompressionLimits.DEFAULT))
                .isEqualTo(kafkaRecords(kafkaBatch(spec.kafkas())));
    }

    @Seeds(count = 60)
    void kafkaReadsWhatOursWrites(long seed) {
        Spec spec = Spec.random(new Random(seed));
        MutableRecordBatch batch = kafkaBatch(spec.ours());
        batch.ensureValid();
        assertThat(kafkaRecords(batch)).isEqualTo(expected(spec));
        assertThat(RecordBatch.at(spec.ours()).records(DecompressionLimits.DEFAULT))
                .isEqualTo(expected(spec));
    }

    @Seeds(count = 20)
    void aDirectBufferInTheMiddleOfAnotherReadsTheSame(long seed) {
        Spec spec = Spec.random(new Random(seed));
        ByteBuffer heap = spec.ours();
        ByteBuffer direct = ByteBuffer.allocateDirect(heap.remaining() + 100);
        direct.position(37);
        direct.put(heap.duplicate());
        direct.limit(direct.position()).position(37);
        RecordBatch batch = RecordBatch.at(direct);
        assertThat(batch.isCrcValid()).isTrue();
        assertThat(batch.slice()).isEqualTo(heap);
        assertThat(batch.records(DecompressionLimits.DEFAULT)).isEqualTo(expected(spec));
    }

    @Seeds(count = 30)
    void settersChangeWhatKafkasChange(long seed) {
        var random = new Random(seed);
        Spec spec = Spec.random(random);
        ByteBuffer ours = spec.ours();
        ByteBuffer theirs =
                ByteBuffer.allocate(ours.remaining()).put(ours.duplicate()).flip();
        RecordBatch ourBatch = RecordBatch.at(ours);
        MutableRecordBatch theirBatch = kafkaBatch(theirs);

        ourBatch.setPartitionLeaderEpoch(99);
        theirBatch.setPartitionLeaderEpoch(99);
        ourBatch.setLastOffset(123_456_789L);
        theirBatch.setLastOffset(123_456_789L);
        assertThat(ourBatch.isCrcValid()).isTrue();
        boolean logAppendTime = random.nextBoolean();
        long timestamp = random.nextBoolean() ? ourBatch.maxTimestamp() : 1_777_777_777_777L;
        ourBatch.setMaxTimestampAndType(
                timestamp, logAppendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME);
        theirBatch.setMaxTimestamp(
                logAppendTime
                        ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
                        : org.apache.kafka.common.record.TimestampType.CREATE_TIME,
                timestamp);

        assertThat(ours).isEqualTo(theirs);
        assertThat(ourBatch.isCrcValid()).isTrue();
    }

    @Seeds(count = 20)
    void severalBatchesOneBehindTheOther(long seed) {
        ByteBuffer buffer = new RandomBatches(new Random(seed)).batches(100, 7);
        var theirs = new ArrayList<Record>();
        for (var batch : MemoryRecords.readableRecords(buffer).batches()) {
            theirs.addAll(kafkaRecords(batch));
        }
        var ours = new ArrayList<Record>();
        for (RecordBatch batch : RecordBatches.toList(buffer)) {
            ours.addAll(batch.records(DecompressionLimits.DEFAULT));
        }
        assertThat(ours).isEqualTo(theirs).hasSizeGreaterThanOrEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(
            value = ControlRecordType.class,
            names = {"COMMIT", "ABORT"})
    void transactionMarkersAreKafkas(ControlRecordType type) {
        boolean committed = type == ControlRecordType.COMMIT;
        var marker = new ControlRecord.EndTransaction(committed, 42);
        ByteBuffer ours = ControlRecord.endTransactionBatch(7L, (short) 3, 1_700_000_000_123L, marker);
        ByteBuffer theirs = MemoryRecords.withEndTransactionMarker(
                        0L, 1_700_000_000_123L, -1, 7L, (short) 3, new EndTransactionMarker(type, 42))
                .buffer();
        assertThat(ours).isEqualTo(theirs);

        RecordBatch batch = RecordBatch.at(theirs);
        assertThat(batch.isControl()).isTrue();
        assertThat(batch.isTransactional()).isTrue();
        assertThat(ControlRecord.parse(
                        batch.records(DecompressionLimits.DEFAULT).getFirst()))
                .isEqualTo(marker);
    }

    @Test
    void controlRecordsOfOtherTypesArePassedOver() {
        ByteBuffer key = ControlRecordType.SNAPSHOT_HEADER.recordKey();
        var record = new Record(5, 0, -1, key, ByteBuffer.allocate(0), List.of());
        assertThat(ControlRecord.parse(record)).isEqualTo(new ControlRecord.Other((short) 3));
    }

    @Test
    void codecsHaveKafkasIdsNamesAndLevels() {
        for (CompressionType theirs : CompressionType.values()) {
            Compression ours = Compression.forId(theirs.id);
            assertThat(ours.configName()).isEqualTo(theirs.name);
            assertThat(Compression.forConfigName(theirs.name)).isSameAs(ours);
            if (ours.hasLevels()) {
                assertThat(List.of(ours.defaultLevel(), ours.minLevel(), ours.maxLevel()))
                        .isEqualTo(List.of(theirs.defaultLevel(), theirs.minLevel(), theirs.maxLevel()));
            }
        }
        assertThat(Compression.values()).hasSameSizeAs(CompressionType.values());
    }

    private static void assertSameHeader(RecordBatch ours, MutableRecordBatch theirs, Spec spec) {
        assertThat(ours.baseOffset()).isEqualTo(theirs.baseOffset());
        assertThat(ours.lastOffset()).isEqualTo(theirs.lastOffset());
        assertThat(ours.nextOffset()).isEqualTo(theirs.nextOffset());
        assertThat(ours.partitionLeaderEpoch()).isEqualTo(theirs.partitionLeaderEpoch());
        assertThat(ours.magic()).isEqualTo(theirs.magic());
        assertThat(ours.isCrcValid()).isTrue();
        assertThat(theirs.isValid()).isTrue();
        assertThat(ours.compression()).isSameAs(spec.compression);
        assertThat(ours.compressionId()).isEqualTo((int) theirs.compressionType().id);
        assertThat(ours.timestampType().configName()).isEqualTo(theirs.timestampType().name);
        assertThat(ours.maxTimestamp()).isEqualTo(theirs.maxTimestamp());
        assertThat(ours.isTransactional()).isEqualTo(theirs.isTransactional());
        assertThat(ours.isControl()).isEqualTo(theirs.isControlBatch());
        assertThat(ours.hasDeleteHorizon()).isEqualTo(theirs.deleteHorizonMs().isPresent());
        assertThat(ours.producerId()).isEqualTo(theirs.producerId());
        assertThat(ours.hasProducerId()).isEqualTo(theirs.hasProducerId());
        assertThat(ours.producerEpoch()).isEqualTo(theirs.producerEpoch());
        assertThat(ours.baseSequence()).isEqualTo(theirs.baseSequence());
        assertThat(ours.lastSequence()).isEqualTo(theirs.lastSequence());
        assertThat(ours.recordCount()).isEqualTo(theirs.countOrNull());
        assertThat(ours.baseTimestamp()).isEqualTo(((DefaultRecordBatch) theirs).baseTimestamp());
    }

    /// With the broker's time where the batch has it.
    private static List<Record> expected(Spec spec) {
        return spec.records.stream()
                .map(record -> new Record(
                        record.offset(),
                        spec.logAppendTime >= 0 ? spec.logAppendTime : record.timestamp(),
                        record.sequence(),
                        record.key(),
                        record.value(),
                        record.headers()))
                .toList();
    }

    private static MutableRecordBatch kafkaBatch(ByteBuffer buffer) {
        return MemoryRecords.readableRecords(buffer).batches().iterator().next();
    }

    private static List<Record> kafkaRecords(Iterable<org.apache.kafka.common.record.internal.Record> batch) {
        var records = new ArrayList<Record>();
        for (var record : batch) {
            var headers = new ArrayList<Header>();
            for (var header : record.headers()) {
                headers.add(Header.of(header.key(), header.value()));
            }
            records.add(new Record(
                    record.offset(),
                    record.timestamp(),
                    record.sequence(),
                    copy(record.key()),
                    copy(record.value()),
                    headers));
        }
        return records;
    }

    private static @Nullable ByteBuffer copy(@Nullable ByteBuffer buffer) {
        return buffer == null
                ? null
                : ByteBuffer.allocate(buffer.remaining())
                        .put(buffer.duplicate())
                        .flip();
    }

    private static org.apache.kafka.common.header.Header[] kafkaHeaders(Record record) {
        return record.headers().stream()
                .map(header -> {
                    ByteBuffer value = header.value();
                    byte[] bytes = value == null ? null : new byte[value.remaining()];
                    if (value != null && bytes != null) {
                        value.get(value.position(), bytes);
                    }
                    return new RecordHeader(header.key(), bytes);
                })
                .toArray(org.apache.kafka.common.header.Header[]::new);
    }
}
