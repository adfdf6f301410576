package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.PartitionRules;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Moves replicas to other brokers, or calls a move off (KIP-455). Each partition succeeds or fails by itself.
///
/// While a move goes on the partition has the replicas it had and those it is to have, these first.
/// The leader takes new replicas into the ISR as they catch up; the change of the ISR that has all of
/// them ([AlterPartition]) ends the move.
public final class AlterPartitionReassignments {

    private final ControllerSettings settings;

    public AlterPartitionReassignments(ControllerSettings settings) {
        this.settings = settings;
    }

    public ControllerResult<AlterPartitionReassignmentsResponseData> plan(
            MetadataImage image, AlterPartitionReassignmentsRequestData request) {
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        var topics = new ArrayList<ReassignableTopicResponse>();
        Set<String> duplicates = Duplicates.of(request.topics(), ReassignableTopic::name);
        for (ReassignableTopic topic : request.topics()) {
            Set<Integer> twice = Duplicates.of(topic.partitions(), ReassignablePartition::partitionIndex);
            var partitions = new ArrayList<ReassignablePartitionResponse>();
            for (ReassignablePartition wanted : topic.partitions()) {
                var response = new ReassignablePartitionResponse()
                        .setPartitionIndex(wanted.partitionIndex())
                        .setErrorMessage(null);
                try {
                    if (duplicates.contains(topic.name()) || twice.contains(wanted.partitionIndex())) {
                        // Both would be computed on the same state, and the second would undo the first.
                        throw new ApiException(
                                Errors.INVALID_REQUEST,
                                "Partition " + topic.name() + "-" + wanted.partitionIndex()
                                        + " is in the request more than once.");
                    }
                    change(image, rules.of(topic.name()), topic.name(), wanted, request.allowReplicationFactorChange())
                            .ifPresent(records::add);
                } catch (ApiException e) {
                    response.setErrorCode(e.error().code()).setErrorMessage(e.getMessage());
                }
                partitions.add(response);
            }
            topics.add(new ReassignableTopicResponse().setName(topic.name()).setPartitions(partitions));
        }
        return ControllerResult.of(
                records,
                new AlterPartitionReassignmentsResponseData()
                        .setAllowReplicationFactorChange(request.allowReplicationFactorChange())
                        .setErrorMessage(null)
                        .setResponses(topics));
    }

    private static Optional<MetadataRecord> change(
            MetadataImage image,
            PartitionRules rules,
            String name,
            ReassignablePartition wanted,
            boolean allowReplicationFactorChange) {
        @Nullable TopicImage topic = image.topics().topic(name);
        if (topic == null) {
            throw new ApiException(Errors.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find a topic named " + name + ".");
        }
        @Nullable PartitionRegistration partition = topic.partition(wanted.partitionIndex());
        if (partition == null) {
            throw new ApiException(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION,
                    "Unable to find partition " + name + ":" + wanted.partitionIndex() + ".");
        }
        var change =
                new PartitionChange(partition, topic.id(), wanted.partitionIndex(), image.cluster()::isActive, rules);
        if (rules.eligibleLeaders()) {
            // The only replica stays in sync while its broker is away; one of several does not.
            change.isr(
                    partition.isr().stream().filter(image.cluster()::isUnfenced).toList());
        }
        @Nullable List<Integer> target = wanted.replicas();
        return target == null
                ? cancel(image, name, wanted.partitionIndex(), partition, rules, change)
                : start(image, partition, target, allowReplicationFactorChange, change);
    }

    private static Optional<MetadataRecord> start(
            MetadataImage image,
            PartitionRegistration partition,
            List<Integer> target,
            boolean allowReplicationFactorChange,
            PartitionChange change) {
        Placement.checkManual(image.cluster(), target, 0);
        int factor = without(partition.replicas(), partition.removingReplicas()).size();
        if (!allowReplicationFactorChange && target.size() != factor) {
            throw new ApiException(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "The replication factor is changed from " + factor + " to " + target.size()
                            + ", which the request does not allow.");
        }
        // What an earlier move was adding is no part of what the partition had, and need not be kept while it is
        // replaced; unless nothing else is in sync.
        List<Integer> original = without(partition.replicas(), partition.addingReplicas());
        var had = new ArrayList<>(original);
        if (partition.isr().stream().noneMatch(id -> original.contains(id) || target.contains(id))) {
            had.addAll(partition.isr());
        }
        List<Integer> removing = without(had, target);
        List<Integer> adding = without(target, had);
        var replicas = new LinkedHashSet<>(target);
        replicas.addAll(removing);
        return change.assign(
                        List.copyOf(replicas), adding, removing, id -> Placement.onlyDirectory(image.cluster(), id))
                .build();
    }

    private static Optional<MetadataRecord> cancel(
            MetadataImage image,
            String topic,
            int partitionId,
            PartitionRegistration partition,
            PartitionRules rules,
            PartitionChange change) {
        if (!partition.isReassigning()) {
            throw new ApiException(Errors.NO_REASSIGNMENT_IN_PROGRESS);
        }
        List<Integer> replicas = without(partition.replicas(), partition.addingReplicas());
        boolean clean = partition.isr().stream().anyMatch(replicas::contains)
                || (rules.eligibleLeaders() && partition.elr().stream().anyMatch(replicas::contains));
        if (!clean && !rules.uncleanElection()) {
            throw new ApiException(
                    Errors.INVALID_REPLICA_ASSIGNMENT,
                    "Unable to revert partition assignment for " + topic + ":" + partitionId
                            + " because it would require an unclean leader election.");
        }
        change.assign(replicas, List.of(), List.of(), id -> Placement.onlyDirectory(image.cluster(), id));
        if (!clean) {
            Optional<Integer> up =
                    replicas.stream().filter(image.cluster()::isActive).findFirst();
            if (up.isPresent() || !rules.eligibleLeaders()) {
                change.isr(List.of(up.orElse(replicas.getFirst()))).recoveryState(LeaderRecoveryState.RECOVERING);
            }
        }
        return change.build();
    }

    private static List<Integer> without(List<Integer> ids, List<Integer> excluded) {
        return ids.stream().filter(id -> !excluded.contains(id)).toList();
    }
}
