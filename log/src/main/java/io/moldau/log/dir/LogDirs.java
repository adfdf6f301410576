package io.moldau.log.dir;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.PartitionLog;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// All partitions' logs of a node. (Signatures; bodies follow.)
public final class LogDirs implements AutoCloseable {

    private LogDirs() {}

    private static UnsupportedOperationException soon() {
        return new UnsupportedOperationException();
    }

    /// Opens the directories; those that do not exist are made. Takes a time that does not depend on how many
    /// clean partitions there are.
    public static LogDirs open(
            List<Path> directories, LogStorage storage, Time time, LogDirsConfig config, LogMetrics metrics)
            throws IOException {
        throw soon();
    }

    /// The broker epoch in the clean-shutdown marker that was found in every directory, -1 after a crash
    /// (KIP-966).
    public long previousBrokerEpoch() {
        throw soon();
    }

    /// Called once for each directory that fails, on the thread that saw it.
    public void onOffline(Consumer<LogDirState.Offline> listener) {
        throw soon();
    }

    /// The partition's log; a new one gets no files before its first append.
    ///
    /// @throws io.moldau.log.storage.StorageException if the directory it is in, or every directory, is offline
    public PartitionLog getOrCreate(TopicIdPartition partition, LogConfig config) {
        throw soon();
    }

    public @Nullable PartitionLog get(TopicPartition partition) {
        throw soon();
    }

    /// Forgets a partition; its files go after `file.delete.delay.ms`.
    public void delete(TopicPartition partition) {
        throw soon();
    }

    public Collection<PartitionLog> logs() {
        throw soon();
    }

    public List<LogDirState> directories() {
        throw soon();
    }

    public long totalBytes(Path directory) throws IOException {
        throw soon();
    }

    public long usableBytes(Path directory) throws IOException {
        throw soon();
    }

    public void flushAll() {
        throw soon();
    }

    /// Writes the checkpoints.
    public void checkpoint() {
        throw soon();
    }

    public void runRetention(long nowMs) {
        throw soon();
    }

    /// One round of upkeep: whatever is due of flushes, checkpoints, retention and deletions. A background thread
    /// calls it
    /// about twice a second.
    public void runMaintenance(long nowMs) {
        throw soon();
    }

    /// Stops cleanly: everything is flushed and the clean-shutdown marker carries the broker's epoch.
    public void close(long brokerEpoch) {
        throw soon();
    }

    /// [#close(long)] without a broker epoch.
    @Override
    public void close() {
        close(-1L);
    }
}
