package io.moldau.log;

import io.moldau.common.Uuid;
import io.moldau.log.recovery.OpeningState;
import org.jspecify.annotations.Nullable;

/// What a log directory remembers of a partition.
///
/// @param view enough to answer for the log's offsets without opening a file; null if the files have to be asked
/// @param activeSizeInBytes of the last segment
public record LogSummary(
        Uuid topicId,
        @Nullable LogView view,
        long recoveryPoint,
        long highWatermark,
        int activeSizeInBytes,
        OpeningState opening) {}
