package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.coordinator.group.GroupCensus;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.common.ApiException;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.storage.StorageException;
import io.moldau.ops.state.GroupLags.Group;
import io.moldau.ops.state.GroupLags.Lag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads how far groups are behind.
///
/// The end of a partition is its leader's high watermark. A follower's is behind it, so where this node does not lead
/// the leader is asked; only if it does not answer, a replica here says up to where records were committed for sure.
/// The age of the oldest unread record is read from the log, once for each position a group stands at. For one thread
/// at a time.
final class LagReader {

    private static final Logger LOG = LoggerFactory.getLogger(LagReader.class);

    /// Look-ups in logs for one report. Those that are left over have their turn in the next.
    private static final int MOST_LOOKUPS = 5_000;

    /// Look-ups at leaders for one report: one after the other.
    private static final int MOST_ASKED = 100;

    private static final long UNKNOWN = -1;

    /// Where a group stands in a log.
    private record Place(Uuid topicId, TopicPartition partition, long offset) {}

    private final NodeView.Broker broker;
    private final LeaderReads leaders;

    private Map<Place, Long> timestamps = new HashMap<>();

    LagReader(NodeView.Broker broker, LeaderReads leaders) {
        this.broker = broker;
        this.leaders = leaders;
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

    /// How far the groups of a census are behind.
    ///
    /// @param atMs when the look began, by the wall clock; ages are as of then
    List<Group> groups(long atMs, GroupCensus census) {
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
        return List.copyOf(groups);
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
        return elsewhere.isEmpty() ? Map.of() : leaders.ends(elsewhere);
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
}
