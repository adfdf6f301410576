package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.broker.peer.Reachability;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.ops.state.AdvertisedCheck.Outcome;
import io.moldau.ops.state.AdvertisedCheck.Problem;
import io.moldau.wire.message.DescribeClusterRequestData;
import io.moldau.wire.message.DescribeClusterResponseData;
import io.moldau.wire.message.DescribeConfigsRequestData;
import io.moldau.wire.message.DescribeConfigsRequestData.DescribeConfigsResource;
import io.moldau.wire.message.DescribeConfigsResponseData;
import io.moldau.wire.protocol.Message;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Dials the addresses a broker tells clients to come to, as a client would, and asks who is there.
///
/// Takes fifteen seconds for each listener at most. Waits for the network and for name servers, so
/// it belongs to a thread that may; one call at a time.
public final class SelfDial {

    private static final short DESCRIBE_CLUSTER_VERSION = 0;
    private static final short DESCRIBE_CONFIGS_VERSION = 4;
    private static final long TIMEOUT_MS = 5_000;

    private final NodeView node;

    public SelfDial(NodeView node) {
        this.node = node;
    }

    /// By listener, in the order of the registration: what is wrong with it, null if clients reach it. Empty on a node
    /// that is no broker or has not registered.
    public Map<String, @Nullable Problem> run() {
        Map<String, @Nullable Problem> verdicts = new LinkedHashMap<>();
        int self = node.config().nodeId();
        BrokerRegistration registration = node.image().get().cluster().broker(self);
        if (node.broker() == null || registration == null) {
            return verdicts;
        }
        for (Endpoint endpoint : registration.listeners()) {
            verdicts.put(
                    endpoint.listenerName(),
                    AdvertisedCheck.judge(endpoint, listens(endpoint), dial(endpoint, self), self, node.clusterId()));
        }
        return verdicts;
    }

    private String listens(Endpoint advertised) {
        return node.listeners().stream()
                .filter(listener -> listener.listenerName().equals(advertised.listenerName()))
                .map(Endpoint::host)
                .findFirst()
                .orElse("");
    }

    private Outcome dial(Endpoint endpoint, int self) {
        List<InetAddress> addresses;
        try {
            addresses = Arrays.asList(InetAddress.getAllByName(endpoint.host()));
        } catch (UnknownHostException e) {
            return new Outcome.Unknown(String.valueOf(e.getMessage()));
        }
        boolean loopback = addresses.stream().allMatch(InetAddress::isLoopbackAddress);
        try (PeerClient client = node.peers().connect(endpoint.host(), endpoint.port(), "self-dial")) {
            var cluster = ask(
                    client,
                    DESCRIBE_CLUSTER_VERSION,
                    new DescribeClusterRequestData(),
                    DescribeClusterResponseData.class);
            var own = ask(
                    client,
                    DESCRIBE_CONFIGS_VERSION,
                    new DescribeConfigsRequestData()
                            .setResources(List.of(new DescribeConfigsResource()
                                    .setResourceType(ConfigResource.Type.BROKER.code())
                                    .setResourceName(Integer.toString(self))
                                    .setConfigurationKeys(List.of("node.id")))),
                    DescribeConfigsResponseData.class);
            // A broker tells of its own settings only.
            boolean thisNode = own.results().stream().allMatch(result -> result.errorCode() == Errors.NONE.code());
            return new Outcome.Answered(cluster.clusterId(), thisNode, loopback);
        } catch (CompletionException | CancellationException e) {
            return failed(endpoint, Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    private static <M extends Message> M ask(PeerClient client, short version, Message request, Class<M> answer) {
        try (PeerResponse response = client.send(version, request, TIMEOUT_MS).join()) {
            return response.as(answer);
        }
    }

    /// Somebody who takes connections, and does not answer as Kafka does, is another finding than nobody.
    private Outcome failed(Endpoint endpoint, Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        if (node.stopping().getAsBoolean()) {
            return new Outcome.Unreached(reason);
        }
        Reachability shown =
                node.peers().probe(endpoint.host(), endpoint.port(), TIMEOUT_MS).join();
        return shown == Reachability.ACCEPTS ? new Outcome.Foreign(reason) : new Outcome.Unreached(reason);
    }
}
