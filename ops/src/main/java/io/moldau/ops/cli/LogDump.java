package io.moldau.ops.cli;

import io.moldau.log.epoch.LeaderEpochCheckpoint;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.producer.ProducerSnapshot;
import io.moldau.log.recovery.PartitionMetadataFile;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.log.segment.TransactionIndex;
import io.moldau.log.storage.LogFile;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.Header;
import io.moldau.wire.record.Record;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Reads the files of a partition and tells what is in them, one thing after the other. Changes nothing.
final class LogDump {

    /// The name under which a thing says what it is.
    static final String KIND = "kind";

    /// A batch is read as a whole to check it; one that says to be larger is not believed.
    private static final int LARGEST_BATCH = 48 << 20;

    private static final int INDEX_ENTRY = 8;
    private static final int TIME_ENTRY = 12;

    private final LogStorage storage = new NioLogStorage();
    private final boolean batches;
    private final boolean records;
    private final Consumer<Map<String, Object>> to;
    private boolean damaged;

    LogDump(boolean batches, boolean records, Consumer<Map<String, Object>> to) {
        this.batches = batches;
        this.records = records;
        this.to = to;
    }

    /// Whether anything was found that cannot be right.
    boolean isDamaged() {
        return damaged;
    }

    /// A partition's folder.
    void folder(Path folder) throws IOException {
        List<String> names = storage.list(folder);
        put("partition", "folder", folder, "topicId", PartitionMetadataFile.read(storage, folder));
        if (names.contains(LeaderEpochCheckpoint.FILE_NAME)) {
            file(folder.resolve(LeaderEpochCheckpoint.FILE_NAME));
        }
        for (String name : names) {
            long base = SegmentFiles.offsetOf(name, SegmentFiles.LOG);
            if (base < 0) {
                continue;
            }
            Path log = folder.resolve(name);
            Segment segment = scan(log, batches, records);
            put(
                    "segment",
                    "file",
                    name,
                    "baseOffset",
                    base,
                    "nextOffset",
                    Math.max(base, segment.nextOffset),
                    "batches",
                    segment.count,
                    "records",
                    segment.records,
                    "bytes",
                    segment.bytes,
                    "maxTimestamp",
                    segment.maxTimestamp,
                    "indexEntries",
                    checkIndex(log, base, segment));
        }
    }

    /// One file, by its name.
    void file(Path file) throws IOException {
        String name = Objects.requireNonNull(file.getFileName()).toString();
        long base = Math.max(0, SegmentFiles.offsetOf(name, name.substring(Math.max(0, name.lastIndexOf('.')))));
        if (name.endsWith(SegmentFiles.LOG)) {
            scan(file, true, records);
        } else if (name.endsWith(SegmentFiles.TIME_INDEX)) {
            entries(file, TIME_ENTRY, entry -> {
                long timestamp = entry.getLong();
                put("time", "timestamp", timestamp, "offset", base + entry.getInt());
            });
        } else if (name.endsWith(SegmentFiles.TRANSACTION_INDEX)) {
            aborted(file);
        } else if (name.endsWith(SegmentFiles.OFFSET_INDEX)) {
            entries(
                    file,
                    INDEX_ENTRY,
                    entry -> put("index", "offset", base + entry.getInt(), "position", entry.getInt()));
        } else if (name.endsWith(SegmentFiles.PRODUCER_SNAPSHOT)) {
            producers(file);
        } else if (name.equals(LeaderEpochCheckpoint.FILE_NAME)) {
            epochs(file);
        } else if (name.equals(PartitionMetadataFile.FILE_NAME)) {
            put("topic", "topicId", PartitionMetadataFile.read(storage, LogStorage.parent(file)));
        } else {
            throw new ToolException(
                    file + " is no file of a partition.",
                    "Known are .log, .index, .timeindex, .txnindex, .snapshot, leader-epoch-checkpoint and"
                            + " partition.metadata.");
        }
    }

    /// What a scan of a segment finds.
    private static final class Segment {
        private long nextOffset = -1;
        private long count;
        private long records;
        private long bytes;
        private long maxTimestamp = -1;
        /// First and last offset of the batch at a position.
        private final Map<Integer, long[]> positions = new HashMap<>();
    }

