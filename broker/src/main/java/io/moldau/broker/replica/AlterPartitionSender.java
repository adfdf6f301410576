package io.moldau.broker.replica;

import io.moldau.broker.replica.LeaderState.IsrProposal;
import io.moldau.broker.replica.LeaderState.Member;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionRequest.IsrMember;
import io.moldau.metadata.message.AlterPartitionRequest.PartitionIsr;
import io.moldau.metadata.message.AlterPartitionRequest.TopicIsr;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.AlterPartitionResponse.PartitionState;
import io.moldau.metadata.message.AlterPartitionResponse.TopicState;
import io.moldau.metadata.record.LeaderRecoveryState;
import io.moldau.metadata.record.MetadataRecords;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the leaders' proposals of another ISR to the controller (KIP-497, KIP-903): those of all partitions
/// together,
/// one request at a time, again and again until each has an answer.
///
/// An answer that leaves open whether the controller took the proposal (it may have, on an earlier attempt
/// whose answer
/// was lost) changes nothing: the proposed members go on counting until metadata with a later partition epoch comes.
/// After INELIGIBLE_REPLICA the partition withdraws its proposal, since an attempt that was given up may still arrive.
/// Has no thread; works in a mailbox. Thread-safe.
public final class AlterPartitionSender implements IsrProposals {

    private static final Logger LOG = LoggerFactory.getLogger(AlterPartitionSender.class);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private record Key(Uuid topicId, int partition) {}

    private record Pending(Partition partition, IsrProposal proposal) {

        boolean isOlderThan(Pending other) {
            int leaderEpochs = Integer.compare(proposal.leaderEpoch(), other.proposal.leaderEpoch());
            return leaderEpochs < 0
                    || (leaderEpochs == 0 && proposal.partitionEpoch() < other.proposal.partitionEpoch());
        }
    }

    private final int localId;
    private final LongSupplier brokerEpoch;
    private final NodeToController controller;
    private final Time time;
    private final Timer timer;
    private final Executor executor;
    private final Mailbox mailbox;

    // Owned by the mailbox.
    private final Map<Key, Pending> waiting = new LinkedHashMap<>();
    private boolean inFlight;
    private boolean pausing;

    /// Also read by those who would hand over a task that nobody may run any more.
    private volatile boolean closed;

    /// @param brokerEpoch of this node's registration
    /// @param executor for what the timer fires
    public AlterPartitionSender(
            int localId,
            LongSupplier brokerEpoch,
            NodeToController controller,
            Time time,
            Timer timer,
            Executor executor,
            FaultHandler faults) {
        this.localId = localId;
        this.brokerEpoch = brokerEpoch;
        this.controller = controller;
        this.time = time;
        this.timer = timer;
        this.executor = executor;
        this.mailbox = new Mailbox(faults);
    }

    @Override
    public void propose(Partition partition, IsrProposal proposal) {
        if (closed) {
            return;
        }
        // On another thread: whoever proposes is inside a partition's mailbox.
        executor.execute(() -> mailbox.submit(() -> {
            // Those threads keep no order: one that is late must not take the place of one made after it.
            waiting.merge(
                    new Key(partition.topicId(), partition.topicPartition().partition()),
                    new Pending(partition, proposal),
                    (before, now) -> now.isOlderThan(before) ? before : now);
            go();
        }));
    }

    /// Sends nothing any more.
    public void close() {
        mailbox.submit(() -> {
            closed = true;
            waiting.clear();
        });
    }

    private void go() {
        if (closed || inFlight || pausing || waiting.isEmpty()) {
            return;
        }
        inFlight = true;
        var sent = new LinkedHashMap<>(waiting);
        waiting.clear();
        controller
                .alterPartition(request(sent))
                .whenComplete((response, failure) -> mailbox.submit(() -> onAnswer(sent, response, failure)));
    }

