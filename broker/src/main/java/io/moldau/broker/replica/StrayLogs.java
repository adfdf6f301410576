package io.moldau.broker.replica;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.PartitionLog;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.storage.StorageException;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.TopicsImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds the logs of topics that were deleted, or of replicas that were moved away, while this node was down.
///
/// Looks once, at the first metadata that is younger than this process's registration: what is not
/// in it will never be again, since a topic's id is its own. A log that is still being checked
/// after a crash is looked at when that is over. Such logs are deleted. Only where the metadata
/// knows no topic at all, as after the loss of a quorum's data, they are set aside under a name
/// that ends in `-stray`, for a person to look at. Runs on the metadata loader's thread, before the
/// partitions are told what they are.
public final class StrayLogs implements MetadataPublisher {

    private static final Logger LOG = LoggerFactory.getLogger(StrayLogs.class);

    private final int localId;
    private final LogDirs logs;
    private boolean looked;
    private boolean keep;
    private Set<TopicPartition> unlooked = Set.of();

    public StrayLogs(int localId, LogDirs logs) {
        this.localId = localId;
        this.logs = logs;
    }

    @Override
    public String name() {
        return "stray logs";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        if (looked && unlooked.isEmpty()) {
            return;
        }
        var pending = logs.recovery().pending();
        List<PartitionLog> strays;
        if (looked) {
            strays = strays(newImage.topics(), it -> unlooked.contains(it) && !pending.contains(it));
            unlooked = pending;
        } else {
            keep = newImage.topics().topics().isEmpty();
            strays = strays(newImage.topics(), it -> !pending.contains(it));
            unlooked = pending;
        }
        looked = true;
        for (PartitionLog log : strays) {
            LOG.warn(
                    "{} a stray log partition={} topicId={} directory={}",
                    keep ? "Setting aside" : "Deleting",
                    log.topicPartition(),
                    log.topicId(),
                    log.logDir());
            try {
                if (keep) {
                    logs.setAside(log.topicPartition());
                } else {
                    logs.delete(log.topicPartition());
                }
            } catch (StorageException e) {
                LOG.error("A stray log stays partition={}", log.topicPartition(), e);
            }
        }
    }

    private List<PartitionLog> strays(TopicsImage topics, Predicate<TopicPartition> among) {
        var strays = new ArrayList<PartitionLog>();
        for (PartitionLog log : logs.logs()) {
            if (among.test(log.topicPartition()) && isStray(log, topics)) {
                strays.add(log);
            }
        }
        return strays;
    }

    private boolean isStray(PartitionLog log, TopicsImage topics) {
        // A log without an id never got a record under one: it belongs to whatever has its name now.
        TopicImage topic = log.topicId().equals(Uuid.ZERO)
                ? topics.topic(log.topicPartition().topic())
                : topics.topic(log.topicId());
        PartitionRegistration partition =
                topic == null ? null : topic.partition(log.topicPartition().partition());
        return partition == null || !partition.replicas().contains(localId);
    }
}