    private Segment scan(Path log, boolean tellBatches, boolean tellRecords) throws IOException {
        var segment = new Segment();
        try (LogFile file = storage.open(log, LogStorage.Access.READ)) {
            segment.bytes = file.size();
            long position = 0;
            while (position < segment.bytes) {
                ByteBuffer buffer = batchAt(file, position, segment.bytes);
                if (buffer == null) {
                    damage(log, position, "no whole batch is here, " + (segment.bytes - position) + " bytes are left");
                    break;
                }
                var batch = RecordBatch.at(buffer);
                segment.positions.put((int) position, new long[] {batch.baseOffset(), batch.lastOffset()});
                segment.count++;
                segment.records += batch.recordCount();
                segment.maxTimestamp = Math.max(segment.maxTimestamp, batch.maxTimestamp());
                boolean sound = batch.isCrcValid();
                if (tellBatches) {
                    batch(batch, position, sound);
                }
                if (!sound) {
                    damage(log, position, "the checksum of the batch is wrong");
                } else if (tellRecords) {
                    records(log, batch, position);
                }
                if (batch.baseOffset() < segment.nextOffset) {
                    damage(log, position, "offset " + batch.baseOffset() + " comes after " + (segment.nextOffset - 1));
                }
                segment.nextOffset = Math.max(segment.nextOffset, batch.nextOffset());
                position += batch.sizeInBytes();
            }
        }
        return segment;
    }

