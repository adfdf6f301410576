package io.moldau.ops.chaos.transaction;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/// What clients did and were told. Each adds to it from its thread.
final class TransactionHistory {

    private final Collection<Transaction> transactions = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Long> lastCommitBegan = new ConcurrentHashMap<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    void add(Transaction transaction) {
        transactions.add(transaction);
        if (transaction.outcome() == Transaction.Outcome.COMMITTED) {
            lastCommitBegan.put(transaction.id().producer(), transaction.beganNanos());
        }
    }

    /// A transaction was ended by an error.
    void failed(Exception why) {
        failures.merge(why.getClass().getSimpleName(), 1, Integer::sum);
    }

    boolean freshSince(int producer, long nanos) {
        return lastCommitBegan.getOrDefault(producer, Long.MIN_VALUE) > nanos;
    }

    List<Transaction> transactions() {
        return List.copyOf(transactions);
    }

    long count(Transaction.Outcome outcome) {
        return transactions.stream().filter(it -> it.outcome() == outcome).count();
    }

    Map<String, Integer> failures() {
        return new TreeMap<>(failures);
    }
}
