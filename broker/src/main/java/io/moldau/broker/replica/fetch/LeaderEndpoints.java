package io.moldau.broker.replica.fetch;

/// Makes connections to brokers.
@FunctionalInterface
public interface LeaderEndpoints {

    /// A connection of its own. Does not wait: it may be opened with the first fetch.
    LeaderEndpoint connect(int brokerId, String host, int port);
}
