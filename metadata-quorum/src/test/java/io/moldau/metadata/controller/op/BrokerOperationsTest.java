package io.moldau.metadata.controller.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.BrokerHeartbeats;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.ReplicaPlacer;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.AssignReplicasToDirsRequestData;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.ElectLeadersResponseData;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BrokerOperationsTest {

    private static final ControllerSettings SETTINGS = ControllerSettings.DEFAULTS;
    private static final Uuid TOPIC = new Uuid(70, 70);

    private final BrokerHeartbeats heartbeats = new BrokerHeartbeats(9_000_000_000L);

    private static MetadataImage withPartition(
            MetadataImage image, int leader, List<Integer> isr, Integer... replicas) {
        return TestImages.apply(
                image,
                List.of(
                        MetadataRecords.of(TopicRecord.newBuilder()
                                .setName("t")
                                .setTopicId(MetadataRecords.id(TOPIC))
                                .build()),
                        MetadataRecords.of(new PartitionRegistration(
                                        List.of(replicas),
                                        List.of(),
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

    private static PartitionRegistration partition(MetadataImage image) {
        return TestImages.partition(image, "t", 0);
    }

    private static void assertFails(ThrowingCallable call, Errors error, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(error))
                .hasMessageContaining(message);
    }

    private static BrokerRegistration broker(MetadataImage image, int id) {
        return Objects.requireNonNull(image.cluster().broker(id));
    }

    // ---- Registration.

    @Test
    void aNewBrokerIsRegisteredFencedWithAnEpochOfItsOwn() {
        MetadataImage image = TestImages.withBrokers(2);
        var result = new RegisterBroker(SETTINGS).plan(image, TestImages.registration(5, new Uuid(1, 1)), false);
        MetadataImage after = TestImages.apply(image, result.records());
        assertThat(result.response().getBrokerEpoch()).isEqualTo(102);
        assertThat(broker(after, 5).fenced()).isTrue();
        assertThat(broker(after, 5).epoch()).isEqualTo(102);
        assertThat(broker(after, 5).listeners()).hasSize(1);
        assertThat(broker(after, 5).rack()).isNull();
    }

    @Test
    void theSameProcessMayAskAgain() {
        MetadataImage image = TestImages.withBrokers(2);
        var result = new RegisterBroker(SETTINGS).plan(image, TestImages.registration(1, new Uuid(50, 1)), true);
        assertThat(result.response().getBrokerEpoch()).isEqualTo(101);
        assertThat(broker(TestImages.apply(image, result.records()), 1).fenced())
                .isFalse();
    }

    @Test
    void anotherProcessMayTakeAnIdOnlyWhenTheOldOneIsGone() {
        MetadataImage image = withPartition(TestImages.withBrokers(2), 1, List.of(1, 0), 1, 0);
        RegisterBrokerRequest request = TestImages.registration(1, new Uuid(99, 99));
        RegisterBrokerRequest elsewhere = request.toBuilder()
                .clearLogDirs()
                .addLogDirs(MetadataRecords.id(new Uuid(61, 61)))
                .build();
        assertFails(
                () -> new RegisterBroker(SETTINGS).plan(image, elsewhere, true),
                Errors.DUPLICATE_BROKER_REGISTRATION,
                "node.id");
        // Whoever holds the directories of the old process has seen it end.
        assertThat(new RegisterBroker(SETTINGS)
                        .plan(image, request, true)
                        .response()
                        .getBrokerEpoch())
                .isEqualTo(102);
        var result = new RegisterBroker(SETTINGS).plan(image, request, false);
        MetadataImage after = TestImages.apply(image, result.records());
        assertThat(broker(after, 1).epoch()).isEqualTo(102);
        assertThat(broker(after, 1).fenced()).isTrue();
        // The new process has to earn its place again.
        assertThat(partition(after).leader()).isZero();
        assertThat(partition(after).isr()).containsExactly(0);
    }

    @Test
    void registrationsThatCannotBeAreSaidWhy() {
        MetadataImage image = TestImages.withBrokers(2);
        var operation = new RegisterBroker(SETTINGS);
        RegisterBrokerRequest good = TestImages.registration(5, new Uuid(1, 1));
        assertFails(
                () -> operation.plan(
                        image,
                        good.toBuilder()
                                .setClusterId(MetadataRecords.id(new Uuid(8, 8)))
                                .build(),
                        false),
                Errors.INCONSISTENT_CLUSTER_ID,
                "belongs to cluster");
        assertFails(
                () -> operation.plan(image, good.toBuilder().clearEndpoints().build(), false),
                Errors.INVALID_REGISTRATION,
                "names no listener");
        assertFails(
                () -> operation.plan(image, good.toBuilder().clearFeatures().build(), false),
                Errors.UNSUPPORTED_VERSION,
                "metadata.version");
        assertFails(
                () -> operation.plan(
                        image,
                        good.toBuilder()
                                .setFeatures(0, good.getFeatures(0).toBuilder().setMaxLevel(1))
                                .build(),
                        false),
                Errors.UNSUPPORTED_VERSION,
                "level 33 is finalized");
        assertFails(
                () -> operation.plan(
                        image,
                        good.toBuilder()
                                .clearLogDirs()
                                .addLogDirs(MetadataRecords.id(new Uuid(60, 0)))
                                .build(),
                        false),
                Errors.INVALID_REGISTRATION,
                "broker 0 registered");
    }

    // ---- Heartbeats.

    private BrokerHeartbeatResponse beat(MetadataImage[] image, BrokerHeartbeatRequest.Builder request) {
        heartbeats.touch(request.getBrokerId(), request.getBrokerEpoch(), request.getCurrentMetadataIndex(), 1_000_000);
        var result = new BrokerHeartbeat(SETTINGS).plan(image[0], request.build(), heartbeats);
        image[0] = TestImages.apply(image[0], result.records());
        return result.response();
    }

    private static BrokerHeartbeatRequest.Builder from(MetadataImage image, int broker) {
        return BrokerHeartbeatRequest.newBuilder()
                .setBrokerId(broker)
                .setBrokerEpoch(broker(image, broker).epoch())
                .setCurrentMetadataIndex(1000);
    }

    @Test
    void aBrokerIsUnfencedWhenItHasSeenItsRegistration() {
        MetadataImage[] image = {
            withPartition(
                    TestImages.apply(
                            TestImages.withBrokers(2),
                            List.of(MetadataRecords.of(
                                    TestImages.broker(1, true).toRecord()))),
                    -1,
                    List.of(1),
                    1)
        };
        heartbeats.register(1, 101, 50, 0);
        var early = beat(image, from(image[0], 1).setCurrentMetadataIndex(49));
        assertThat(early.getIsCaughtUp()).isFalse();
        assertThat(early.getIsFenced()).isTrue();
        var later = beat(image, from(image[0], 1).setCurrentMetadataIndex(50).setWantFence(true));
        assertThat(later.getIsCaughtUp()).isTrue();
        assertThat(later.getIsFenced()).isTrue();
        var ready = beat(image, from(image[0], 1).setCurrentMetadataIndex(51));
        assertThat(ready.getIsFenced()).isFalse();
        assertThat(broker(image[0], 1).fenced()).isFalse();
        // Its partition has a leader again.
        assertThat(partition(image[0]).leader()).isEqualTo(1);
        assertThat(partition(image[0]).leaderEpoch()).isEqualTo(5);
    }

    @Test
    void aBrokerThatLeavesInOrderHandsOverFirst() {
        MetadataImage[] image = {withPartition(TestImages.withBrokers(2), 1, List.of(1, 0), 1, 0)};
        heartbeats.register(0, 100, 0, 0);
        heartbeats.register(1, 101, 0, 0);
        var first = beat(image, from(image[0], 1).setWantShutDown(true));
        assertThat(first.getShouldShutDown()).isFalse();
        assertThat(broker(image[0], 1).inControlledShutdown()).isTrue();
        assertThat(partition(image[0]).leader()).isZero();
        assertThat(partition(image[0]).isr()).containsExactly(0);
        heartbeats.shuttingDown(1, 60);
        // What happens elsewhere meanwhile need not be seen by all.
        heartbeats.shuttingDown(1, 1_000);

        heartbeats.touch(0, 100, 59, 1);
        assertThat(beat(image, from(image[0], 1).setWantShutDown(true)).getShouldShutDown())
                .isFalse();
        heartbeats.touch(0, 100, 60, 1);
        assertThat(beat(image, from(image[0], 1).setWantShutDown(true)).getShouldShutDown())
                .isTrue();
    }

    @Test
    void theLastBrokerMayLeaveAtOnce() {
        MetadataImage[] image = {withPartition(TestImages.withBrokers(1), 0, List.of(0), 0)};
        heartbeats.register(0, 100, 0, 0);
        assertThat(beat(image, from(image[0], 0).setWantShutDown(true)).getShouldShutDown())
                .isTrue();
        // It is the only one known to have everything: nobody else can lead, and it leads again when it is back.
        assertThat(partition(image[0]))
                .isEqualTo(partition(withPartition(TestImages.withBrokers(1), 0, List.of(0), 0)));
        assertThat(broker(image[0], 0).fenced()).isTrue();

        var back = new RegisterBroker(SETTINGS)
                .plan(
                        image[0],
                        TestImages.registration(0, new Uuid(99, 99)).toBuilder()
                                .setPreviousBrokerEpoch(100)
                                .build(),
                        false);
        assertThat(partition(TestImages.apply(image[0], back.records())).leaderEpoch())
                .isEqualTo(4);
        // After a crash it may have lost records of that leader epoch.
        var crashed = new RegisterBroker(SETTINGS).plan(image[0], TestImages.registration(0, new Uuid(99, 99)), false);
        MetadataImage after = TestImages.apply(image[0], crashed.records());
        assertThat(partition(after).leader()).isZero();
        assertThat(partition(after).leaderEpoch()).isEqualTo(5);
    }

    @Test
    void whoIsInSyncLeadsWhenALeaderThatIsAwayDoesNotComeBack() {
        // 1 led alone and registered anew, then 0 comes, which the ISR does not have: it may not lead.
        MetadataImage image = TestImages.apply(
                withPartition(TestImages.withBrokers(2), 1, List.of(1), 1, 0),
                List.of(
                        MetadataRecords.of(TestImages.broker(1, true).toRecord()),
                        MetadataRecords.of(TestImages.broker(0, true).toRecord())));
        heartbeats.register(0, 100, 0, 0);
        MetadataImage[] images = {image};
        beat(images, from(image, 0));
        assertThat(partition(images[0]).leader()).isEqualTo(-1);
        heartbeats.register(1, 101, 0, 0);
        beat(images, from(image, 1));
        assertThat(partition(images[0]).leader()).isEqualTo(1);
    }

    @Test
    void onlyTheRegisteredProcessIsHeard() {
        MetadataImage[] image = {TestImages.withBrokers(1)};
        assertFails(
                () -> beat(image, from(image[0], 0).setBrokerEpoch(7)), Errors.STALE_BROKER_EPOCH, "Expected broker");
        assertFails(
                () -> beat(image, from(image[0], 0).setBrokerId(9)), Errors.BROKER_ID_NOT_REGISTERED, "not registered");
    }

    @Test
    void aFailedDirectoryIsForgotten() {
        MetadataImage[] image = {TestImages.withBrokers(1)};
        heartbeats.register(0, 100, 0, 0);
        beat(image, from(image[0], 0).addOfflineLogDirs(MetadataRecords.id(new Uuid(60, 0))));
        assertThat(broker(image[0], 0).logDirs()).isEmpty();
    }

    @Test
    void aBrokerWithAllDirectoriesCordonedGetsNoReplicas() {
        MetadataImage[] image = {TestImages.withBrokers(2)};
        heartbeats.register(0, 100, 0, 0);
        beat(image, from(image[0], 0).addCordonedLogDirs(MetadataRecords.id(new Uuid(60, 0))));
        assertThat(broker(image[0], 0).takesReplicas()).isFalse();
        assertThat(Placement.usableBrokers(image[0].cluster()))
                .extracting(ReplicaPlacer.UsableBroker::id)
                .containsExactly(1);
        assertThatThrownBy(() -> Placement.checkManual(image[0].cluster(), List.of(1, 0), 0))
                .isInstanceOf(ApiException.class)
                .hasMessage("The manual partition assignment includes broker 0, but all its log directories are"
                        + " cordoned.");
        // It is in a snapshot too.
        assertThat(BrokerRegistration.from(broker(image[0], 0).toRecord())).isEqualTo(broker(image[0], 0));

        beat(image, from(image[0], 0));
        assertThat(broker(image[0], 0).takesReplicas()).isTrue();
    }

    @Test
    void oneDirectoryThatIsNotCordonedIsEnough() {
        MetadataImage[] image = {withTwoDirectories()};
        heartbeats.register(0, 100, 0, 0);
        beat(image, from(image[0], 0).addCordonedLogDirs(MetadataRecords.id(new Uuid(60, 0))));
        assertThat(broker(image[0], 0).cordonedLogDirs()).containsExactly(new Uuid(60, 0));
        assertThat(broker(image[0], 0).takesReplicas()).isTrue();
    }

    // ---- Log directories (KIP-858).

    /// Two brokers; broker 0 has the directories 60 and 61 and leads.
    private static MetadataImage withTwoDirectories() {
        BrokerRegistration one = TestImages.broker(0, false);
        var both = new BrokerRegistration(
                one.id(),
                one.epoch(),
                one.incarnationId(),
                one.listeners(),
                null,
                false,
                false,
                List.of(new Uuid(60, 0), new Uuid(61, 0)),
                List.of(),
                one.features());
        return TestImages.apply(
                withPartition(TestImages.withBrokers(2), 0, List.of(0, 1), 0, 1),
                List.of(MetadataRecords.of(both.toRecord())));
    }

    private static AssignReplicasToDirsRequestData assignment(Uuid directory, Uuid topic, int partition) {
        return new AssignReplicasToDirsRequestData()
                .setBrokerId(0)
                .setBrokerEpoch(100)
                .setDirectories(List.of(new AssignReplicasToDirsRequestData.DirectoryData()
                        .setId(directory)
                        .setTopics(List.of(new AssignReplicasToDirsRequestData.TopicData()
                                .setTopicId(topic)
                                .setPartitions(List.of(new AssignReplicasToDirsRequestData.PartitionData()
                                        .setPartitionIndex(partition)))))));
    }

    private static Errors assign(MetadataImage[] image, AssignReplicasToDirsRequestData request) {
        var result = new AssignReplicasToDirs(SETTINGS).plan(image[0], request);
        image[0] = TestImages.apply(image[0], result.records());
        return Errors.forCode(result.response()
                .directories()
                .getFirst()
                .topics()
                .getFirst()
                .partitions()
                .getFirst()
                .errorCode());
    }

    @Test
    void aBrokerTellsWhereItsReplicasAre() {
        MetadataImage[] image = {withTwoDirectories()};
        assertThat(partition(image[0]).directory(0)).isEqualTo(Uuid.ZERO);
        assertThat(assign(image, assignment(new Uuid(61, 0), TOPIC, 0))).isEqualTo(Errors.NONE);
        PartitionRegistration after = partition(image[0]);
        assertThat(after.directory(0)).isEqualTo(new Uuid(61, 0));
        assertThat(after.directory(1)).isEqualTo(Uuid.ZERO);
        assertThat(after.leader()).isZero();
        assertThat(after.leaderEpoch()).isEqualTo(4);
        assertThat(after.partitionEpoch()).isEqualTo(11);
        // Again: nothing changes.
        assertThat(assign(image, assignment(new Uuid(61, 0), TOPIC, 0))).isEqualTo(Errors.NONE);
        assertThat(partition(image[0]).partitionEpoch()).isEqualTo(11);

        assertThat(assign(image, assignment(new Uuid(61, 0), new Uuid(9, 9), 0)))
                .isEqualTo(Errors.UNKNOWN_TOPIC_ID);
        assertThat(assign(image, assignment(new Uuid(61, 0), TOPIC, 5))).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        MetadataImage[] elsewhere = {withPartition(TestImages.withBrokers(2), 1, List.of(1), 1)};
        assertThat(assign(elsewhere, assignment(new Uuid(60, 0), TOPIC, 0))).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        assertFails(
                () -> assign(image, assignment(new Uuid(61, 0), TOPIC, 0).setBrokerEpoch(7)),
                Errors.STALE_BROKER_EPOCH,
                "Expected broker");
    }

    @Test
    void whatIsInAFailedDirectoryIsLedElsewhere() {
        MetadataImage[] image = {withTwoDirectories()};
        heartbeats.register(0, 100, 0, 0);
        assign(image, assignment(new Uuid(61, 0), TOPIC, 0));
        beat(image, from(image[0], 0).addOfflineLogDirs(MetadataRecords.id(new Uuid(60, 0))));
        assertThat(partition(image[0]).leader()).as("another directory").isZero();
        beat(image, from(image[0], 0).addOfflineLogDirs(MetadataRecords.id(new Uuid(61, 0))));
        assertThat(partition(image[0]).leader()).isEqualTo(1);
        assertThat(partition(image[0]).isr()).containsExactly(1);
    }

    /// The broker had not yet told that it put the replica there when the directory failed.
    @Test
    void anAssignmentToAFailedDirectoryMovesTheLeader() {
        MetadataImage[] image = {withTwoDirectories()};
        heartbeats.register(0, 100, 0, 0);
        beat(image, from(image[0], 0).addOfflineLogDirs(MetadataRecords.id(new Uuid(61, 0))));
        assertThat(partition(image[0]).leader()).isZero();
        assertThat(assign(image, assignment(new Uuid(61, 0), TOPIC, 0))).isEqualTo(Errors.NONE);
        assertThat(partition(image[0]).leader()).isEqualTo(1);
        assertThat(partition(image[0]).isr()).containsExactly(1);
        assertThat(partition(image[0]).directory(0)).isEqualTo(new Uuid(61, 0));
    }

    /// Not even an unclean election chooses a replica whose directory failed.
    @Test
    void nobodyLeadsFromAFailedDirectory() {
        MetadataImage[] image = {
            TestImages.apply(
                    withTwoDirectories(),
                    List.of(MetadataRecords.of(ConfigRecord.newBuilder()
                            .setResourceType(2)
                            .setResourceName("t")
                            .setName("unclean.leader.election.enable")
                            .setValue("true")
                            .build())))
        };
        heartbeats.register(0, 100, 0, 0);
        assign(image, assignment(new Uuid(61, 0), TOPIC, 0));
        beat(image, from(image[0], 0).addOfflineLogDirs(MetadataRecords.id(new Uuid(61, 0))));
        image[0] = TestImages.apply(
                image[0], new FenceBroker(SETTINGS).plan(image[0], 1, 101).records());
        assertThat(partition(image[0]).leader()).isEqualTo(-1);
    }

    @Test
    void unregisteringTakesTheBrokerOutOfEverything() {
        MetadataImage image = withPartition(TestImages.withBrokers(2), 1, List.of(1, 0), 1, 0);
        var result = new UnregisterBroker(SETTINGS).plan(image, new UnregisterBrokerRequestData().setBrokerId(1));
        MetadataImage after = TestImages.apply(image, result.records());
        assertThat(after.cluster().broker(1)).isNull();
        assertThat(partition(after).leader()).isZero();
        assertFails(
                () -> new UnregisterBroker(SETTINGS).plan(after, new UnregisterBrokerRequestData().setBrokerId(1)),
                Errors.BROKER_ID_NOT_REGISTERED,
                "Broker 1");
    }

    @Test
    void uncleanElectionIsTheTopicsChoiceFirst() {
        MetadataImage image = withPartition(TestImages.withBrokers(2), 1, List.of(1), 1, 0);
        MetadataImage strict = TestImages.apply(
                image, new FenceBroker(SETTINGS).plan(image, 1, 101).records());
        assertThat(partition(strict).leader()).isEqualTo(-1);

        MetadataImage lax = TestImages.apply(
                image,
                List.of(MetadataRecords.of(ConfigRecord.newBuilder()
                        .setResourceType(2)
                        .setResourceName("t")
                        .setName("unclean.leader.election.enable")
                        .setValue("true")
                        .build())));
        MetadataImage after = TestImages.apply(
                lax, new FenceBroker(SETTINGS).plan(lax, 1, 101).records());
        assertThat(partition(after).leader()).isZero();
        assertThat(partition(after).leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERING);
    }

    // ---- Producer ids.

    @Test
    void producerIdBlocksNeverOverlap() {
        MetadataImage image = TestImages.withBrokers(1);
        var request = AllocateProducerIdsRequest.newBuilder()
                .setBrokerId(0)
                .setBrokerEpoch(100)
                .build();
        var first = new AllocateProducerIds().plan(image, request);
        assertThat(first.response().getFirstProducerId()).isZero();
        assertThat(first.response().getCount()).isEqualTo(1000);
        image = TestImages.apply(image, first.records());
        assertThat(new AllocateProducerIds().plan(image, request).response().getFirstProducerId())
                .isEqualTo(1000);
        MetadataImage now = image;
        assertFails(
                () -> new AllocateProducerIds()
                        .plan(now, request.toBuilder().setBrokerEpoch(1).build()),
                Errors.STALE_BROKER_EPOCH,
                "");
    }

    // ---- AlterPartition.

    private static AlterPartitionRequest propose(int leaderEpoch, int partitionEpoch, int... isr) {
        var partition = AlterPartitionRequest.PartitionIsr.newBuilder()
                .setPartitionId(0)
                .setLeaderEpoch(leaderEpoch)
                .setPartitionEpoch(partitionEpoch);
        for (int id : isr) {
            partition.addNewIsr(
                    AlterPartitionRequest.IsrMember.newBuilder().setBrokerId(id).setBrokerEpoch(100 + id));
        }
        return AlterPartitionRequest.newBuilder()
                .setBrokerId(1)
                .setBrokerEpoch(101)
                .addTopics(AlterPartitionRequest.TopicIsr.newBuilder()
                        .setTopicId(MetadataRecords.id(TOPIC))
                        .addPartitions(partition))
                .build();
    }

    private static Errors verdict(MetadataImage image, AlterPartitionRequest request) {
        return Errors.forCode((short) state(image, request).getErrorCode());
    }

    private static AlterPartitionResponse.PartitionState state(MetadataImage image, AlterPartitionRequest request) {
        return new AlterPartition(SETTINGS)
                .plan(image, request)
                .response()
                .getTopics(0)
                .getPartitions(0);
    }

    @Test
    void aLeaderChangesItsIsr() {
        MetadataImage image = withPartition(TestImages.withBrokers(3), 1, List.of(1), 1, 0, 2);
        var state = state(image, propose(4, 10, 1, 0));
        assertThat(state.getErrorCode()).isZero();
        assertThat(state.getIsrList()).containsExactly(1, 0);
        assertThat(state.getPartitionEpoch()).isEqualTo(11);
        assertThat(state.getLeaderEpoch()).isEqualTo(4);
        MetadataImage after = TestImages.apply(
                image,
                new AlterPartition(SETTINGS).plan(image, propose(4, 10, 1, 0)).records());
        assertThat(partition(after).isr()).containsExactly(1, 0);
        assertThat(partition(after).partitionEpoch()).isEqualTo(11);
    }

    @Test
    void proposalsThatDoNotFitAreRefused() {
        MetadataImage image = withPartition(TestImages.withBrokers(4), 1, List.of(1, 0), 1, 0, 2);
        assertThat(verdict(image, propose(5, 10, 1))).isEqualTo(Errors.NOT_CONTROLLER);
        assertThat(verdict(image, propose(4, 11, 1))).isEqualTo(Errors.NOT_CONTROLLER);
        assertThat(verdict(image, propose(3, 10, 1))).isEqualTo(Errors.FENCED_LEADER_EPOCH);
        assertThat(verdict(image, propose(4, 9, 1))).isEqualTo(Errors.INVALID_UPDATE_VERSION);
        assertThat(verdict(image, propose(4, 10, 0))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(verdict(image, propose(4, 10, 1, 3))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(verdict(image, propose(4, 10, 1, 1))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(verdict(
                        image,
                        propose(4, 10, 1).toBuilder()
                                .setBrokerId(0)
                                .setBrokerEpoch(100)
                                .build()))
                .isEqualTo(Errors.INVALID_REQUEST);
        MetadataImage fenced = TestImages.apply(
                image, List.of(MetadataRecords.of(TestImages.broker(2, true).toRecord())));
        assertThat(verdict(fenced, propose(4, 10, 1, 0, 2))).isEqualTo(Errors.INELIGIBLE_REPLICA);
        assertThat(verdict(TestImages.withBrokers(2), propose(4, 10, 1))).isEqualTo(Errors.UNKNOWN_TOPIC_ID);
        assertFails(
                () -> verdict(
                        image, propose(4, 10, 1).toBuilder().setBrokerEpoch(1).build()),
                Errors.STALE_BROKER_EPOCH,
                "");
    }

    /// A leader takes back what it proposed by proposing what there is.
    @Test
    void aProposalOfTheIsrThereIsOutdatesTheOneThatComesLate() {
        MetadataImage image = withPartition(TestImages.withBrokers(3), 1, List.of(1), 1, 0, 2);
        MetadataImage after = TestImages.apply(
                image,
                new AlterPartition(SETTINGS).plan(image, propose(4, 10, 1)).records());
        assertThat(partition(after).isr()).containsExactly(1);
        assertThat(partition(after).partitionEpoch()).isEqualTo(11);
        assertThat(partition(after).leaderEpoch()).isEqualTo(4);
        assertThat(verdict(image, propose(4, 10, 1, 0))).isEqualTo(Errors.NONE);
        assertThat(verdict(after, propose(4, 10, 1, 0))).isEqualTo(Errors.INVALID_UPDATE_VERSION);
    }

    // ---- ElectLeaders.

    private static ElectLeadersResponseData elect(MetadataImage image, int type, boolean all) {
        var request = new ElectLeadersRequestData()
                .setElectionType((byte) type)
                .setTopicPartitions(
                        all
                                ? null
                                : List.of(new ElectLeadersRequestData.TopicPartitions()
                                        .setTopic("t")
                                        .setPartitions(List.of(0, 7))));
        return new ElectLeaders(SETTINGS).plan(image, request).response();
    }

    private static Errors first(ElectLeadersResponseData response) {
        return Errors.forCode(response.replicaElectionResults()
                .getFirst()
                .partitionResult()
                .getFirst()
                .errorCode());
    }

    @Test
    void leadersAreElected() {
        MetadataImage image = withPartition(TestImages.withBrokers(2), 1, List.of(1, 0), 0, 1);
        assertThat(first(elect(image, 0, false))).isEqualTo(Errors.NONE);
        assertThat(elect(image, 0, false)
                        .replicaElectionResults()
                        .getFirst()
                        .partitionResult()
                        .get(1)
                        .errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        MetadataImage led = withPartition(TestImages.withBrokers(2), 0, List.of(1, 0), 0, 1);
        assertThat(first(elect(led, 0, false))).isEqualTo(Errors.ELECTION_NOT_NEEDED);
        assertThat(elect(led, 0, true).replicaElectionResults()).isEmpty();
        MetadataImage behind = withPartition(TestImages.withBrokers(2), 1, List.of(1), 0, 1);
        assertThat(first(elect(behind, 0, false))).isEqualTo(Errors.PREFERRED_LEADER_NOT_AVAILABLE);
        assertThat(first(elect(behind, 1, false))).isEqualTo(Errors.ELECTION_NOT_NEEDED);
        MetadataImage headless = withPartition(TestImages.withBrokers(1), -1, List.of(1), 0, 1);
        assertThat(first(elect(headless, 1, false))).isEqualTo(Errors.NONE);
    }
}
