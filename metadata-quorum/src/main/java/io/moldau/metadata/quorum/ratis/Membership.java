package io.moldau.metadata.quorum.ratis;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.quorum.Voter;
import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.quorum.transport.RaftTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Changes who the voters are, on the leader.
///
/// One change at a time, and one voter in each: Ratis brings the new one up to date first and counts it only then. (It
/// can also make a listener of it before; such a voter never runs in Ratis 3.3, so that is not done.) A removal names
/// the
/// voters it was thought of for, so that it does not come on top of a change that somebody else made.
final class Membership {

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private static final long PREPARE_TIMEOUT_MS = 20_000;

    private final RaftPeerId selfId;
    private final RaftGroupId groupId;
    private final ClientId clientId;
    private final AtomicLong callIds;
    private final RaftTransport transport;
    private final Executor executor;
    private final Runnable handOver;
    private final AtomicBoolean changing = new AtomicBoolean();

    /// @param executor where Ratis may be waited for
    /// @param handOver gives leadership to another voter
    Membership(
            RaftPeerId selfId,
            RaftGroupId groupId,
            ClientId clientId,
            AtomicLong callIds,
            RaftTransport transport,
            Executor executor,
            Runnable handOver) {
        this.selfId = selfId;
        this.groupId = groupId;
        this.clientId = clientId;
        this.callIds = callIds;
        this.transport = transport;
        this.executor = executor;
        this.handOver = handOver;
    }

    CompletableFuture<Void> add(
            @Nullable RaftServer server, RaftServer.@Nullable Division division, Voter voter, long timeoutMs) {
        return change(server, division, timeoutMs, (leader, voters) -> {
            for (Voter existing : voters) {
                if (existing.nodeId() == voter.nodeId()) {
                    throw new ApiException(
                            Errors.DUPLICATE_VOTER,
                            "The voter id for " + voter.key() + " is already part of the set of voters " + keys(voters)
                                    + ".");
                }
            }
            if (voter.directoryId().equals(Uuid.ZERO) || voter.host().isEmpty()) {
                throw new ApiException(
                        Errors.INVALID_REQUEST, "A voter needs a directory id and a controller listener.");
            }
            return prepared(voter)
                    .thenComposeAsync(
                            ready -> configured(
                                    leader,
                                    SetConfigurationRequest.Arguments.newBuilder()
                                            .setServersInNewConf(List.of(RatisQuorum.peer(voter)))
                                            .setMode(SetConfigurationRequest.Mode.ADD)
                                            .build()),
                            executor);
        });
    }

    CompletableFuture<Void> remove(
            @Nullable RaftServer server,
            RaftServer.@Nullable Division division,
            int nodeId,
            Uuid directoryId,
            long timeoutMs) {
        return change(server, division, timeoutMs, (leader, voters) -> {
            Voter leaving = voters.stream()
                    .filter(voter ->
                            voter.nodeId() == nodeId && voter.directoryId().equals(directoryId))
                    .findFirst()
                    .orElseThrow(() -> new ApiException(
                            Errors.VOTER_NOT_FOUND,
                            "Voter " + nodeId + " with directory id " + directoryId + " is not among the voters "
                                    + keys(voters) + "."));
            if (voters.size() == 1) {
                throw new ApiException(Errors.INVALID_REQUEST, "The only voter cannot be removed.");
            }
            if (leaving.key().equals(selfId.toString())) {
                handOver.run();
                throw new ApiException(
                        Errors.NOT_CONTROLLER,
                        "This controller hands leadership over before it is removed; ask again.");
            }
            List<RaftPeer> current = division == null
                    ? List.of()
                    : new ArrayList<>(division.getRaftConf().getCurrentPeers());
            List<RaftPeer> next = current.stream()
                    .filter(peer -> !peer.getId().toString().equals(leaving.key()))
                    .toList();
            return configured(
                    leader,
                    SetConfigurationRequest.Arguments.newBuilder()
                            .setServersInCurrentConf(current)
                            .setServersInNewConf(next)
                            .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                            .build());
        });
    }

    private interface Plan {
        CompletableFuture<Void> start(RaftServer leader, Collection<Voter> voters);
    }

