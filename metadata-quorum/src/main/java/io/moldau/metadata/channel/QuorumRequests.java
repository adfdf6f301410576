package io.moldau.metadata.channel;

import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.controller.Controller;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.metadata.quorum.QuorumDescription;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.metadata.quorum.Voter;
import io.moldau.wire.message.AddRaftVoterRequestData;
import io.moldau.wire.message.AddRaftVoterResponseData;
import io.moldau.wire.message.DescribeQuorumRequestData;
import io.moldau.wire.message.DescribeQuorumResponseData;
import io.moldau.wire.message.RemoveRaftVoterRequestData;
import io.moldau.wire.message.RemoveRaftVoterResponseData;
import io.moldau.wire.message.UpdateRaftVoterRequestData;
import io.moldau.wire.message.UpdateRaftVoterResponseData;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What is asked about the quorum itself: DescribeQuorum, AddRaftVoter, RemoveRaftVoter,
/// UpdateRaftVoter (KIP-595, KIP-853). Answered by the active controller; on another the future
/// fails with NOT_CONTROLLER.
final class QuorumRequests {

    /// The name under which clients know the metadata log.
    private static final String TOPIC = "__cluster_metadata";

    private static final String CONTROLLER_LISTENER = "CONTROLLER";
    private static final long REMOVE_TIMEOUT_MS = 20_000;

    private final Uuid clusterId;
    private final MetadataQuorum quorum;
    private final Controller controller;
    private final MetadataFetchService fetches;
    private final Time time;

    QuorumRequests(
            Uuid clusterId, MetadataQuorum quorum, Controller controller, MetadataFetchService fetches, Time time) {
        this.clusterId = clusterId;
        this.quorum = quorum;
        this.controller = controller;
        this.fetches = fetches;
        this.time = time;
    }

    /// The answer, or null if the request is about something else.
    @Nullable
    CompletableFuture<Message> handle(ControllerContext context, Message request) {
        return switch (request) {
            case DescribeQuorumRequestData data -> leading(() -> describe(data));
            case AddRaftVoterRequestData data -> leading(() -> add(data, context));
            case RemoveRaftVoterRequestData data -> leading(() -> remove(data));
            case UpdateRaftVoterRequestData data -> leading(() -> update(data, context));
            default -> null;
        };
    }

    private interface Answer {
        CompletableFuture<Message> give();
    }

    private CompletableFuture<Message> leading(Answer answer) {
        if (!quorum.state().leading()) {
            return CompletableFuture.failedFuture(new ApiException(Errors.NOT_CONTROLLER));
        }
        return answer.give();
    }

    // ---- DescribeQuorum.

