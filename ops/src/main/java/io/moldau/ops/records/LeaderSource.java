package io.moldau.ops.records;

import io.moldau.common.TopicPartition;
import io.moldau.ops.state.LeaderReads;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The records of a partition that another node leads, which is asked for them as a consumer would.
public final class LeaderSource implements RecordSource {

    /// At least one batch comes, however large.
    private static final int CHUNK_BYTES = 1 << 20;

    private final LeaderReads leaders;
    private final TopicPartition partition;

    public LeaderSource(LeaderReads leaders, TopicPartition partition) {
        this.leaders = leaders;
        this.partition = partition;
    }

    @Override
    public Bounds bounds() {
        long start = told(leaders.starts(List.of(partition)).get(partition));
        long end = told(leaders.ends(List.of(partition)).get(partition));
        return new Bounds(start, Math.max(start, end));
    }

    @Override
    public long offsetAt(long timestampMs) {
        return told(leaders.offsetAt(partition, timestampMs));
    }

    @Override
    public ByteBuffer read(long offset) {
        return told(leaders.batches(partition, offset, CHUNK_BYTES));
    }

    private <T> T told(@Nullable T answer) {
        if (answer == null) {
            throw new SourceException("the leader of " + partition + " does not answer");
        }
        return answer;
    }
}
