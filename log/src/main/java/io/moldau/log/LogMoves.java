package io.moldau.log;

import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// How often a partition has moved between the log directories of its node, in the file
/// `moldau-moves` of its directory. After a crash in the middle of a move, or where a disk comes
/// back that was away during one, a partition is found in two log directories; the one with the
/// greater number is the partition, the other is what it left behind.
public final class LogMoves {

    static final String FILE_NAME = "moldau-moves";

    private LogMoves() {}

    /// 0 for a partition that never moved.
    ///
    /// @param directory of the partition
    /// @throws IOException if the file cannot be read, or holds no number
    public static long number(LogStorage storage, Path directory) throws IOException {
        var file = directory.resolve(FILE_NAME);
        if (!storage.exists(file)) {
            return 0;
        }
        var text = new String(storage.readAll(file), StandardCharsets.US_ASCII).strip();
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException("'" + file + "' holds no number but '" + text + "'", e);
        }
    }

    /// Durable on return, the file's name included.
    static void write(LogStorage storage, Path directory, long number) throws IOException {
        storage.replace(directory.resolve(FILE_NAME), (number + "\n").getBytes(StandardCharsets.US_ASCII), true);
    }
}
