package io.moldau.broker.api.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.Call;
import io.moldau.broker.api.FakeController;
import io.moldau.broker.api.TestMetadata;
import io.moldau.broker.config.LogLevels;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.AlterConfigsResponseData;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import io.moldau.wire.message.CreatePartitionsResponseData;
import io.moldau.wire.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.CreateTopicsResponseData.CreatableTopicResult;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData.DeleteTopicState;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.message.DeleteTopicsResponseData.DeletableTopicResult;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import io.moldau.wire.protocol.ApiKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControllerHandlersTest {

    private final TestMetadata metadata = TestMetadata.oneBroker();
    private final FakeController controller = new FakeController();
    private final Forwarder forwarder = new Forwarder(controller);

    // --- topics ---

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7})
    void createTopicsAnswersWhenThisBrokerKnowsTheTopics(int version) {
        Call call = new Call(ApiKey.CREATE_TOPICS, version)
                .to(new CreateTopicsHandler(forwarder, metadata.cache()), create(false));
        controller
                .pending(0)
                .complete(new CreateTopicsResponseData()
                        .setTopics(
                                List.of(new CreatableTopicResult().setName("t").setTopicId(TestMetadata.id("t")))));
        assertThat(call.isAnswered()).isFalse();
        metadata.topic("t", 1).publish();
        assertThat(((CreateTopicsResponseData) call.response())
                        .topics()
                        .getFirst()
                        .errorCode())
                .isZero();
    }

    private static CreateTopicsRequestData create(boolean validateOnly) {
        return new CreateTopicsRequestData()
                .setTopics(List.of(
                        new CreatableTopic().setName("t").setNumPartitions(1).setReplicationFactor((short) 1)))
                .setTimeoutMs(5000)
                .setValidateOnly(validateOnly);
    }

    @Test
    void createTopicsDoesNotWaitForWhatWasOnlyValidatedOrFailed() {
        var handler = new CreateTopicsHandler(forwarder, metadata.cache());
        controller.answering(
                request -> new CreateTopicsResponseData().setTopics(List.of(new CreatableTopicResult().setName("t"))));
        assertThat(new Call(ApiKey.CREATE_TOPICS, 7).to(handler, create(true)).isAnswered())
                .isTrue();
        controller.answering(request -> new CreateTopicsResponseData()
                .setTopics(List.of(
                        new CreatableTopicResult().setName("t").setErrorCode(Errors.TOPIC_ALREADY_EXISTS.code()))));
        assertThat(new Call(ApiKey.CREATE_TOPICS, 7).to(handler, create(false)).isAnswered())
                .isTrue();
    }

    @Test
    void createTopicsAnswersAtItsDeadlineAtTheLatest() {
        controller.answering(
                request -> new CreateTopicsResponseData().setTopics(List.of(new CreatableTopicResult().setName("t"))));
        Call call = new Call(ApiKey.CREATE_TOPICS, 7)
                .to(new CreateTopicsHandler(forwarder, metadata.cache()), create(false));
        assertThat(call.isAnswered()).isFalse();
        metadata.timer().advanceTo(Duration.ofSeconds(6).toNanos());
        assertThat(call.isAnswered()).isTrue();
    }

    @Test
    void withoutAControllerEachTopicGetsTheError() {
        controller.failing(new ApiException(Errors.NOT_CONTROLLER, "nobody leads"));
        var response = Call.answer(
                new CreateTopicsHandler(forwarder, metadata.cache()),
                ApiKey.CREATE_TOPICS,
                7,
                create(false),
                CreateTopicsResponseData.class);
        assertThat(response.topics()).singleElement().satisfies(topic -> {
            assertThat(topic.errorCode()).isEqualTo(Errors.NOT_CONTROLLER.code());
            assertThat(topic.errorMessage()).isEqualTo("nobody leads");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void deleteTopicsAnswersWhenTheTopicIsGoneHere(int version) {
        metadata.topic("t", 1).publish();
        var request = new DeleteTopicsRequestData().setTimeoutMs(5000);
        if (version >= 6) {
            request.setTopics(List.of(new DeleteTopicState().setName(null).setTopicId(TestMetadata.id("t"))));
        } else {
            request.setTopicNames(List.of("t"));
        }
        Call call = new Call(ApiKey.DELETE_TOPICS, version)
                .to(new DeleteTopicsHandler(forwarder, metadata.cache()), request);
        controller
                .pending(0)
                .complete(new DeleteTopicsResponseData()
                        .setResponses(List.of(new DeletableTopicResult()
                                .setName("t")
                                .setTopicId(version >= 6 ? TestMetadata.id("t") : Uuid.ZERO))));
        assertThat(call.isAnswered()).isFalse();
        metadata.removeTopic("t").publish();
        assertThat(((DeleteTopicsResponseData) call.response()).responses()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void createPartitionsAnswersOneRowForEachTopic(int version) {
        metadata.topic("t", 1).publish();
        controller.answering(request -> new CreatePartitionsResponseData()
                .setResults(List.of(
                        new CreatePartitionsTopicResult().setName("t"),
                        new CreatePartitionsTopicResult()
                                .setName("u")
                                .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code()))));
        Call call = new Call(ApiKey.CREATE_PARTITIONS, version)
                .to(
                        new CreatePartitionsHandler(forwarder, metadata.cache()),
                        new CreatePartitionsRequestData()
                                .setTopics(List.of(
                                        new CreatePartitionsTopic()
                                                .setName("t")
                                                .setCount(2)
                                                .setAssignments(null),
                                        new CreatePartitionsTopic()
                                                .setName("u")
                                                .setCount(2)
                                                .setAssignments(null)))
                                .setTimeoutMs(5000));
        assertThat(call.isAnswered()).isFalse();
        metadata.partition("t", 1, 1, List.of(1), List.of(1)).publish();
        assertThat(((CreatePartitionsResponseData) call.response()).results()).hasSize(2);
    }

    // --- configuration ---

    private final FakeLevels levels = new FakeLevels();

    /// Two loggers, of which one can be set to anything.
    private static final class FakeLevels implements LogLevels {
        private final SortedMap<String, String> levels = new TreeMap<>(Map.of("root", "INFO", "a.B", "INFO"));

        @Override
        public SortedMap<String, String> inEffect() {
            return levels;
        }

        @Override
        public boolean knows(String logger) {
            return levels.containsKey(logger);
        }

        @Override
        public void set(String logger, String level) {
            levels.put(logger, level);
        }

        @Override
        public void unset(String logger) {
            levels.put(logger, "unset");
        }
    }

    private static AlterConfigsResource logger(String node, int operation, String... settings) {
        var resource = new AlterConfigsResource().setResourceType((byte) 8).setResourceName(node);
        List<AlterableConfig> changes = new ArrayList<>();
        for (int i = 0; i < settings.length; i += 2) {
            changes.add(new AlterableConfig()
                    .setName(settings[i])
                    .setValue(settings[i + 1])
                    .setConfigOperation((byte) operation));
        }
        return resource.setConfigs(changes);
    }

    @Test
    void levelsOfThisNodesLoggersAreChangedHere() {
        assertThat(alter(1, logger("1", 0, "a.B", "DEBUG", "root", "WARN")))
                .allSatisfy(it -> assertThat(it.errorCode()).isZero());
        assertThat(levels.levels).containsEntry("a.B", "DEBUG").containsEntry("root", "WARN");
        assertThat(alter(1, logger("1", 1, "a.B", "")))
                .allSatisfy(it -> assertThat(it.errorCode()).isZero());
        assertThat(levels.levels).containsEntry("a.B", "unset");
        assertThat(controller.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, c.D,  DEBUG, INVALID_CONFIG, does not exist",
        "1, 0, a.B,  debug, INVALID_CONFIG, 'DEBUG, ERROR'",
        "1, 0, a.B,  LOUD,  INVALID_CONFIG, LOUD",
        "1, 1, c.D,  '',    INVALID_CONFIG, does not exist",
        "1, 1, root, '',    INVALID_REQUEST, root must have a level",
        "1, 2, a.B,  DEBUG, INVALID_REQUEST, operation 2",
        "1, 3, a.B,  DEBUG, INVALID_REQUEST, operation 3",
        "7, 0, a.B,  DEBUG, INVALID_REQUEST, broker 7",
        "x, 0, a.B,  DEBUG, INVALID_REQUEST, must be its id",
    })
    void aLevelThatCannotBeIsRefusedAndNothingIsChanged(
            String node, int operation, String logger, String level, Errors error, String text) {
        var responses =
                alter(1, logger(node, operation, logger.equals("a.B") ? "root" : "a.B", "DEBUG", logger, level));
        assertThat(responses).singleElement().satisfies(it -> {
            assertThat(Errors.forCode(it.errorCode())).isEqualTo(error);
            assertThat(it.errorMessage()).contains(text);
        });
        assertThat(levels.levels).containsOnly(Map.entry("root", "INFO"), Map.entry("a.B", "INFO"));
    }

    private static AlterConfigsResource resource(int type, String name, String key, @Nullable String value) {
        return new AlterConfigsResource()
                .setResourceType((byte) type)
                .setResourceName(name)
                .setConfigs(List.of(new AlterableConfig()
                        .setName(key)
                        .setConfigOperation((byte) 0)
                        .setValue(value)));
    }

    private List<AlterConfigsResourceResponse> alter(int version, AlterConfigsResource... resources) {
        return Call.answer(
                        new IncrementalAlterConfigsHandler(
                                forwarder, metadata.cache(), 1, new LoggerChanges(1, levels)),
                        ApiKey.INCREMENTAL_ALTER_CONFIGS,
                        version,
                        new IncrementalAlterConfigsRequestData().setResources(List.of(resources)),
                        IncrementalAlterConfigsResponseData.class)
                .responses();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatTheBrokerCanJudgeItDoesAndTheRestGoesToTheController(int version) {
        metadata.config(ConfigResource.topic("t"), "retention.ms", "1").publish();
        controller.answering(request -> {
            var resources = ((IncrementalAlterConfigsRequestData) request).resources();
            assertThat(resources).extracting(AlterConfigsResource::resourceName).containsExactly("t");
            return new IncrementalAlterConfigsResponseData()
                    .setResponses(List.of(new AlterConfigsResourceResponse()
                            .setResourceType((byte) 2)
                            .setResourceName("t")));
        });
        var responses = alter(
                version,
                resource(2, "t", "retention.ms", "1"),
                resource(4, "7", "log.retention.ms", "1"),
                resource(2, "null", "retention.ms", null),
                resource(8, "1", "ROOT", "DEBUG"),
                resource(99, "x", "k", "v"));
        assertThat(responses).hasSize(5);
        assertThat(error(responses, "t")).isEqualTo(Errors.NONE);
        assertThat(error(responses, "7")).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(error(responses, "null")).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(error(responses, "1")).isEqualTo(Errors.INVALID_CONFIG);
        assertThat(error(responses, "x")).isEqualTo(Errors.INVALID_REQUEST);
    }

    private static Errors error(List<AlterConfigsResourceResponse> responses, String name) {
        return responses.stream()
                .filter(response -> response.resourceName().equals(name))
                .map(response -> Errors.forCode(response.errorCode()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theAnswerWaitsUntilThisBrokerShowsTheChange() {
        controller.answering(request -> new IncrementalAlterConfigsResponseData()
                .setResponses(List.of(new AlterConfigsResourceResponse()
                        .setResourceType((byte) 2)
                        .setResourceName("t"))));
        var handler = new IncrementalAlterConfigsHandler(forwarder, metadata.cache(), 1, new LoggerChanges(1, levels));
        var request =
                new IncrementalAlterConfigsRequestData().setResources(List.of(resource(2, "t", "retention.ms", "1")));
        Call first = new Call(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1).to(handler, request);
        assertThat(first.isAnswered()).isFalse();
        metadata.config(ConfigResource.topic("t"), "retention.ms", "1").publish();
        assertThat(first.isAnswered()).isTrue();

        var overtaken =
                new IncrementalAlterConfigsRequestData().setResources(List.of(resource(2, "t", "retention.ms", "2")));
        Call second = new Call(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1).to(handler, overtaken);
        metadata.config(ConfigResource.topic("t"), "retention.ms", "3").publish();
        assertThat(second.isAnswered()).isFalse();
        metadata.timer().advanceTo(Duration.ofSeconds(2).toNanos());
        assertThat(second.isAnswered()).isTrue();
    }

    @Test
    void aResourceOrAKeyNamedTwiceIsRefused() {
        var twice = alter(1, resource(2, "t", "retention.ms", "1"), resource(2, "t", "retention.ms", "2"));
        assertThat(twice)
                .hasSize(2)
                .allSatisfy(response -> assertThat(response.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code()));
        var key = new AlterableConfig()
                .setName("retention.ms")
                .setConfigOperation((byte) 0)
                .setValue("1");
        var keyTwice = alter(1, resource(2, "t", "", "").setConfigs(List.of(key, key)));
        assertThat(keyTwice)
                .singleElement()
                .satisfies(response -> assertThat(response.errorMessage()).contains("[retention.ms]"));
        assertThat(controller.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void theOlderRequestIsCheckedAlike(int version) {
        controller.failing(new ApiException(Errors.REQUEST_TIMED_OUT, "too late"));
        var response = Call.answer(
                new AlterConfigsHandler(forwarder, metadata.cache(), 1),
                ApiKey.ALTER_CONFIGS,
                version,
                new AlterConfigsRequestData()
                        .setResources(List.of(new AlterConfigsRequestData.AlterConfigsResource()
                                .setResourceType((byte) 2)
                                .setResourceName("t")
                                .setConfigs(List.of(new AlterConfigsRequestData.AlterableConfig()
                                        .setName("retention.ms")
                                        .setValue("1"))))),
                AlterConfigsResponseData.class);
        assertThat(response.responses())
                .singleElement()
                .satisfies(it -> assertThat(it.errorCode()).isEqualTo(Errors.REQUEST_TIMED_OUT.code()));
    }
}
