package io.moldau.metadata.record;

import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import java.util.ArrayList;
import java.util.List;

/// Conversions between records and values, and shorthand for wrapping a record.
public final class MetadataRecords {

    /// The record layout this release reads and writes; see `min_reader_version`.
    public static final int READER_VERSION = 0;

    private MetadataRecords() {}

    public static Id id(Uuid uuid) {
        return Id.newBuilder()
                .setHigh(uuid.mostSignificantBits())
                .setLow(uuid.leastSignificantBits())
                .build();
    }

    public static Uuid uuid(Id id) {
        return id.getHigh() == 0 && id.getLow() == 0 ? Uuid.ZERO : new Uuid(id.getHigh(), id.getLow());
    }

    public static List<Id> ids(List<Uuid> uuids) {
        var ids = new ArrayList<Id>(uuids.size());
        for (Uuid uuid : uuids) {
            ids.add(id(uuid));
        }
        return ids;
    }

    public static List<Uuid> uuids(List<Id> ids) {
        var uuids = new Uuid[ids.size()];
        for (int i = 0; i < uuids.length; i++) {
            uuids[i] = uuid(ids.get(i));
        }
        return List.of(uuids);
    }

    public static EndpointRecord endpoint(Endpoint endpoint) {
        return EndpointRecord.newBuilder()
                .setListener(endpoint.listenerName())
                .setSecurityProtocol(endpoint.securityProtocol())
                .setHost(endpoint.host())
                .setPort(endpoint.port())
                .build();
    }

    public static Endpoint endpoint(EndpointRecord record) {
        return new Endpoint(record.getListener(), record.getSecurityProtocol(), record.getHost(), record.getPort());
    }

    public static List<Endpoint> endpoints(List<EndpointRecord> records) {
        return records.stream().map(MetadataRecords::endpoint).toList();
    }

    public static MetadataRecord of(ClusterRecord record) {
        return MetadataRecord.newBuilder().setCluster(record).build();
    }

    public static MetadataRecord of(FeatureLevelRecord record) {
        return MetadataRecord.newBuilder().setFeatureLevel(record).build();
    }

    public static MetadataRecord of(RegisterControllerRecord record) {
        return MetadataRecord.newBuilder().setRegisterController(record).build();
    }

    public static MetadataRecord of(UnregisterControllerRecord record) {
        return MetadataRecord.newBuilder().setUnregisterController(record).build();
    }

    public static MetadataRecord of(RegisterBrokerRecord record) {
        return MetadataRecord.newBuilder().setRegisterBroker(record).build();
    }

    public static MetadataRecord of(UnregisterBrokerRecord record) {
        return MetadataRecord.newBuilder().setUnregisterBroker(record).build();
    }

    public static MetadataRecord of(BrokerRegistrationChangeRecord record) {
        return MetadataRecord.newBuilder().setBrokerRegistrationChange(record).build();
    }

    public static MetadataRecord of(TopicRecord record) {
        return MetadataRecord.newBuilder().setTopic(record).build();
    }

    public static MetadataRecord of(PartitionRecord record) {
        return MetadataRecord.newBuilder().setPartition(record).build();
    }

    public static MetadataRecord of(PartitionChangeRecord record) {
        return MetadataRecord.newBuilder().setPartitionChange(record).build();
    }

    public static MetadataRecord of(RemoveTopicRecord record) {
        return MetadataRecord.newBuilder().setRemoveTopic(record).build();
    }

    public static MetadataRecord of(ConfigRecord record) {
        return MetadataRecord.newBuilder().setConfig(record).build();
    }

    public static MetadataRecord of(ProducerIdsRecord record) {
        return MetadataRecord.newBuilder().setProducerIds(record).build();
    }

    public static MetadataRecord of(CountersRecord record) {
        return MetadataRecord.newBuilder().setCounters(record).build();
    }

    public static MetadataRecord noOp() {
        return MetadataRecord.newBuilder()
                .setNoOp(NoOpRecord.getDefaultInstance())
                .build();
    }

    public static MetadataRecord beginTransaction(String name) {
        return MetadataRecord.newBuilder()
                .setBeginTransaction(BeginTransactionRecord.newBuilder().setName(name))
                .build();
    }

    public static MetadataRecord endTransaction() {
        return MetadataRecord.newBuilder()
                .setEndTransaction(EndTransactionRecord.getDefaultInstance())
                .build();
    }

    public static MetadataRecord abortTransaction(String reason) {
        return MetadataRecord.newBuilder()
                .setAbortTransaction(AbortTransactionRecord.newBuilder().setReason(reason))
                .build();
    }
}
