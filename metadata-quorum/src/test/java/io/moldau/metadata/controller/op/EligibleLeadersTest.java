package io.moldau.metadata.controller.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.BrokerHeartbeats;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.ReplicaList;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.ElectLeadersRequestData.TopicPartitions;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Eligible leader replicas (KIP-966), with three replicas and `min.insync.replicas` 2 unless told otherwise.
class EligibleLeadersTest {

    private static final Uuid TOPIC = new Uuid(70, 70);
    private static final ControllerSettings SETTINGS = ControllerSettings.DEFAULTS.withMinInsyncReplicas(2);

    private final BrokerHeartbeats heartbeats = new BrokerHeartbeats(9_000_000_000L);
    private MetadataImage image = with(TestImages.withEligibleLeaders(TestImages.withBrokers(3)), 0, 1, 2);

    private static MetadataImage with(MetadataImage image, Integer... replicas) {
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
                                        List.of(replicas),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        replicas[0],
                                        LeaderRecoveryState.RECOVERED,
                                        4,
                                        10)
                                .toRecord(MetadataRecords.id(TOPIC), 0))));
    }

    private PartitionRegistration partition() {
        return TestImages.partition(image, "t", 0);
    }

    private List<MetadataRecord> fence(int broker) {
        List<MetadataRecord> records = new FenceBroker(SETTINGS)
                .plan(
                        image,
                        broker,
                        Objects.requireNonNull(image.cluster().broker(broker)).epoch())
                .records();
        image = TestImages.apply(image, records);
        return records;
    }

    /// The broker's process starts again. `clean`: it had said that all it had is on disk.
    private void restart(int broker, boolean clean) {
        restart(broker, clean, SETTINGS);
    }

    private void restart(int broker, boolean clean, ControllerSettings settings) {
        restart(TestImages.registration(broker, new Uuid(99, image.offset())), clean, settings);
    }

    private void restart(RegisterBrokerRequest registration, boolean clean, ControllerSettings settings) {
        int broker = registration.getBrokerId();
        long before = Objects.requireNonNull(image.cluster().broker(broker)).epoch();
        var result = new RegisterBroker(settings)
                .plan(
                        image,
                        registration.toBuilder()
                                .setPreviousBrokerEpoch(clean ? before : -1)
                                .build(),
                        false);
        image = TestImages.apply(image, result.records());
    }

    private void unfence(int broker) {
        long epoch = Objects.requireNonNull(image.cluster().broker(broker)).epoch();
        heartbeats.register(broker, epoch, 0, 0);
        heartbeats.touch(broker, epoch, 1_000_000, 0);
        var result = new BrokerHeartbeat(SETTINGS)
                .plan(
                        image,
                        BrokerHeartbeatRequest.newBuilder()
                                .setBrokerId(broker)
                                .setBrokerEpoch(epoch)
                                .setCurrentMetadataIndex(1_000_000)
                                .build(),
                        heartbeats);
        image = TestImages.apply(image, result.records());
        assertThat(image.cluster().isUnfenced(broker)).isTrue();
    }

    private static PartitionChangeRecord.Builder change() {
        return PartitionChangeRecord.newBuilder().setTopicId(MetadataRecords.id(TOPIC));
    }

    private static ReplicaList list(Integer... ids) {
        return ReplicaList.newBuilder().addAllIds(List.of(ids)).build();
    }

    @Test
    void whoLeavesAnIsrThatIsLargeEnoughIsNotEligible() {
        assertThat(fence(0))
                .endsWith(MetadataRecords.of(
                        change().setIsr(list(1, 2)).setLeader(1).build()));
    }

    @Test
    void whoLeavesAnIsrThatIsTooSmallIsEligibleSinceNothingIsCommittedWithoutIt() {
        fence(0);
        assertThat(fence(2))
                .endsWith(MetadataRecords.of(change().setIsr(list(1))
                        .setEligibleLeaderReplicas(list(2))
                        .build()));
        assertThat(fence(1))
                .endsWith(MetadataRecords.of(change().setIsr(list())
                        .setLeader(-1)
                        .setEligibleLeaderReplicas(list(1, 2))
                        .setLastKnownElr(list(1))
                        .build()));
    }

    @Test
    void anEligibleLeaderIsElectedWhenNobodyIsInSync() {
        fence(0);
        fence(2);
        fence(1);
        unfence(0); // not eligible
        assertThat(partition().leader()).isEqualTo(-1);
        unfence(2);
        assertThat(partition().leader()).isEqualTo(2);
        assertThat(partition().isr()).containsExactly(2);
        assertThat(partition().elr()).containsExactly(1);
        assertThat(partition().lastKnownElr()).isEmpty();
        assertThat(partition().leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERED);
        // An eligible leader does not lead beside somebody who is in sync, and is none any more when enough are.
        assertThat(propose(2, 0)).isZero();
        assertThat(partition().elr()).isEmpty();
    }

    private short propose(Integer... isr) {
        PartitionRegistration now = partition();
        var proposal = AlterPartitionRequest.PartitionIsr.newBuilder()
                .setLeaderEpoch(now.leaderEpoch())
                .setPartitionEpoch(now.partitionEpoch());
        for (int id : isr) {
            proposal.addNewIsr(
                    AlterPartitionRequest.IsrMember.newBuilder().setBrokerId(id).setBrokerEpoch(-1));
        }
        var result = new AlterPartition(SETTINGS)
                .plan(
                        image,
                        AlterPartitionRequest.newBuilder()
                                .setBrokerId(now.leader())
                                .setBrokerEpoch(
                                        Objects.requireNonNull(image.cluster().broker(now.leader()))
                                                .epoch())
                                .addTopics(AlterPartitionRequest.TopicIsr.newBuilder()
                                        .setTopicId(MetadataRecords.id(TOPIC))
                                        .addPartitions(proposal))
                                .build());
        image = TestImages.apply(image, result.records());
        return (short) result.response().getTopics(0).getPartitions(0).getErrorCode();
    }

    @Test
    void aFollowerThatLagsIsEligibleFromTheMomentTheHighWatermarkStandsStill() {
        assertThat(propose(0)).isZero();
        assertThat(partition().isr()).containsExactly(0);
        assertThat(partition().elr()).containsExactly(1, 2);
        assertThat(partition().leaderEpoch()).isEqualTo(4);
        // Its leader stays in sync, so it alone can lead.
        fence(0);
        assertThat(partition().leader()).isEqualTo(1);
        assertThat(partition().isr()).containsExactly(1);
        assertThat(partition().elr()).containsExactly(0, 2);
    }

    @Test
    void whoCrashedIsNoEligibleLeaderAnyMore() {
        fence(0);
        fence(2);
        fence(1);
        restart(2, false);
        assertThat(partition().elr()).containsExactly(1);
        unfence(2);
        assertThat(partition().leader()).isEqualTo(-1);
        restart(1, true);
        unfence(1);
        assertThat(partition().leader()).isEqualTo(1);
        assertThat(partition().leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERED);
    }

    @Test
    void whoStoppedInOrderStaysEligible() {
        fence(0);
        fence(2);
        restart(2, true);
        assertThat(partition().elr()).containsExactly(2);
    }

    /// `moldau.durability=flushed`: a crash loses nothing that was acknowledged.
    @Test
    void whoCrashedStaysEligibleWhereRecordsAreFlushed() {
        var flushed = SETTINGS.withFlushedDurability(true);
        fence(0);
        fence(2);
        fence(1);
        for (int broker = 0; broker < 3; broker++) {
            restart(broker, false, flushed);
        }
        assertThat(partition().elr()).containsExactly(1, 2);
        unfence(2);
        assertThat(partition().leader()).isEqualTo(2);
        assertThat(partition().leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERED);
    }

    @Test
    void whoComesBackWithAnotherDiskDoesNot() {
        var flushed = SETTINGS.withFlushedDurability(true);
        fence(0);
        fence(2);
        restart(
                TestImages.registration(2, new Uuid(99, 1)).toBuilder()
                        .clearLogDirs()
                        .addLogDirs(MetadataRecords.id(new Uuid(61, 61)))
                        .build(),
                false,
                flushed);
        assertThat(partition().elr()).isEmpty();
    }

    @Test
    void whenAllCrashedTheLastLeaderComesBackAsTheBestThereIs() {
        fence(0);
        fence(2);
        fence(1);
        for (int broker = 0; broker < 3; broker++) {
            restart(broker, false);
        }
        assertThat(partition().elr()).isEmpty();
        assertThat(partition().lastKnownElr()).containsExactly(1);
        unfence(2);
        unfence(0);
        assertThat(partition().leader()).isEqualTo(-1);
        unfence(1);
        assertThat(partition().leader()).isEqualTo(1);
        assertThat(partition().isr()).containsExactly(1);
        assertThat(partition().leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERING);
        assertThat(partition().lastKnownElr()).isEmpty();
        // Its next change of the ISR says that it has recovered.
        assertThat(propose(1, 0, 2)).isZero();
        assertThat(partition().leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERED);
    }

    @Test
    void aSoleReplicaIsWhatThereIsWhateverHappenedToItsBroker() {
        image = with(TestImages.withEligibleLeaders(TestImages.withBrokers(1)), 0);
        fence(0);
        assertThat(partition().isr()).isEmpty();
        assertThat(partition().elr()).containsExactly(0);
        restart(0, false);
        unfence(0);
        assertThat(partition().leader()).isZero();
        assertThat(partition().elr()).isEmpty();
        assertThat(partition().leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERED);
        int epoch = partition().leaderEpoch();
        restart(0, false);
        assertThat(partition().leader()).isZero();
        assertThat(partition().leaderEpoch()).isEqualTo(epoch + 1);
    }

    @Test
    void anUncleanElectionIsTargeted() {
        fence(0);
        fence(2);
        fence(1);
        unfence(0);
        var request = new ElectLeadersRequestData()
                .setElectionType((byte) 1)
                .setTopicPartitions(List.of(new TopicPartitions().setTopic("t").setPartitions(List.of(0))));
        var result = new ElectLeaders(SETTINGS).plan(image, request);
        assertThat(result.response()
                        .replicaElectionResults()
                        .getFirst()
                        .partitionResult()
                        .getFirst()
                        .errorCode())
                .isZero();
        image = TestImages.apply(image, result.records());
        assertThat(partition().leader()).isZero();
        assertThat(partition().isr()).containsExactly(0);
        assertThat(partition().elr()).isEmpty();
        assertThat(partition().lastKnownElr()).isEmpty();
        assertThat(partition().leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERING);
    }

    // ---- min.insync.replicas.

    private short set(ConfigResource resource, @Nullable String value) {
        var request = new IncrementalAlterConfigsRequestData()
                .setResources(List.of(new AlterConfigsResource()
                        .setResourceType(resource.type().code())
                        .setResourceName(resource.name())
                        .setConfigs(List.of(new AlterableConfig()
                                .setName("min.insync.replicas")
                                .setConfigOperation((byte) (value == null ? 1 : 0))
                                .setValue(value)))));
        var result = new AlterConfigs(ConfigValidator.acceptAll(), SETTINGS).incremental(image, request);
        image = TestImages.apply(image, result.records());
        return result.response().responses().getFirst().errorCode();
    }

    @Test
    void aLowerMinimumMakesEligibleLeadersFallBehind() {
        propose(0);
        assertThat(set(ConfigResource.topic("t"), "1")).isZero();
        assertThat(partition().elr()).isEmpty();
        assertThat(partition().isr()).containsExactly(0);
    }

    @Test
    void aLowerMinimumOfTheClusterDoesTheSame() {
        propose(0);
        assertThat(set(ConfigResource.brokerDefault(), "1")).isZero();
        assertThat(partition().elr()).isEmpty();
    }

    @Test
    void aLowerMinimumKeepsThoseWithoutWhomNobodyCouldLead() {
        fence(0);
        fence(2);
        fence(1);
        assertThat(set(ConfigResource.topic("t"), "1")).isZero();
        assertThat(partition().elr()).containsExactly(1, 2);
    }

    @Test
    void theMinimumIsTheClustersAndStaysThere() {
        assertThat(set(ConfigResource.broker(1), "2")).isEqualTo(Errors.INVALID_CONFIG.code());
        assertThat(set(ConfigResource.brokerDefault(), "2")).isZero();
        assertThat(set(ConfigResource.brokerDefault(), null)).isEqualTo(Errors.INVALID_CONFIG.code());
        assertThat(image.configs().overrides(ConfigResource.brokerDefault())).containsEntry("min.insync.replicas", "2");
    }

    @Test
    void aNewClusterBeginsWithTheMinimumOfItsFirstController() {
        var settings = new ControllerSettings(
                1,
                1,
                true,
                false,
                3,
                false,
                9000,
                0,
                SETTINGS.balance(),
                null,
                Map.of(FeaturesImage.ELIGIBLE_LEADER_REPLICAS, (short) 1));
        List<MetadataRecord> records = Bootstrap.records(TestImages.CLUSTER, settings, new SplittableRandom(1));
        assertThat(records)
                .contains(MetadataRecords.of(ConfigRecord.newBuilder()
                        .setResourceType(4)
                        .setName("min.insync.replicas")
                        .setValue("3")
                        .build()));
        assertThat(TestImages.apply(MetadataImage.EMPTY, records).features().hasEligibleLeaderReplicas())
                .isTrue();
    }

    @Test
    void anUnknownElectionTypeIsRefused() {
        assertThatThrownBy(() ->
                        new ElectLeaders(SETTINGS).plan(image, new ElectLeadersRequestData().setElectionType((byte) 5)))
                .isInstanceOf(ApiException.class);
    }
}
