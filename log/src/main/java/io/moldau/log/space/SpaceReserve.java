package io.moldau.log.space;

import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// Room kept ahead on a volume, as a file that can be deleted when there is no other. Kafka ignores it. Not
/// thread-safe.
final class SpaceReserve {

    static final String FILE_NAME = ".moldau-reserve";
    private static final int CHUNK = 256 << 10;

    private final LogStorage storage;
    private final Path path;

    SpaceReserve(LogStorage storage, Path directory) {
        this.storage = storage;
        this.path = directory.resolve(FILE_NAME);
    }

    /// What is held now.
    long heldBytes() throws IOException {
        return storage.exists(path) ? storage.size(path) : 0;
    }

    /// Brings the file to this size.
    void hold(long bytes) throws IOException {
        if (bytes == 0) {
            giveUp();
            return;
        }
        try (var file = storage.open(path, LogStorage.Access.CREATE)) {
            long at = file.size();
            if (at > bytes) {
                file.truncate(bytes);
                return;
            }
            // Not zeros: some file systems keep those without room.
            var filling = new byte[CHUNK];
            new SplittableRandom(at).nextBytes(filling);
            while (at < bytes) {
                int size = (int) Math.min(CHUNK, bytes - at);
                file.write(ByteBuffer.wrap(filling, 0, size), at);
                at += size;
            }
        }
    }

    void giveUp() throws IOException {
        storage.delete(path);
    }
}
