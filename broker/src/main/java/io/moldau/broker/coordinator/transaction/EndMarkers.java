package io.moldau.broker.coordinator.transaction;

import io.moldau.common.TopicPartition;
import java.util.Set;

/// A transaction whose end is decided and committed: what each of its partitions is to be told.
///
/// @param shard the partition of `__transaction_state` that decided it, in the leader epoch `coordinatorEpoch`
/// @param transactionVersion of the transaction (KIP-890)
record EndMarkers(
        int shard,
        int coordinatorEpoch,
        String transactionalId,
        long producerId,
        short producerEpoch,
        boolean committed,
        short transactionVersion,
        Set<TopicPartition> partitions) {}
