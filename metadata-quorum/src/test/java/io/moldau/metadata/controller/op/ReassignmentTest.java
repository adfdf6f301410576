package io.moldau.metadata.controller.op;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse.PartitionState;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.DirectoryList;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.ReplicaList;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import io.moldau.wire.message.ListPartitionReassignmentsResponseData;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Moving replicas: start, end by AlterPartition, replacement, cancellation.
class ReassignmentTest {

    private static final ControllerSettings SETTINGS = ControllerSettings.DEFAULTS;
    private static final Uuid TOPIC = new Uuid(70, 70);

    private MetadataImage image = with(TestImages.withBrokers(6), 0, List.of(0, 1, 2), 0, 1, 2);

    private static MetadataImage with(MetadataImage image, int leader, List<Integer> isr, Integer... replicas) {
        return TestImages.apply(
                image,
                List.of(
                        MetadataRecords.of(TopicRecord.newBuilder()
                                .setName("t")
                                .setTopicId(MetadataRecords.id(TOPIC))
                                .build()),
                        MetadataRecords.of(new PartitionRegistration(
                                        List.of(replicas),
                                        Arrays.stream(replicas)
                                                .map(id -> new Uuid(60, id))
                                                .toList(),
                                        isr,
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        leader,
                                        LeaderRecoveryState.RECOVERED,
                                        4,
                                        10)
                                .toRecord(MetadataRecords.id(TOPIC), 0))));
    }

    private PartitionRegistration partition() {
        return TestImages.partition(image, "t", 0);
    }

    private static AlterPartitionReassignmentsRequestData request(@Nullable List<Integer> replicas) {
        return new AlterPartitionReassignmentsRequestData()
                .setTopics(List.of(new ReassignableTopic()
                        .setName("t")
                        .setPartitions(List.of(
                                new ReassignablePartition().setPartitionIndex(0).setReplicas(replicas)))));
    }

    private List<MetadataRecord> move(Integer... replicas) {
        return apply(request(List.of(replicas)));
    }

    private List<MetadataRecord> apply(AlterPartitionReassignmentsRequestData request) {
        var result = new AlterPartitionReassignments(SETTINGS).plan(image, request);
        assertThat(result.response().responses().getFirst().partitions().getFirst())
                .satisfies(partition -> assertThat(partition.errorCode())
                        .as(partition.errorMessage())
                        .isZero());
        image = TestImages.apply(image, result.records());
        return result.records();
    }

    private ReassignablePartitionResponse refused(AlterPartitionReassignmentsRequestData request) {
        var result = new AlterPartitionReassignments(SETTINGS).plan(image, request);
        assertThat(result.records()).isEmpty();
        return result.response().responses().getFirst().partitions().getFirst();
    }

    private PartitionState propose(Integer... isr) {
        PartitionRegistration now = partition();
        var proposal = AlterPartitionRequest.PartitionIsr.newBuilder()
                .setLeaderEpoch(now.leaderEpoch())
                .setPartitionEpoch(now.partitionEpoch());
        for (int id : isr) {
            proposal.addNewIsr(
                    AlterPartitionRequest.IsrMember.newBuilder().setBrokerId(id).setBrokerEpoch(100 + id));
        }
        var result = new AlterPartition(SETTINGS)
                .plan(
                        image,
                        AlterPartitionRequest.newBuilder()
                                .setBrokerId(now.leader())
                                .setBrokerEpoch(100 + now.leader())
                                .addTopics(AlterPartitionRequest.TopicIsr.newBuilder()
                                        .setTopicId(MetadataRecords.id(TOPIC))
                                        .addPartitions(proposal))
                                .build());
        image = TestImages.apply(image, result.records());
        return result.response().getTopics(0).getPartitions(0);
    }

    private static ReplicaList list(Integer... ids) {
        return ReplicaList.newBuilder().addAllIds(List.of(ids)).build();
    }

    private static DirectoryList directories(int... ids) {
        var list = DirectoryList.newBuilder();
        for (int id : ids) {
            list.addIds(MetadataRecords.id(new Uuid(60, id)));
        }
        return list.build();
    }

