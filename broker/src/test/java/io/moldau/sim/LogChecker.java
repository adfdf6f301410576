package io.moldau.sim;

import io.moldau.broker.replica.Partition;
import io.moldau.common.TopicIdPartition;
import io.moldau.log.LogSlice;
import io.moldau.log.LogView;
import io.moldau.log.ReadOutcome;
import io.moldau.log.epoch.LeaderEpochHistory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Logs match: two records with the same offset and epoch are the same record, on whichever replica and
/// whenever, and have the same record before them. A replica never cuts off what is committed, except
/// by losing its power or because it is a replica no more. What compaction took away counts as what was committed
/// there:
/// that it could go, those tell who load the log.
final class LogChecker {

    private record Position(TopicIdPartition partition, int offset, int epoch) {}

    private record Written(long content, int epochBefore) {}

    /// A replica's log as last looked at.
    static final class Seen {
        private final ReplicaMirror mirror = new ReplicaMirror();
        private @Nullable LogView view;
        /// What a loss of power leaves, and what it may have taken until the log is looked at again.
        private long forcedUpTo;
        private long mayLackFrom = Long.MAX_VALUE;
        private int loadedUpTo;
        private @Nullable LeaderEpochHistory epochs;
    }

    private final SimulatedCluster cluster;
    private final Map<Checks.Replica, Seen> replicas = Checks.byReplica();
    private final Map<Position, Written> written = new HashMap<>();

    LogChecker(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    private Seen seen(int node, TopicIdPartition partition) {
        return replicas.computeIfAbsent(new Checks.Replica(node, partition), key -> new Seen());
    }

    ReplicaMirror mirror(int node, TopicIdPartition partition) {
        return seen(node, partition).mirror;
    }

    /// How much of the log was there when what is known of producers was last read from the disk.
    int loadedUpTo(int node, TopicIdPartition partition) {
        return seen(node, partition).loadedUpTo;
    }

    void crashed(SimulatedNode node, boolean lostPower) {
        replicas.forEach((replica, seen) -> {
            if (replica.node() == node.id()) {
                seen.view = null;
                seen.epochs = null;
                if (lostPower && cluster.scenario().forcing() == Scenario.Forcing.COMMITS) {
                    seen.mayLackFrom = Math.min(seen.mayLackFrom, seen.forcedUpTo);
                } else if (lostPower && !cluster.scenario().syncs()) {
                    seen.mirror.loseUnforced(cluster.checks().metadata().brokerEpoch(node.id()));
                }
            }
        });
    }

    Seen watch(SimulatedNode node, TopicIdPartition id) {
        return seen(node.id(), id);
    }

    void look(SimulatedNode node, TopicIdPartition id, Partition partition, Seen seen) {
        LogView view = partition.log().view();
        seen.forcedUpTo = partition.log().flushedUpTo();
        if (view == seen.view) {
            return;
        }
        boolean opened = seen.view == null;
        seen.view = view;
        ReplicaMirror mirror = seen.mirror;
        LeaderEpochHistory epochs = partition.log().leaderEpochs();
        int end = (int) view.logEndOffset();
        int kept = Math.min(end, mirror.size());
        if (epochs != seen.epochs) {
            seen.epochs = epochs;
            // Of what was compacted a copy may not know the epochs.
            int settled = cluster.scenario().isCompacted(id.topic())
                    ? cluster.checks().commits().history(id).size()
                    : 0;
            while (kept > settled && partition.log().epochForOffset(kept - 1) != mirror.epoch(kept - 1)) {
                kept--;
            }
        }
        if (opened) {
            seen.loadedUpTo = end;
        } else if (kept < mirror.size()) {
            seen.loadedUpTo = kept;
        }
        if (kept < mirror.size()) {
            cut(node, id, seen, kept);
        }
        if (opened) {
            seen.mayLackFrom = Long.MAX_VALUE;
        }
        if (mirror.isLossPossible()) {
            mirror.lookedAtAfterLoss(false);
        }
        if (end > mirror.size()) {
            read(node, id, partition, mirror, end);
        }
    }

    private void cut(SimulatedNode node, TopicIdPartition id, Seen seen, int to) {
        ReplicaMirror mirror = seen.mirror;
        cluster.log().note(node, "cut", id.topicPartition(), mirror.size(), to);
        if (mirror.isLossPossible()) {
            mirror.lookedAtAfterLoss(true);
        } else if (!mirror.isTakenAway()) {
            History history = cluster.checks().commits().history(id);
            long end = Math.min(Math.min(mirror.size(), history.size()), seen.mayLackFrom);
            for (int offset = to; offset < end; offset++) {
                if (history.isIn(mirror, offset) && !mirror.isLossy()) {
                    cluster.fail(
                            node + " cut " + id.topicPartition() + " to " + to + ", which had the committed record at "
                                    + offset,
                            null);
                    break;
                }
            }
        }
        mirror.cut(to);
    }

    private void read(SimulatedNode node, TopicIdPartition id, Partition partition, ReplicaMirror mirror, int end) {
        int before = mirror.size();
        while (mirror.size() < end) {
            int from = mirror.size();
            switch (partition.log().read(from, 1 << 20, end, true)) {
                case ReadOutcome.Slice(LogSlice slice) -> {
                    long next = Records.each(bytes(slice), found -> {
                        if (found.offset() >= mirror.size()) {
                            compactedUpTo(node, id, mirror, found.offset());
                            add(node, id, mirror, found.leaderEpoch(), found.content());
                            cluster.checks().transactions().written(id, found);
                        }
                    });
                    compactedUpTo(node, id, mirror, next);
                }
                case ReadOutcome.OutOfRange range -> throw new AssertionError(range);
            }
            if (mirror.size() == from) {
                cluster.fail(node + " cannot read " + id.topicPartition() + " at " + from, null);
                return;
            }
        }
        cluster.log().note(node, "log grew", id.topicPartition(), before, mirror.size());
    }

    /// Where records are missing, they were compacted away: those that were committed, and no others.
    private void compactedUpTo(SimulatedNode node, TopicIdPartition id, ReplicaMirror mirror, long offset) {
        if (mirror.size() >= offset) {
            return;
        }
        History history = cluster.checks().commits().history(id);
        if (!cluster.scenario().isCompacted(id.topic()) || offset > history.size()) {
            cluster.fail(
                    node + " has a hole in " + id.topicPartition() + " from " + mirror.size() + " to " + offset + "; "
                            + history.size() + " are committed",
                    null);
        }
        while (mirror.size() < Math.min(offset, history.size())) {
            mirror.append(history.epoch(mirror.size()), history.content(mirror.size()));
        }
    }

    private void add(SimulatedNode node, TopicIdPartition id, ReplicaMirror mirror, int epoch, long content) {
        int offset = mirror.size();
        int epochBefore = offset == 0 ? -1 : mirror.epoch(offset - 1);
        var now = new Written(content, epochBefore);
        Written first = written.putIfAbsent(new Position(id, offset, epoch), now);
        if (first != null && !first.equals(now)) {
            cluster.fail(
                    node + " has another record in " + id.topicPartition() + " at offset " + offset + ", epoch " + epoch
                            + " than was seen before: " + now + ", not " + first,
                    null);
        }
        mirror.append(epoch, content);
    }

    private static ByteBuffer bytes(LogSlice slice) {
        try {
            var bytes = ByteBuffer.allocate(slice.sizeInBytes());
            slice.read(bytes);
            return bytes.flip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            slice.release();
        }
    }
}