    private CompletableFuture<Void> change(
            @Nullable RaftServer server, RaftServer.@Nullable Division division, long timeoutMs, Plan plan) {
        if (server == null || division == null || !division.getInfo().isLeader()) {
            return CompletableFuture.failedFuture(new ApiException(Errors.NOT_CONTROLLER));
        }
        List<Voter> voters = division.getRaftConf().getCurrentPeers().stream()
                .map(RatisQuorum::voter)
                .toList();
        if (voters.stream().anyMatch(voter -> voter.directoryId().equals(Uuid.ZERO))) {
            return CompletableFuture.failedFuture(new ApiException(
                    Errors.UNSUPPORTED_VERSION,
                    "The voters of this cluster are fixed by controller.quorum.voters; a quorum that can change is"
                            + " found by controller.quorum.bootstrap.servers."));
        }
        if (!changing.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(busy());
        }
        var done = new CompletableFuture<Void>();
        try {
            executor.execute(() -> started(() -> plan.start(server, voters)).whenComplete((ok, failure) -> {
                changing.set(false);
                if (failure == null) {
                    done.complete(null);
                } else {
                    done.completeExceptionally(asApiException(failure));
                }
            }));
        } catch (RejectedExecutionException e) {
            changing.set(false);
            return CompletableFuture.failedFuture(new ApiException(Errors.NOT_CONTROLLER));
        }
        return done.orTimeout(timeoutMs, TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(asApiException(failure)));
    }

    private interface Start {
        CompletableFuture<Void> run();
    }

    private static CompletableFuture<Void> started(Start start) {
        try {
            return start.run();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static ApiException busy() {
        return new ApiException(
                Errors.REQUEST_TIMED_OUT, "Another change of the voters is under way; try again in a while.");
    }

    private static List<String> keys(Collection<Voter> voters) {
        return voters.stream().map(Voter::key).toList();
    }

    /// The new voter opens a log that waits for a leader, and for nobody's vote.
    private CompletableFuture<Void> prepared(Voter voter) {
        ByteBuffer note = new PeerNote(0, selfId.toString(), voter.key(), 0, -1).encode();
        return transport
                .send(voter.host(), voter.port(), RaftMessage.PREPARE_TO_JOIN, note, PREPARE_TIMEOUT_MS)
                .handle((answer, failure) -> {
                    if (failure != null) {
                        throw new ApiException(
                                Errors.REQUEST_TIMED_OUT,
                                "The new voter " + voter.key() + " does not answer at " + voter.host() + ":"
                                        + voter.port() + ".");
                    }
                    if (!answer.hasRemaining() || answer.get() != 1) {
                        throw new ApiException(
                                Errors.INVALID_VOTER_KEY,
                                "The controller at " + voter.host() + ":" + voter.port() + " is not " + voter.key()
                                        + " of this cluster, or cannot open its log.");
                    }
                    return null;
                });
    }

    private CompletableFuture<Void> configured(RaftServer leader, SetConfigurationRequest.Arguments arguments) {
        try {
            return leader.setConfigurationAsync(new SetConfigurationRequest(
                            clientId, selfId, groupId, callIds.incrementAndGet(), arguments))
                    .thenAccept(reply -> {
                        if (!reply.isSuccess()) {
                            throw new CompletionException(reply.getException());
                        }
                    });
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static ApiException asApiException(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return switch (cause) {
            case ApiException api -> api;
            case NotLeaderException e -> new ApiException(Errors.NOT_CONTROLLER);
            case LeaderSteppingDownException e -> new ApiException(Errors.NOT_CONTROLLER);
            case LeaderNotReadyException e -> new ApiException(Errors.NOT_CONTROLLER);
            case ReconfigurationInProgressException e -> busy();
            case ReconfigurationTimeoutException e ->
                new ApiException(Errors.REQUEST_TIMED_OUT, "The new voter did not catch up in time.");
            case TimeoutException e ->
                new ApiException(Errors.REQUEST_TIMED_OUT, "The change of the voters was not committed in time.");
            case SetConfigurationException e ->
                new ApiException(
                        Errors.INVALID_REQUEST, "The voters changed meanwhile, or cannot change so: " + e.getMessage());
            default -> {
                LOG.warn("changing the voters failed", cause);
                yield new ApiException(
                        Errors.UNKNOWN_SERVER_ERROR, "Changing the voters failed: " + cause.getMessage());
            }
        };
    }
}
