package io.moldau.metadata.image;

import io.moldau.common.InvariantViolation;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pcollections.PVector;
import org.pcollections.TreePVector;

/// The way from one image to a later one.
///
/// [#replay(MetadataRecord)] is the only function that gives records their meaning: the active controller, standby
/// controllers, brokers, recovery and snapshots all use it. Each record is in effect at once, so that an operation
/// can
/// look at [#current()] and see the records of those before it in the same batch.
///
/// Not thread-safe.
public final class MetadataDelta {

    private final MetadataImage base;
    private FeaturesImage features;
    private ClusterImage cluster;
    private TopicsDelta topics;
    private ConfigurationsImage configs;
    private final Set<ConfigResource> touchedConfigs = new LinkedHashSet<>();
    private ProducerIdsImage producerIds;
    private PVector<MetadataRecord> openTransaction;

    public MetadataDelta(MetadataImage base) {
        this.base = base;
        this.features = base.features();
        this.cluster = base.cluster();
        this.topics = new TopicsDelta(base.topics());
        this.configs = base.configs();
        this.producerIds = base.producerIds();
        this.openTransaction = base.openTransaction();
    }

    /// The difference between two images, for a node that jumps over a part of the log by a snapshot.
    public static MetadataDelta between(MetadataImage base, MetadataImage target) {
        var delta = new MetadataDelta(base);
        delta.features = target.features();
        delta.cluster = target.cluster();
        delta.topics = TopicsDelta.between(base.topics(), target.topics());
        delta.configs = target.configs();
        delta.touchedConfigs.addAll(base.configs().names());
        delta.touchedConfigs.addAll(target.configs().names());
        delta.producerIds = target.producerIds();
        delta.openTransaction = target.openTransaction();
        return delta;
    }

    public void replay(MetadataBatch batch) {
        replayAll(batch.getRecordsList());
    }

    public void replayAll(List<MetadataRecord> records) {
        for (MetadataRecord record : records) {
            replay(record);
        }
    }

    /// @throws InvariantViolation if the record cannot apply to this state, or was written by a release that this one
    ///     cannot read
    public void replay(MetadataRecord record) {
        if (record.getMinReaderVersion() > MetadataRecords.READER_VERSION) {
            throw new InvariantViolation("a metadata record needs a reader of version " + record.getMinReaderVersion()
                    + ", this release has version " + MetadataRecords.READER_VERSION
                    + ": the log was written by a newer release, run that one");
        }
        if (!openTransaction.isEmpty()) {
            replayInTransaction(record);
        } else {
            apply(record);
        }
    }

    private void replayInTransaction(MetadataRecord record) {
        switch (record.getRecordCase()) {
            case END_TRANSACTION -> {
                List<MetadataRecord> records = openTransaction.subList(1, openTransaction.size());
                openTransaction = TreePVector.empty();
                records.forEach(this::apply);
            }
            case ABORT_TRANSACTION -> openTransaction = TreePVector.empty();
            case BEGIN_TRANSACTION ->
                throw new InvariantViolation("a transaction of records begins inside another one");
            default -> openTransaction = openTransaction.plus(record);
        }
    }

    private void apply(MetadataRecord record) {
        switch (record.getRecordCase()) {
            case CLUSTER -> cluster = cluster.with(record.getCluster());
            case FEATURE_LEVEL -> features = features.with(record.getFeatureLevel());
            case REGISTER_CONTROLLER -> cluster = cluster.with(record.getRegisterController());
            case UNREGISTER_CONTROLLER -> cluster = cluster.with(record.getUnregisterController());
            case REGISTER_BROKER -> cluster = cluster.with(record.getRegisterBroker());
            case UNREGISTER_BROKER -> cluster = cluster.with(record.getUnregisterBroker());
            case BROKER_REGISTRATION_CHANGE -> cluster = cluster.with(record.getBrokerRegistrationChange());
            case TOPIC -> topics.replay(record.getTopic());
            case PARTITION -> topics.replay(record.getPartition());
            case PARTITION_CHANGE -> topics.replay(record.getPartitionChange());
            case REMOVE_TOPIC -> {
                var resource = ConfigResource.topic(topics.replay(record.getRemoveTopic()));
                configs = configs.without(resource);
                touchedConfigs.add(resource);
            }
            case CONFIG -> {
                configs = configs.with(record.getConfig());
                touchedConfigs.add(new ConfigResource(
                        ConfigResource.Type.forCode(record.getConfig().getResourceType()),
                        record.getConfig().getResourceName()));
            }
            case PRODUCER_IDS ->
                producerIds = new ProducerIdsImage(record.getProducerIds().getNextProducerId());
            case COUNTERS ->
                cluster = cluster.withLastBrokerEpoch(record.getCounters().getLastBrokerEpoch());
            case NO_OP -> {}
            case BEGIN_TRANSACTION -> openTransaction = openTransaction.plus(record);
            case END_TRANSACTION, ABORT_TRANSACTION ->
                throw new InvariantViolation("a transaction of records ends that never began");
            case RECORD_NOT_SET ->
                throw new InvariantViolation(
                        "a metadata record of a type this release does not know: the log was written by a newer release,"
                                + " run that one");
        }
    }

    public MetadataImage base() {
        return base;
    }

    /// The state so far, still with the base image's provenance.
    public MetadataImage current() {
        return image(base.provenance());
    }

    /// The image after everything replayed.
    public MetadataImage apply(MetadataProvenance provenance) {
        return image(provenance);
    }

    private MetadataImage image(MetadataProvenance provenance) {
        return new MetadataImage(provenance, features, cluster, topics.image(), configs, producerIds, openTransaction);
    }

    public boolean featuresChanged() {
        return !base.features().equals(features);
    }

    public ClusterDelta clusterDelta() {
        return new ClusterDelta(base.cluster(), cluster);
    }

    public TopicsDelta topicsDelta() {
        return topics;
    }

    public ConfigurationsDelta configsDelta() {
        return new ConfigurationsDelta(base.configs(), configs, touchedConfigs);
    }

    public @Nullable ProducerIdsImage changedProducerIds() {
        return base.producerIds().equals(producerIds) ? null : producerIds;
    }
}
