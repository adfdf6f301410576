package io.moldau.broker.coordinator.transaction;

import io.moldau.broker.coordinator.runtime.TimerEvent;

/// What the transactions of a shard ask to be told later.
sealed interface TransactionTimer extends TimerEvent {

    /// The time of a transaction's first partition is its time-out ago.
    record Timeout(String transactionalId, long producerId, short producerEpoch, long startMs)
            implements TransactionTimer {
        @Override
        public Object key() {
            return new TimeoutOf(transactionalId);
        }
    }

    /// An id has one time-out at a time.
    record TimeoutOf(String transactionalId) {}

    /// All markers were written, and noting that has failed.
    record Completion(EndMarkers markers) implements TransactionTimer {
        @Override
        public Object key() {
            return this;
        }
    }

    /// Time to look for ids nobody uses.
    record Expiration() implements TransactionTimer {
        @Override
        public Object key() {
            return this;
        }
    }
}
