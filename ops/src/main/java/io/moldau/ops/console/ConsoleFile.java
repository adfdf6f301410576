package io.moldau.ops.console;

/// A file of the console.
///
/// @param type its content type
/// @param tag changes with its bytes; in quotes, as an ETag is written
// Never compared; the bytes are not written to.
@SuppressWarnings("ArrayRecordComponent")
public record ConsoleFile(String type, byte[] bytes, String tag) {}
