package io.moldau.ops.cli;

import io.moldau.ops.cli.QuorumReport.Address;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnsupportedEndpointTypeException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/// A cluster behind Kafka's Admin client.
final class AdminCluster implements Cluster {

    /// The client's own time-out comes first: it says more.
    private static final long GRACE_MS = 5000;

    private final Admin admin;
    private final String asked;
    private final boolean asksControllers;
    private final long timeoutMs;

    private AdminCluster(Admin admin, String asked, boolean asksControllers, long timeoutMs) {
        this.admin = admin;
        this.asked = asked;
        this.asksControllers = asksControllers;
        this.timeoutMs = timeoutMs;
    }

    /// @throws ToolException if the properties are no client's properties
    static Cluster connect(Properties properties) {
        String controllers = properties.getProperty(AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG);
        String brokers = properties.getProperty(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG);
        String asked = controllers == null ? String.valueOf(brokers) : controllers;
        try {
            return new AdminCluster(
                    Admin.create(properties),
                    asked,
                    controllers != null,
                    Long.parseLong(properties.getProperty(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "30000")));
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ToolException(
                    "No client can be made for " + asked + ": " + cause.getMessage() + ".",
                    "Give HOST:PORT of running nodes, and in --command-config keys of Kafka's clients.");
        }
    }

    @Override
    public String id() {
        return get("the cluster's description", admin.describeCluster().clusterId());
    }

    @Override
    public Quorum quorum() {
        QuorumInfo quorum = get(
                "the description of the quorum", admin.describeMetadataQuorum().quorumInfo());
        return new Quorum(
                quorum.leaderId(),
                quorum.leaderEpoch(),
                quorum.highWatermark(),
                replicas(quorum.voters()),
                replicas(quorum.observers()),
                quorum.nodes().values().stream()
                        .collect(Collectors.toMap(QuorumInfo.Node::nodeId, AdminCluster::addresses)));
    }

    private static List<Replica> replicas(List<QuorumInfo.ReplicaState> states) {
        return states.stream()
                .map(state -> new Replica(
                        state.replicaId(),
                        state.replicaDirectoryId(),
                        state.logEndOffset(),
                        state.lastFetchTimestamp(),
                        state.lastCaughtUpTimestamp()))
                .toList();
    }

    private static List<Address> addresses(QuorumInfo.Node node) {
        return node.endpoints().stream()
                .map(endpoint -> new Address(endpoint.listener(), endpoint.host(), endpoint.port()))
                .toList();
    }

    @Override
    public Map<Integer, List<Address>> controllers() {
        if (!asksControllers) {
            return Map.of();
        }
        return get("the list of controllers", admin.describeCluster().nodes()).stream()
                .collect(Collectors.toMap(
                        Node::id, node -> List.of(new Address("CONTROLLER", node.host(), node.port()))));
    }

    @Override
    public void addVoter(int nodeId, Uuid directoryId, List<Address> addresses) {
        var endpoints = addresses.stream()
                .map(address -> new RaftVoterEndpoint(address.listener(), address.host(), address.port()))
                .collect(Collectors.toSet());
        get(
                "the addition of voter " + nodeId,
                admin.addRaftVoter(nodeId, directoryId, endpoints).all());
    }

    @Override
    public void removeVoter(int nodeId, Uuid directoryId) {
        get(
                "the removal of voter " + nodeId,
                admin.removeRaftVoter(nodeId, directoryId).all());
    }

    private <T> T get(String what, KafkaFuture<T> answer) {
        try {
            return answer.get(timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw explained(what, Objects.requireNonNullElse(e.getCause(), e));
        } catch (TimeoutException e) {
            throw unreachable(what, "no answer came");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("Interrupted while waiting for " + what + ".", "Run the command again.");
        }
    }

    private ToolException explained(String what, Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        return switch (cause) {
            case UnsupportedEndpointTypeException _ ->
                new ToolException(
                        "The node at " + asked + " plays the other role: " + reason,
                        "Give brokers with --bootstrap-server and controllers with --bootstrap-controller.");
            case AuthenticationException _ ->
                new ToolException(
                        "The nodes at " + asked + " do not let this client in: " + reason,
                        "Give its credentials in a properties file with --command-config.");
            case AuthorizationException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason, "Ask for the rights, or use another principal.");
            case UnsupportedVersionException _ ->
                new ToolException(
                        "The cluster does not support " + what + ": " + reason,
                        "The voters of a quorum with controller.quorum.voters are fixed. If that is not it: a controller's"
                                + " address belongs to --bootstrap-controller, a broker's to --bootstrap-server.");
            case org.apache.kafka.common.errors.TimeoutException _ -> unreachable(what, reason);
            case RetriableException _ ->
                new ToolException(
                        "The cluster cannot give " + what + " now: " + reason,
                        "Run the command again; 'moldau quorum status' tells whether there is a leader.");
            case ApiException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason,
                        "'moldau quorum status' shows the quorum as it is.");
            default -> new ToolException(what + " failed: " + cause, "The log of the asked node may tell more.");
        };
    }

    private ToolException unreachable(String what, String reason) {
        // The client's words for not having found any node that answers.
        boolean nobody = reason.contains("node assignment");
        return new ToolException(
                "Waited " + Duration.ofMillis(timeoutMs).toSeconds() + " s for " + what + " from " + asked + ": "
                        + reason,
                nobody
                        ? "Check that a node runs there and that the address is a "
                                + (asksControllers ? "controller's" : "broker's") + "; --timeout waits longer."
                        : "It may still happen: look with 'moldau quorum status'. --timeout waits longer.");
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
