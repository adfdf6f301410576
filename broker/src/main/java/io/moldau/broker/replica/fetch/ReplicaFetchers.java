package io.moldau.broker.replica.fetch;

import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.common.Endpoint;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.LocalReplicaChanges;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Has every replica of this node that is not a leader follow its leader: one [ReplicaFetcher] for each
/// leading broker,
/// or as many as `num.replica.fetchers` says.
///
/// Runs on the metadata loader's thread, after the partitions themselves have been told what they are.
public final class ReplicaFetchers implements MetadataPublisher, AutoCloseable {

    private record Source(int leaderId, int number) {}

    private record Replica(Uuid topicId, int partition) {}

    private final PartitionRegistry partitions;
    private final ReplicaFetcher.Services services;
    private final Map<Source, ReplicaFetcher> fetchers = new HashMap<>();
    private final Map<Replica, Source> sources = new HashMap<>();
    private final Map<Source, Integer> load = new HashMap<>();
    private int fetchersPerLeader;
    private boolean closed;

    /// @param brokerEpoch of this node's registration, -1 if it has none
    /// @param hungUp is told of leaders that end the connection, and of their answers
    /// @param background threads that may wait for the disk
    public ReplicaFetchers(
            PartitionRegistry partitions,
            LongSupplier brokerEpoch,
            LeaderEndpoints endpoints,
            HungUpBrokers hungUp,
            FetcherSettings settings,
            Time time,
            Timer timer,
            Executor background,
            FaultHandler faults) {
        this.partitions = partitions;
        this.fetchersPerLeader = settings.fetchersPerLeader();
        this.services = new ReplicaFetcher.Services(
                partitions.localId(), brokerEpoch, endpoints, hungUp, settings, time, timer, background, faults);
    }

    @Override
    public String name() {
        return "replica fetchers";
    }

    @Override
    public synchronized void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        if (closed) {
            return;
        }
        for (int broker : delta.clusterDelta().changedBrokers()) {
            fetchers.forEach((source, fetcher) -> {
                if (source.leaderId() == broker) {
                    fetcher.reachAt(addressOf(broker, newImage));
                }
            });
        }
        LocalReplicaChanges changes = delta.topicsDelta().localChanges(partitions.localId());
        changes.deleted().forEach(this::leave);
        changes.leaders().keySet().forEach(this::leave);
        changes.followers().forEach((id, registration) -> follow(id, registration, newImage));
        retireIdle();
    }

    /// `num.replica.fetchers` is another now: replicas change their fetcher where they have to, and
    /// go on where they are.
    public synchronized void fetchersPerLeader(int count, MetadataImage image) {
        if (closed || count == fetchersPerLeader) {
            return;
        }
        fetchersPerLeader = count;
        for (Replica replica : List.copyOf(sources.keySet())) {
            TopicImage topic = image.topics().topic(replica.topicId());
            PartitionRegistration registration = topic == null ? null : topic.partition(replica.partition());
            if (topic != null && registration != null) {
                follow(
                        new TopicIdPartition(topic.id(), new TopicPartition(topic.name(), replica.partition())),
                        registration,
                        image);
            }
        }
        retireIdle();
    }

    private void follow(TopicIdPartition id, PartitionRegistration registration, MetadataImage image) {
        Partition partition = hosted(id);
        if (!registration.hasLeader() || partition == null) {
            leave(id);
            return;
        }
        var replica = new Replica(id.topicId(), id.partition());
        var source = new Source(registration.leader(), Math.floorMod(replica.hashCode(), fetchersPerLeader));
        if (!source.equals(sources.get(replica))) {
            leave(id);
            sources.put(replica, source);
            load.merge(source, 1, Integer::sum);
        }
        ReplicaFetcher fetcher = fetchers.get(source);
        if (fetcher == null) {
            fetcher = new ReplicaFetcher(source.leaderId(), services);
            fetchers.put(source, fetcher);
            fetcher.reachAt(addressOf(source.leaderId(), image));
        }
        fetcher.follow(partition, registration.leaderEpoch());
    }

    private @Nullable Partition hosted(TopicIdPartition id) {
        return partitions.get(id.topicPartition()) instanceof HostedPartition.Online(Partition partition)
                        && partition.topicId().equals(id.topicId())
                ? partition
                : null;
    }

    private void leave(TopicIdPartition id) {
        var replica = new Replica(id.topicId(), id.partition());
        Source source = sources.remove(replica);
        if (source != null) {
            load.merge(source, -1, Integer::sum);
            ReplicaFetcher fetcher = fetchers.get(source);
            if (fetcher != null) {
                fetcher.leave(id.topicId(), id.partition());
            }
        }
    }

    /// A fetcher without partitions gives its connection back.
    private void retireIdle() {
        load.entrySet().removeIf(of -> {
            if (of.getValue() > 0) {
                return false;
            }
            ReplicaFetcher idle = fetchers.remove(of.getKey());
            if (idle != null) {
                idle.close();
            }
            return true;
        });
    }

    private @Nullable Endpoint addressOf(int broker, MetadataImage image) {
        BrokerRegistration registration = image.cluster().broker(broker);
        return registration == null
                ? null
                : registration.listener(services.settings().listenerName());
    }

    /// How many brokers are followed, by how many fetchers.
    public synchronized int size() {
        return fetchers.size();
    }

    @Override
    public synchronized void close() {
        closed = true;
        fetchers.values().forEach(ReplicaFetcher::close);
        fetchers.clear();
        sources.clear();
        load.clear();
    }
}