    private CompletableFuture<Message> describe(DescribeQuorumRequestData request) {
        var topics = new ArrayList<DescribeQuorumResponseData.TopicData>();
        for (DescribeQuorumRequestData.TopicData topic : request.topics()) {
            var partitions = new ArrayList<DescribeQuorumResponseData.PartitionData>();
            for (DescribeQuorumRequestData.PartitionData partition : topic.partitions()) {
                partitions.add(
                        topic.topicName().equals(TOPIC) && partition.partitionIndex() == 0
                                ? description()
                                : new DescribeQuorumResponseData.PartitionData()
                                        .setPartitionIndex(partition.partitionIndex())
                                        .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code())
                                        .setErrorMessage("Only partition 0 of " + TOPIC + " is a quorum's log."));
            }
            topics.add(new DescribeQuorumResponseData.TopicData()
                    .setTopicName(topic.topicName())
                    .setPartitions(partitions));
        }
        return CompletableFuture.completedFuture(new DescribeQuorumResponseData()
                .setErrorMessage(null)
                .setTopics(topics)
                .setNodes(nodes()));
    }

    private DescribeQuorumResponseData.PartitionData description() {
        QuorumDescription description = quorum.describe();
        return new DescribeQuorumResponseData.PartitionData()
                .setPartitionIndex(0)
                .setErrorMessage(null)
                .setLeaderId(description.leaderId())
                .setLeaderEpoch(description.epoch())
                .setHighWatermark(description.highWatermark())
                .setCurrentVoters(states(description.voters()))
                .setObservers(states(fetches.followers().stream()
                        // A node that is a voter and a broker fetches too.
                        .filter(follower -> description.voters().stream().noneMatch(voter -> isOf(voter, follower)))
                        .toList()));
    }

    /// Voters that configuration names have no directories there.
    private static boolean isOf(QuorumDescription.Replica voter, QuorumDescription.Replica follower) {
        return voter.nodeId() == follower.nodeId()
                && (voter.directoryId().equals(Uuid.ZERO)
                        || follower.directoryId().equals(Uuid.ZERO)
                        || voter.directoryId().equals(follower.directoryId()));
    }

    private static List<DescribeQuorumResponseData.ReplicaState> states(List<QuorumDescription.Replica> replicas) {
        return replicas.stream()
                .map(replica -> new DescribeQuorumResponseData.ReplicaState()
                        .setReplicaId(replica.nodeId())
                        .setReplicaDirectoryId(replica.directoryId())
                        .setLogEndOffset(replica.logEndOffset())
                        .setLastFetchTimestamp(replica.lastFetchMs())
                        .setLastCaughtUpTimestamp(replica.lastCaughtUpMs()))
                .collect(Collectors.toList());
    }

    /// The registered controllers, voters or not, and voters that have not registered.
    private List<DescribeQuorumResponseData.Node> nodes() {
        var nodes = new TreeMap<Integer, DescribeQuorumResponseData.Node>();
        for (Voter voter : quorum.state().voters()) {
            if (!voter.host().isEmpty()) {
                nodes.put(
                        voter.nodeId(),
                        node(voter.nodeId(), List.of(listener(CONTROLLER_LISTENER, voter.host(), voter.port()))));
            }
        }
        for (ControllerRegistration controller :
                quorum.applied().image().cluster().controllers()) {
            nodes.put(
                    controller.id(),
                    node(
                            controller.id(),
                            controller.listeners().stream()
                                    .map(endpoint ->
                                            listener(endpoint.listenerName(), endpoint.host(), endpoint.port()))
                                    .toList()));
        }
        return List.copyOf(nodes.values());
    }

    private static DescribeQuorumResponseData.Node node(int id, List<DescribeQuorumResponseData.Listener> listeners) {
        return new DescribeQuorumResponseData.Node().setNodeId(id).setListeners(listeners);
    }

    private static DescribeQuorumResponseData.Listener listener(String name, String host, int port) {
        return new DescribeQuorumResponseData.Listener()
                .setName(name)
                .setHost(host)
                .setPort(port);
    }

    // ---- Membership.

    private CompletableFuture<Message> add(AddRaftVoterRequestData request, ControllerContext context) {
        Function<ApiException, Message> refused = failure -> new AddRaftVoterResponseData()
                .setErrorCode(failure.error().code())
                .setErrorMessage(failure.getMessage());
        ApiException wrong = wrongCluster(request.clusterId());
        if (wrong == null && request.listeners().isEmpty()) {
            wrong = new ApiException(Errors.INVALID_REQUEST, "A voter needs a controller listener.");
        }
        if (wrong != null) {
            return CompletableFuture.completedFuture(refused.apply(wrong));
        }
        var listener = request.listeners().getFirst();
        var voter = new Voter(request.voterId(), request.voterDirectoryId(), listener.host(), listener.port());
        long leftMs = TimeUnit.NANOSECONDS.toMillis(context.deadlineNanos() - time.nanoseconds());
        return answered(
                quorum.addVoter(voter, Math.clamp(leftMs, 1, Math.max(1, request.timeoutMs()))),
                new AddRaftVoterResponseData().setErrorMessage(null),
                refused);
    }

    private CompletableFuture<Message> remove(RemoveRaftVoterRequestData request) {
        Function<ApiException, Message> refused = failure -> new RemoveRaftVoterResponseData()
                .setErrorCode(failure.error().code())
                .setErrorMessage(failure.getMessage());
        ApiException wrong = wrongCluster(request.clusterId());
        if (wrong != null) {
            return CompletableFuture.completedFuture(refused.apply(wrong));
        }
        return answered(
                quorum.removeVoter(request.voterId(), request.voterDirectoryId(), REMOVE_TIMEOUT_MS),
                new RemoveRaftVoterResponseData().setErrorMessage(null),
                refused);
    }

    /// Where a voter is reached is told by its registration; the list of voters in Raft's log keeps
    /// the first address.
    private CompletableFuture<Message> update(UpdateRaftVoterRequestData request, ControllerContext context) {
        Function<ApiException, Message> refused = failure ->
                new UpdateRaftVoterResponseData().setErrorCode(failure.error().code());
        ApiException wrong = wrongCluster(request.clusterId());
        QuorumState state = quorum.state();
        if (wrong == null && request.currentLeaderEpoch() >= 0 && request.currentLeaderEpoch() != state.epoch()) {
            wrong = new ApiException(
                    request.currentLeaderEpoch() < state.epoch()
                            ? Errors.FENCED_LEADER_EPOCH
                            : Errors.UNKNOWN_LEADER_EPOCH);
        }
        if (wrong == null && request.listeners().isEmpty()) {
            wrong = new ApiException(Errors.INVALID_REQUEST, "A voter needs a controller listener.");
        }
        if (wrong == null
                && state.voters().stream()
                        .noneMatch(voter -> voter.nodeId() == request.voterId()
                                && voter.directoryId().equals(request.voterDirectoryId()))) {
            wrong = new ApiException(Errors.VOTER_NOT_FOUND);
        }
        if (wrong != null) {
            return CompletableFuture.completedFuture(refused.apply(wrong));
        }
        List<Endpoint> listeners = request.listeners().stream()
                .map(listener -> new Endpoint(listener.name(), "PLAINTEXT", listener.host(), listener.port()))
                .toList();
        return answered(
                controller
                        .controllerMoved(context, request.voterId(), listeners)
                        .thenAccept(moved -> {}),
                new UpdateRaftVoterResponseData(),
                refused);
    }

    private @Nullable ApiException wrongCluster(@Nullable String theirs) {
        return theirs == null || theirs.equals(clusterId.toString())
                ? null
                : new ApiException(Errors.INCONSISTENT_CLUSTER_ID, "This is cluster " + clusterId + ".");
    }

    private static CompletableFuture<Message> answered(
            CompletableFuture<Void> change, Message done, Function<ApiException, Message> refused) {
        return change.handle((ok, failure) -> {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause == null) {
                return done;
            }
            if (cause instanceof ApiException api && api.error() != Errors.NOT_CONTROLLER) {
                return refused.apply(api);
            }
            // Whoever forwards asks the next controller.
            throw new CompletionException(cause);
        });
    }
}
