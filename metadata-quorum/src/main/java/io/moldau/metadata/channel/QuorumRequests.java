package io.moldau.metadata.channel;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.controller.ControllerContext;
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
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What clients ask about the quorum itself: DescribeQuorum, AddRaftVoter, RemoveRaftVoter (KIP-595, KIP-853). Answered
/// by
/// the active controller; on another the future fails with NOT_CONTROLLER.
final class QuorumRequests {

    /// The name under which clients know the metadata log.
    private static final String TOPIC = "__cluster_metadata";

    private static final String CONTROLLER_LISTENER = "CONTROLLER";
    private static final long REMOVE_TIMEOUT_MS = 20_000;

    private final Uuid clusterId;
    private final MetadataQuorum quorum;
    private final MetadataFetchService fetches;
    private final Time time;

    QuorumRequests(Uuid clusterId, MetadataQuorum quorum, MetadataFetchService fetches, Time time) {
        this.clusterId = clusterId;
        this.quorum = quorum;
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
        List<Integer> voters = description.voters().stream()
                .map(QuorumDescription.Replica::nodeId)
                .toList();
        return new DescribeQuorumResponseData.PartitionData()
                .setPartitionIndex(0)
                .setErrorMessage(null)
                .setLeaderId(description.leaderId())
                .setLeaderEpoch(description.epoch())
                .setHighWatermark(description.highWatermark())
                .setCurrentVoters(states(description.voters()))
                .setObservers(states(fetches.followers().stream()
                        // A node that is a voter and a broker fetches too.
                        .filter(follower -> !voters.contains(follower.nodeId()))
                        .toList()));
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

    private List<DescribeQuorumResponseData.Node> nodes() {
        QuorumState state = quorum.state();
        return state.voters().stream()
                .filter(voter -> !voter.host().isEmpty())
                .map(voter -> new DescribeQuorumResponseData.Node()
                        .setNodeId(voter.nodeId())
                        .setListeners(List.of(new DescribeQuorumResponseData.Listener()
                                .setName(CONTROLLER_LISTENER)
                                .setHost(voter.host())
                                .setPort(voter.port()))))
                .collect(Collectors.toList());
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
