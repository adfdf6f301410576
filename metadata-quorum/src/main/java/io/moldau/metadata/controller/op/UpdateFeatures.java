package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.VersionRange;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRules;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.FeatureLevelRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.UpdateFeaturesRequestData;
import io.moldau.wire.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import io.moldau.wire.message.UpdateFeaturesResponseData;
import io.moldau.wire.message.UpdateFeaturesResponseData.UpdatableFeatureResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finalizes other levels of features (KIP-584, KIP-778): all that are asked for, or none. Every
/// node that is registered must support the new level.
public final class UpdateFeatures {

    private static final int UPGRADE = 1;
    private static final int SAFE_DOWNGRADE = 2;
    private static final int UNSAFE_DOWNGRADE = 3;

    private final ControllerSettings settings;

    public UpdateFeatures(ControllerSettings settings) {
        this.settings = settings;
    }

    /// @param controllerId the active controller, whose own registration must be known: it speaks
    ///     for this release
    /// @param apiVersion of the request: version 0 has no kinds of upgrade, and up to 1 each
    ///     feature has a result
    public ControllerResult<UpdateFeaturesResponseData> plan(
            MetadataImage image, UpdateFeaturesRequestData request, int controllerId, short apiVersion) {
        if (image.cluster().controller(controllerId) == null) {
            throw new ApiException(
                    Errors.FEATURE_UPDATE_FAILED,
                    "Controller " + controllerId + " has become active and not registered yet; try again.");
        }
        var levels = new ArrayList<MetadataRecord>();
        var named = new HashSet<String>();
        for (FeatureUpdateKey update : request.featureUpdates()) {
            if (!named.add(update.feature())) {
                throw refused(update, "It is named twice.");
            }
            int type = apiVersion == 0 ? (update.allowDowngrade() ? SAFE_DOWNGRADE : UPGRADE) : update.upgradeType();
            check(image, update, type);
            if (update.maxVersionLevel() != image.features().level(update.feature())) {
                levels.add(MetadataRecords.of(FeatureLevelRecord.newBuilder()
                        .setName(update.feature())
                        .setLevel(update.maxVersionLevel())
                        .build()));
            }
        }
        var answer = new UpdateFeaturesResponseData().setErrorMessage(null);
        if (apiVersion <= 1) {
            answer.setResults(request.featureUpdates().stream()
                    .map(update -> new UpdatableFeatureResult()
                            .setFeature(update.feature())
                            .setErrorMessage(null))
                    .toList());
        }
        if (request.validateOnly() || levels.isEmpty()) {
            return ControllerResult.answer(answer);
        }
        List<MetadataRecord> records = new ArrayList<>(eligibleLeaders(image, levels));
        // Last: until then a half of the rest is sound under the old level.
        records.addAll(levels);
        return ControllerResult.of(records, answer);
    }

    private static void check(MetadataImage image, FeatureUpdateKey update, int type) {
        String feature = update.feature();
        short before = image.features().level(feature);
        short after = update.maxVersionLevel();
        if (after < 0) {
            throw refused(update, "A level is 0 or more.");
        }
        if (type < UPGRADE || type > UNSAFE_DOWNGRADE) {
            throw refused(update, "There is no kind of upgrade " + type + ".");
        }
        for (ControllerRegistration controller : image.cluster().controllers()) {
            checkSupport(update, "Controller " + controller.id(), controller.features());
        }
        for (BrokerRegistration broker : image.cluster().brokers()) {
            checkSupport(update, "Broker " + broker.id(), broker.features());
        }
        if (after < before && type == UPGRADE) {
            throw refused(
                    update,
                    "Level " + before
                            + " is finalized; going back must be asked for as a safe or an unsafe downgrade.");
        }
        if (after > before && type != UPGRADE) {
            throw refused(update, "Level " + before + " is finalized, so that would be an upgrade.");
        }
        if (feature.equals(FeaturesImage.METADATA_VERSION) && after < before) {
            throw refused(update, "Older releases would not find their way in the metadata log of this one.");
        }
        if (feature.equals(FeaturesImage.ELIGIBLE_LEADER_REPLICAS) && after < before && type == SAFE_DOWNGRADE) {
            checkNobodyWaits(image, update);
        }
    }

