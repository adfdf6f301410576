package io.moldau.broker.replica.fetch;

import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import java.util.concurrent.CompletableFuture;

/// A connection to one broker, to fetch from the partitions it leads. Any thread; requests are answered in order.
public interface LeaderEndpoint extends AutoCloseable {

    /// The version of Fetch that is spoken: topics by id, and the follower's broker epoch.
    short FETCH_VERSION = 17;

    /// An answer; the record bytes in it are valid until it is closed.
    interface Answer extends AutoCloseable {

        FetchResponseData response();

        @Override
        void close();
    }

    /// Asks. The future completes on any thread, and fails with [io.moldau.common.ApiException] if there is
    /// no answer:
    /// nobody listens, the connection broke, or it took too long.
    CompletableFuture<Answer> fetch(FetchRequestData request, long timeoutMs);

    /// Closes the connection. What is under way fails.
    @Override
    void close();
}
