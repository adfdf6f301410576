package io.moldau.ops.cli;

import io.moldau.ops.cli.QuorumReport.Address;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.common.Uuid;

/// A running cluster, as commands see it. Every method waits for the answer; one that fails throws [ToolException].
///
/// Owned by the command's thread.
interface Cluster extends AutoCloseable {

    String id();

    QuorumInfo quorum();

    /// Where the registered controllers listen, by node; empty if the nodes that were asked do not tell.
    Map<Integer, List<Address>> controllers();

    void addVoter(int nodeId, Uuid directoryId, List<Address> addresses);

    void removeVoter(int nodeId, Uuid directoryId);

    @Override
    void close();
}
