package io.moldau.wire.record;

/// How far reading a compressed batch may go before it counts as an attack. Nothing bounds what a few compressed bytes
/// can claim to hold, so every reader says what it is ready to spend.
///
/// @param maxRecordBytes of one record, decompressed: what a reader may have to hold in memory
/// @param maxBatchBytes of all records of a batch, decompressed: what a reader may have to work through
/// @param maxZstdWindowLog the largest zstd window, as a power of two; a level up to 19 needs 23, level 22 needs 27
public record DecompressionLimits(int maxRecordBytes, long maxBatchBytes, int maxZstdWindowLog) {

    /// 64 MiB for a record, 512 MiB for a batch, and the window that every level of zstd can do with. A window takes
    /// memory only as far as decompressed bytes fill it.
    public static final DecompressionLimits DEFAULT = new DecompressionLimits(64 << 20, 512L << 20, 27);

    public DecompressionLimits {
        if (maxRecordBytes <= 0
                || maxRecordBytes > 1 << 30
                || maxBatchBytes <= 0
                || maxZstdWindowLog < 10
                || maxZstdWindowLog > 31) {
            throw new IllegalArgumentException(
                    "Limits of decompression must be positive, a record at most 1 GiB, a window log 10 to 31");
        }
    }

    /// The same bound, of at most 1 GiB, for a record and for a batch.
    public static DecompressionLimits of(int maxBytes) {
        return new DecompressionLimits(maxBytes, maxBytes, DEFAULT.maxZstdWindowLog);
    }
}
