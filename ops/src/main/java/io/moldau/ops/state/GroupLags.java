package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.coordinator.group.GroupCensus;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.common.ApiException;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.log.storage.StorageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How far the groups that a node coordinates are behind, in records and in time.
///
/// The end of a partition is its leader's high watermark. A follower's is behind it, so where this node does not lead
/// the
/// leader is asked; only if it does not answer, a replica here says up to where records were committed for sure.
///
/// The age of the oldest unread record is read from the log, once for each position a group stands at: nothing of this
/// is on the path of a request. Thread-safe; one look at a time, and none within a second of the last.
public final class GroupLags implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GroupLags.class);

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Look-ups in logs for one report. Those that are left over have their turn in the next.
    private static final int MOST_LOOKUPS = 5_000;

    /// Look-ups at leaders for one report: one after the other.
    private static final int MOST_ASKED = 100;

    private static final long UNKNOWN = -1;

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

    /// Where a group stands in a log.
    private record Place(Uuid topicId, TopicPartition partition, long offset) {}

    private static final GroupCensus NOBODY = new GroupCensus(List.of(), 0, 0, 0);

    private final NodeView.Broker broker;
    private final Time time;
    private final int mostGroups;
    private final int mostPartitions;
    private final LeaderReads leaders;

    private boolean closed;
    private Map<Place, Long> timestamps = new HashMap<>();
    private @Nullable Report last;
    private long lastNanos;

    /// @param broker the node's
    public GroupLags(NodeView node, NodeView.Broker broker, int mostGroups, int mostPartitions) {
        this.broker = broker;
        this.time = node.time();
        this.leaders = new LeaderReads(node);
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
        Report report = evaluate(
                atMs, census.completeOnTimeout(NOBODY, 2, TimeUnit.SECONDS).join());
        last = report;
        lastNanos = time.nanoseconds();
        return report;
    }

    /// What one evaluation goes by.
    private static final class Look {
        final long atMs;
        final Map<TopicPartition, Long> endsElsewhere;
        final Map<Place, Long> known = new HashMap<>();
        int lookups = MOST_LOOKUPS;
        int asked = MOST_ASKED;

        Look(long atMs, Map<TopicPartition, Long> endsElsewhere) {
            this.atMs = atMs;
            this.endsElsewhere = endsElsewhere;
        }
    }

    private Report evaluate(long atMs, GroupCensus census) {
        Look look = new Look(atMs, endsElsewhere(census));
        List<Group> groups = new ArrayList<>(census.groups().size());
        for (GroupCensus.Group group : census.groups()) {
            List<Lag> lags = new ArrayList<>(group.offsets().size());
            for (GroupCensus.Offset offset : group.offsets()) {
                lags.add(lag(offset, look));
            }
            groups.add(new Group(
                    group.groupId(), group.state(), group.protocolType(), group.members(), List.copyOf(lags)));
        }
        timestamps = look.known;
        return new Report(atMs, census, List.copyOf(groups));
    }

    private Map<TopicPartition, Long> endsElsewhere(GroupCensus census) {
        Set<TopicPartition> elsewhere = new HashSet<>();
        for (GroupCensus.Group group : census.groups()) {
            for (GroupCensus.Offset offset : group.offsets()) {
                var partition = new TopicPartition(offset.topic(), offset.partition());
                if (!(broker.partitions().get(partition) instanceof HostedPartition.Online(Partition replica))
                        || !replica.isLeader()) {
                    elsewhere.add(partition);
                }
            }
        }
        return elsewhere.isEmpty() || closed ? Map.of() : leaders.ends(elsewhere);
    }

    private Lag lag(GroupCensus.Offset offset, Look look) {
        var name = new TopicPartition(offset.topic(), offset.partition());
        Partition replica = broker.partitions().get(name) instanceof HostedPartition.Online(Partition it) ? it : null;
        long end = end(name, replica, look);
        long records = end < 0 ? UNKNOWN : Math.max(0, end - offset.offset());
        double seconds = records <= 0 ? records : age(name, replica, offset.offset(), end, look);
        return new Lag(
                offset.topic(), offset.partition(), offset.offset(), offset.committedMs(), end, records, seconds);
    }

    private static long end(TopicPartition name, @Nullable Partition replica, Look look) {
        if (replica == null) {
            return look.endsElsewhere.getOrDefault(name, UNKNOWN);
        }
        long here = replica.highWatermark();
        return replica.isLeader() ? here : Math.max(here, look.endsElsewhere.getOrDefault(name, UNKNOWN));
    }

    /// @param replica null if it is elsewhere
    private double age(TopicPartition name, @Nullable Partition replica, long offset, long end, Look look) {
        // What retention has taken cannot be read any more: the oldest unread record is then the first that is left.
        long from = replica == null ? offset : Math.max(offset, replica.logStartOffset());
        if (from >= end) {
            return 0;
        }
        var place = new Place(replica == null ? Uuid.ZERO : replica.topicId(), name, from);
        Long timestamp = look.known.get(place);
        if (timestamp == null) {
            timestamp = timestamps.get(place);
        }
        if (timestamp == null) {
            timestamp = replica == null || from >= replica.log().view().logEndOffset()
                    ? ask(name, from, look)
                    : read(replica, from, end, look);
        }
        if (timestamp < 0) {
            return UNKNOWN;
        }
        look.known.put(place, timestamp);
        return Math.max(0, look.atMs - timestamp) / 1e3;
    }

    private long ask(TopicPartition partition, long offset, Look look) {
        if (look.asked <= 0) {
            return UNKNOWN;
        }
        look.asked--;
        return leaders.timestampAt(partition, offset);
    }

    private static long read(Partition partition, long offset, long end, Look look) {
        if (look.lookups <= 0) {
            return UNKNOWN;
        }
        look.lookups--;
        try {
            return partition.log().timestampAt(offset, end);
        } catch (StorageException | ApiException e) {
            // Whoever serves the partition finds the same and takes it offline.
            LOG.debug("no timestamp partition={} offset={}", partition.topicPartition(), offset, e);
            return UNKNOWN;
        }
    }

    /// Asks nobody any more; what this node has itself can still be told.
    @Override
    public synchronized void close() {
        closed = true;
        leaders.close();
    }
}
