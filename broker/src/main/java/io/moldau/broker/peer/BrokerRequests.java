package io.moldau.broker.peer;

import io.moldau.wire.protocol.Message;
import java.util.concurrent.CompletableFuture;

/// Requests of the Kafka protocol from this broker to the brokers of the cluster, by their ids; those to itself never
/// leave the process.
///
/// Callable from any thread. Futures complete on any thread: do not block there. They fail with
/// [io.moldau.common.ApiException]: `BROKER_NOT_AVAILABLE` where the metadata has no such broker or it is fenced, and
/// what [PeerClient#send] fails with.
public interface BrokerRequests {

    /// Sends a request in a version that every node of this release serves.
    ///
    /// @param response what the answer is; it must hold no record bytes
    <R extends Message> CompletableFuture<R> send(
            int brokerId, short apiVersion, Message request, Class<R> response, long timeoutMs);
}
