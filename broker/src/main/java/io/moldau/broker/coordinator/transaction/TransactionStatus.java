package io.moldau.broker.coordinator.transaction;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where a transactional id is in the life of its transactions, under Kafka's names and the numbers its records have.
public enum TransactionStatus {
    /// Nothing has been written since the producer was told its id and epoch.
    EMPTY(0, "Empty"),
    ONGOING(1, "Ongoing"),
    /// It is decided that the transaction is committed; not every partition knows yet.
    PREPARE_COMMIT(2, "PrepareCommit"),
    PREPARE_ABORT(3, "PrepareAbort"),
    COMPLETE_COMMIT(4, "CompleteCommit"),
    COMPLETE_ABORT(5, "CompleteAbort"),
    /// Kafka's for an id that is being forgotten, never written.
    DEAD(6, "Dead"),
    /// Kafka's for a producer that is being fenced, never written.
    PREPARE_EPOCH_FENCE(7, "PrepareEpochFence");

    private static final TransactionStatus[] BY_ID = values();
    private static final Map<String, TransactionStatus> BY_NAME = new HashMap<>();

    static {
        for (var status : BY_ID) {
            BY_NAME.put(status.text, status);
        }
    }

    private final byte id;
    private final String text;

    TransactionStatus(int id, String text) {
        this.id = (byte) id;
        this.text = text;
    }

    byte id() {
        return id;
    }

    static @Nullable TransactionStatus forId(byte id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }

    static @Nullable TransactionStatus forName(String name) {
        return BY_NAME.get(name);
    }

    boolean isPrepared() {
        return this == PREPARE_COMMIT || this == PREPARE_ABORT;
    }

    /// Whether nothing is open: the next transaction may begin, or the id be forgotten.
    boolean isIdle() {
        return this == EMPTY || this == COMPLETE_COMMIT || this == COMPLETE_ABORT;
    }

    /// Kafka's name.
    @Override
    public String toString() {
        return text;
    }
}
