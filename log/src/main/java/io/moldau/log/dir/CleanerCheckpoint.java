package io.moldau.log.dir;

import io.moldau.common.TopicPartition;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/// Up to where the logs of one directory have been compacted, in Kafka's file `cleaner-offset-checkpoint`. An offset in
/// it that is too small costs work; one that is too large would let old values return, so a log that gets shorter is
/// written down before. Thread-safe.
final class CleanerCheckpoint {

    static final String FILE_NAME = "cleaner-offset-checkpoint";

    private final LogStorage storage;
    private final Path file;
    private final ConcurrentHashMap<TopicPartition, Long> offsets;
    private volatile boolean unwritten;

    private CleanerCheckpoint(LogStorage storage, Path file, Map<TopicPartition, Long> offsets) {
        this.storage = storage;
        this.file = file;
        this.offsets = new ConcurrentHashMap<>(offsets);
    }

    /// @param partitions those that are in the directory; what is said of others is not believed
    /// @param atMost what the journal knows of a partition; a damaged file may say more
    static CleanerCheckpoint read(
            LogStorage storage, Path logDir, Set<TopicPartition> partitions, ToLongFunction<TopicPartition> atMost)
            throws IOException {
        var file = logDir.resolve(FILE_NAME);
        var checkpoint = new CleanerCheckpoint(storage, file, OffsetCheckpoint.read(storage, file));
        checkpoint.unwritten = checkpoint.offsets.keySet().retainAll(partitions);
        checkpoint.offsets.replaceAll((partition, offset) -> Math.min(offset, atMost.applyAsLong(partition)));
        return checkpoint;
    }

    /// What is known of each partition.
    Map<TopicPartition, Long> all() {
        return Map.copyOf(offsets);
    }

    static CleanerCheckpoint empty(LogStorage storage, Path logDir) {
        return new CleanerCheckpoint(storage, logDir.resolve(FILE_NAME), Map.of());
    }

    /// -1 if the log was never compacted.
    long get(TopicPartition partition) {
        return offsets.getOrDefault(partition, -1L);
    }

    void put(TopicPartition partition, long offset) {
        offsets.put(partition, offset);
        unwritten = true;
    }

    /// The log is going to end at `offset`. Durable on return.
    void limit(TopicPartition partition, long offset) throws IOException {
        if (get(partition) > offset) {
            put(partition, offset);
            write();
        }
    }

    /// The log is going to be deleted. Durable on return.
    void remove(TopicPartition partition) throws IOException {
        if (offsets.remove(partition) != null) {
            unwritten = true;
            write();
        }
    }

    synchronized void write() throws IOException {
        if (unwritten) {
            // First, so that what is put meanwhile is written the next time.
            unwritten = false;
            OffsetCheckpoint.write(storage, file, Map.copyOf(offsets));
        }
    }
}
