package io.moldau.broker.api.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.Call;
import io.moldau.broker.api.FakeController;
import io.moldau.broker.api.TestMetadata;
import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.TopicCreator;
import io.moldau.broker.metadata.TopicCreator.InternalTopic;
import io.moldau.common.Errors;
import io.moldau.testing.MockTime;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.CreateTopicsResponseData.CreatableTopicResult;
import io.moldau.wire.message.FindCoordinatorRequestData;
import io.moldau.wire.message.FindCoordinatorResponseData;
import io.moldau.wire.message.FindCoordinatorResponseData.Coordinator;
import io.moldau.wire.protocol.ApiKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FindCoordinatorHandlerTest {

    private final TestMetadata metadata = TestMetadata.oneBroker();
    private final FakeController controller = new FakeController();
    private final HungUpBrokers hungUp = new HungUpBrokers(metadata.cache()::image, new MockTime(0, 0));

    private FindCoordinatorHandler handler(boolean exactly) {
        return new FindCoordinatorHandler(
                metadata.cache(),
                new TopicCreator(
                        controller,
                        metadata.cache(),
                        Map.of(OffsetsTopic.NAME, new InternalTopic(5, 3, exactly, OffsetsTopic.configs(1_000_000))),
                        new MockTime(0, 0)),
                OffsetsTopic::partitionFor,
                hungUp);
    }

    private static FindCoordinatorRequestData group(int version, String... keys) {
        FindCoordinatorRequestData request = new FindCoordinatorRequestData();
        return version >= 4 ? request.setCoordinatorKeys(List.of(keys)) : request.setKey(keys[0]);
    }

    private static Coordinator only(int version, FindCoordinatorResponseData response) {
        return version >= 4
                ? response.coordinators().getFirst()
                : new Coordinator()
                        .setErrorCode(response.errorCode())
                        .setErrorMessage(response.errorMessage())
                        .setNodeId(response.nodeId())
                        .setHost(response.host())
                        .setPort(response.port());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void theLeaderOfTheGroupsPartitionIsItsCoordinator(int version) {
        metadata.topic(OffsetsTopic.NAME, 5).publish();
        var response = Call.answer(
                handler(false),
                ApiKey.FIND_COORDINATOR,
                version,
                group(version, "g"),
                FindCoordinatorResponseData.class);
        Coordinator coordinator = only(version, response);
        assertThat(coordinator.errorCode()).isZero();
        assertThat(coordinator.nodeId()).isEqualTo(1);
        assertThat(coordinator.host()).isEqualTo("host1");
        assertThat(controller.requests()).isEmpty();
    }

    @Test
    void eachKeyGetsItsOwnAnswer() {
        metadata.topic(OffsetsTopic.NAME).partition(OffsetsTopic.NAME, 0, 1, List.of(1), List.of(1));
        for (int i = 1; i < 5; i++) {
            metadata.partition(OffsetsTopic.NAME, i, -1, List.of(1), List.of(1));
        }
        metadata.publish();
        String led = keyOf(0);
        String leaderless = keyOf(1);
        var response = Call.answer(
                handler(false),
                ApiKey.FIND_COORDINATOR,
                4,
                group(4, led, leaderless),
                FindCoordinatorResponseData.class);
        assertThat(response.coordinators())
                .extracting(Coordinator::errorCode)
                .containsExactly((short) 0, Errors.COORDINATOR_NOT_AVAILABLE.code());
    }

    private static String keyOf(int partition) {
        for (int i = 0; ; i++) {
            if (OffsetsTopic.partitionFor("g" + i, 5) == partition) {
                return "g" + i;
            }
        }
    }

    @Test
    void theFirstQuestionCreatesTheTopicWithAsManyReplicasAsThereAreBrokers() {
        Call call = new Call(ApiKey.FIND_COORDINATOR, 4).to(handler(false), group(4, "g"));
        assertThat(call.isAnswered()).isFalse();
        assertThat(((CreateTopicsRequestData) controller.requests().getFirst()).topics())
                .singleElement()
                .satisfies(topic -> {
                    assertThat(topic.name()).isEqualTo(OffsetsTopic.NAME);
                    assertThat(topic.numPartitions()).isEqualTo(5);
                    assertThat(topic.replicationFactor()).isEqualTo((short) 1);
                    assertThat(topic.configs())
                            .anySatisfy(config -> assertThat(config.value()).isEqualTo("compact"));
                });
        controller.pending(0).complete(result(Errors.NONE, ""));
        metadata.topic(OffsetsTopic.NAME, 5).publish();
        assertThat(((FindCoordinatorResponseData) call.response())
                        .coordinators()
                        .getFirst()
                        .nodeId())
                .isEqualTo(1);
    }

    @Test
    void aReplicationFactorThatWasSetIsTakenAtItsWord() {
        controller.answering(request -> result(Errors.INVALID_REPLICATION_FACTOR, "three wanted, one there"));
        var response = Call.answer(
                handler(true), ApiKey.FIND_COORDINATOR, 4, group(4, "g"), FindCoordinatorResponseData.class);
        assertThat(((CreateTopicsRequestData) controller.requests().getFirst())
                        .topics()
                        .getFirst()
                        .replicationFactor())
                .isEqualTo((short) 3);
        Coordinator refused = response.coordinators().getFirst();
        assertThat(refused.errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
        assertThat(refused.errorMessage()).contains("three wanted, one there");
    }

    @ParameterizedTest
    @ValueSource(bytes = {2, 9})
    void coordinatorsThatAreNotBuiltOrNotKnownAreRefused(byte type) {
        var response = Call.answer(
                handler(false),
                ApiKey.FIND_COORDINATOR,
                6,
                group(6, "x").setKeyType(type),
                FindCoordinatorResponseData.class);
        assertThat(response.coordinators().getFirst().errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    @Test
    void transactionalIdsHaveATopicOfTheirOwn() {
        metadata.topic(OffsetsTopic.NAME, 5).topic("__transaction_state", 3).publish();
        var response = Call.answer(
                handler(true),
                ApiKey.FIND_COORDINATOR,
                6,
                group(6, "t").setKeyType((byte) 1),
                FindCoordinatorResponseData.class);
        assertThat(only(6, response).errorCode()).isZero();
        assertThat(only(6, response).nodeId()).isEqualTo(1);
    }

    private static CreateTopicsResponseData result(Errors error, String message) {
        return new CreateTopicsResponseData()
                .setTopics(List.of(new CreatableTopicResult()
                        .setName(OffsetsTopic.NAME)
                        .setErrorCode(error.code())
                        .setErrorMessage(message)));
    }

    @Test
    void aCoordinatorThatHungUpIsNotNamed() {
        metadata.topic(OffsetsTopic.NAME, 5).publish();
        hungUp.hungUp(1);
        FindCoordinatorResponseData response = Call.answer(
                handler(true), ApiKey.FIND_COORDINATOR, 6, group(6, "g"), FindCoordinatorResponseData.class);
        assertThat(only(6, response).errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
    }
}
