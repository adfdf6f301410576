package io.moldau.ops.metrics;

import io.moldau.broker.NodeView;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.ReplicationThrottle;
import io.moldau.log.FutureLog;
import io.moldau.log.LogView;
import io.moldau.log.dir.LogDirState;
import io.moldau.log.space.DirectorySpace;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.partition.PartitionRegistration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Tells the replicas of this node, as they are now.
final class ReplicaSource implements MetricSource {

    private final NodeView node;
    private final NodeView.Broker broker;
    private final int most;

    /// @param most partitions have metrics of their own
    ReplicaSource(NodeView node, NodeView.Broker broker, int most) {
        this.node = node;
        this.broker = broker;
        this.most = most;
    }

    /// What is summed up over all replicas.
    private static final class Sums {
        int leaders;
        int underReplicated;
        int underMinIsr;
        int atMinIsr;
        int reassigning;
        long bytes;
        long waits;
        long producers;
        long openTransactions;
    }

    @Override
    public void collect(Samples into) {
        MetadataImage image = node.image().get();
        List<Partition> partitions = new ArrayList<>(broker.partitions().onlinePartitions());
        partitions.sort(
                Comparator.comparing((Partition it) -> it.topicPartition().topic())
                        .thenComparing(it -> it.topicPartition().partition()));
        Map<String, Integer> minInsync = new HashMap<>();
        Sums sums = new Sums();
        int named = 0;
        for (Partition partition : partitions) {
            LogView log = partition.log().view();
            sums.bytes += log.sizeInBytes();
            sums.waits += partition.waitCount();
            sums.producers += partition.log().producerCount();
            sums.openTransactions += partition.log().openTransactions();
            String topic = partition.topicPartition().topic();
            PartitionRegistration registration =
                    partition.isLeader() ? image.topics().partition(partition.topicPartition()) : null;
            Led led = null;
            if (registration != null) {
                int min = minInsync.computeIfAbsent(topic, node.minInsyncReplicas()::applyAsInt);
                led = Led.of(registration, min);
                led.addTo(sums);
            }
            if (named < most) {
                named++;
                tell(partition, log, led, image, into);
            }
        }
        into.add(Metrics.LEFT_OFF, partitions.size() - named, "partitions");
        into.add(Metrics.PARTITION_COUNT, partitions.size());
        into.add(Metrics.LEADER_COUNT, sums.leaders);
        into.add(Metrics.UNDER_REPLICATED, sums.underReplicated);
        into.add(Metrics.UNDER_MIN_ISR, sums.underMinIsr);
        into.add(Metrics.AT_MIN_ISR, sums.atMinIsr);
        into.add(Metrics.REASSIGNING, sums.reassigning);
        into.add(Metrics.OFFLINE_REPLICAS, broker.partitions().offlineCount());
        into.add(Metrics.PRODUCER_IDS, sums.producers);
        into.add(Metrics.OPEN_TRANSACTIONS, sums.openTransactions);
        throttle(broker.throttles().leader(), Metrics.LEADER_THROTTLED, "leader", into);
        throttle(broker.throttles().follower(), Metrics.FOLLOWER_THROTTLED, "follower", into);
        into.add(Metrics.LOG_BYTES, sums.bytes);
        into.add(Metrics.PRODUCE_WAITS, sums.waits, "Produce");
        into.add(Metrics.PRODUCE_WAITS, broker.verification().waiting(), "Verification");
        into.add(Metrics.FETCH_SESSIONS, broker.fetchSessions().size());
        into.add(Metrics.FETCH_SESSION_EVICTIONS, broker.fetchSessions().evictions());
        directories(into);
    }

    private static void throttle(ReplicationThrottle throttle, MetricDefinition rate, String side, Samples into) {
        into.add(rate, throttle.bytesPerSecond());
        into.add(Metrics.THROTTLE_WAITS, throttle.waits(), side);
        if (throttle.limit() != ReplicationThrottle.UNLIMITED) {
            into.add(Metrics.THROTTLE_LIMIT, throttle.limit(), side);
        }
    }