    private static void checkSupport(FeatureUpdateKey update, String node, Map<String, VersionRange> features) {
        @Nullable VersionRange range = features.get(update.feature());
        if (range == null ? update.maxVersionLevel() > 0 : !range.contains(update.maxVersionLevel())) {
            throw refused(
                    update,
                    range == null
                            ? node + " does not support this feature."
                            : node + " supports only levels " + range.min() + " to " + range.max() + ".");
        }
    }

    /// A partition whose in-sync replicas are all gone would never be led by one of its eligible
    /// leaders again.
    private static void checkNobodyWaits(MetadataImage image, FeatureUpdateKey update) {
        for (TopicImage topic : image.topics().topics()) {
            topic.partitions().forEach((id, partition) -> {
                if (partition.isr().isEmpty()) {
                    throw refused(
                            update,
                            "Partition " + topic.name() + "-" + id + " has nobody in sync and waits for one of its"
                                    + " eligible leaders " + partition.elr()
                                    + ". Bring these brokers back first, or ask for an unsafe downgrade.");
                }
            });
        }
    }

    private static ApiException refused(FeatureUpdateKey update, String why) {
        return new ApiException(
                Errors.INVALID_UPDATE_VERSION,
                "Invalid update version " + update.maxVersionLevel() + " for feature " + update.feature() + ". " + why);
    }

    /// What goes along with switching eligible leaders on or off: with them everybody goes by one
    /// `min.insync.replicas` of the cluster, and without them none may be left, since what is noted
    /// now would be wrong when they come back.
    private List<MetadataRecord> eligibleLeaders(MetadataImage image, List<MetadataRecord> levels) {
        var delta = new MetadataDelta(image);
        delta.replayAll(levels);
        MetadataImage after = delta.current();
        boolean before = image.features().hasEligibleLeaderReplicas();
        if (before == after.features().hasEligibleLeaderReplicas()) {
            return List.of();
        }
        return before ? withoutEligibleLeaders(after) : oneMinIsr(image);
    }

    private List<MetadataRecord> withoutEligibleLeaders(MetadataImage after) {
        var records = new ArrayList<MetadataRecord>();
        var rules = new TopicRules(after, settings);
        for (TopicImage topic : after.topics().topics()) {
            PartitionRules topicRules = rules.of(topic.name());
            topic.partitions().forEach((id, partition) -> {
                if (!partition.elr().isEmpty() || !partition.lastKnownElr().isEmpty()) {
                    new PartitionChange(partition, topic.id(), id, after.cluster()::isActive, topicRules)
                            .build()
                            .ifPresent(records::add);
                }
            });
        }
        return records;
    }

    private List<MetadataRecord> oneMinIsr(MetadataImage image) {
        var records = new ArrayList<MetadataRecord>();
        if (!image.configs().overrides(ConfigResource.brokerDefault()).containsKey(TopicRules.MIN_INSYNC_REPLICAS)) {
            records.add(minIsr("", Integer.toString(settings.minInsyncReplicas())));
        }
        for (ConfigResource resource : image.configs().names()) {
            if (resource.type() == ConfigResource.Type.BROKER
                    && !resource.name().isEmpty()
                    && image.configs().overrides(resource).containsKey(TopicRules.MIN_INSYNC_REPLICAS)) {
                records.add(minIsr(resource.name(), null));
            }
        }
        return records;
    }

    private static MetadataRecord minIsr(String broker, @Nullable String value) {
        var record = ConfigRecord.newBuilder()
                .setResourceType(ConfigResource.Type.BROKER.code())
                .setResourceName(broker)
                .setName(TopicRules.MIN_INSYNC_REPLICAS);
        if (value != null) {
            record.setValue(value);
        }
        return MetadataRecords.of(record.build());
    }
}
