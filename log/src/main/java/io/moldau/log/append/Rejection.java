package io.moldau.log.append;

import io.moldau.common.Errors;
import java.util.List;

/// Why a batch may not be appended.
///
/// @param error what the client is told
/// @param message cause, subject and remedy
/// @param recordErrors the records to blame, where it is single records
public record Rejection(Errors error, String message, List<RecordError> recordErrors) {

    public Rejection(Errors error, String message) {
        this(error, message, List.of());
    }

    /// @param batchIndex the record's index in its batch (KIP-467)
    public record RecordError(int batchIndex, String message) {}
}
