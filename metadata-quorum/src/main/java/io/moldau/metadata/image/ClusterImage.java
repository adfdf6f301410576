package io.moldau.metadata.image;

import io.moldau.common.Invariant;
import io.moldau.common.Uuid;
import io.moldau.metadata.record.BrokerRegistrationChangeRecord;
import io.moldau.metadata.record.ClusterRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterBrokerRecord;
import io.moldau.metadata.record.RegisterControllerRecord;
import io.moldau.metadata.record.UnregisterBrokerRecord;
import io.moldau.metadata.record.UnregisterControllerRecord;
import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/// The nodes of the cluster.
///
/// @param clusterId what clients see; zero before the first record
/// @param incarnation drawn when the log was created
/// @param lastBrokerEpoch the highest broker epoch ever given out
public record ClusterImage(
        Uuid clusterId,
        Uuid incarnation,
        PSortedMap<Integer, BrokerRegistration> brokerMap,
        PSortedMap<Integer, ControllerRegistration> controllerMap,
        long lastBrokerEpoch) {

    public static final ClusterImage EMPTY =
            new ClusterImage(Uuid.ZERO, Uuid.ZERO, TreePMap.empty(), TreePMap.empty(), 0);

    public @Nullable BrokerRegistration broker(int id) {
        return brokerMap.get(id);
    }

    /// All registered brokers by id, fenced ones included.
    public Collection<BrokerRegistration> brokers() {
        return brokerMap.values();
    }

    public @Nullable ControllerRegistration controller(int id) {
        return controllerMap.get(id);
    }

    public Collection<ControllerRegistration> controllers() {
        return controllerMap.values();
    }

    /// Whether the broker is registered and not fenced.
    public boolean isUnfenced(int brokerId) {
        BrokerRegistration broker = broker(brokerId);
        return broker != null && !broker.fenced();
    }

    /// Whether the broker may lead partitions.
    public boolean isActive(int brokerId) {
        BrokerRegistration broker = broker(brokerId);
        return broker != null && broker.isActive();
    }

    /// Whether the broker's log directory works, as far as is known: it is registered, or nobody
    /// has said which it is.
    public boolean hasOnlineDirectory(int brokerId, Uuid directory) {
        BrokerRegistration broker = broker(brokerId);
        return directory.equals(Uuid.ZERO)
                || (broker != null && broker.logDirs().contains(directory));
    }

    ClusterImage with(ClusterRecord record) {
        return new ClusterImage(
                MetadataRecords.uuid(record.getClusterId()),
                MetadataRecords.uuid(record.getIncarnation()),
                brokerMap,
                controllerMap,
                lastBrokerEpoch);
    }

    ClusterImage with(RegisterControllerRecord record) {
        return new ClusterImage(
                clusterId,
                incarnation,
                brokerMap,
                controllerMap.plus(record.getControllerId(), ControllerRegistration.from(record)),
                lastBrokerEpoch);
    }

    ClusterImage with(UnregisterControllerRecord record) {
        return new ClusterImage(
                clusterId, incarnation, brokerMap, controllerMap.minus(record.getControllerId()), lastBrokerEpoch);
    }

    ClusterImage with(RegisterBrokerRecord record) {
        return withBrokers(
                brokerMap.plus(record.getBrokerId(), BrokerRegistration.from(record)), record.getBrokerEpoch());
    }

    ClusterImage with(UnregisterBrokerRecord record) {
        registered(record.getBrokerId(), record.getBrokerEpoch());
        return withBrokers(brokerMap.minus(record.getBrokerId()), lastBrokerEpoch);
    }

    ClusterImage with(BrokerRegistrationChangeRecord record) {
        BrokerRegistration broker = registered(record.getBrokerId(), record.getBrokerEpoch());
        return withBrokers(brokerMap.plus(record.getBrokerId(), broker.merge(record)), lastBrokerEpoch);
    }

    ClusterImage withLastBrokerEpoch(long epoch) {
        return withBrokers(brokerMap, epoch);
    }

    private ClusterImage withBrokers(PSortedMap<Integer, BrokerRegistration> brokers, long epoch) {
        return new ClusterImage(clusterId, incarnation, brokers, controllerMap, Math.max(lastBrokerEpoch, epoch));
    }

    private BrokerRegistration registered(int brokerId, long epoch) {
        BrokerRegistration broker = broker(brokerId);
        Invariant.check(
                broker != null && broker.epoch() == epoch,
                () -> "a record changes broker " + brokerId + " of epoch " + epoch + ", registered is " + broker);
        return Objects.requireNonNull(broker);
    }
}
