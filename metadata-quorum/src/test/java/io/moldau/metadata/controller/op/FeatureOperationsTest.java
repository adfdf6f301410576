package io.moldau.metadata.controller.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.VersionRange;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.ControllerRegistrationRequestData;
import io.moldau.wire.message.UnregisterControllerRequestData;
import io.moldau.wire.message.UpdateFeaturesRequestData;
import io.moldau.wire.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Registration of controllers, and the features that all nodes agree on.
class FeatureOperationsTest {

    private static final String ELR = FeaturesImage.ELIGIBLE_LEADER_REPLICAS;
    private static final Uuid TOPIC = new Uuid(70, 70);
    private static final int ACTIVE = 100;
    private static final int UPGRADE = 1;
    private static final int SAFE = 2;
    private static final int UNSAFE = 3;

    private final RegisterController controllers = new RegisterController();
    private final UpdateFeatures features = new UpdateFeatures(ControllerSettings.DEFAULTS.withMinInsyncReplicas(2));

    private static ControllerRegistration controller(int id, int maxElr) {
        return new ControllerRegistration(
                id,
                new Uuid(9, id),
                List.of(new Endpoint("CONTROLLER", "SASL_SSL", "host" + id, 9093)),
                Map.of(
                        FeaturesImage.METADATA_VERSION,
                        new VersionRange((short) 33, (short) 33),
                        ELR,
                        new VersionRange((short) 0, (short) maxElr)));
    }

    private MetadataImage registered(MetadataImage image, ControllerRegistration registration) {
        return TestImages.apply(
                image,
                controllers
                        .register(image, RegisterController.request(registration))
                        .records());
    }

    private MetadataImage cluster() {
        return registered(TestImages.withBrokers(3), controller(ACTIVE, 1));
    }

    private static UpdateFeaturesRequestData update(String feature, int level, int type) {
        return new UpdateFeaturesRequestData()
                .setFeatureUpdates(List.of(new FeatureUpdateKey()
                        .setFeature(feature)
                        .setMaxVersionLevel((short) level)
                        .setUpgradeType((byte) type)));
    }

    private MetadataImage updated(MetadataImage image, String feature, int level, int type) {
        return TestImages.apply(
                image,
                features.plan(image, update(feature, level, type), ACTIVE, (short) 2)
                        .records());
    }

