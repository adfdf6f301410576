package io.moldau.metadata.controller.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.controller.TopicConfigDescriber;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.StripedReplicaPlacer;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import io.moldau.wire.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import io.moldau.wire.message.CreatePartitionsResponseData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopicConfig;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.CreateTopicsResponseData.CreatableTopicResult;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData.DeleteTopicState;
import io.moldau.wire.message.DeleteTopicsResponseData;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopicOperationsTest {

    private static final SplittableRandom RANDOM = new SplittableRandom(5);

    private static final ConfigValidator VALIDATOR = new ConfigValidator() {
        @Override
        public Optional<ApiError> validate(ConfigResource resource, Map<String, String> overrides) {
            return overrides.containsKey("bad.key")
                    ? Optional.of(new ApiError(Errors.INVALID_CONFIG, "Unknown topic config name: bad.key"))
                    : Optional.empty();
        }
    };

    private static CreateTopics create(ControllerSettings settings) {
        TopicConfigDescriber describer = (overrides, brokers) -> overrides.entrySet().stream()
                .map(entry -> new TopicConfigDescriber.Entry(entry.getKey(), entry.getValue(), false, (byte) 1, false))
                .toList();
        return new CreateTopics(settings, new StripedReplicaPlacer(), VALIDATOR, describer, RANDOM);
    }

    private static CreateTopicsResponseData plan(MetadataImage image, CreatableTopic... topics) {
        return create(ControllerSettings.DEFAULTS)
                .plan(image, new CreateTopicsRequestData().setTopics(List.of(topics)))
                .response();
    }

    private static CreatableTopic topic(String name, int partitions, int factor) {
        return new CreatableTopic().setName(name).setNumPartitions(partitions).setReplicationFactor((short) factor);
    }

    private static CreatableTopic assigned(String name, Integer[]... replicas) {
        var assignments = new ArrayList<CreatableReplicaAssignment>();
        for (int i = 0; i < replicas.length; i++) {
            assignments.add(
                    new CreatableReplicaAssignment().setPartitionIndex(i).setBrokerIds(Arrays.asList(replicas[i])));
        }
        return topic(name, -1, -1).setAssignments(assignments);
    }

    private static void assertError(CreatableTopic topic, Errors error, String message) {
        assertError(TestImages.withBrokers(3), topic, error, message);
    }

    private static void assertError(MetadataImage image, CreatableTopic topic, Errors error, String message) {
        ControllerResult<CreateTopicsResponseData> result = create(ControllerSettings.DEFAULTS)
                .plan(image, new CreateTopicsRequestData().setTopics(List.of(topic)));
        CreatableTopicResult answer = result.response().topics().getFirst();
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(error);
        assertThat(answer.errorMessage()).contains(message);
        assertThat(result.records()).isEmpty();
    }

    private static MetadataImage create(MetadataImage image, CreatableTopic... topics) {
        var result = create(ControllerSettings.DEFAULTS)
                .plan(image, new CreateTopicsRequestData().setTopics(List.of(topics)));
        result.response()
                .topics()
                .forEach(topic ->
                        assertThat(topic.errorMessage()).as(topic.name()).isNull());
        return TestImages.apply(image, result.records());
    }

    @Test
    void aTopicIsCreatedAsAskedFor() {
        MetadataImage image = TestImages.withBrokers(3);
        CreatableTopic wanted = topic("orders", 4, 2)
                .setConfigs(List.of(
                        new CreatableTopicConfig().setName("retention.ms").setValue("7")));
        var result = create(ControllerSettings.DEFAULTS)
                .plan(image, new CreateTopicsRequestData().setTopics(List.of(wanted)));
        CreatableTopicResult answer = result.response().topics().getFirst();
        assertThat(answer.errorCode()).isZero();
        assertThat(answer.numPartitions()).isEqualTo(4);
        assertThat(answer.replicationFactor()).isEqualTo((short) 2);
        assertThat(answer.configs())
                .singleElement()
                .satisfies(config -> assertThat(config.value()).isEqualTo("7"));

        MetadataImage after = TestImages.apply(image, result.records());
        TopicImage topic = after.topics().topic("orders");
        assertThat(topic).isNotNull();
        assertThat(topic.id()).isEqualTo(answer.topicId()).isNotEqualTo(Uuid.ZERO);
        assertThat(topic.partitions()).hasSize(4).allSatisfy((id, partition) -> {
            assertThat(partition.replicas()).hasSize(2);
            assertThat(partition.isr()).isEqualTo(partition.replicas());
            assertThat(partition.leader()).isEqualTo(partition.preferredReplica());
            assertThat(partition.leaderEpoch()).isZero();
            // Brokers with one log directory get it assigned at once.
            assertThat(partition.directories())
                    .isEqualTo(partition.replicas().stream()
                            .map(broker -> new Uuid(60, broker))
                            .toList());
        });
        assertThat(after.configs().overrides(ConfigResource.topic("orders"))).containsEntry("retention.ms", "7");
    }

    @Test
    void defaultsComeFromTheSettings() {
        var settings = ControllerSettings.DEFAULTS.withDefaultPartitions(6).withDefaultReplicationFactor(3);
        var response = create(settings)
                .plan(TestImages.withBrokers(3), new CreateTopicsRequestData().setTopics(List.of(topic("t", -1, -1))))
                .response();
        assertThat(response.topics().getFirst().numPartitions()).isEqualTo(6);
        assertThat(response.topics().getFirst().replicationFactor()).isEqualTo((short) 3);
    }

    @Test
    void namesAreChecked() {
        assertError(topic("", 1, 1), Errors.INVALID_TOPIC_EXCEPTION, "the empty string is not allowed");
        assertError(topic(".", 1, 1), Errors.INVALID_TOPIC_EXCEPTION, "'.' is not allowed");
        assertError(topic("..", 1, 1), Errors.INVALID_TOPIC_EXCEPTION, "'..' is not allowed");
        assertError(topic("a b", 1, 1), Errors.INVALID_TOPIC_EXCEPTION, "ASCII alphanumerics");
        assertError(topic("\u00fc", 1, 1), Errors.INVALID_TOPIC_EXCEPTION, "ASCII alphanumerics");
        assertError(topic("x".repeat(250), 1, 1), Errors.INVALID_TOPIC_EXCEPTION, "max allowed length 249");
        assertError(topic("__cluster_metadata", 1, 1), Errors.INVALID_REQUEST, "prohibited");
        create(TestImages.withBrokers(1), topic("x".repeat(249), 1, 1), topic("A.b_C-9", 1, 1));
    }

    @Test
    void aTopicThatExistsOrCollidesIsRefused() {
        MetadataImage image = create(TestImages.withBrokers(1), topic("a.b", 1, 1), topic("plain", 1, 1));
        assertError(image, topic("a.b", 1, 1), Errors.TOPIC_ALREADY_EXISTS, "Topic 'a.b' already exists.");
        assertError(image, topic("a_b", 1, 1), Errors.INVALID_TOPIC_EXCEPTION, "collides with existing topic: a.b");
        var response = plan(TestImages.withBrokers(1), topic("x_y", 1, 1), topic("x.y", 1, 1));
        assertThat(response.topics().get(0).errorCode()).isZero();
        assertThat(Errors.forCode(response.topics().get(1).errorCode())).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
    }

    /// Against the obvious way: unify every name and compare.
    @Seeds(count = 100)
    void collisionsAreFoundWhereverTheyAre(long seed) {
        var random = new SplittableRandom(seed);
        MetadataImage image = TestImages.withBrokers(1);
        var names = new ArrayList<String>();
        for (int i = 0; i < 12; i++) {
            var name = new StringBuilder();
            for (int j = random.nextInt(4); j >= 0; j--) {
                name.append("ab._".charAt(random.nextInt(4)));
            }
            names.add(name.toString());
        }
        for (String name : names) {
            if (TopicNames.problem(name).isPresent() || image.topics().topic(name) != null) {
                continue;
            }
            boolean collides = image.topics().topics().stream()
                    .anyMatch(topic -> topic.name().replace('.', '_').equals(name.replace('.', '_')));
            var response = plan(image, topic(name, 1, 1));
            assertThat(response.topics().getFirst().errorCode() != 0).as(name).isEqualTo(collides);
            if (!collides) {
                image = create(image, topic(name, 1, 1));
            }
        }
    }

    @Test
    void sizesAreChecked() {
        assertError(topic("t", 0, 1), Errors.INVALID_PARTITIONS, "non-positive");
        assertError(topic("t", -2, 1), Errors.INVALID_PARTITIONS, "non-positive");
        assertError(topic("t", 1, 0), Errors.INVALID_REPLICATION_FACTOR, "larger than 0, or -1");
        assertError(topic("t", 1, 4), Errors.INVALID_REPLICATION_FACTOR, "only 3 broker(s)");
        assertError(TestImages.empty(), topic("t", 1, 1), Errors.INVALID_REPLICATION_FACTOR, "no broker");
        assertError(topic("t", 10_001, 1), Errors.POLICY_VIOLATION, "Excessively large number of partitions");
    }

    @Test
    void assignmentsAreChecked() {
        assertError(
                assigned("t", new Integer[] {}), Errors.INVALID_REPLICA_ASSIGNMENT, "includes an empty replica list");
        assertError(assigned("t", new Integer[] {0, 9}), Errors.INVALID_REPLICA_ASSIGNMENT, "no such broker");
        assertError(assigned("t", new Integer[] {0, 0}), Errors.INVALID_REPLICA_ASSIGNMENT, "more than once");
        assertError(
                assigned("t", new Integer[] {0, 1}, new Integer[] {2}),
                Errors.INVALID_REPLICA_ASSIGNMENT,
                "not consistent with previous partitions");
        assertError(
                assigned("t", new Integer[] {0}).setNumPartitions(1), Errors.INVALID_REQUEST, "numPartitions was not");
        assertError(
                assigned("t", new Integer[] {0}).setReplicationFactor((short) 1),
                Errors.INVALID_REQUEST,
                "replication factor was not");
        CreatableTopic gap = assigned("t", new Integer[] {0}, new Integer[] {1});
        gap.assignments().get(1).setPartitionIndex(2);
        assertError(gap, Errors.INVALID_REPLICA_ASSIGNMENT, "consecutive 0-based");
        CreatableTopic twice = assigned("t", new Integer[] {0}, new Integer[] {1});
        twice.assignments().get(1).setPartitionIndex(0);
        assertError(twice, Errors.INVALID_REPLICA_ASSIGNMENT, "multiple manual partition assignments");

        MetadataImage image = create(TestImages.withBrokers(3), assigned("t", new Integer[] {2, 0}));
        assertThat(TestImages.partition(image, "t", 0).replicas()).containsExactly(2, 0);
    }

    @Test
    void replicasOnFencedBrokersAreNotInSync() {
        MetadataImage image = TestImages.apply(
                TestImages.withBrokers(2),
                List.of(MetadataRecords.of(TestImages.broker(0, true).toRecord())));
        MetadataImage after = create(image, assigned("t", new Integer[] {0, 1}));
        assertThat(TestImages.partition(after, "t", 0).isr()).containsExactly(1);
        assertThat(TestImages.partition(after, "t", 0).leader()).isEqualTo(1);
        assertError(image, assigned("u", new Integer[] {0}), Errors.INVALID_REPLICA_ASSIGNMENT, "are fenced");
    }

    @Test
    void configsAreChecked() {
        assertError(
                topic("t", 1, 1)
                        .setConfigs(List.of(
                                new CreatableTopicConfig().setName("bad.key").setValue("1"))),
                Errors.INVALID_CONFIG,
                "Unknown topic config name: bad.key");
        assertError(
                topic("t", 1, 1)
                        .setConfigs(List.of(new CreatableTopicConfig()
                                .setName("retention.ms")
                                .setValue(null))),
                Errors.INVALID_CONFIG,
                "Null value not supported for topic configs: retention.ms");
    }

    @Test
    void duplicatesInARequestFailTogetherAndOnce() {
        var response = plan(TestImages.withBrokers(1), topic("t", 1, 1), topic("u", 1, 1), topic("t", 2, 1));
        assertThat(response.topics()).hasSize(2);
        assertThat(response.topics().get(0).errorMessage()).isEqualTo("Duplicate topic name.");
        assertThat(response.topics().get(1).errorCode()).isZero();
    }

    // ---- DeleteTopics.

    private static DeleteTopicsResponseData delete(MetadataImage image, DeleteTopicState... topics) {
        return new DeleteTopics(ControllerSettings.DEFAULTS)
                .plan(image, new DeleteTopicsRequestData().setTopics(List.of(topics)), (short) 6)
                .response();
    }

    private static DeleteTopicState named(@Nullable String name) {
        return new DeleteTopicState().setName(name);
    }

    private static Errors error(DeleteTopicsResponseData response, int i) {
        return Errors.forCode(response.responses().get(i).errorCode());
    }

    @Test
    void topicsAreDeletedByNameAndById() {
        MetadataImage image = create(TestImages.withBrokers(1), topic("a", 1, 1), topic("b", 1, 1), topic("c", 1, 1));
        Uuid b = id(image, "b");
        var result = new DeleteTopics(ControllerSettings.DEFAULTS)
                .plan(
                        image,
                        new DeleteTopicsRequestData()
                                .setTopics(List.of(named("a"), named(null).setTopicId(b))),
                        (short) 6);
        assertThat(result.response().responses())
                .allSatisfy(answer -> assertThat(answer.errorCode()).isZero());
        assertThat(result.response().responses().get(1).name()).isEqualTo("b");
        MetadataImage after = TestImages.apply(image, result.records());
        assertThat(after.topics().topics()).extracting(TopicImage::name).containsExactly("c");

        // The older form.
        var old = new DeleteTopics(ControllerSettings.DEFAULTS)
                .plan(after, new DeleteTopicsRequestData().setTopicNames(List.of("c")), (short) 5);
        assertThat(TestImages.apply(after, old.records()).topics().topics()).isEmpty();
    }

    private static Uuid id(MetadataImage image, String topic) {
        return Objects.requireNonNull(image.topics().topic(topic)).id();
    }

    @Test
    void whatCannotBeDeletedIsSaidWhy() {
        MetadataImage image = create(TestImages.withBrokers(1), topic("a", 1, 1));
        Uuid a = id(image, "a");
        var response = delete(
                image,
                named("unknown"),
                named(null).setTopicId(new Uuid(9, 9)),
                named("a").setTopicId(a),
                named(null),
                named(null).setTopicId(a),
                named("a"));
        assertThat(error(response, 0)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(error(response, 1)).isEqualTo(Errors.UNKNOWN_TOPIC_ID);
        assertThat(response.responses().get(2).errorMessage()).contains("both topic name and topic id");
        assertThat(response.responses().get(3).errorMessage()).contains("Neither topic name nor id");
        var twice = delete(image, named("a"), named("a"));
        assertThat(twice.responses()).hasSize(1);
        assertThat(twice.responses().getFirst().errorMessage()).isEqualTo("Duplicate topic name.");
        var twoWays = delete(image, named(null).setTopicId(a), named("a"));
        assertThat(error(twoWays, 0)).isEqualTo(Errors.NONE);
        assertThat(twoWays.responses().get(1).errorMessage()).contains("maps to an ID that was already supplied");
    }

    @Test
    void deletionCanBeOff() {
        var settings = ControllerSettings.DEFAULTS.withDeleteTopicEnable(false);
        var request = new DeleteTopicsRequestData().setTopics(List.of(named("a")));
        assertThatThrownBy(() -> new DeleteTopics(settings).plan(TestImages.empty(), request, (short) 6))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.TOPIC_DELETION_DISABLED));
        assertThatThrownBy(() -> new DeleteTopics(settings).plan(TestImages.empty(), request, (short) 1))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.INVALID_REQUEST));
    }

    // ---- CreatePartitions.

    private static ControllerResult<CreatePartitionsResponseData> grow(
            MetadataImage image, CreatePartitionsTopic... topics) {
        return new CreatePartitions(new StripedReplicaPlacer(), new SplittableRandom(3))
                .plan(image, new CreatePartitionsRequestData().setTopics(List.of(topics)));
    }

    private static CreatePartitionsTopic count(String topic, int count) {
        return new CreatePartitionsTopic().setName(topic).setCount(count).setAssignments(null);
    }

    private static void assertGrowError(
            MetadataImage image, CreatePartitionsTopic topic, Errors error, String message) {
        var result = grow(image, topic);
        var answer = result.response().results().getFirst();
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(error);
        assertThat(answer.errorMessage()).contains(message);
        assertThat(result.records()).isEmpty();
    }

    @Test
    void partitionsAreAdded() {
        MetadataImage image = create(TestImages.withBrokers(3), topic("t", 2, 2));
        MetadataImage after = TestImages.apply(image, grow(image, count("t", 5)).records());
        TopicImage topic = after.topics().topic("t");
        assertThat(topic).isNotNull();
        assertThat(topic.partitions()).hasSize(5);
        assertThat(TestImages.partition(after, "t", 4).replicas()).hasSize(2);

        var manual =
                count("t", 6).setAssignments(List.of(new CreatePartitionsAssignment().setBrokerIds(List.of(2, 1))));
        MetadataImage last = TestImages.apply(after, grow(after, manual).records());
        assertThat(TestImages.partition(last, "t", 5).replicas()).containsExactly(2, 1);
    }

    @Test
    void partitionsThatCannotBeAddedAreSaidWhy() {
        MetadataImage image = create(TestImages.withBrokers(3), topic("t", 2, 2));
        assertGrowError(image, count("x", 5), Errors.UNKNOWN_TOPIC_OR_PARTITION, "");
        assertGrowError(image, count("t", 2), Errors.INVALID_PARTITIONS, "already has 2 partition(s)");
        assertGrowError(image, count("t", 1), Errors.INVALID_PARTITIONS, "would not be an increase");
        assertGrowError(
                image,
                count("t", 4).setAssignments(List.of(new CreatePartitionsAssignment().setBrokerIds(List.of(2, 1)))),
                Errors.INVALID_REPLICA_ASSIGNMENT,
                "only 1 assignment(s)");
        assertGrowError(
                image,
                count("t", 3).setAssignments(List.of(new CreatePartitionsAssignment().setBrokerIds(List.of(2)))),
                Errors.INVALID_REPLICA_ASSIGNMENT,
                "not consistent");
    }
}
