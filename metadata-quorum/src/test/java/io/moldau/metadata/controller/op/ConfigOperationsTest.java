package io.moldau.metadata.controller.op;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiError;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConfigOperationsTest {

    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;
    private static final ConfigResource T = ConfigResource.topic("t");

    private static final ConfigValidator VALIDATOR = new ConfigValidator() {
        @Override
        public Optional<ApiError> validate(ConfigResource resource, Map<String, String> overrides) {
            return "bad".equals(overrides.get("retention.ms"))
                    ? Optional.of(new ApiError(Errors.INVALID_CONFIG, "Invalid value bad for retention.ms"))
                    : Optional.empty();
        }

        @Override
        public boolean isList(ConfigResource.Type type, String key) {
            return key.equals("cleanup.policy");
        }

        @Override
        public @Nullable String defaultValue(ConfigResource.Type type, String key) {
            return key.equals("cleanup.policy") ? "delete" : null;
        }
    };

    private final AlterConfigs operation = new AlterConfigs(VALIDATOR, ControllerSettings.DEFAULTS);

    private MetadataImage image = TestImages.apply(
            TestImages.withBrokers(1),
            List.of(MetadataRecords.of(TopicRecord.newBuilder()
                    .setName("t")
                    .setTopicId(MetadataRecords.id(new Uuid(4, 4)))
                    .build())));

    private static AlterableConfig change(String key, byte operation, @Nullable String value) {
        return new AlterableConfig().setName(key).setConfigOperation(operation).setValue(value);
    }

    private static AlterConfigsResource resource(int type, String name, AlterableConfig... changes) {
        return new AlterConfigsResource()
                .setResourceType((byte) type)
                .setResourceName(name)
                .setConfigs(List.of(changes));
    }

    private Errors alter(AlterConfigsResource... resources) {
        var result =
                operation.incremental(image, new IncrementalAlterConfigsRequestData().setResources(List.of(resources)));
        image = TestImages.apply(image, result.records());
        return Errors.forCode(result.response().responses().getFirst().errorCode());
    }

    private Errors alterTopic(AlterableConfig... changes) {
        return alter(resource(2, "t", changes));
    }

    @Test
    void keysAreSetAndDeleted() {
        assertThat(alterTopic(change("retention.ms", SET, "1"), change("max.message.bytes", SET, "2")))
                .isEqualTo(Errors.NONE);
        assertThat(image.configs().overrides(T)).isEqualTo(Map.of("retention.ms", "1", "max.message.bytes", "2"));
        assertThat(alterTopic(change("retention.ms", DELETE, null))).isEqualTo(Errors.NONE);
        assertThat(image.configs().overrides(T)).isEqualTo(Map.of("max.message.bytes", "2"));
        // Nothing changes, nothing is written.
        assertThat(operation
                        .incremental(
                                image,
                                new IncrementalAlterConfigsRequestData()
                                        .setResources(List.of(resource(2, "t", change("max.message.bytes", SET, "2")))))
                        .records())
                .isEmpty();
    }

    @Test
    void listsGrowAndShrink() {
        assertThat(alterTopic(change("cleanup.policy", APPEND, "compact"))).isEqualTo(Errors.NONE);
        assertThat(image.configs().overrides(T)).containsEntry("cleanup.policy", "delete,compact");
        assertThat(alterTopic(change("cleanup.policy", APPEND, "compact"))).isEqualTo(Errors.NONE);
        assertThat(image.configs().overrides(T)).containsEntry("cleanup.policy", "delete,compact");
        assertThat(alterTopic(change("cleanup.policy", SUBTRACT, "delete"))).isEqualTo(Errors.NONE);
        assertThat(image.configs().overrides(T)).containsEntry("cleanup.policy", "compact");
        assertThat(alterTopic(change("retention.ms", APPEND, "1"))).isEqualTo(Errors.INVALID_CONFIG);
    }

    @Test
    void badChangesAreRefusedAsAWhole() {
        assertThat(alterTopic(change("retention.ms", SET, "bad"), change("max.message.bytes", SET, "2")))
                .isEqualTo(Errors.INVALID_CONFIG);
        assertThat(alterTopic(change("retention.ms", SET, null))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(alterTopic(change("retention.ms", (byte) 9, "1"))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(alterTopic(change("retention.ms", SET, "1"), change("retention.ms", DELETE, null)))
                .isEqualTo(Errors.INVALID_REQUEST);
        assertThat(image.configs().overrides(T)).isEmpty();
    }

    @Test
    void resourcesMustExistAndHaveSuchANameOnce() {
        assertThat(alter(resource(2, "unknown", change("retention.ms", SET, "1"))))
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(alter(resource(4, "one", change("a", SET, "1")))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(alter(resource(4, "1", change("a", SET, "1")))).isEqualTo(Errors.NONE);
        assertThat(alter(resource(4, "", change("a", SET, "1")))).isEqualTo(Errors.NONE);
        assertThat(alter(resource(8, "1", change("a", SET, "1")))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(alter(resource(3, "1", change("a", SET, "1")))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(alter(resource(32, "", change("a", SET, "1")))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(alter(resource(2, "t", change("a", SET, "1")), resource(2, "t", change("b", SET, "1"))))
                .isEqualTo(Errors.INVALID_REQUEST);
        assertThat(image.configs().overrides(T)).isEmpty();
    }

    @Test
    void theOlderRequestReplacesEverything() {
        alterTopic(change("retention.ms", SET, "1"), change("max.message.bytes", SET, "2"));
        var request = new AlterConfigsRequestData()
                .setResources(List.of(new AlterConfigsRequestData.AlterConfigsResource()
                        .setResourceType((byte) 2)
                        .setResourceName("t")
                        .setConfigs(List.of(
                                new AlterConfigsRequestData.AlterableConfig()
                                        .setName("segment.ms")
                                        .setValue("3"),
                                new AlterConfigsRequestData.AlterableConfig()
                                        .setName("retention.ms")
                                        .setValue("1")))));
        var result = operation.replacing(image, request);
        assertThat(result.response().responses().getFirst().errorCode()).isZero();
        image = TestImages.apply(image, result.records());
        assertThat(image.configs().overrides(T)).isEqualTo(Map.of("segment.ms", "3", "retention.ms", "1"));
        assertThat(operation.replacing(image, request.setValidateOnly(true)).records())
                .isEmpty();
    }
}