    @Test
    void aMoveAddsTheNewReplicasInFrontAndKeepsTheOldOnes() {
        assertThat(move(3, 4, 0))
                .containsExactly(MetadataRecords.of(PartitionChangeRecord.newBuilder()
                        .setTopicId(MetadataRecords.id(TOPIC))
                        .setReplicas(list(3, 4, 0, 1, 2))
                        .setDirectories(directories(3, 4, 0, 1, 2))
                        .setAddingReplicas(list(3, 4))
                        .setRemovingReplicas(list(1, 2))
                        .build()));
        // Nobody has to begin anew: the old replicas go on.
        assertThat(partition().leader()).isZero();
        assertThat(partition().leaderEpoch()).isEqualTo(4);
    }

    @Test
    void itEndsWithTheChangeOfTheIsrThatHasAllNewReplicas() {
        move(3, 4, 0);
        assertThat(propose(0, 1, 2, 3).getErrorCode()).isZero();
        assertThat(partition().isReassigning()).isTrue();
        PartitionState answer = propose(0, 1, 2, 3, 4);
        assertThat(answer.getErrorCode()).isZero();
        assertThat(answer.getLeader()).isZero();
        assertThat(answer.getIsrList()).containsExactly(0, 3, 4);
        assertThat(answer.getLeaderEpoch()).isEqualTo(5);
        assertThat(partition().replicas()).containsExactly(3, 4, 0);
        assertThat(partition().isr()).containsExactly(0, 3, 4);
        assertThat(partition().isReassigning()).isFalse();
        assertThat(partition().directories()).containsExactly(new Uuid(60, 3), new Uuid(60, 4), new Uuid(60, 0));
        // The removed replicas' fetches are refused from now on.
        assertThat(partition().leaderEpoch()).isEqualTo(5);
    }

    @Test
    void aLeaderThatIsMovedAwayIsToldThatAnotherLeads() {
        move(3, 4, 5);
        assertThat(propose(0, 3, 4, 5).getErrorCode()).isEqualTo(Errors.NEW_LEADER_ELECTED.code());
        assertThat(partition().replicas()).containsExactly(3, 4, 5);
        assertThat(partition().leader()).isEqualTo(3);
        assertThat(partition().isr()).containsExactly(3, 4, 5);
    }

    @Test
    void replicasThatAreOnlyTakenAwayGoAtOnce() {
        move(0, 1);
        assertThat(partition().replicas()).containsExactly(0, 1);
        assertThat(partition().isr()).containsExactly(0, 1);
        assertThat(partition().isReassigning()).isFalse();
        assertThat(partition().leaderEpoch()).isEqualTo(5);
    }

    @Test
    void replicasAreNotTakenAwayWhileNobodyElseIsInSync() {
        image = with(TestImages.withBrokers(6), 0, List.of(0), 0, 1, 2);
        move(1, 2);
        assertThat(partition().replicas()).containsExactly(1, 2, 0);
        assertThat(partition().removingReplicas()).containsExactly(0);
        assertThat(propose(0, 1).getErrorCode()).isEqualTo(Errors.NEW_LEADER_ELECTED.code());
        assertThat(partition().replicas()).containsExactly(1, 2);
        assertThat(partition().isr()).containsExactly(1);
    }

    @Test
    void anotherOrderIsNoMove() {
        move(2, 1, 0);
        assertThat(partition().replicas()).containsExactly(2, 1, 0);
        assertThat(partition().isReassigning()).isFalse();
        assertThat(partition().leader()).isZero();
        assertThat(partition().leaderEpoch()).isEqualTo(4);
        assertThat(move(2, 1, 0)).isEmpty();
    }

    @Test
    void cancellingRestoresTheOldReplicas() {
        move(3, 4, 0);
        propose(0, 1, 2, 3);
        apply(request(null));
        assertThat(partition().replicas()).containsExactly(0, 1, 2);
        assertThat(partition().isr()).containsExactly(0, 1, 2);
        assertThat(partition().isReassigning()).isFalse();
        assertThat(partition().leader()).isZero();
        assertThat(partition().leaderEpoch()).isEqualTo(5);
        assertThat(refused(request(null)).errorCode()).isEqualTo(Errors.NO_REASSIGNMENT_IN_PROGRESS.code());
    }

