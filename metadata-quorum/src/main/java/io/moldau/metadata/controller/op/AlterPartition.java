package io.moldau.metadata.controller.op;

import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionRequest.IsrMember;
import io.moldau.metadata.message.AlterPartitionRequest.PartitionIsr;
import io.moldau.metadata.message.AlterPartitionRequest.TopicIsr;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.AlterPartitionResponse.PartitionState;
import io.moldau.metadata.message.AlterPartitionResponse.TopicState;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A leader proposes a new ISR (KIP-497, KIP-903). Each partition is judged by itself. One that
/// proposes the ISR there is takes back an earlier proposal: the partition epoch rises, and that one is
/// refused when it comes late.
public final class AlterPartition {

    private final ControllerSettings settings;

    public AlterPartition(ControllerSettings settings) {
        this.settings = settings;
    }

    public ControllerResult<AlterPartitionResponse> plan(MetadataImage image, AlterPartitionRequest request) {
        BrokerEpochs.check(image, request.getBrokerId(), request.getBrokerEpoch());
        var response = AlterPartitionResponse.newBuilder();
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        for (TopicIsr topic : request.getTopicsList()) {
            Uuid topicId = MetadataRecords.uuid(topic.getTopicId());
            @Nullable TopicImage existing = image.topics().topic(topicId);
            var state = TopicState.newBuilder().setTopicId(topic.getTopicId());
            for (PartitionIsr proposal : topic.getPartitionsList()) {
                state.addPartitions(
                        existing == null
                                ? error(proposal, Errors.UNKNOWN_TOPIC_ID)
                                : alter(image, existing, rules, request.getBrokerId(), proposal, records));
            }
            response.addTopics(state);
        }
        return ControllerResult.of(records, response.build());
    }

    private static PartitionState alter(
            MetadataImage image,
            TopicImage topic,
            TopicRules rules,
            int brokerId,
            PartitionIsr proposal,
            List<MetadataRecord> records) {
        @Nullable PartitionRegistration partition = topic.partition(proposal.getPartitionId());
        if (partition == null) {
            return error(proposal, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        Errors error = judge(image, partition, brokerId, proposal);
        if (error != Errors.NONE) {
            return error(proposal, error);
        }
        LeaderRecoveryState recovery = recoveryState(proposal);
        List<Integer> isr =
                proposal.getNewIsrList().stream().map(IsrMember::getBrokerId).toList();
        Optional<MetadataRecord> record = new PartitionChange(
                        partition,
                        topic.id(),
                        proposal.getPartitionId(),
                        image.cluster()::isActive,
                        rules.of(topic.name()))
                .isr(isr)
                .recoveryState(recovery)
                .newVersion()
                .build();
        PartitionRegistration next = record.map(change -> partition.merge(change.getPartitionChange()))
                .orElse(partition);
        record.ifPresent(records::add);
        if (next.leader() != brokerId) {
            // The proposal went in and ended a reassignment, after which the proposer does not lead any more.
            return error(proposal, Errors.NEW_LEADER_ELECTED);
        }
        return PartitionState.newBuilder()
                .setPartitionId(proposal.getPartitionId())
                .setLeader(next.leader())
                .setLeaderEpoch(next.leaderEpoch())
                .addAllIsr(next.isr())
                .setPartitionEpoch(next.partitionEpoch())
                .setLeaderRecoveryState(
                        next.leaderRecoveryState() == LeaderRecoveryState.RECOVERED
                                ? io.moldau.metadata.record.LeaderRecoveryState.RECOVERED
                                : io.moldau.metadata.record.LeaderRecoveryState.RECOVERING)
                .build();
    }

    private static LeaderRecoveryState recoveryState(PartitionIsr proposal) {
        return proposal.getLeaderRecoveryState() == io.moldau.metadata.record.LeaderRecoveryState.RECOVERING
                ? LeaderRecoveryState.RECOVERING
                : LeaderRecoveryState.RECOVERED;
    }

    private static Errors judge(
            MetadataImage image, PartitionRegistration partition, int brokerId, PartitionIsr proposal) {
        // A proposer that knows more than we do has heard it from a newer controller.
        if (proposal.getLeaderEpoch() > partition.leaderEpoch()
                || proposal.getPartitionEpoch() > partition.partitionEpoch()) {
            return Errors.NOT_CONTROLLER;
        }
        if (proposal.getLeaderEpoch() < partition.leaderEpoch()) {
            return Errors.FENCED_LEADER_EPOCH;
        }
        if (brokerId != partition.leader()) {
            return Errors.INVALID_REQUEST;
        }
        if (proposal.getPartitionEpoch() < partition.partitionEpoch()) {
            return Errors.INVALID_UPDATE_VERSION;
        }
        LeaderRecoveryState recovery = recoveryState(proposal);
        boolean hasLeader = false;
        for (IsrMember member : proposal.getNewIsrList()) {
            if (!partition.replicas().contains(member.getBrokerId())) {
                return Errors.INVALID_REQUEST;
            }
            hasLeader |= member.getBrokerId() == partition.leader();
        }
        if (!hasLeader
                || Duplicates.of(proposal.getNewIsrList(), IsrMember::getBrokerId)
                                .size()
                        > 0
                || (recovery == LeaderRecoveryState.RECOVERING && proposal.getNewIsrCount() > 1)
                || (recovery == LeaderRecoveryState.RECOVERING
                        && partition.leaderRecoveryState() == LeaderRecoveryState.RECOVERED)) {
            return Errors.INVALID_REQUEST;
        }
        for (IsrMember member : proposal.getNewIsrList()) {
            if (!isEligible(image, member)) {
                return Errors.INELIGIBLE_REPLICA;
            }
        }
        return Errors.NONE;
    }

    /// A replica whose process restarted since the leader saw it may have lost what it had.
    private static boolean isEligible(MetadataImage image, IsrMember member) {
        @Nullable BrokerRegistration broker = image.cluster().broker(member.getBrokerId());
        return broker != null
                && broker.isActive()
                && (member.getBrokerEpoch() == -1 || member.getBrokerEpoch() == broker.epoch());
    }

    private static PartitionState error(PartitionIsr proposal, Errors error) {
        return PartitionState.newBuilder()
                .setPartitionId(proposal.getPartitionId())
                .setErrorCode(error.code())
                .setLeader(PartitionRegistration.NO_LEADER)
                .build();
    }
}
