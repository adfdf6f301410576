package io.moldau.metadata.quorum;

import java.util.ArrayDeque;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/// The last committed batches, in memory, for brokers that follow closely. Bounded by bytes and by number.
///
/// One thread appends (the one that applies entries), any thread reads.
final class MetadataTail {

    private final long maxBytes;
    private final int maxEntries;
    private final ArrayDeque<LogEntry> entries = new ArrayDeque<>();
    private long bytes;
    /// The first index whose entry, if it is a batch, is here.
    private long firstIndex;
    /// The first index the tail does not cover.
    private long nextIndex;

    MetadataTail(long maxBytes, int maxEntries) {
        this.maxBytes = maxBytes;
        this.maxEntries = maxEntries;
    }

    synchronized void reset(long appliedIndex) {
        entries.clear();
        bytes = 0;
        firstIndex = appliedIndex + 1;
        nextIndex = appliedIndex + 1;
    }

    synchronized void append(LogEntry entry) {
        entries.addLast(entry);
        bytes += entry.sizeInBytes();
        nextIndex = entry.index() + 1;
        while (entries.size() > 1 && (bytes > maxBytes || entries.size() > maxEntries)) {
            LogEntry evicted = entries.removeFirst();
            bytes -= evicted.sizeInBytes();
            firstIndex = evicted.index() + 1;
        }
    }

    /// An entry that is no batch passed.
    synchronized void skip(long index) {
        nextIndex = index + 1;
    }

    /// The entries from `from` on, at least one if there is one, or null if the tail does not reach back so far.
    synchronized @Nullable LogRange read(long from, int maxReadBytes) {
        if (from < firstIndex) {
            return null;
        }
        var found = new ArrayList<LogEntry>();
        int size = 0;
        // Followers are usually one entry behind: search from the end.
        var backwards = entries.descendingIterator();
        int skip = entries.size();
        while (backwards.hasNext() && backwards.next().index() >= from) {
            skip--;
        }
        for (LogEntry entry : entries) {
            if (skip-- > 0) {
                continue;
            }
            if (!found.isEmpty() && size + entry.sizeInBytes() > maxReadBytes) {
                return new LogRange(found, found.getLast().index() + 1);
            }
            found.add(entry);
            size += entry.sizeInBytes();
        }
        return new LogRange(found, Math.max(nextIndex, from));
    }
}