    private void assertRefused(MetadataImage image, UpdateFeaturesRequestData request, String why) {
        assertThatThrownBy(() -> features.plan(image, request, ACTIVE, (short) 2))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.INVALID_UPDATE_VERSION))
                .hasMessageContaining(why);
    }

    // ---- Controllers.

    @Test
    void aControllerIsKnownAsItRegistered() {
        assertThat(cluster().cluster().controller(ACTIVE)).isEqualTo(controller(ACTIVE, 1));
    }

    @Test
    void theSameProcessWritesNothingAgainAndAnotherReplacesIt() {
        MetadataImage image = cluster();
        ControllerRegistrationRequestData same = RegisterController.request(controller(ACTIVE, 1));
        assertThat(controllers.register(image, same).records()).isEmpty();

        var restarted = RegisterController.request(controller(ACTIVE, 1)).setIncarnationId(new Uuid(5, 5));
        MetadataImage after =
                TestImages.apply(image, controllers.register(image, restarted).records());
        assertThat(after.cluster().controllers()).hasSize(1);
        assertThat(after.cluster().controller(ACTIVE)).isNotEqualTo(controller(ACTIVE, 1));
    }

    @Test
    void aRegistrationWithoutAListenerIsRefused() {
        var request = RegisterController.request(controller(7, 1)).setListeners(List.of());
        assertThatThrownBy(() -> controllers.register(cluster(), request)).isInstanceOf(ApiException.class);
    }

    @Test
    void aVoterThatMovedKeepsItsProcessAndItsFeatures() {
        MetadataImage image = cluster();
        var there = List.of(new Endpoint("CONTROLLER", "PLAINTEXT", "elsewhere", 1));
        MetadataImage after =
                TestImages.apply(image, controllers.moved(image, ACTIVE, there).records());
        ControllerRegistration before = controller(ACTIVE, 1);
        assertThat(after.cluster().controller(ACTIVE))
                .isEqualTo(new ControllerRegistration(ACTIVE, before.incarnationId(), there, before.features()));
        assertThat(controllers.moved(after, ACTIVE, there).records()).isEmpty();
    }

    @Test
    void aControllerIsForgottenWhenToldSo() {
        MetadataImage image = cluster();
        var request = new UnregisterControllerRequestData().setControllerId(ACTIVE);
        MetadataImage after =
                TestImages.apply(image, controllers.unregister(image, request).records());
        assertThat(after.cluster().controllers()).isEmpty();
        assertThatThrownBy(() -> controllers.unregister(after, request))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.CONTROLLER_ID_NOT_REGISTERED));
    }

    // ---- Features.

    @Test
    void aLevelThatEveryNodeSupportsIsFinalized() {
        MetadataImage after = updated(cluster(), ELR, 1, UPGRADE);
        assertThat(after.features().level(ELR)).isEqualTo((short) 1);
        assertThat(features.plan(after, update(ELR, 1, UPGRADE), ACTIVE, (short) 2)
                        .records())
                .isEmpty();
    }

    @Test
    void oneNodeThatDoesNotSupportALevelIsEnoughToRefuseIt() {
        MetadataImage withOldController = registered(cluster(), controller(101, 0));
        assertRefused(withOldController, update(ELR, 1, UPGRADE), "Controller 101 supports only levels 0 to 0");

        BrokerRegistration broker = TestImages.broker(7, true);
        var oldBroker = new BrokerRegistration(
                7,
                107,
                broker.incarnationId(),
                broker.listeners(),
                null,
                true,
                false,
                broker.logDirs(),
                List.of(),
                Map.of());
        MetadataImage withOldBroker = TestImages.apply(cluster(), List.of(MetadataRecords.of(oldBroker.toRecord())));
        assertRefused(withOldBroker, update(ELR, 1, UPGRADE), "Broker 7 does not support this feature");
        assertRefused(cluster(), update("no.such.feature", 1, UPGRADE), "does not support this feature");
        assertRefused(cluster(), update(FeaturesImage.METADATA_VERSION, 34, UPGRADE), "supports only levels");
    }

    @Test
    void theKindOfUpgradeMustFit() {
        MetadataImage on = updated(cluster(), ELR, 1, UPGRADE);
        assertRefused(on, update(ELR, 0, UPGRADE), "safe or an unsafe downgrade");
        assertRefused(cluster(), update(ELR, 1, SAFE), "that would be an upgrade");
        assertRefused(cluster(), update(ELR, -1, UPGRADE), "0 or more");
        assertRefused(cluster(), update(ELR, 1, 9), "no kind of upgrade 9");
        var twice = update(ELR, 1, UPGRADE);
        twice.setFeatureUpdates(List.of(
                twice.featureUpdates().getFirst(),
                update(ELR, 0, SAFE).featureUpdates().getFirst()));
        assertRefused(cluster(), twice, "named twice");
    }

    @Test
    void theOldestVersionHasOnlyAFlagForDowngrades() {
        MetadataImage on = updated(cluster(), ELR, 1, UPGRADE);
        var down = update(ELR, 0, UPGRADE);
        assertThatThrownBy(() -> features.plan(on, down, ACTIVE, (short) 0)).isInstanceOf(ApiException.class);
        down.featureUpdates().getFirst().setAllowDowngrade(true);
        var result = features.plan(on, down, ACTIVE, (short) 0);
        assertThat(result.records()).isNotEmpty();
        assertThat(result.response().results()).hasSize(1);
    }

    @Test
    void validationAloneWritesNothing() {
        var request = update(ELR, 1, UPGRADE).setValidateOnly(true);
        assertThat(features.plan(cluster(), request, ACTIVE, (short) 2).records())
                .isEmpty();
    }

    @Test
    void aControllerThatHasNotRegisteredYetAsksToTryAgain() {
        assertThatThrownBy(() -> features.plan(TestImages.withBrokers(1), update(ELR, 1, UPGRADE), ACTIVE, (short) 2))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.FEATURE_UPDATE_FAILED));
    }

    @Test
    void withEligibleLeadersThereIsOneMinIsr() {
        var ofBroker = MetadataRecords.of(ConfigRecord.newBuilder()
                .setResourceType(ConfigResource.Type.BROKER.code())
                .setResourceName("1")
                .setName(TopicRules.MIN_INSYNC_REPLICAS)
                .setValue("3")
                .build());
        MetadataImage after = updated(TestImages.apply(cluster(), List.of(ofBroker)), ELR, 1, UPGRADE);
        assertThat(after.configs().overrides(ConfigResource.brokerDefault()))
                .containsEntry(TopicRules.MIN_INSYNC_REPLICAS, "2");
        assertThat(after.configs().names()).containsOnly(ConfigResource.brokerDefault());
    }

    private static MetadataImage withPartition(MetadataImage image, int leader, List<Integer> isr, List<Integer> elr) {
        return TestImages.apply(
                image,
                List.of(
                        MetadataRecords.of(TopicRecord.newBuilder()
                                .setName("t")
                                .setTopicId(MetadataRecords.id(TOPIC))
                                .build()),
                        MetadataRecords.of(new PartitionRegistration(
                                        List.of(0, 1, 2),
                                        List.of(),
                                        isr,
                                        List.of(),
                                        List.of(),
                                        elr,
                                        List.of(),
                                        leader,
                                        LeaderRecoveryState.RECOVERED,
                                        4,
                                        10)
                                .toRecord(MetadataRecords.id(TOPIC), 0))));
    }

    @Test
    void withoutThemNoneIsLeftToBeBelievedLater() {
        MetadataImage on = withPartition(updated(cluster(), ELR, 1, UPGRADE), 0, List.of(0), List.of(1));
        MetadataImage off = updated(on, ELR, 0, SAFE);
        assertThat(off.features().level(ELR)).isZero();
        assertThat(TestImages.partition(off, "t", 0).elr()).isEmpty();
        assertThat(TestImages.partition(off, "t", 0).isr()).containsExactly(0);
    }

    @Test
    void aPartitionThatWaitsForAnEligibleLeaderForbidsASafeDowngrade() {
        MetadataImage on = withPartition(updated(cluster(), ELR, 1, UPGRADE), -1, List.of(), List.of(1));
        assertRefused(on, update(ELR, 0, SAFE), "Partition t-0 has nobody in sync");
        assertThat(updated(on, ELR, 0, UNSAFE).features().level(ELR)).isZero();
    }
}
