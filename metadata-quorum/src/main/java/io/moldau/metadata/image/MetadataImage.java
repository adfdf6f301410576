package io.moldau.metadata.image;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.metadata.record.MetadataRecord;
import java.util.Collection;
import org.pcollections.PVector;
import org.pcollections.TreePVector;

/// Everything the metadata log says, up to one entry. Immutable: hold it as long as you like, from any thread.
///
/// @param openTransaction the records of a transaction of records (KIP-868) that has not ended; not yet in effect
public record MetadataImage(
        MetadataProvenance provenance,
        FeaturesImage features,
        ClusterImage cluster,
        TopicsImage topics,
        ConfigurationsImage configs,
        ProducerIdsImage producerIds,
        PVector<MetadataRecord> openTransaction) {

    public static final MetadataImage EMPTY = new MetadataImage(
            MetadataProvenance.EMPTY,
            FeaturesImage.EMPTY,
            ClusterImage.EMPTY,
            TopicsImage.EMPTY,
            ConfigurationsImage.EMPTY,
            ProducerIdsImage.EMPTY,
            TreePVector.empty());

    public long offset() {
        return provenance.offset();
    }

    /// Whether the log holds no record yet, that is, the cluster is new.
    public boolean isEmpty() {
        return cluster.clusterId().equals(Uuid.ZERO);
    }

    public MetadataImage withProvenance(MetadataProvenance newProvenance) {
        return new MetadataImage(newProvenance, features, cluster, topics, configs, producerIds, openTransaction);
    }

    /// The same without these partitions, which exist. Their topics stay.
    public MetadataImage withoutPartitions(Collection<TopicPartition> partitions) {
        var fewer = topics;
        for (var partition : partitions) {
            fewer = fewer.without(partition);
        }
        return new MetadataImage(provenance, features, cluster, fewer, configs, producerIds, openTransaction);
    }

    /// Whether the other image holds the same metadata, wherever it stands in the log.
    public boolean sameContents(MetadataImage other) {
        return withProvenance(MetadataProvenance.EMPTY).equals(other.withProvenance(MetadataProvenance.EMPTY));
    }
}
