package io.moldau.broker.api.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.Call;
import io.moldau.broker.api.TestMetadata;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.LogLevels;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.common.Errors;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.testing.MockTime;
import io.moldau.wire.message.DescribeClusterRequestData;
import io.moldau.wire.message.DescribeClusterResponseData;
import io.moldau.wire.message.DescribeConfigsRequestData;
import io.moldau.wire.message.DescribeConfigsRequestData.DescribeConfigsResource;
import io.moldau.wire.message.DescribeConfigsResponseData;
import io.moldau.wire.message.DescribeConfigsResponseData.DescribeConfigsResult;
import io.moldau.wire.message.DescribeTopicPartitionsRequestData;
import io.moldau.wire.message.DescribeTopicPartitionsResponseData;
import io.moldau.wire.message.ListConfigResourcesRequestData;
import io.moldau.wire.message.ListConfigResourcesResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DescribeHandlersTest {

    private final TestMetadata metadata = TestMetadata.oneBroker();

    // --- DescribeConfigs ---

    private DescribeConfigsResult describe(int version, DescribeConfigsResource resource, boolean details) {
        var handler = new DescribeConfigsHandler(
                1, metadata.cache(), new ConfigResolver(NodeConfig.fromProperties(Map.of())), LogLevels.FIXED);
        return Call.answer(
                        handler,
                        ApiKey.DESCRIBE_CONFIGS,
                        version,
                        new DescribeConfigsRequestData()
                                .setResources(List.of(resource))
                                .setIncludeSynonyms(details)
                                .setIncludeDocumentation(details),
                        DescribeConfigsResponseData.class)
                .results()
                .getFirst();
    }

    private static DescribeConfigsResource resource(int type, String name) {
        return new DescribeConfigsResource()
                .setResourceType((byte) type)
                .setResourceName(name)
                .setConfigurationKeys(null);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void everyTopicKeyIsDescribedInEveryVersion(int version) {
        metadata.topic("t", 1)
                .config(ConfigResource.topic("t"), "retention.ms", "5")
                .publish();
        DescribeConfigsResult result = describe(version, resource(2, "t"), true);
        assertThat(result.errorCode()).isZero();
        assertThat(result.configs()).hasSize(39).allSatisfy(config -> {
            assertThat(config.readOnly()).isFalse();
            if (version >= 3) {
                assertThat(config.documentation()).isNotBlank();
                assertThat(config.configType()).isPositive();
            }
        });
        var retention = result.configs().stream()
                .filter(config -> config.name().equals("retention.ms"))
                .findFirst()
                .orElseThrow();
        assertThat(retention.value()).isEqualTo("5");
        assertThat(retention.configSource()).isEqualTo((byte) 1);
        assertThat(retention.synonyms()).hasSize(1);
        assertThat(describe(version, resource(2, "t"), false)
                        .configs()
                        .getFirst()
                        .synonyms())
                .isEmpty();
    }

    @Test
    void onlyTheKeysAskedForAreDescribed() {
        metadata.topic("t", 1).publish();
        DescribeConfigsResult result =
                describe(4, resource(2, "t").setConfigurationKeys(List.of("retention.ms", "no.such.key")), false);
        assertThat(result.configs())
                .singleElement()
                .satisfies(config -> assertThat(config.name()).isEqualTo("retention.ms"));
    }

    @Test
    void resourcesThatAreNotThereGetTheirErrors() {
        assertThat(describe(4, resource(2, "nope"), false).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(describe(4, resource(2, "a b"), false).errorCode()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION.code());
        assertThat(describe(4, resource(4, "7"), false).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(describe(4, resource(4, "x"), false).errorMessage()).contains("must be its id");
        assertThat(describe(4, resource(8, "7"), false).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(describe(4, resource(99, "x"), false).errorMessage()).contains("resource type 99");
        assertThat(describe(4, resource(16, ""), false).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(describe(4, resource(32, ""), false).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    @Test
    void brokersAreDescribedWithoutSecrets() {
        metadata.config(ConfigResource.broker(1), "ssl.key.password", "geheim")
                .config(ConfigResource.brokerDefault(), "log.retention.ms", "7")
                .publish();
        DescribeConfigsResult broker = describe(4, resource(4, "1"), true);
        assertThat(broker.configs()).allSatisfy(config -> {
            if (config.isSensitive()) {
                assertThat(config.value()).isNull();
                assertThat(config.synonyms())
                        .allSatisfy(synonym -> assertThat(synonym.value()).isNull());
            }
        });
        assertThat(describe(4, resource(4, ""), false).configs())
                .singleElement()
                .satisfies(config -> {
                    assertThat(config.name()).isEqualTo("log.retention.ms");
                    assertThat(config.configSource()).isEqualTo((byte) 3);
                });
    }

    // --- DescribeTopicPartitions ---

    private DescribeTopicPartitionsResponseData page(DescribeTopicPartitionsRequestData request) {
        return Call.answer(
                new DescribeTopicPartitionsHandler(
                        metadata.cache(), 100, new HungUpBrokers(metadata.cache()::image, new MockTime(0, 0))),
                ApiKey.DESCRIBE_TOPIC_PARTITIONS,
                0,
                request,
                DescribeTopicPartitionsResponseData.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 100, 2000})
    void pagesCoverEveryPartitionOnce(int limit) {
        metadata.topic("a", 3).topic("b", 1).topic("c", 5).publish();
        List<String> seen = new ArrayList<>();
        DescribeTopicPartitionsRequestData.Cursor cursor = null;
        for (int page = 0; page < 20; page++) {
            var response = page(new DescribeTopicPartitionsRequestData()
                    .setTopics(List.of())
                    .setResponsePartitionLimit(limit)
                    .setCursor(cursor));
            int inPage = 0;
            for (var topic : response.topics()) {
                for (var partition : topic.partitions()) {
                    seen.add(topic.name() + partition.partitionIndex());
                    inPage++;
                }
            }
            assertThat(inPage).isLessThanOrEqualTo(limit);
            var next = response.nextCursor();
            if (next == null) {
                break;
            }
            cursor = new DescribeTopicPartitionsRequestData.Cursor()
                    .setTopicName(next.topicName())
                    .setPartitionIndex(next.partitionIndex());
        }
        assertThat(seen).containsExactly("a0", "a1", "a2", "b0", "c0", "c1", "c2", "c3", "c4");
    }

    @Test
    void unknownTopicsAndBadCursorsGetTheirErrors() {
        var request = new DescribeTopicPartitionsRequestData()
                .setTopics(List.of(new DescribeTopicPartitionsRequestData.TopicRequest().setName("nope")))
                .setResponsePartitionLimit(10);
        assertThat(page(request).topics().getFirst().errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        request.setCursor(new DescribeTopicPartitionsRequestData.Cursor()
                .setTopicName("a")
                .setPartitionIndex(-1));
        assertThat(page(request).topics().getFirst().errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    // --- DescribeCluster ---

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void theClusterIsDescribedInEveryVersion(int version) {
        metadata.broker(2, true, "PLAINTEXT").publish();
        var handler = DescribeClusterHandler.ofBrokers(1, metadata.cache());
        var request = new DescribeClusterRequestData().setIncludeFencedBrokers(version >= 2);
        var response =
                Call.answer(handler, ApiKey.DESCRIBE_CLUSTER, version, request, DescribeClusterResponseData.class);
        assertThat(response.errorCode()).isZero();
        assertThat(response.clusterId()).isEqualTo(TestMetadata.CLUSTER.toString());
        assertThat(response.controllerId()).isEqualTo(1);
        assertThat(response.brokers()).hasSize(version >= 2 ? 2 : 1);
        if (version >= 2) {
            assertThat(response.brokers().getLast().isFenced()).isTrue();
        }
    }

    @Test
    void eachListenerTellsOfItsOwnKind() {
        var brokers = DescribeClusterHandler.ofBrokers(1, metadata.cache());
        var controllers = DescribeClusterHandler.ofControllers(
                metadata.cache(), () -> 1, () -> List.of(new ClusterView.Node(1, "c1", 9093, null, false)));
        var ofControllers = new DescribeClusterRequestData().setEndpointType((byte) 2);
        var mismatch =
                Call.answer(brokers, ApiKey.DESCRIBE_CLUSTER, 1, ofControllers, DescribeClusterResponseData.class);
        assertThat(mismatch.errorCode()).isEqualTo(Errors.MISMATCHED_ENDPOINT_TYPE.code());
        var response =
                Call.answer(controllers, ApiKey.DESCRIBE_CLUSTER, 1, ofControllers, DescribeClusterResponseData.class);
        assertThat(response.brokers())
                .singleElement()
                .satisfies(it -> assertThat(it.host()).isEqualTo("c1"));
        assertThat(response.endpointType()).isEqualTo((byte) 2);
        var unknown = Call.answer(
                brokers,
                ApiKey.DESCRIBE_CLUSTER,
                1,
                new DescribeClusterRequestData().setEndpointType((byte) 9),
                DescribeClusterResponseData.class);
        assertThat(unknown.errorCode()).isEqualTo(Errors.UNSUPPORTED_ENDPOINT_TYPE.code());
    }

    // --- ListConfigResources ---

    @Test
    void resourcesAreListedByType() {
        metadata.topic("t", 1)
                .config(new ConfigResource(ConfigResource.Type.GROUP, "g"), "consumer.session.timeout.ms", "50000")
                .config(new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "m"), "interval.ms", "5000")
                .publish();
        var handler = new ListConfigResourcesHandler(metadata.cache());
        assertThat(list(handler, 0, List.of())).containsExactly("16 m");
        assertThat(list(handler, 1, List.of())).containsExactlyInAnyOrder("2 t", "4 1", "8 1", "16 m", "32 g");
        assertThat(list(handler, 1, List.of((byte) 32))).containsExactly("32 g");
        var refused = Call.answer(
                handler,
                ApiKey.LIST_CONFIG_RESOURCES,
                1,
                new ListConfigResourcesRequestData().setResourceTypes(List.of((byte) 99)),
                ListConfigResourcesResponseData.class);
        assertThat(refused.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
    }

    private static List<String> list(ListConfigResourcesHandler handler, int version, List<Byte> types) {
        return Call.answer(
                        handler,
                        ApiKey.LIST_CONFIG_RESOURCES,
                        version,
                        new ListConfigResourcesRequestData().setResourceTypes(types),
                        ListConfigResourcesResponseData.class)
                .configResources()
                .stream()
                .map(it -> (version == 0 ? 16 : it.resourceType()) + " " + it.resourceName())
                .toList();
    }
}