    @Test
    void cancellingThatWouldLoseRecordsIsRefused() {
        move(3, 4, 5);
        propose(0, 3);
        propose(0, 3);
        image = TestImages.apply(
                image, new FenceBroker(SETTINGS).plan(image, 0, 100).records());
        assertThat(partition().isr()).containsExactly(3);
        ReassignablePartitionResponse answer = refused(request(null));
        assertThat(answer.errorCode()).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT.code());
        assertThat(answer.errorMessage())
                .isEqualTo("Unable to revert partition assignment for t:0 because it would require an unclean leader"
                        + " election.");
    }

    @Test
    void aMoveReplacesAnEarlierOneAndCancellingStillLeadsBackToTheBeginning() {
        move(3, 4, 0);
        propose(0, 1, 2, 3);
        move(0, 1, 5);
        // 3 and 4 belonged to the move that is no more.
        assertThat(partition().replicas()).containsExactly(0, 1, 5, 2);
        assertThat(partition().addingReplicas()).containsExactly(5);
        assertThat(partition().removingReplicas()).containsExactly(2);
        assertThat(partition().isr()).containsExactly(0, 1, 2);
        apply(request(null));
        assertThat(partition().replicas()).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void whatIsInSyncIsKeptWhenAMoveIsReplaced() {
        move(3, 4, 5);
        propose(0, 3);
        image = TestImages.apply(
                image, new FenceBroker(SETTINGS).plan(image, 0, 100).records());
        // Only 3 has everything, and it is in neither the old nor the new assignment.
        move(1, 4, 5);
        assertThat(partition().isr()).containsExactly(3);
        assertThat(partition().replicas()).contains(3);
        assertThat(partition().removingReplicas()).contains(3);
        assertThat(partition().leader()).isEqualTo(3);
    }

    @Test
    void whatCannotBeIsSaid() {
        assertThat(refused(request(List.of())).errorCode()).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT.code());
        assertThat(refused(request(List.of(0, 0))).errorMessage()).contains("more than once");
        assertThat(refused(request(List.of(0, 9))).errorMessage()).contains("no such broker");
        var shrunk = request(List.of(0, 1)).setAllowReplicationFactorChange(false);
        assertThat(refused(shrunk).errorCode()).isEqualTo(Errors.INVALID_REPLICATION_FACTOR.code());
        assertThat(refused(shrunk).errorMessage()).startsWith("The replication factor is changed from 3 to 2");
        var elsewhere = request(List.of(0, 1, 2));
        elsewhere.topics().getFirst().setName("nothing");
        assertThat(refused(elsewhere).errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        var beyond = request(List.of(0, 1, 2));
        beyond.topics().getFirst().partitions().getFirst().setPartitionIndex(7);
        assertThat(refused(beyond).errorMessage()).isEqualTo("Unable to find partition t:7.");
        var twice = request(List.of(3, 4, 5));
        twice.topics()
                .getFirst()
                .setPartitions(List.of(
                        new ReassignablePartition().setReplicas(List.of(3, 4, 5)),
                        new ReassignablePartition().setReplicas(null)));
        assertThat(refused(twice).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    @Test
    void theReplicationFactorOfAMoveIsThatOfItsTarget() {
        move(3, 4, 5);
        apply(request(List.of(3, 4, 1)).setAllowReplicationFactorChange(false));
        assertThat(partition().addingReplicas()).containsExactly(3, 4);
    }

    @Test
    void movesAreListed() {
        assertThat(listed(null).topics()).isEmpty();
        move(3, 4, 0);
        var all = listed(null).topics();
        assertThat(all).singleElement().satisfies(topic -> {
            assertThat(topic.name()).isEqualTo("t");
            var partition = topic.partitions().getFirst();
            assertThat(partition.replicas()).containsExactly(3, 4, 0, 1, 2);
            assertThat(partition.addingReplicas()).containsExactly(3, 4);
            assertThat(partition.removingReplicas()).containsExactly(1, 2);
        });
        assertThat(listed(List.of(new ListPartitionReassignmentsTopics()
                                .setName("t")
                                .setPartitionIndexes(List.of(0, 5))))
                        .topics())
                .isEqualTo(all);
        assertThat(listed(List.of(new ListPartitionReassignmentsTopics()
                                .setName("nothing")
                                .setPartitionIndexes(List.of(0))))
                        .topics())
                .isEmpty();
    }

    private ListPartitionReassignmentsResponseData listed(@Nullable List<ListPartitionReassignmentsTopics> topics) {
        return Objects.requireNonNull(new ListPartitionReassignments()
                .plan(image, new ListPartitionReassignmentsRequestData().setTopics(topics))
                .response());
    }
}
