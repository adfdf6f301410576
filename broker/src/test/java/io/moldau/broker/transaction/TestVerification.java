package io.moldau.broker.transaction;

import io.moldau.broker.peer.BrokerRequests;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.testing.MockTime;
import io.moldau.wire.protocol.Message;
import java.util.concurrent.CompletableFuture;

/// For nodes of tests without transactions.
public final class TestVerification {

    private TestVerification() {}

    /// Finds no transaction coordinator.
    public static TransactionVerification withoutCoordinator(PartitionRegistry partitions) {
        BrokerRequests nobody = new BrokerRequests() {
            @Override
            public <R extends Message> CompletableFuture<R> send(
                    int brokerId, short apiVersion, Message request, Class<R> response, long timeoutMs) {
                throw new AssertionError("nobody is there to be asked");
            }
        };
        var time = new MockTime();
        return new TransactionVerification(
                new CoordinatorQuestions(
                        nobody,
                        transactionalId -> -1,
                        time,
                        new HashedWheelTimer(time.nanoseconds(), () -> {}),
                        Runnable::run,
                        new CoordinatorQuestions.Patience(20, 100, 30_000)),
                partitions,
                () -> true);
    }
}
