package io.moldau.metadata.controller;

import io.moldau.metadata.record.MetadataRecord;
import java.util.List;

/// What an operation wants: records to be written, and the answer to give once they are committed.
///
/// @param atomic whether the records must be in one entry of the log. Others may be spread over several when they are
///     too many, because each of them alone leaves the metadata sound
public record ControllerResult<T>(List<MetadataRecord> records, T response, boolean atomic) {

    public static <T> ControllerResult<T> atomic(List<MetadataRecord> records, T response) {
        return new ControllerResult<>(List.copyOf(records), response, true);
    }

    public static <T> ControllerResult<T> of(List<MetadataRecord> records, T response) {
        return new ControllerResult<>(List.copyOf(records), response, false);
    }

    /// Nothing to write.
    public static <T> ControllerResult<T> answer(T response) {
        return new ControllerResult<>(List.of(), response, true);
    }
}
