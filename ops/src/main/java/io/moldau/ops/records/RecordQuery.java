package io.moldau.ops.records;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Which records of a partition are wanted. A value.
///
/// @param key only records with this key; null for all
/// @param limit so many at most
public record RecordQuery(Start start, @Nullable ByteBuffer key, int limit) {

    /// Where to begin.
    public sealed interface Start {

        /// At an offset, or at the first record that is left.
        record At(long offset) implements Start {}

        /// At the first record that is as young.
        record Since(long timestampMs) implements Start {}

        /// So that the newest records are seen.
        record Newest() implements Start {}
    }
}
