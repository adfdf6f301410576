package io.moldau.ops.metrics;

import io.moldau.broker.coordinator.transaction.TransactionCensus;
import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Tells how many transactional ids this node coordinates, and where their transactions are.
final class TransactionSource implements MetricSource {

    private final TransactionCoordinator coordinator;

    TransactionSource(TransactionCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void collect(Samples into) {
        var counted = new CompletableFuture<TransactionCensus>();
        coordinator.census(counted::complete);
        var census = counted.completeOnTimeout(new TransactionCensus(0, 0, 0), 2, TimeUnit.SECONDS)
                .join();
        into.add(Metrics.TRANSACTIONAL_IDS, census.ids());
        into.add(Metrics.TRANSACTIONS_OPEN, census.open());
        into.add(Metrics.TRANSACTIONS_ENDING, census.ending());
        into.add(Metrics.MARKERS_PENDING, coordinator.pendingMarkers());
    }
}
