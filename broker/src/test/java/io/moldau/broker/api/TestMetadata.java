package io.moldau.broker.api;

import io.moldau.broker.metadata.MetadataCache;
import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.record.ClusterRecord;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.FeatureLevelRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionRecord;
import io.moldau.metadata.record.RegisterBrokerRecord;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.metadata.record.TopicRecord;
import java.util.ArrayList;
import java.util.List;

/// Metadata as a broker would have it, written record by record.
public final class TestMetadata {

    public static final Uuid CLUSTER = new Uuid(7, 7);

    private final List<MetadataRecord> pending = new ArrayList<>();
    private final HashedWheelTimer timer = new HashedWheelTimer(0, () -> {});
    private final MetadataCache cache = new MetadataCache(timer);
    private final List<MetadataPublisher> publishers = new ArrayList<>();
    private long offset;

    public TestMetadata() {
        pending.add(MetadataRecords.of(ClusterRecord.newBuilder()
                .setClusterId(MetadataRecords.id(CLUSTER))
                .setIncarnation(MetadataRecords.id(new Uuid(1, 1)))
                .build()));
        pending.add(MetadataRecords.of(FeatureLevelRecord.newBuilder()
                .setName("metadata.version")
                .setLevel(33)
                .build()));
    }

    /// Tells the publisher, too, of what is published from here on.
    public TestMetadata tell(MetadataPublisher publisher) {
        publishers.add(publisher);
        return this;
    }

    /// One broker, id 1, on the listener PLAINTEXT.
    public static TestMetadata oneBroker() {
        return new TestMetadata().broker(1, false, "PLAINTEXT").publish();
    }

    public MetadataCache cache() {
        return cache;
    }

    public HashedWheelTimer timer() {
        return timer;
    }

    public TestMetadata broker(int id, boolean fenced, String... listeners) {
        return broker(id, fenced, id, listeners);
    }

    public TestMetadata broker(int id, boolean fenced, long epoch, String... listeners) {
        RegisterBrokerRecord.Builder record = RegisterBrokerRecord.newBuilder()
                .setBrokerId(id)
                .setBrokerEpoch(epoch)
                .setFenced(fenced)
                .setIncarnationId(MetadataRecords.id(new Uuid(3, id)));
        for (String listener : listeners) {
            record.addEndpoints(MetadataRecords.endpoint(new Endpoint(listener, "PLAINTEXT", "host" + id, 9000 + id)));
        }
        pending.add(MetadataRecords.of(record.build()));
        return this;
    }

    public static Uuid id(String topic) {
        return new Uuid(9, topic.hashCode());
    }

    public TestMetadata topic(String name, int partitions) {
        topic(name);
        for (int i = 0; i < partitions; i++) {
            partition(name, i, 1, List.of(1), List.of(1));
        }
        return this;
    }

    public TestMetadata topic(String name) {
        pending.add(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(name)
                .setTopicId(MetadataRecords.id(id(name)))
                .build()));
        return this;
    }

    public TestMetadata partition(String topic, int id, int leader, List<Integer> replicas, List<Integer> isr) {
        pending.add(MetadataRecords.of(PartitionRecord.newBuilder()
                .setTopicId(MetadataRecords.id(id(topic)))
                .setPartitionId(id)
                .setLeader(leader)
                .setLeaderEpoch(4)
                .addAllReplicas(replicas)
                .addAllIsr(isr)
                .build()));
        return this;
    }

    public TestMetadata removeTopic(String name) {
        pending.add(MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(id(name)))
                .build()));
        return this;
    }

    public TestMetadata config(ConfigResource resource, String key, String value) {
        pending.add(MetadataRecords.of(ConfigRecord.newBuilder()
                .setResourceType(resource.type().code())
                .setResourceName(resource.name())
                .setName(key)
                .setValue(value)
                .build()));
        return this;
    }

    /// Makes what was written so far the newest image.
    public TestMetadata publish() {
        MetadataImage before = cache.image();
        MetadataDelta delta = new MetadataDelta(before);
        delta.replayAll(pending);
        pending.clear();
        offset++;
        MetadataProvenance provenance = new MetadataProvenance(offset, 1, 0);
        MetadataImage image = delta.apply(provenance);
        LoaderManifest manifest = new LoaderManifest.LogDelta(provenance, 1, 0);
        cache.onMetadataUpdate(delta, image, manifest);
        publishers.forEach(publisher -> publisher.onMetadataUpdate(delta, image, manifest));
        cache.notifier().onMetadataUpdate(delta, image, manifest);
        return this;
    }
}
