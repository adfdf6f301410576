package io.moldau.log;

import io.moldau.common.OffsetAndEpoch;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.producer.ActiveProducer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One partition's log. (Signatures; bodies follow.)
public final class PartitionLog {

    private PartitionLog() {}

    private static UnsupportedOperationException soon() {
        return new UnsupportedOperationException();
    }

    public TopicPartition topicPartition() {
        throw soon();
    }

    public Uuid topicId() {
        throw soon();
    }

    /// The log directory (not the partition's own) it lives in.
    public Path logDir() {
        throw soon();
    }

    public LogConfig config() {
        throw soon();
    }

    public LogView view() {
        throw soon();
    }

    public AppendOutcome appendAsLeader(ByteBuffer batches, int leaderEpoch, AppendOrigin origin, long nowMs) {
        throw soon();
    }

    public void appendAsFollower(ByteBuffer batches) {
        throw soon();
    }

    public ReadOutcome read(long offset, int maxBytes, long upToOffset, boolean atLeastOneBatch) {
        throw soon();
    }

    public @Nullable TimestampAndOffset offsetForTimestamp(long timestamp, long upToOffset) {
        throw soon();
    }

    public @Nullable TimestampAndOffset maxTimestamp() {
        throw soon();
    }

    public OffsetAndEpoch endOffsetForEpoch(int epoch) {
        throw soon();
    }

    public int epochForOffset(long offset) {
        throw soon();
    }

    public LeaderEpochHistory leaderEpochs() {
        throw soon();
    }

    /// The leader with this epoch begins at the log's end.
    public void beginEpoch(int leaderEpoch) {
        throw soon();
    }

    public List<AbortedTransaction> abortedTransactions(long fromOffset, long upToOffset) {
        throw soon();
    }

    public List<ActiveProducer> activeProducers() {
        throw soon();
    }

    public void truncateTo(long offset) {
        throw soon();
    }

    public void truncateFullyAndStartAt(long offset) {
        throw soon();
    }

    public void advanceLogStartOffset(long offset) {
        throw soon();
    }

    public long highWatermark() {
        throw soon();
    }

    public void setHighWatermark(long offset) {
        throw soon();
    }

    public long lastStableOffset() {
        throw soon();
    }

    public void flush() {
        throw soon();
    }

    public int deleteOldSegments(long nowMs) {
        throw soon();
    }

    public void updateConfig(LogConfig config) {
        throw soon();
    }
}
