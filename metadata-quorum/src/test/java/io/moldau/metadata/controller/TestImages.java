package io.moldau.metadata.controller;

import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.op.Bootstrap;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.VersionRange;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.EndpointRecord;
import io.moldau.metadata.record.FeatureLevelRecord;
import io.moldau.metadata.record.FeatureRange;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/// Images and requests that tests of controllers begin with.
public final class TestImages {

    public static final Uuid CLUSTER = new Uuid(1, 2);

    private TestImages() {}

    /// A new cluster.
    public static MetadataImage empty() {
        return apply(
                MetadataImage.EMPTY, Bootstrap.records(CLUSTER, ControllerSettings.DEFAULTS, new SplittableRandom(7)));
    }

    /// The same with eligible leader replicas (KIP-966) on.
    public static MetadataImage withEligibleLeaders(MetadataImage image) {
        return apply(
                image,
                List.of(MetadataRecords.of(FeatureLevelRecord.newBuilder()
                        .setName(FeaturesImage.ELIGIBLE_LEADER_REPLICAS)
                        .setLevel(1)
                        .build())));
    }

    /// A cluster with brokers 0 to count - 1, all unfenced, each with the epoch 100 + id.
    public static MetadataImage withBrokers(int count) {
        MetadataImage image = empty();
        for (int id = 0; id < count; id++) {
            image = apply(image, List.of(MetadataRecords.of(broker(id, false).toRecord())));
        }
        return image;
    }

    public static BrokerRegistration broker(int id, boolean fenced) {
        return new BrokerRegistration(
                id,
                100 + id,
                new Uuid(50, id),
                List.of(new Endpoint("PLAINTEXT", "PLAINTEXT", "host" + id, 9092)),
                null,
                fenced,
                false,
                List.of(new Uuid(60, id)),
                List.of(),
                Map.of(
                        FeaturesImage.METADATA_VERSION, new VersionRange((short) 1, (short) 33),
                        FeaturesImage.ELIGIBLE_LEADER_REPLICAS, new VersionRange((short) 0, (short) 1)));
    }

    public static MetadataImage apply(MetadataImage image, List<MetadataRecord> records) {
        var delta = new MetadataDelta(image);
        delta.replayAll(records);
        MetadataProvenance at = image.provenance();
        return delta.apply(new MetadataProvenance(at.offset() + 1, 1, 0));
    }

    public static PartitionRegistration partition(MetadataImage image, String topic, int partition) {
        TopicImage found = Objects.requireNonNull(image.topics().topic(topic), topic);
        return Objects.requireNonNull(found.partition(partition));
    }

    public static RegisterBrokerRequest registration(int id, Uuid incarnation) {
        return RegisterBrokerRequest.newBuilder()
                .setBrokerId(id)
                .setClusterId(MetadataRecords.id(CLUSTER))
                .setIncarnationId(MetadataRecords.id(incarnation))
                .addEndpoints(EndpointRecord.newBuilder()
                        .setListener("PLAINTEXT")
                        .setSecurityProtocol("PLAINTEXT")
                        .setHost("host" + id)
                        .setPort(9092))
                .addFeatures(FeatureRange.newBuilder()
                        .setName("metadata.version")
                        .setMinLevel(1)
                        .setMaxLevel(33))
                .addFeatures(FeatureRange.newBuilder()
                        .setName(FeaturesImage.ELIGIBLE_LEADER_REPLICAS)
                        .setMaxLevel(1))
                .addLogDirs(MetadataRecords.id(new Uuid(60, id)))
                .setPreviousBrokerEpoch(-1)
                .build();
    }
}
