package io.moldau.sim;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.TopicsDelta;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a broker takes for the metadata is what the quorum had committed at that offset, and never goes back.
final class MetadataChecker {

    private final SimulatedCluster cluster;
    private final List<MetadataImage> images = new ArrayList<>();
    private final Map<Integer, MetadataImage> seen = new HashMap<>();
    private MetadataImage image = MetadataImage.EMPTY;

    MetadataChecker(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    /// The metadata as committed.
    MetadataImage image() {
        return image;
    }

    /// Of the registration that is committed, -1 if there is none.
    long brokerEpoch(int broker) {
        BrokerRegistration it = image.cluster().broker(broker);
        return it == null ? -1 : it.epoch();
    }

    void followQuorum() {
        var quorum = cluster.quorum();
        while (images.size() <= quorum.committedIndex()) {
            int index = images.size();
            MetadataBatch batch = quorum.committed(index);
            if (batch != null) {
                var delta = new MetadataDelta(image);
                delta.replay(batch);
                image = delta.apply(new MetadataProvenance(index, quorum.committedTerm(index), batch.getCreatedMs()));
                noteChanges(delta, image);
            }
            images.add(image);
        }
    }

    private void noteChanges(MetadataDelta delta, MetadataImage now) {
        for (int broker : delta.clusterDelta().changedBrokers()) {
            BrokerRegistration it = now.cluster().broker(broker);
            if (it != null) {
                cluster.log()
                        .note(
                                cluster.node(broker),
                                it.fenced() ? "fenced" : it.inControlledShutdown() ? "leaving" : "unfenced",
                                "epoch",
                                it.epoch(),
                                now.offset());
            }
        }
        TopicsDelta topics = delta.topicsDelta();
        topics.changedPartitions().forEach((topicId, partitions) -> {
            TopicImage topic = now.topics().topic(topicId);
            TopicImage old = topics.base().topic(topicId);
            if (topic == null) {
                throw new AssertionError("a topic that changed is not there: " + topicId);
            }
            for (int partition : partitions) {
                var id = new TopicIdPartition(topicId, new TopicPartition(topic.name(), partition));
                PartitionRegistration it = topic.partition(partition);
                if (it != null) {
                    cluster.log().note(null, "partition", id.topicPartition() + " " + it, now.offset());
                    cluster.checks().registered(id, it, old == null ? null : old.partition(partition));
                }
            }
        });
    }

    void crashed(SimulatedNode node) {
        seen.remove(node.id());
    }

    void look(SimulatedNode node, SimulatedNode.Broker broker) {
        MetadataImage now = broker.cache().image();
        MetadataImage before = seen.put(node.id(), now);
        if (now == before || now == MetadataImage.EMPTY) {
            return;
        }
        cluster.log().note(node, "metadata", "", now.offset());
        if (before != null && now.offset() < before.offset()) {
            cluster.fail(node + " goes back in metadata from " + before.offset() + " to " + now.offset(), null);
        }
        // Not where they end, too: a snapshot may end with an entry that holds no batch.
        if (now.offset() >= images.size()) {
            cluster.fail(node + " has metadata at " + now.offset() + " that is not committed", null);
        } else if (!now.sameContents(images.get((int) now.offset()))) {
            cluster.fail(node + " has other metadata at " + now.offset() + " than was committed", null);
        }
    }
}
