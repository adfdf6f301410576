package io.moldau.broker.coordinator.transaction;

import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogKey;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogValue;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogValue.PartitionsSchema;
import io.moldau.common.TopicPartition;
import io.moldau.wire.protocol.MalformedMessageException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/// Between the state of transactional ids and the records of `__transaction_state`, as Kafka 4.4 writes them.
final class TransactionRecords {

    static final short TRANSACTION_LOG = 0;

    private static final short FLEXIBLE_VERSION = 1;

    private TransactionRecords() {}

    /// @param transactionVersion of the cluster: at level 0 records are readable by brokers of any release, unless a
    ///     client goes by version 2 all the same
    static CoordinatorRecord state(String transactionalId, TransactionState state, int transactionVersion) {
        var value = new TransactionLogValue()
                .setProducerId(state.producerId())
                .setProducerEpoch(state.producerEpoch())
                .setTransactionTimeoutMs(state.timeoutMs())
                .setTransactionStatus(state.status().id())
                .setTransactionPartitions(
                        state.status() == TransactionStatus.EMPTY ? null : byTopic(state.partitions()))
                .setTransactionLastUpdateTimestampMs(state.updateMs())
                .setTransactionStartTimestampMs(state.startMs());
        int version = transactionVersion > 0 || state.bumpsEpochs() ? FLEXIBLE_VERSION : 0;
        if (version == FLEXIBLE_VERSION) {
            value.setPreviousProducerId(state.previousProducerId())
                    .setNextProducerId(state.nextProducerId())
                    .setClientTransactionVersion(state.clientVersion());
        }
        return CoordinatorRecord.of(TRANSACTION_LOG, key(transactionalId), value, version);
    }

    static CoordinatorRecord tombstone(String transactionalId) {
        return CoordinatorRecord.tombstone(TRANSACTION_LOG, key(transactionalId));
    }

    private static TransactionLogKey key(String transactionalId) {
        return new TransactionLogKey().setTransactionalId(transactionalId);
    }

    private static List<PartitionsSchema> byTopic(Set<TopicPartition> partitions) {
        var topics = new TreeMap<String, List<Integer>>();
        partitions.stream()
                .sorted()
                .forEach(partition -> topics.computeIfAbsent(partition.topic(), topic -> new ArrayList<>())
                        .add(partition.partition()));
        var schemas = new ArrayList<PartitionsSchema>(topics.size());
        topics.forEach((topic, ids) ->
                schemas.add(new PartitionsSchema().setTopic(topic).setPartitionIds(ids)));
        return schemas;
    }

    static TransactionState state(TransactionLogValue value) {
        var status = TransactionStatus.forId(value.transactionStatus());
        if (status == null) {
            throw new MalformedMessageException("a transaction has the status " + value.transactionStatus());
        }
        var partitions = new HashSet<TopicPartition>();
        var schemas = value.transactionPartitions();
        if (status != TransactionStatus.EMPTY && schemas != null) {
            for (var schema : schemas) {
                schema.partitionIds().forEach(id -> partitions.add(new TopicPartition(schema.topic(), id)));
            }
        }
        return new TransactionState(
                value.producerId(),
                value.previousProducerId(),
                value.nextProducerId(),
                value.producerEpoch(),
                value.transactionTimeoutMs(),
                status,
                partitions,
                value.transactionStartTimestampMs(),
                value.transactionLastUpdateTimestampMs(),
                value.clientTransactionVersion());
    }
}
