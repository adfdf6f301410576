package io.moldau.log.segment;

import io.moldau.log.storage.LogFile;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Pairs of a key and an int, both rising, in a file of fixed-size entries: the offset index (relative offset to
/// position, 8 bytes an entry) and the time index (timestamp to relative offset, 12 bytes).
///
/// The entries of the segment being written stay in memory until [#write]; those that were in the file when it
/// was opened are looked up there. One thread at a time changes an index (the log's append lock); any thread may
/// look up.
final class SparseIndex {

    private static final int READ_BLOCK = 4096;

    private final LogStorage storage;
    private final int keyBytes;
    private final int entryBytes;
    private volatile Path path;
    private @Nullable LogFile file;

    // Entries [0, onDisk) are only in the file; the arrays hold those from there on. Replaced as a whole.
    private record Entries(int onDisk, long[] keys, int[] values) {
        static final Entries NONE = new Entries(0, new long[0], new int[0]);
    }

    private volatile Entries entries = Entries.NONE;
    // Written last by an append, so a reader that saw it finds the entry.
    private volatile int count;
    private int written;
    // Also at first: the process that wrote the file may not have come to it.
    private volatile boolean unforced = true;
    private long lastKey = -1;
    private int lastValue;

    private SparseIndex(LogStorage storage, Path path, int keyBytes) {
        this.storage = storage;
        this.path = path;
        this.keyBytes = keyBytes;
        this.entryBytes = keyBytes + 4;
    }

    static SparseIndex ofOffsets(LogStorage storage, Path path) {
        return new SparseIndex(storage, path, 4);
    }

    static SparseIndex ofTimes(LogStorage storage, Path path) {
        return new SparseIndex(storage, path, 8);
    }

    /// Takes over what the file holds.
    ///
    /// @param maxValue the largest value an entry can have
    /// @return false if the file is missing or damaged; the index is then empty
    boolean load(long maxValue) throws IOException {
        reset();
        if (!storage.exists(path)) {
            return false;
        }
        var content = ByteBuffer.wrap(storage.readAll(path));
        int size = content.remaining() / entryBytes;
        if (content.remaining() % entryBytes != 0) {
            return false;
        }
        long key = -1;
        int value = -1;
        for (int i = 0; i < size; i++) {
            long nextKey = readKey(content, i * entryBytes);
            int nextValue = content.getInt(i * entryBytes + keyBytes);
            if (nextKey <= key || nextValue <= value || nextValue > maxValue) {
                return false;
            }
            key = nextKey;
            value = nextValue;
        }
        entries = new Entries(size, new long[0], new int[0]);
        written = size;
        lastKey = key;
        lastValue = Math.max(value, 0);
        count = size;
        return true;
    }

    /// How many entries the file has, -1 if it is missing or cannot be right.
    private int peekCount() throws IOException {
        long size = storage.exists(path) ? openFile().size() : -1;
        return size < 0 || size % entryBytes != 0 ? -1 : (int) (size / entryBytes);
    }

    /// The last entry in the file, without loading the rest; null if there is none or the file
    /// cannot be right.
    @Nullable
    Entry peekLast() throws IOException {
        int n = peekCount();
        return n <= 0 ? null : peek(n - 1);
    }

    /// The last entry in the file whose key is at most `key`, without loading the rest. To be
    /// verified by who asks.
    @Nullable
    Entry peekFloor(long key) throws IOException {
        int low = 0;
        int high = peekCount() - 1;
        Entry found = null;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            var entry = peek(middle);
            if (entry.key() <= key) {
                found = entry;
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return found;
    }

    private Entry peek(int index) throws IOException {
        var entry = ByteBuffer.allocate(entryBytes);
        openFile().read(entry, (long) index * entryBytes);
        return new Entry(readKey(entry, 0), entry.getInt(keyBytes));
    }

    /// Forgets every entry; the file is emptied by the next [#write].
    void reset() {
        entries = Entries.NONE;
        written = 0;
        lastKey = -1;
        lastValue = 0;
        count = 0;
    }

    int count() {
        return count;
    }

    int sizeInBytes() {
        return count * entryBytes;
    }

    /// The last entry's key, -1 if there is no entry.
    long lastKey() {
        return lastKey;
    }

    /// The last entry's value, 0 if there is no entry.
    int lastValue() {
        return lastValue;
    }

    void append(long key, int value) {
        var current = entries;
        int n = count;
        int slot = n - current.onDisk;
        if (slot == current.keys.length) {
            int capacity = Math.max(16, slot * 2);
            current = new Entries(
                    current.onDisk, Arrays.copyOf(current.keys, capacity), Arrays.copyOf(current.values, capacity));
        }
        current.keys[slot] = key;
        current.values[slot] = value;
        if (current != entries) {
            entries = current;
        }
        lastKey = key;
        lastValue = value;
        count = n + 1;
    }

    /// Keeps the entries for which `value < bound` (an offset index: by position) or, for a time index, whose
    /// offset is below it: both times that is the value column.
    void truncateToValuesBelow(int bound) throws IOException {
        int keep = count;
        while (keep > 0 && valueAt(entries, keep - 1) >= bound) {
            keep--;
        }
        if (keep == count) {
            return;
        }
        var current = entries;
        // New arrays: a reader may be searching the old ones.
        int inMemory = Math.max(0, keep - current.onDisk);
        entries = new Entries(
                Math.min(current.onDisk, keep),
                Arrays.copyOf(current.keys, inMemory),
                Arrays.copyOf(current.values, inMemory));
        lastKey = keep == 0 ? -1 : keyAt(entries, keep - 1);
        lastValue = keep == 0 ? 0 : valueAt(entries, keep - 1);
        count = keep;
        if (written > keep) {
            written = keep;
            openFile().truncate((long) keep * entryBytes);
            unforced = true;
        }
    }

    /// The value of the last entry whose key is at most `key`, or `otherwise` if there is none.
    int floor(long key, int otherwise) throws IOException {
        var current = entries;
        int n = Math.min(count, current.onDisk + current.keys.length);
        int low = 0;
        int high = n - 1;
        if (n > current.onDisk && (current.onDisk == 0 || keyAt(current, current.onDisk) <= key)) {
            low = current.onDisk;
        } else if (current.onDisk > 0) {
            high = Math.min(high, current.onDisk - 1);
            return floorOnDisk(current, high, key, otherwise);
        }
        int found = -1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (current.keys[middle - current.onDisk] <= key) {
                found = middle;
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return found < 0 ? otherwise : current.values[found - current.onDisk];
    }

    record Entry(long key, int value) {}

    /// The last entry whose key is at most `key`, null if there is none. For rare look-ups: reads the file for each
    /// step.
    @Nullable
    Entry floorEntry(long key) throws IOException {
        var current = entries;
        int low = 0;
        int high = Math.min(count, current.onDisk + current.keys.length) - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (keyAt(current, middle) <= key) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? null : new Entry(keyAt(current, high), valueAt(current, high));
    }

    /// The first entry whose value is above `value`, null if there is none; as [#floorEntry].
    @Nullable
    Entry firstEntryWithValueAbove(int value) throws IOException {
        var current = entries;
        int n = Math.min(count, current.onDisk + current.keys.length);
        int low = 0;
        int high = n - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (valueAt(current, middle) <= value) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return low >= n ? null : new Entry(keyAt(current, low), valueAt(current, low));
    }

    private int floorOnDisk(Entries current, int last, long key, int otherwise) throws IOException {
        int low = 0;
        int high = last;
        int perBlock = READ_BLOCK / entryBytes;
        while (high - low >= perBlock) {
            int middle = (low + high) >>> 1;
            if (keyAt(current, middle) <= key) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        var block = ByteBuffer.allocate((high - low + 1) * entryBytes);
        openFile().read(block, (long) low * entryBytes);
        int found = -1;
        for (int i = 0; i <= high - low && (i + 1) * entryBytes <= block.position(); i++) {
            if (readKey(block, i * entryBytes) > key) {
                break;
            }
            found = i;
        }
        return found < 0 ? otherwise : block.getInt(found * entryBytes + keyBytes);
    }

    private long keyAt(Entries current, int index) throws IOException {
        if (index >= current.onDisk) {
            return current.keys[index - current.onDisk];
        }
        var entry = ByteBuffer.allocate(entryBytes);
        openFile().read(entry, (long) index * entryBytes);
        return readKey(entry, 0);
    }

    private int valueAt(Entries current, int index) throws IOException {
        if (index >= current.onDisk) {
            return current.values[index - current.onDisk];
        }
        var entry = ByteBuffer.allocate(entryBytes);
        openFile().read(entry, (long) index * entryBytes);
        return entry.getInt(keyBytes);
    }

    private long readKey(ByteBuffer buffer, int at) {
        return keyBytes == 4 ? buffer.getInt(at) : buffer.getLong(at);
    }

    /// Writes what the file does not have yet; makes the file if need be.
    void write() throws IOException {
        int n = count;
        var target = openFile();
        long expected = (long) written * entryBytes;
        if (target.size() > expected) {
            target.truncate(expected);
            unforced = true;
        }
        if (written == n) {
            return;
        }
        var current = entries;
        var buffer = ByteBuffer.allocate((n - written) * entryBytes);
        for (int i = written; i < n; i++) {
            long key = current.keys[i - current.onDisk];
            if (keyBytes == 4) {
                buffer.putInt((int) key);
            } else {
                buffer.putLong(key);
            }
            buffer.putInt(current.values[i - current.onDisk]);
        }
        target.write(buffer.flip(), expected);
        written = n;
        unforced = true;
    }

    /// How many entries the file lacks.
    int unwritten() {
        return count - written;
    }

    /// Leaves the entries to the file; for a segment that will not grow any more. [#write] came first.
    void releaseMemory() {
        if (written == count) {
            entries = new Entries(count, new long[0], new int[0]);
        }
    }

    /// Keeps to the file that has the name now.
    void hold() throws IOException {
        openFile();
    }

    void force() throws IOException {
        if (unforced) {
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

    Path path() {
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
