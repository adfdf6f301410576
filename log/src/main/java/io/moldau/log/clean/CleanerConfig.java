package io.moldau.log.clean;

/// What one compaction may use.
///
/// @param mapBytes memory for keys: its part of `log.cleaner.dedupe.buffer.size`
/// @param mapLoadFactor `log.cleaner.io.buffer.load.factor`: how full that may get
/// @param ioBytes memory for reading and writing: its part of `log.cleaner.io.buffer.size`; more if a batch is larger
public record CleanerConfig(long mapBytes, double mapLoadFactor, int ioBytes) {

    private static final int SMALLEST_IO = 16 << 10;

    /// Kafka's defaults.
    public static final CleanerConfig DEFAULTS = new CleanerConfig(128 << 20, 0.9, 512 << 10);

    public CleanerConfig {
        ioBytes = Math.max(ioBytes, 2 * SMALLEST_IO);
    }
}
