package io.moldau.broker.coordinator.group.consumer;

import io.moldau.broker.coordinator.group.assignor.TopicLookup;
import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What consumer groups need to know of topics, out of one metadata image.
public final class SubscribedTopics implements TopicLookup {

    private final MetadataImage image;

    public SubscribedTopics(MetadataImage image) {
        this.image = image;
    }

    public @Nullable Uuid id(String name) {
        var topic = image.topics().topic(name);
        return topic == null ? null : topic.id();
    }

    public @Nullable String name(Uuid id) {
        var topic = image.topics().topic(id);
        return topic == null ? null : topic.name();
    }

    /// The ids of those that exist.
    public Set<Uuid> ids(Collection<String> names) {
        var ids = new LinkedHashSet<Uuid>();
        for (var name : names) {
            var id = id(name);
            if (id != null) {
                ids.add(id);
            }
        }
        return ids;
    }

    @Override
    public int partitionCount(Uuid topic) {
        var found = image.topics().topic(topic);
        return found == null ? 0 : found.partitions().size();
    }

    @Override
    public Set<String> racks(Uuid topic, int partition) {
        var found = image.topics().topic(topic);
        return found == null ? Set.of() : racks(found, partition);
    }

    private Set<String> racks(TopicImage topic, int partition) {
        var registration = topic.partition(partition);
        if (registration == null) {
            return Set.of();
        }
        var racks = new TreeSet<String>();
        for (int replica : registration.replicas()) {
            var broker = image.cluster().broker(replica);
            var rack = broker == null ? null : broker.rack();
            if (rack != null) {
                racks.add(rack);
            }
        }
        return racks;
    }

    /// A number that is another, as good as surely, once one of these topics comes, goes, gets more partitions or moves
    /// to other racks; 0 if none of them exists. Ours: a log that the reference wrote is assigned anew once.
    public long hash(Collection<String> names) {
        long hash = 0;
        for (var name : new TreeSet<>(names)) {
            var topic = image.topics().topic(name);
            if (topic == null) {
                continue;
            }
            hash = mix(hash, topic.id().mostSignificantBits());
            hash = mix(hash, topic.id().leastSignificantBits());
            hash = mix(hash, topic.partitions().size());
            for (int partition : topic.partitions().keySet()) {
                for (var rack : racks(topic, partition)) {
                    hash = mix(hash, partition);
                    for (int i = 0; i < rack.length(); i++) {
                        hash = mix(hash, rack.charAt(i));
                    }
                }
            }
        }
        return hash;
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
