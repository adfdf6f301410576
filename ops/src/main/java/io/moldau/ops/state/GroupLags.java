package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.coordinator.group.GroupCensus;
import io.moldau.common.time.Time;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// How far the groups that a node coordinates are behind, in records and in time.
///
/// Nothing of this is on the path of a request. Thread-safe; one look at a time, and none within a second of the last.
public final class GroupLags {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// How far a group is behind in one partition.
    ///
    /// @param offset the next one it will read
    /// @param committedMs when it said so
    /// @param endOffset the high watermark; -1 if no leader answers and there is no replica here
    /// @param records between the two; -1 if not known
    /// @param seconds the age of the oldest unread record, 0 if there is none; -1 if not known
    public record Lag(
            String topic, int partition, long offset, long committedMs, long endOffset, long records, double seconds) {

        public boolean isKnown() {
            return endOffset >= 0;
        }
    }

    /// One group and its partitions.
    public record Group(String groupId, String state, String protocolType, int members, List<Lag> lags) {}

    /// All of them.
    ///
    /// @param atMs when the look began, by the wall clock; ages are as of then
    public record Report(long atMs, GroupCensus census, List<Group> groups) {}

    private static final GroupCensus NOBODY = new GroupCensus(List.of(), 0, 0, 0);

    private final NodeView.Broker broker;
    private final Time time;
    private final int mostGroups;
    private final int mostPartitions;
    private final LagReader reader;

    private @Nullable Report last;
    private long lastNanos;

    /// @param broker the node's
    public GroupLags(NodeView node, NodeView.Broker broker, LeaderReads leaders, int mostGroups, int mostPartitions) {
        this.broker = broker;
        this.time = node.time();
        this.reader = new LagReader(broker, leaders);
        this.mostGroups = mostGroups;
        this.mostPartitions = mostPartitions;
    }

    /// As of now, or of the second before.
    public synchronized Report report() {
        Report fresh = last;
        if (fresh != null && time.nanoseconds() - lastNanos < FRESH_NANOS) {
            return fresh;
        }
        long atMs = time.milliseconds();
        var census = new CompletableFuture<GroupCensus>();
        broker.groups().census(mostGroups, mostPartitions, census::complete);
        GroupCensus taken =
                census.completeOnTimeout(NOBODY, 2, TimeUnit.SECONDS).join();
        Report report = new Report(atMs, taken, reader.groups(atMs, taken));
        last = report;
        lastNanos = time.nanoseconds();
        return report;
    }
}
