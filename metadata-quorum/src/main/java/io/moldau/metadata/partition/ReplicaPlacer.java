package io.moldau.metadata.partition;

import io.moldau.common.ApiException;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Decides which brokers get the replicas of new partitions.
public interface ReplicaPlacer {

    /// A broker that may be given replicas. A fenced one only when there are not enough others.
    record UsableBroker(int id, @Nullable String rack, boolean fenced) {}

    /// @return for each partition its replicas in order of preference; the first is never a fenced broker
    /// @throws ApiException with INVALID_REPLICATION_FACTOR if there are not enough brokers
    List<List<Integer>> place(
            int partitions, int replicationFactor, List<UsableBroker> brokers, RandomGenerator random);
}