    /// What the leader tells of a partition.
    private record Led(
            PartitionRegistration registration, boolean underReplicated, boolean underMinIsr, boolean atMinIsr) {

        static Led of(PartitionRegistration registration, int minInsync) {
            int inSync = registration.isr().size();
            int all = registration.replicas().size();
            int needed = Math.min(minInsync, all);
            return new Led(
                    registration,
                    inSync < all - registration.addingReplicas().size(),
                    inSync < needed,
                    inSync == needed);
        }

        void addTo(Sums sums) {
            sums.leaders++;
            sums.underReplicated += underReplicated ? 1 : 0;
            sums.underMinIsr += underMinIsr ? 1 : 0;
            sums.atMinIsr += atMinIsr ? 1 : 0;
            sums.reassigning += registration.isReassigning() ? 1 : 0;
        }
    }

    private static void tell(Partition partition, LogView log, @Nullable Led led, MetadataImage image, Samples into) {
        String topic = partition.topicPartition().topic();
        int index = partition.topicPartition().partition();
        var labels = Samples.labels(Metrics.LOG_SIZE, topic, Integer.toString(index));
        into.addLabelled(Metrics.LOG_SIZE, labels, log.sizeInBytes());
        into.addLabelled(Metrics.LOG_START, labels, log.logStartOffset());
        into.addLabelled(Metrics.LOG_END, labels, log.logEndOffset());
        into.addLabelled(Metrics.LOG_SEGMENTS, labels, partition.log().segmentCount());
        if (led == null) {
            return;
        }
        PartitionRegistration registration = led.registration();
        into.addLabelled(Metrics.CURRENT_OFFSET, labels, partition.highWatermark());
        into.addLabelled(Metrics.OLDEST_OFFSET, labels, log.logStartOffset());
        into.addLabelled(Metrics.PARTITION_ISR, labels, registration.isr().size());
        into.addLabelled(
                Metrics.PARTITION_REPLICAS, labels, registration.replicas().size());
        into.addLabelled(Metrics.PARTITION_LEADER, labels, registration.leader());
        into.addLabelled(
                Metrics.PARTITION_PREFERRED, labels, registration.leader() == registration.preferredReplica() ? 1 : 0);
        into.addLabelled(Metrics.PARTITION_UNDER_REPLICATED, labels, led.underReplicated() ? 1 : 0);
        into.addLabelled(Metrics.PARTITION_UNDER_MIN_ISR, labels, led.underMinIsr() ? 1 : 0);
        into.addLabelled(Metrics.PARTITION_AT_MIN_ISR, labels, led.atMinIsr() ? 1 : 0);
        if (index == 0) {
            var whole = image.topics().topic(topic);
            if (whole != null) {
                into.add(Metrics.TOPIC_PARTITIONS, whole.partitions().size(), topic);
            }
        }
    }

    private void directories(Samples into) {
        int offline = 0;
        for (LogDirState directory : broker.logs().directories()) {
            if (directory instanceof LogDirState.Offline) {
                offline++;
                continue;
            }
            Path path = directory.path();
            try {
                into.add(Metrics.DIRECTORY_USABLE, broker.logs().usableBytes(path), path.toString());
                into.add(Metrics.DIRECTORY_TOTAL, broker.logs().totalBytes(path), path.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        for (DirectorySpace space : broker.logs().spaces()) {
            String path = space.path().toString();
            DirectorySpace.State state = space.state();
            into.add(Metrics.DIRECTORY_SPACE, state.level().ordinal(), path);
            into.add(Metrics.DIRECTORY_RESERVE, state.reserveHeld() ? 1 : 0, path);
            into.add(Metrics.DIRECTORY_RAN_OUT, space.timesFull(), path);
        }
        into.add(Metrics.OFFLINE_DIRECTORIES, offline);
        into.add(
                Metrics.CORDONED_DIRECTORIES,
                broker.logs().directories().stream()
                        .filter(directory -> broker.logs().isCordoned(directory.path()))
                        .count());
        var moves = broker.moves();
        into.add(Metrics.MOVES, moves.underWay().size());
        into.add(
                Metrics.MOVES_LAG,
                moves.underWay().stream().mapToLong(FutureLog::offsetLag).sum());
        into.add(Metrics.MOVED_BYTES, moves.movedBytes());
        into.add(Metrics.MOVES_COMPLETED, moves.completed());
        into.add(Metrics.MOVES_FAILED, moves.failed());
    }
}