    private AlterPartitionRequest request(Map<Key, Pending> proposals) {
        var topics = new LinkedHashMap<Uuid, TopicIsr.Builder>();
        long epoch = brokerEpoch.getAsLong();
        proposals.forEach((key, pending) -> {
            IsrProposal proposal = pending.proposal();
            var partition = PartitionIsr.newBuilder()
                    .setPartitionId(key.partition())
                    .setLeaderEpoch(proposal.leaderEpoch())
                    .setPartitionEpoch(proposal.partitionEpoch())
                    .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED);
            for (Member member : proposal.isr()) {
                partition.addNewIsr(IsrMember.newBuilder()
                        .setBrokerId(member.brokerId())
                        .setBrokerEpoch(member.brokerId() == localId ? epoch : member.brokerEpoch()));
            }
            topics.computeIfAbsent(key.topicId(), id -> TopicIsr.newBuilder().setTopicId(MetadataRecords.id(id)))
                    .addPartitions(partition);
        });
        var request = AlterPartitionRequest.newBuilder().setBrokerId(localId).setBrokerEpoch(epoch);
        topics.values().forEach(request::addTopics);
        return request.build();
    }

    private void onAnswer(
            Map<Key, Pending> sent, @Nullable AlterPartitionResponse response, @Nullable Throwable failure) {
        inFlight = false;
        Errors error = response == null ? errorOf(failure) : Errors.forCode((short) response.getErrorCode());
        if (response == null || error != Errors.NONE) {
            LOG.debug("AlterPartition not answered partitions={} error={}", sent.size(), error);
            sent.forEach(waiting::putIfAbsent);
            pause();
            return;
        }
        var answers = new HashMap<Key, PartitionState>();
        for (TopicState topic : response.getTopicsList()) {
            for (PartitionState state : topic.getPartitionsList()) {
                answers.put(new Key(MetadataRecords.uuid(topic.getTopicId()), state.getPartitionId()), state);
            }
        }
        boolean again = false;
        for (Map.Entry<Key, Pending> it : sent.entrySet()) {
            PartitionState state = answers.get(it.getKey());
            if (state == null || !settle(it.getValue(), state)) {
                waiting.putIfAbsent(it.getKey(), it.getValue());
                again = true;
            }
        }
        if (again) {
            pause();
        } else {
            go();
        }
    }

    /// Whether the proposal is done with.
    private static boolean settle(Pending pending, PartitionState state) {
        Partition partition = pending.partition();
        IsrProposal proposal = pending.proposal();
        Errors error = Errors.forCode((short) state.getErrorCode());
        switch (error) {
            case NONE -> {
                LOG.info(
                        "ISR changed partition={} isr={} leaderEpoch={} partitionEpoch={}",
                        partition.topicPartition(),
                        state.getIsrList(),
                        state.getLeaderEpoch(),
                        state.getPartitionEpoch());
                if (state.getLeaderEpoch() == proposal.leaderEpoch()) {
                    partition.isrAccepted(proposal.leaderEpoch(), state.getPartitionEpoch(), state.getIsrList());
                }
                return true;
            }
            case INELIGIBLE_REPLICA, OPERATION_NOT_ATTEMPTED -> {
                LOG.info(
                        "ISR not changed partition={} wanted={} error={}",
                        partition.topicPartition(),
                        proposal.brokerIds(),
                        error);
                partition.isrRejected(proposal.leaderEpoch(), proposal.partitionEpoch());
                return true;
            }
            // Metadata that we have not seen yet has another leader, another version, or no such partition.
            case FENCED_LEADER_EPOCH,
                    INVALID_UPDATE_VERSION,
                    NEW_LEADER_ELECTED,
                    UNKNOWN_TOPIC_ID,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    INVALID_REQUEST -> {
                LOG.info(
                        "ISR not changed, newer metadata will come partition={} wanted={} error={}",
                        partition.topicPartition(),
                        proposal.brokerIds(),
                        error);
                return true;
            }
            default -> {
                return false;
            }
        }
    }

    private void pause() {
        if (!closed) {
            pausing = true;
            timer.schedule(time.nanoseconds() + RETRY_NANOS, () -> {
                if (!closed) {
                    executor.execute(() -> mailbox.submit(() -> {
                        pausing = false;
                        go();
                    }));
                }
            });
        }
    }

    private static Errors errorOf(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof ApiException api ? api.error() : Errors.UNKNOWN_SERVER_ERROR;
    }
}