    private static @Nullable ByteBuffer batchAt(LogFile file, long position, long end) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(RecordBatch.HEADER_SIZE);
        if (file.read(head, position) < RecordBatch.HEADER_SIZE) {
            return null;
        }
        int length = head.getInt(RecordBatch.LENGTH_OFFSET);
        if (head.get(RecordBatch.MAGIC_OFFSET) != RecordBatch.MAGIC_V2
                || length < RecordBatch.HEADER_SIZE - RecordBatch.LOG_OVERHEAD
                || length > LARGEST_BATCH
                || length > end - position - RecordBatch.LOG_OVERHEAD
                || head.getInt(RecordBatch.LAST_OFFSET_DELTA_OFFSET) < 0) {
            return null;
        }
        ByteBuffer whole = ByteBuffer.allocate(length + RecordBatch.LOG_OVERHEAD);
        return file.read(whole, position) < whole.capacity() ? null : whole.flip();
    }

    private void batch(RecordBatch batch, long position, boolean sound) {
        put(
                "batch",
                "baseOffset",
                batch.baseOffset(),
                "lastOffset",
                batch.lastOffset(),
                "records",
                batch.recordCount(),
                "position",
                position,
                "bytes",
                batch.sizeInBytes(),
                "leaderEpoch",
                batch.partitionLeaderEpoch(),
                "maxTimestamp",
                batch.maxTimestamp(),
                "timestampType",
                batch.timestampType(),
                "compression",
                batch.compression().configName(),
                "producerId",
                batch.producerId(),
                "producerEpoch",
                batch.producerEpoch(),
                "baseSequence",
                batch.baseSequence(),
                "transactional",
                batch.isTransactional(),
                "control",
                batch.isControl(),
                "checksum",
                sound ? "ok" : "WRONG");
    }

    private void records(Path log, RecordBatch batch, long position) {
        try (RecordCursor cursor = batch.cursor(DecompressionLimits.DEFAULT)) {
            while (cursor.next()) {
                Record record = cursor.record();
                Map<String, Object> thing = thing("record", "offset", record.offset(), "timestamp", record.timestamp());
                if (batch.isControl()) {
                    thing.put("control", ControlRecord.parse(record));
                } else {
                    thing.put("key", text(record.key()));
                    thing.put("value", text(record.value()));
                }
                if (!record.headers().isEmpty()) {
                    thing.put(
                            "headers",
                            record.headers().stream().map(LogDump::text).collect(Collectors.joining(",")));
                }
                to.accept(thing);
            }
        } catch (MalformedMessageException e) {
            damage(log, position, String.valueOf(e.getMessage()));
        }
    }

    private static String text(Header header) {
        return header.key() + "=" + text(header.value());
    }

    private static String text(@Nullable ByteBuffer bytes) {
        return bytes == null
                ? "null"
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    /// Every entry must lead to a batch that has its offset.
    private long checkIndex(Path log, long base, Segment segment) throws IOException {
        Path index = SegmentFiles.path(LogStorage.parent(log), base, SegmentFiles.OFFSET_INDEX);
        if (!Files.exists(index)) {
            return 0;
        }
        long[] count = {0};
        entries(index, INDEX_ENTRY, entry -> {
            long offset = base + entry.getInt();
            int position = entry.getInt();
            long[] batch = segment.positions.get(position);
            if (batch == null || offset < batch[0] || offset > batch[1]) {
                damage(index, count[0] * INDEX_ENTRY, "offset " + offset + " is not in a batch at " + position);
            }
            count[0]++;
        });
        return count[0];
    }

    /// A file of entries that are all of one size. Zeros at the end were only reserved.
    private void entries(Path file, int size, Consumer<ByteBuffer> entry) throws IOException {
        ByteBuffer content = ByteBuffer.wrap(storage.readAll(file));
        int end = content.limit() - content.limit() % size;
        while (end >= 2 * size && isZero(content, end - size, size)) {
            end -= size;
        }
        for (int at = 0; at < end; at += size) {
            entry.accept(content.slice(at, size));
        }
        if (content.limit() % size != 0) {
            damage(file, end, "the size is no multiple of " + size);
        }
    }

    private static boolean isZero(ByteBuffer content, int from, int size) {
        for (int i = from; i < from + size; i++) {
            if (content.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private void aborted(Path file) throws IOException {
        byte[] content = storage.readAll(file);
        try {
            for (TransactionIndex.Entry entry : TransactionIndex.parse(file, content)) {
                put(
                        "aborted",
                        "producerId",
                        entry.producerId(),
                        "firstOffset",
                        entry.firstOffset(),
                        "lastOffset",
                        entry.lastOffset(),
                        "lastStableOffset",
                        entry.lastStableOffset());
            }
        } catch (IOException e) {
            damage(file, 0, String.valueOf(e.getMessage()));
        }
    }

    private void producers(Path file) throws IOException {
        Optional<List<ProducerSnapshot.Entry>> producers = ProducerSnapshot.entries(storage.readAll(file));
        if (producers.isEmpty()) {
            damage(file, 0, "it is no snapshot of producers, or not a whole one");
            return;
        }
        for (ProducerSnapshot.Entry producer : producers.get()) {
            put(
                    "producer",
                    "producerId",
                    producer.producerId(),
                    "epoch",
                    producer.producerEpoch(),
                    "lastSequence",
                    producer.lastSequence(),
                    "lastOffset",
                    producer.lastOffset(),
                    "offsetDelta",
                    producer.offsetDelta(),
                    "timestamp",
                    producer.lastTimestamp(),
                    "coordinatorEpoch",
                    producer.coordinatorEpoch(),
                    "transactionFirstOffset",
                    producer.currentTransactionFirstOffset());
        }
    }

    private void epochs(Path file) throws IOException {
        Optional<LeaderEpochHistory> history = LeaderEpochCheckpoint.parse(storage.readAll(file));
        if (history.isEmpty()) {
            damage(file, 0, "it is no history of leader epochs");
            return;
        }
        history.get()
                .entries()
                .forEach(entry -> put("epoch", "epoch", entry.epoch(), "startOffset", entry.startOffset()));
    }

    private void damage(Path file, long position, String reason) {
        damaged = true;
        put("DAMAGED", "file", file, "position", position, "reason", reason);
    }

    private void put(String kind, Object... namesAndValues) {
        to.accept(thing(kind, namesAndValues));
    }

    private static Map<String, Object> thing(String kind, Object... namesAndValues) {
        Map<String, Object> thing = new LinkedHashMap<>();
        thing.put(KIND, kind);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            thing.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
        }
        return thing;
    }
}
