package io.moldau.log;

import io.moldau.wire.record.Compression;
import io.moldau.wire.record.TimestampType;
import org.jspecify.annotations.Nullable;

/// The settings of one topic that its logs use, under Kafka's names.
///
/// @param segmentBytes `segment.bytes`: a segment is rolled before it grows beyond this
/// @param segmentMs `segment.ms`: a segment is rolled when its first batch is this old
/// @param segmentJitterMs `segment.jitter.ms`: at most this much is taken off `segmentMs`, so that segments do
///     not roll
/// all at once
/// @param segmentIndexBytes `segment.index.bytes`: a segment is rolled when an index has this size
/// @param indexIntervalBytes `index.interval.bytes`: about this many bytes of log have one index entry
/// @param flushMessages `flush.messages`: an append that makes this many records unflushed forces them to the
///     disk
/// before it returns
/// @param flushMs `flush.ms`: records are forced to the disk in the background after this time
/// @param retentionMs `retention.ms`: older segments are deleted; -1 for never
/// @param retentionBytes `retention.bytes`: the oldest segments beyond this size are deleted; -1 for no limit
/// @param maxMessageBytes `max.message.bytes`: the largest batch a client may append
/// @param fileDeleteDelayMs `file.delete.delay.ms`: files live this long after the log has let go of them
/// @param deleteRetentionMs `delete.retention.ms`: how long compaction keeps tombstones
/// @param minCompactionLagMs `min.compaction.lag.ms`
/// @param maxCompactionLagMs `max.compaction.lag.ms`
/// @param minCleanableDirtyRatio `min.cleanable.dirty.ratio`
/// @param delete whether `cleanup.policy` has `delete`
/// @param compact whether `cleanup.policy` has `compact`
/// @param compression `compression.type`; null for `producer`: batches stay as they come
/// @param gzipLevel `compression.gzip.level`
/// @param lz4Level `compression.lz4.level`
/// @param zstdLevel `compression.zstd.level`
/// @param preallocate `preallocate`: a new segment file gets its full size at once
/// @param timestampType `message.timestamp.type`
/// @param timestampBeforeMaxMs `message.timestamp.before.max.ms`: records may be this much older than the clock
/// @param timestampAfterMaxMs `message.timestamp.after.max.ms`: records may be this much ahead of the clock
/// @param storageBudgetBytes Moldau's own `moldau.storage.budget.bytes`: what the topic may have on a broker whose disk
/// is
///     short of space; -1 for no limit
/// @param fullValidation Moldau's own: compressed batches are decompressed and every record is checked, as Kafka
///     does
public record LogConfig(
        int segmentBytes,
        long segmentMs,
        long segmentJitterMs,
        int segmentIndexBytes,
        int indexIntervalBytes,
        long flushMessages,
        long flushMs,
        long retentionMs,
        long retentionBytes,
        int maxMessageBytes,
        long fileDeleteDelayMs,
        long deleteRetentionMs,
        long minCompactionLagMs,
        long maxCompactionLagMs,
        double minCleanableDirtyRatio,
        boolean delete,
        boolean compact,
        @Nullable Compression compression,
        int gzipLevel,
        int lz4Level,
        int zstdLevel,
        boolean preallocate,
        TimestampType timestampType,
        long timestampBeforeMaxMs,
        long timestampAfterMaxMs,
        long storageBudgetBytes,
        boolean fullValidation) {

    private static final long DAYS_7 = 7 * 24 * 3_600_000L;

    /// Kafka's defaults.
    public static final LogConfig DEFAULTS = new Builder().build();

    /// A builder that starts from these settings.
    public Builder toBuilder() {
        var builder = new Builder();
        builder.segmentBytes = segmentBytes;
        builder.segmentMs = segmentMs;
        builder.segmentJitterMs = segmentJitterMs;
        builder.segmentIndexBytes = segmentIndexBytes;
        builder.indexIntervalBytes = indexIntervalBytes;
        builder.flushMessages = flushMessages;
        builder.flushMs = flushMs;
        builder.retentionMs = retentionMs;
        builder.retentionBytes = retentionBytes;
        builder.maxMessageBytes = maxMessageBytes;
        builder.fileDeleteDelayMs = fileDeleteDelayMs;
        builder.deleteRetentionMs = deleteRetentionMs;
        builder.minCompactionLagMs = minCompactionLagMs;
        builder.maxCompactionLagMs = maxCompactionLagMs;
        builder.minCleanableDirtyRatio = minCleanableDirtyRatio;
        builder.delete = delete;
        builder.compact = compact;
        builder.compression = compression;
        builder.gzipLevel = gzipLevel;
        builder.lz4Level = lz4Level;
        builder.zstdLevel = zstdLevel;
        builder.preallocate = preallocate;
        builder.timestampType = timestampType;
        builder.timestampBeforeMaxMs = timestampBeforeMaxMs;
        builder.timestampAfterMaxMs = timestampAfterMaxMs;
        builder.storageBudgetBytes = storageBudgetBytes;
        builder.fullValidation = fullValidation;
        return builder;
    }

    /// The level to compress with, for a codec that has levels.
    public int levelOf(Compression codec) {
        return switch (codec) {
            case GZIP -> gzipLevel;
            case LZ4 -> lz4Level;
            case ZSTD -> zstdLevel;
            case NONE, SNAPPY -> codec.defaultLevel();
        };
    }

    /// Collects settings; whatever is not set keeps Kafka's default. Not for use by several threads.
    public static final class Builder {
        private int segmentBytes = 1 << 30;
        private long segmentMs = DAYS_7;
        private long segmentJitterMs = 0L;
        private int segmentIndexBytes = 10 << 20;
        private int indexIntervalBytes = 4096;
        private long flushMessages = Long.MAX_VALUE;
        private long flushMs = Long.MAX_VALUE;
        private long retentionMs = DAYS_7;
        private long retentionBytes = -1L;
        private int maxMessageBytes = 1_048_588;
        private long fileDeleteDelayMs = 60_000L;
        private long deleteRetentionMs = 86_400_000L;
        private long minCompactionLagMs = 0L;
        private long maxCompactionLagMs = Long.MAX_VALUE;
        private double minCleanableDirtyRatio = 0.5;
        private boolean delete = true;
        private boolean compact = false;
        private @Nullable Compression compression = null;
        private int gzipLevel = Compression.GZIP.defaultLevel();
        private int lz4Level = Compression.LZ4.defaultLevel();
        private int zstdLevel = Compression.ZSTD.defaultLevel();
        private boolean preallocate = false;
        private TimestampType timestampType = TimestampType.CREATE_TIME;
        private long timestampBeforeMaxMs = Long.MAX_VALUE;
        private long timestampAfterMaxMs = 3_600_000L;
        private long storageBudgetBytes = -1L;
        private boolean fullValidation = false;

        public Builder segmentBytes(int segmentBytes) {
            this.segmentBytes = segmentBytes;
            return this;
        }

        public Builder segmentMs(long segmentMs) {
            this.segmentMs = segmentMs;
            return this;
        }

        public Builder segmentJitterMs(long segmentJitterMs) {
            this.segmentJitterMs = segmentJitterMs;
            return this;
        }

        public Builder segmentIndexBytes(int segmentIndexBytes) {
            this.segmentIndexBytes = segmentIndexBytes;
            return this;
        }

        public Builder indexIntervalBytes(int indexIntervalBytes) {
            this.indexIntervalBytes = indexIntervalBytes;
            return this;
        }

        public Builder flushMessages(long flushMessages) {
            this.flushMessages = flushMessages;
            return this;
        }

        public Builder flushMs(long flushMs) {
            this.flushMs = flushMs;
            return this;
        }

        public Builder retentionMs(long retentionMs) {
            this.retentionMs = retentionMs;
            return this;
        }

        public Builder retentionBytes(long retentionBytes) {
            this.retentionBytes = retentionBytes;
            return this;
        }

        public Builder maxMessageBytes(int maxMessageBytes) {
            this.maxMessageBytes = maxMessageBytes;
            return this;
        }

        public Builder fileDeleteDelayMs(long fileDeleteDelayMs) {
            this.fileDeleteDelayMs = fileDeleteDelayMs;
            return this;
        }

        public Builder deleteRetentionMs(long deleteRetentionMs) {
            this.deleteRetentionMs = deleteRetentionMs;
            return this;
        }

        public Builder minCompactionLagMs(long minCompactionLagMs) {
            this.minCompactionLagMs = minCompactionLagMs;
            return this;
        }

        public Builder maxCompactionLagMs(long maxCompactionLagMs) {
            this.maxCompactionLagMs = maxCompactionLagMs;
            return this;
        }

        public Builder minCleanableDirtyRatio(double minCleanableDirtyRatio) {
            this.minCleanableDirtyRatio = minCleanableDirtyRatio;
            return this;
        }

        public Builder delete(boolean delete) {
            this.delete = delete;
            return this;
        }

        public Builder compact(boolean compact) {
            this.compact = compact;
            return this;
        }

        public Builder compression(@Nullable Compression compression) {
            this.compression = compression;
            return this;
        }

        public Builder gzipLevel(int gzipLevel) {
            this.gzipLevel = gzipLevel;
            return this;
        }

        public Builder lz4Level(int lz4Level) {
            this.lz4Level = lz4Level;
            return this;
        }

        public Builder zstdLevel(int zstdLevel) {
            this.zstdLevel = zstdLevel;
            return this;
        }

        public Builder preallocate(boolean preallocate) {
            this.preallocate = preallocate;
            return this;
        }

        public Builder timestampType(TimestampType timestampType) {
            this.timestampType = timestampType;
            return this;
        }

        public Builder timestampBeforeMaxMs(long timestampBeforeMaxMs) {
            this.timestampBeforeMaxMs = timestampBeforeMaxMs;
            return this;
        }

        public Builder timestampAfterMaxMs(long timestampAfterMaxMs) {
            this.timestampAfterMaxMs = timestampAfterMaxMs;
            return this;
        }

        public Builder storageBudgetBytes(long storageBudgetBytes) {
            this.storageBudgetBytes = storageBudgetBytes;
            return this;
        }

        public Builder fullValidation(boolean fullValidation) {
            this.fullValidation = fullValidation;
            return this;
        }

        public LogConfig build() {
            return new LogConfig(
                    segmentBytes,
                    segmentMs,
                    segmentJitterMs,
                    segmentIndexBytes,
                    indexIntervalBytes,
                    flushMessages,
                    flushMs,
                    retentionMs,
                    retentionBytes,
                    maxMessageBytes,
                    fileDeleteDelayMs,
                    deleteRetentionMs,
                    minCompactionLagMs,
                    maxCompactionLagMs,
                    minCleanableDirtyRatio,
                    delete,
                    compact,
                    compression,
                    gzipLevel,
                    lz4Level,
                    zstdLevel,
                    preallocate,
                    timestampType,
                    timestampBeforeMaxMs,
                    timestampAfterMaxMs,
                    storageBudgetBytes,
                    fullValidation);
        }
    }
}
