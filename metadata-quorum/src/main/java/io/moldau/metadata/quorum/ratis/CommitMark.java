package io.moldau.metadata.quorum.ratis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A small file beside the log that says how far the log was known to be committed a moment ago.
///
/// Ratis is told to cut a damaged tail off and go on, because a power cut leaves one often. It would cut just as
/// silently through committed entries after a flipped bit; this mark is what finds that out.
final class CommitMark {

    record Mark(int term, long index) {}

    private static final int SIZE = 4 + 8 + 4;

    private final Path file;
    private @Nullable Mark written;

    CommitMark(Path file) {
        this.file = file;
    }

    /// The stored mark, or null if there is none or it is damaged, in which case it guards nothing.
    @Nullable
    Mark read() throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length != SIZE) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int term = buffer.getInt();
        long index = buffer.getLong();
        return buffer.getInt() == crc(bytes) ? new Mark(term, index) : null;
    }

    /// Stores the mark durably unless it is stored already.
    synchronized void write(Mark mark) throws IOException {
        if (mark.equals(written)) {
            return;
        }
        ByteBuffer buffer = ByteBuffer.allocate(SIZE).putInt(mark.term()).putLong(mark.index());
        buffer.putInt(crc(buffer.array())).flip();
        DurableFiles.replace(file, buffer);
        written = mark;
    }

    private static int crc(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes, 0, SIZE - 4);
        return (int) crc.getValue();
    }
}
