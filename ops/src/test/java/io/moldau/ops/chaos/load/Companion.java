package io.moldau.ops.chaos.load;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/// Clients that work on the cluster of a chaos run beside its own.
public interface Companion extends AutoCloseable {

    /// Whose replicas must be in sync before the next fault.
    List<String> topics();

    /// Until every client has been served for something it began after the moment, of `System.nanoTime`.
    void awaitFresh(long sinceNanos);

    /// Ends the clients, when the run's own have ended and all nodes are up, and judges what they did.
    ///
    /// @return the end of each partition whose replicas are to be compared
    /// @throws AssertionError if it was wrong
    Map<TopicPartition, Long> finish() throws Exception;

    @Override
    void close();
}
