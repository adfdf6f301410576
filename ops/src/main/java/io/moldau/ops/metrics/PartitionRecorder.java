package io.moldau.ops.metrics;

import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.concurrent.atomic.LongAdder;

/// Counts what metadata says happened to partitions: replicas that left or joined the ISR where this node leads, and
/// changes of leadership where it has a replica. What a node finds when it starts is no change.
final class PartitionRecorder implements MetadataPublisher, MetricSource {

    private final int nodeId;
    private final LongAdder shrinks = new LongAdder();
    private final LongAdder expands = new LongAdder();
    private final LongAdder leaderChanges = new LongAdder();
    private final LongAdder unclean = new LongAdder();

    PartitionRecorder(int nodeId) {
        this.nodeId = nodeId;
    }

    @Override
    public String name() {
        return "partition metrics";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        if (delta.base().isEmpty()) {
            return;
        }
        delta.topicsDelta().changedPartitions().forEach((topicId, partitions) -> {
            TopicImage before = delta.base().topics().topic(topicId);
            TopicImage after = newImage.topics().topic(topicId);
            if (before == null || after == null) {
                return;
            }
            for (int partition : partitions) {
                PartitionRegistration old = before.partition(partition);
                PartitionRegistration now = after.partition(partition);
                if (old != null && now != null) {
                    changed(old, now);
                }
            }
        });
    }

    private void changed(PartitionRegistration old, PartitionRegistration now) {
        if (now.leader() == nodeId) {
            if (!now.isr().containsAll(old.isr())) {
                shrinks.increment();
            }
            if (!old.isr().containsAll(now.isr())) {
                expands.increment();
            }
        }
        if (now.leader() == nodeId
                && now.leaderRecoveryState() == LeaderRecoveryState.RECOVERING
                && (old.leader() != nodeId || old.leaderRecoveryState() != LeaderRecoveryState.RECOVERING)) {
            unclean.increment();
        }
        if (old.leader() != now.leader()
                && (old.replicas().contains(nodeId) || now.replicas().contains(nodeId))) {
            leaderChanges.increment();
        }
    }

    @Override
    public void collect(Samples into) {
        into.add(Metrics.ISR_SHRINKS, shrinks);
        into.add(Metrics.ISR_EXPANDS, expands);
        into.add(Metrics.LEADER_CHANGES, leaderChanges);
        into.add(Metrics.UNCLEAN_ELECTIONS, unclean);
    }
}
