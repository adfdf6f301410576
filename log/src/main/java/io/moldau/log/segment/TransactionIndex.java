package io.moldau.log.segment;

import io.moldau.log.producer.CompletedTransaction;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.LogFile;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The aborted transactions whose abort marker is in a segment, in the order of their markers. Each is 34 bytes
/// in the file: version i16 = 0, producerId, firstOffset, lastOffset, lastStableOffset, all i64. Most segments
/// have none, and then there is no file.
///
/// Changed under the log's append lock, read by any thread.
public final class TransactionIndex {

    private static final int ENTRY_BYTES = 34;

    private final LogStorage storage;
    private volatile Path path;
    private @Nullable LogFile file;
    // Also at first: the process that wrote the file may not have come to it.
    private volatile boolean unforced = true;
    // Null until loaded; replaced, never changed.
    private volatile @Nullable List<Entry> entries;

    /// @param lastStableOffset of the log once this transaction counts as ended
    public record Entry(long producerId, long firstOffset, long lastOffset, long lastStableOffset) {

        long digest() {
            return mix(mix(mix(mix(producerId) ^ firstOffset) ^ lastOffset) ^ lastStableOffset);
        }
    }

    TransactionIndex(LogStorage storage, Path path) {
        this.storage = storage;
        this.path = path;
    }

    /// The sum of numbers that stand for the entries, so that what the files of a log say
    /// altogether can be compared with what they said before.
    ///
    /// @param below only entries whose marker lies below this offset count
    /// @throws CorruptLogException if the file is damaged
    public long digest(long below) throws IOException {
        var loaded = entries;
        long sum = 0;
        for (var entry : loaded == null ? load() : loaded) {
            if (entry.lastOffset() < below) {
                sum += entry.digest();
            }
        }
        return sum;
    }

    /// A number that shares no bits with that of any similar one.
    public static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    public List<Entry> entries() throws IOException {
        var loaded = entries;
        if (loaded == null) {
            loaded = load();
            entries = loaded;
        }
        return loaded;
    }

    private List<Entry> load() throws IOException {
        if (!storage.exists(path)) {
            return List.of();
        }
        return parse(path, storage.readAll(path));
    }

    /// What stands in such a file.
    ///
    /// @throws CorruptLogException if it is damaged
    public static List<Entry> parse(Path path, byte[] bytes) throws IOException {
        var content = ByteBuffer.wrap(bytes);
        if (content.remaining() % ENTRY_BYTES != 0) {
            throw new CorruptLogException("'" + path + "' has a size that is no multiple of " + ENTRY_BYTES);
        }
        var read = new ArrayList<Entry>();
        while (content.hasRemaining()) {
            short version = content.getShort();
            var entry = new Entry(content.getLong(), content.getLong(), content.getLong(), content.getLong());
            if (version != 0
                    || entry.firstOffset() > entry.lastOffset()
                    || (!read.isEmpty() && read.getLast().lastOffset() >= entry.lastOffset())) {
                throw new CorruptLogException("'" + path + "' is damaged at entry " + read.size());
            }
            read.add(entry);
        }
        return List.copyOf(read);
    }

    /// Whether the file is missing or sound, and speaks only of this segment.
    boolean isSound(long baseOffset, long endOffset) throws IOException {
        try {
            var loaded = entries;
            for (var entry : loaded == null ? load() : loaded) {
                if (entry.lastOffset() < baseOffset || entry.lastOffset() >= endOffset) {
                    return false;
                }
            }
            return true;
        } catch (CorruptLogException e) {
            return false;
        }
    }

    void append(CompletedTransaction aborted, long lastStableOffset) throws IOException {
        var before = entries();
        var entry = new Entry(aborted.producerId(), aborted.firstOffset(), aborted.lastOffset(), lastStableOffset);
        var buffer = ByteBuffer.allocate(ENTRY_BYTES)
                .putShort((short) 0)
                .putLong(entry.producerId())
                .putLong(entry.firstOffset())
                .putLong(entry.lastOffset())
                .putLong(entry.lastStableOffset());
        openFile().write(buffer.flip(), (long) before.size() * ENTRY_BYTES);
        unforced = true;
        var after = new ArrayList<>(before);
        after.add(entry);
        entries = List.copyOf(after);
    }

    /// Keeps the transactions whose marker lies below `offset`.
    void truncateTo(long offset) throws IOException {
        var kept = entries().stream().filter(e -> e.lastOffset() < offset).toList();
        if (kept.size() < entries().size()) {
            openFile().truncate((long) kept.size() * ENTRY_BYTES);
            unforced = true;
            entries = kept;
        }
    }

    /// Forgets everything, whatever the file holds.
    void reset() throws IOException {
        if (storage.exists(path)) {
            openFile().truncate(0);
            unforced = true;
        }
        entries = List.of();
    }

    void force() throws IOException {
        if (unforced && storage.exists(path)) {
            // First, so that what is written meanwhile is not taken for forced.
            unforced = false;
            openFile().force();
        }
    }

    private synchronized LogFile openFile() throws IOException {
        var open = file;
        if (open == null) {
            open = storage.open(path, LogStorage.Access.CREATE);
            file = open;
        }
        return open;
    }

    void movedTo(Path newPath) {
        path = newPath;
    }

    public Path path() {
        return path;
    }

    synchronized void close() throws IOException {
        var open = file;
        if (open != null) {
            file = null;
            open.close();
        }
    }
}
