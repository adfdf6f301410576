package io.moldau.ops.cli;

import io.moldau.ops.cli.QuorumReport.Address;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.Uuid;

/// A running cluster, as commands see it. Every method waits for the answer; one that fails throws
/// [ToolException].
///
/// Owned by the command's thread.
interface Cluster extends AutoCloseable {

    String id();

    Quorum quorum();

    /// What the leader of the quorum tells.
    ///
    /// @param leaderId -1 if there is none
    /// @param addresses where members listen, as far as it is told, by node
    record Quorum(
            int leaderId,
            long epoch,
            long highWatermark,
            List<Replica> voters,
            List<Replica> observers,
            Map<Integer, List<Address>> addresses) {}

    /// @param directoryId zero if it has none
    /// @param logEndOffset the first offset it does not have; -1 if unknown
    /// @param lastFetchMs by the leader's wall clock
    record Replica(
            int id, Uuid directoryId, long logEndOffset, OptionalLong lastFetchMs, OptionalLong lastCaughtUpMs) {}

    /// Where the registered controllers listen, by node; empty if the nodes that were asked do not
    /// tell.
    Map<Integer, List<Address>> controllers();

    void addVoter(int nodeId, Uuid directoryId, List<Address> addresses);

    void removeVoter(int nodeId, Uuid directoryId);

    @Override
    void close();
}
