package io.moldau.ops.records;

import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.ops.records.RecordPage.Found;
import io.moldau.ops.records.RecordPage.HeaderField;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.Record;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import io.moldau.wire.record.RecordCursor;
import io.moldau.wire.record.TimestampType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Looks for records in one partition, up to its high watermark, and no further than its bounds: so many records and
/// bytes looked at, so much time, so much to show. For one search.
public final class RecordSearch {

    /// What one search may cost.
    public static final RecordPage.Bounds BOUNDS = new RecordPage.Bounds(1_000_000, 256 << 20, 5);

    /// So much is shown of each key, value and header.
    private static final int SHOWN_BYTES = 16 << 10;

    /// So much is shown in all, about.
    private static final int ANSWER_BYTES = 4 << 20;

    private static final int MOST_HEADERS = 100;

    private static final DecompressionLimits LIMITS = new DecompressionLimits(16 << 20, 64L << 20, 27);

    private enum Stop {
        LIMIT("limit"),
        END("end"),
        BOUND("bound");

        private final String word;

        Stop(String word) {
            this.word = word;
        }
    }

    private final RecordSource source;
    private final RecordQuery query;
    private final Time time;
    private final RecordPage.Bounds bounds;

    private final List<Found> found = new ArrayList<>();
    private int scanned;
    private int answerBytes;
    private long next;

    public RecordSearch(RecordSource source, RecordQuery query, Time time) {
        this(source, query, time, BOUNDS);
    }

    RecordSearch(RecordSource source, RecordQuery query, Time time, RecordPage.Bounds bounds) {
        this.source = source;
        this.query = query;
        this.time = time;
        this.bounds = bounds;
    }

    /// @throws SourceException if the partition cannot be read
    public RecordPage run(TopicPartition partition, int leader) {
        RecordSource.Bounds reach = source.bounds();
        Long start = start(reach);
        next = start == null ? reach.highWatermark() : start;
        Stop stopped = start == null ? Stop.END : scan(reach.highWatermark());
        return new RecordPage(
                partition.topic(),
                partition.partition(),
                leader,
                reach.logStartOffset(),
                reach.highWatermark(),
                start,
                next,
                start == null || start <= reach.logStartOffset()
                        ? null
                        : Math.max(reach.logStartOffset(), start - query.limit()),
                stopped.word,
                scanned,
                bounds,
                List.copyOf(found));
    }

    private @Nullable Long start(RecordSource.Bounds reach) {
        return switch (query.start()) {
            case RecordQuery.Start.At(long offset) -> Math.clamp(offset, reach.logStartOffset(), reach.highWatermark());
            case RecordQuery.Start.Since(long timestampMs) -> {
                long at = source.offsetAt(timestampMs);
                yield at < 0 ? null : Long.valueOf(at);
            }
            case RecordQuery.Start.Newest() -> {
                long back = query.key() == null ? query.limit() : bounds.records();
                yield Math.max(reach.logStartOffset(), reach.highWatermark() - back);
            }
        };
    }

    private Stop scan(long end) {
        long deadline = time.nanoseconds() + TimeUnit.SECONDS.toNanos(bounds.seconds());
        int bytes = 0;
        var batches = new RecordBatches();
        try (var cursor = new RecordCursor()) {
            while (next < end) {
                if (bytes >= bounds.bytes() || time.nanoseconds() - deadline >= 0) {
                    return Stop.BOUND;
                }
                ByteBuffer chunk = source.read(next);
                bytes += chunk.remaining();
                long before = next;
                batches.reset(chunk);
                while (batches.tryNext() == RecordBatches.Step.BATCH) {
                    Stop stop = batch(batches.batch(), cursor, end);
                    if (stop != null) {
                        return stop;
                    }
                }
                if (next == before) {
                    // Nothing whole is left below the end: retention or compaction took it.
                    return Stop.END;
                }
            }
        }
        return Stop.END;
    }

    /// Null to go on.
    private @Nullable Stop batch(RecordBatch batch, RecordCursor cursor, long end) {
        if (batch.lastOffset() < next) {
            return null;
        }
        try {
            cursor.open(batch, LIMITS);
            while (cursor.next()) {
                if (cursor.offset() < next) {
                    continue;
                }
                if (cursor.offset() >= end) {
                    return Stop.END;
                }
                if (found.size() >= query.limit() || answerBytes > ANSWER_BYTES) {
                    return Stop.LIMIT;
                }
                if (scanned >= bounds.records()) {
                    return Stop.BOUND;
                }
                scanned++;
                boolean wanted = query.key() == null || query.key().equals(cursor.key()) && !batch.isControl();
                if (wanted) {
                    add(found(batch, cursor.record()));
                }
                next = cursor.offset() + 1;
            }
        } catch (MalformedMessageException e) {
            add(unreadable(batch, String.valueOf(e.getMessage())));
        }
        next = Math.max(next, batch.nextOffset());
        return null;
    }

    private void add(Found record) {
        found.add(record);
        answerBytes += 200 + shown(record.key()) + shown(record.value());
        record.headers().forEach(header -> answerBytes += header.name().length() + shown(header.value()));
    }

    private static int shown(@Nullable Bytes bytes) {
        return bytes == null ? 0 : Math.min(bytes.size(), SHOWN_BYTES);
    }

    private static Found found(RecordBatch batch, Record record) {
        return new Found(
                record.offset(),
                batch.isControl() ? mark(record) : "data",
                record.timestamp() < 0 ? null : record.timestamp(),
                timestampType(batch),
                bytes(record.key()),
                bytes(record.value()),
                record.headers().stream()
                        .limit(MOST_HEADERS)
                        .map(header -> new HeaderField(header.key(), bytes(header.value())))
                        .toList(),
                batch.isTransactional(),
                batch.hasProducerId() ? batch.producerId() : null,
                batch.partitionLeaderEpoch(),
                batch.compression().configName(),
                batch.baseOffset());
    }

    private static String mark(Record record) {
        return switch (ControlRecord.parse(record)) {
            case ControlRecord.EndTransaction(boolean committed, int ignored) -> committed ? "commit" : "abort";
            case ControlRecord.Other ignored -> "control";
        };
    }

    private static Found unreadable(RecordBatch batch, String why) {
        return new Found(
                batch.baseOffset(),
                "unreadable",
                null,
                timestampType(batch),
                null,
                new Bytes(batch.sizeInBytes(), why, null, false),
                List.of(),
                batch.isTransactional(),
                batch.hasProducerId() ? batch.producerId() : null,
                batch.partitionLeaderEpoch(),
                "unknown",
                batch.baseOffset());
    }

    private static String timestampType(RecordBatch batch) {
        return batch.timestampType() == TimestampType.CREATE_TIME ? "CreateTime" : "LogAppendTime";
    }

    private static @Nullable Bytes bytes(@Nullable ByteBuffer bytes) {
        return bytes == null ? null : Bytes.of(bytes, SHOWN_BYTES);
    }
}
