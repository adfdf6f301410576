package io.moldau.broker.api.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.Call;
import io.moldau.broker.api.FakeController;
import io.moldau.broker.api.TestMetadata;
import io.moldau.broker.metadata.AuthorizedOperations;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.TopicCreator;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.testing.MockTime;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.CreateTopicsResponseData.CreatableTopicResult;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataRequestData.MetadataRequestTopic;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.message.MetadataResponseData.MetadataResponsePartition;
import io.moldau.wire.message.MetadataResponseData.MetadataResponseTopic;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MetadataHandlerTest {

    private final TestMetadata metadata = TestMetadata.oneBroker();
    private final FakeController controller = new FakeController();
    private final MockTime time = new MockTime(0, 0);
    private final HungUpBrokers hungUp = new HungUpBrokers(metadata.cache()::image, time);

    static Stream<Integer> versions() {
        return Stream.iterate(
                (int) ApiKey.METADATA.lowestVersion(), v -> v <= ApiKey.METADATA.highestVersion(), v -> v + 1);
    }

    private MetadataHandler handler(boolean autoCreate) {
        return new MetadataHandler(
                1,
                metadata.cache(),
                new TopicCreator(controller, metadata.cache(), Map.of(), time),
                autoCreate,
                hungUp);
    }

    private MetadataResponseData ask(int version, MetadataRequestData request) {
        return Call.answer(handler(false), ApiKey.METADATA, version, request, MetadataResponseData.class);
    }

    private static MetadataRequestData named(String... names) {
        return new MetadataRequestData()
                .setTopics(Stream.of(names)
                        .map(name -> new MetadataRequestTopic().setName(name))
                        .toList())
                .setAllowAutoTopicCreation(true);
    }

    private static MetadataResponsePartition partition(MetadataResponseData response) {
        return response.topics().getFirst().partitions().getFirst();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aTopicIsDescribedInEveryVersion(int version) {
        metadata.topic("t", 2).publish();
        MetadataResponseData response = ask(version, named("t"));
        assertThat(response.brokers()).singleElement().satisfies(broker -> {
            assertThat(broker.nodeId()).isEqualTo(1);
            assertThat(broker.host()).isEqualTo("host1");
            assertThat(broker.port()).isEqualTo(9001);
        });
        MetadataResponseTopic topic = response.topics().getFirst();
        assertThat(topic.name()).isEqualTo("t");
        assertThat(topic.errorCode()).isZero();
        assertThat(topic.partitions()).hasSize(2);
        assertThat(partition(response).leaderId()).isEqualTo(1);
        assertThat(partition(response).replicaNodes()).containsExactly(1);
        assertThat(topic.topicId()).isEqualTo(version >= 10 ? TestMetadata.id("t") : Uuid.ZERO);
        assertThat(response.clusterId()).isEqualTo(version >= 2 ? TestMetadata.CLUSTER.toString() : null);
        assertThat(response.controllerId()).isEqualTo(version >= 1 ? 1 : -1);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void noListMeansAllTopicsAndAnEmptyOneNone(int version) {
        metadata.topic("a", 1).topic("b", 1).publish();
        MetadataResponseData empty = ask(version, new MetadataRequestData().setTopics(List.of()));
        assertThat(empty.topics()).hasSize(version == 0 ? 2 : 0);
        if (version > 0) {
            assertThat(ask(version, new MetadataRequestData().setTopics(null)).topics())
                    .extracting(MetadataResponseTopic::name)
                    .containsExactly("a", "b");
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void anUnknownTopicAndABadNameGetTheirErrors(int version) {
        MetadataResponseData response = ask(version, named("nope", "a b"));
        assertThat(response.topics())
                .extracting(MetadataResponseTopic::errorCode)
                .containsExactly(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), Errors.INVALID_TOPIC_EXCEPTION.code());
        assertThat(controller.requests()).isEmpty();
    }

    /// Asked again and again, with the answers that are kept as bytes between.
    @ParameterizedTest
    @MethodSource("versions")
    void aLeaderThatHungUpIsNotNamedForAWhile(int version) {
        metadata.broker(2, false, "PLAINTEXT").topic("t");
        metadata.partition("t", 0, 2, List.of(2, 1), List.of(2, 1)).partition("t", 1, 1, List.of(1), List.of(1));
        metadata.publish();
        MetadataHandler handler = handler(false);
        assertThat(leaders(handler, version)).containsExactly(2, 1);
        hungUp.hungUp(2);
        MetadataResponseData meanwhile =
                Call.answer(handler, ApiKey.METADATA, version, named("t"), MetadataResponseData.class);
        assertThat(partition(meanwhile).errorCode()).isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
        assertThat(meanwhile.brokers()).as("it is still a member").hasSize(2);
        assertThat(leaders(handler, version)).containsExactly(-1, 1);
        time.advanceMillis(3000);
        assertThat(leaders(handler, version)).containsExactly(2, 1);
    }

    private static List<Integer> leaders(MetadataHandler handler, int version) {
        return Call.answer(handler, ApiKey.METADATA, version, named("t"), MetadataResponseData.class)
                .topics()
                .getFirst()
                .partitions()
                .stream()
                .map(MetadataResponsePartition::leaderId)
                .toList();
    }

    @Test
    void topicsAreFoundById() {
        metadata.topic("t", 1).publish();
        Uuid unknown = new Uuid(5, 5);
        MetadataRequestData request = new MetadataRequestData()
                .setTopics(List.of(
                        new MetadataRequestTopic()
                                .setTopicId(TestMetadata.id("t"))
                                .setName(null),
                        new MetadataRequestTopic().setTopicId(unknown).setName(null)));
        MetadataResponseData response = ask(12, request);
        assertThat(response.topics().getFirst().name()).isEqualTo("t");
        assertThat(response.topics().getLast().errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
        assertThat(response.topics().getLast().topicId()).isEqualTo(unknown);
        assertThat(response.topics().getLast().name()).isNull();

        MetadataRequestData early = new MetadataRequestData()
                .setTopics(List.of(new MetadataRequestTopic()
                        .setTopicId(TestMetadata.id("t"))
                        .setName("t")));
        assertThat(ask(10, early).topics().getFirst().errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    @Test
    void aPartitionWithoutALeaderThatServesSaysSo() {
        metadata.broker(2, true, "PLAINTEXT")
                .broker(3, false, "OTHER")
                .topic("none")
                .partition("none", 0, -1, List.of(1), List.of(1))
                .topic("fenced")
                .partition("fenced", 0, 2, List.of(2, 1), List.of(2))
                .topic("elsewhere")
                .partition("elsewhere", 0, 3, List.of(3, 1), List.of(3, 1))
                .publish();
        assertThat(ask(13, named("none")).topics().getFirst().errorCode()).isZero();
        assertThat(partition(ask(13, named("none"))).errorCode()).isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
        assertThat(partition(ask(13, named("fenced"))).errorCode()).isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
        assertThat(partition(ask(13, named("fenced"))).offlineReplicas()).containsExactly(2);
        assertThat(partition(ask(13, named("elsewhere"))).errorCode()).isEqualTo(Errors.LISTENER_NOT_FOUND.code());
        assertThat(partition(ask(5, named("elsewhere"))).errorCode()).isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
        assertThat(ask(13, named("none")).brokers()).hasSize(1);
    }

    @Test
    void version0HidesReplicasWhoseBrokerIsAway() {
        metadata.broker(2, true, "PLAINTEXT")
                .topic("t")
                .partition("t", 0, 1, List.of(1, 2), List.of(1, 2))
                .publish();
        MetadataResponsePartition old = partition(ask(0, named("t")));
        assertThat(old.replicaNodes()).containsExactly(1);
        assertThat(old.errorCode()).isEqualTo(Errors.REPLICA_NOT_AVAILABLE.code());
        assertThat(partition(ask(1, named("t"))).replicaNodes()).containsExactly(1, 2);
        assertThat(partition(ask(1, named("t"))).errorCode()).isZero();
    }

    @Test
    void authorizedOperationsComeOnRequest() {
        metadata.topic("t", 1).publish();
        MetadataRequestData request =
                named("t").setIncludeTopicAuthorizedOperations(true).setIncludeClusterAuthorizedOperations(true);
        MetadataResponseData response = ask(8, request);
        assertThat(response.clusterAuthorizedOperations()).isEqualTo(AuthorizedOperations.CLUSTER);
        assertThat(response.topics().getFirst().topicAuthorizedOperations()).isEqualTo(AuthorizedOperations.TOPIC);
        assertThat(ask(8, named("t")).topics().getFirst().topicAuthorizedOperations())
                .isEqualTo(AuthorizedOperations.NOT_ASKED);
    }

    @Test
    void internalTopicsAreMarked() {
        metadata.topic("__consumer_offsets", 1).publish();
        assertThat(ask(9, named("__consumer_offsets")).topics().getFirst().isInternal())
                .isTrue();
    }

    @Test
    void storedAnswersFollowTheMetadata() {
        MetadataHandler handler = handler(false);
        MetadataRequestData all = new MetadataRequestData().setTopics(null);
        metadata.topic("a", 1).publish();
        for (int i = 0; i < 2; i++) {
            assertThat(Call.answer(handler, ApiKey.METADATA, 12, all, MetadataResponseData.class)
                            .topics())
                    .hasSize(1);
        }
        metadata.topic("b", 1).publish();
        assertThat(Call.answer(handler, ApiKey.METADATA, 12, all, MetadataResponseData.class)
                        .topics())
                .hasSize(2);
        assertThat(Call.answer(handler, ApiKey.METADATA, 4, all, MetadataResponseData.class)
                        .topics())
                .hasSize(2);
        metadata.removeTopic("a").publish();
        assertThat(Call.answer(handler, ApiKey.METADATA, 12, named("a"), MetadataResponseData.class)
                        .topics()
                        .getFirst()
                        .errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    @Test
    void aTopicThatIsCreatedOnTheWayIsWaitedFor() {
        Call first = new Call(ApiKey.METADATA, 12).to(handler(true), named("new"));
        assertThat(first.isAnswered()).isFalse();
        assertThat(((CreateTopicsRequestData) controller.requests().getFirst()).topics())
                .singleElement()
                .satisfies(topic -> {
                    assertThat(topic.name()).isEqualTo("new");
                    assertThat(topic.numPartitions()).isEqualTo(-1);
                    assertThat(topic.replicationFactor()).isEqualTo((short) -1);
                });
        controller.pending(0).complete(created("new", Errors.NONE));
        assertThat(first.isAnswered()).as("not before this node knows it").isFalse();
        metadata.topic("new", 3).publish();
        assertThat(((MetadataResponseData) first.response()).topics().getFirst().partitions())
                .hasSize(3);
    }

    @Test
    void aTopicThatDoesNotAppearInTimeIsLeftToTheNextRequest() {
        Call call = new Call(ApiKey.METADATA, 12).to(handler(true), named("slow"));
        controller.pending(0).complete(created("slow", Errors.NONE));
        metadata.timer().advanceTo(Duration.ofSeconds(6).toNanos());
        assertThat(((MetadataResponseData) call.response()).topics().getFirst().errorCode())
                .isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
    }

    @Test
    void aTopicThatCannotBeCreatedSaysWhy() {
        controller.answering(request -> created("big", Errors.INVALID_REPLICATION_FACTOR));
        MetadataResponseData response =
                Call.answer(handler(true), ApiKey.METADATA, 12, named("big"), MetadataResponseData.class);
        assertThat(response.topics().getFirst().errorCode()).isEqualTo(Errors.INVALID_REPLICATION_FACTOR.code());
    }

    @Test
    void creationNeedsBothTheBrokersAndTheClientsConsent() {
        Call.answer(
                handler(true),
                ApiKey.METADATA,
                12,
                named("x").setAllowAutoTopicCreation(false),
                MetadataResponseData.class);
        Call.answer(handler(false), ApiKey.METADATA, 12, named("x"), MetadataResponseData.class);
        assertThat(controller.requests()).isEmpty();
    }

    private static Message created(String topic, Errors error) {
        return new CreateTopicsResponseData()
                .setTopics(List.of(new CreatableTopicResult().setName(topic).setErrorCode(error.code())));
    }
}
