package io.moldau.broker.api.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.Call;
import io.moldau.broker.api.TestMetadata;
import io.moldau.common.Errors;
import io.moldau.metadata.image.VersionRange;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ApiVersionsResponseData;
import io.moldau.wire.message.ApiVersionsResponseData.ApiVersion;
import io.moldau.wire.protocol.ApiKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiVersionsHandlerTest {

    private static final List<ApiKey> SERVED = List.of(ApiKey.PRODUCE, ApiKey.METADATA, ApiKey.API_VERSIONS);

    private final TestMetadata metadata = TestMetadata.oneBroker();
    private final ApiVersionsHandler handler = new ApiVersionsHandler(
            1,
            metadata.cache(),
            Map.of(
                    "metadata.version", new VersionRange((short) 33, (short) 33),
                    "from.zero", new VersionRange((short) 0, (short) 1)),
            () -> SERVED);

    private ApiVersionsResponseData ask(int version, ApiVersionsRequestData request) {
        return Call.answer(handler, ApiKey.API_VERSIONS, version, request, ApiVersionsResponseData.class);
    }

    private static ApiVersionsRequestData client(String name, String version) {
        return new ApiVersionsRequestData().setClientSoftwareName(name).setClientSoftwareVersion(version);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void itNamesWhatIsServedAndNothingElse(int version) {
        ApiVersionsResponseData response = ask(version, client("test", "1.0"));
        assertThat(response.errorCode()).isZero();
        assertThat(response.apiKeys())
                .extracting(ApiVersion::apiKey)
                .containsExactly(ApiKey.PRODUCE.id(), ApiKey.METADATA.id(), ApiKey.API_VERSIONS.id());
        assertThat(response.apiKeys().getFirst().minVersion())
                .as("Produce, for older librdkafka")
                .isZero();
        assertThat(response.apiKeys().get(1).maxVersion()).isEqualTo(ApiKey.METADATA.highestVersion());
        if (version >= 3) {
            assertThat(response.supportedFeatures())
                    .extracting(feature -> feature.name())
                    .containsExactlyInAnyOrderElementsOf(
                            version >= 4 ? List.of("metadata.version", "from.zero") : List.of("metadata.version"));
            assertThat(response.finalizedFeatures())
                    .singleElement()
                    .satisfies(feature -> assertThat(feature.maxVersionLevel()).isEqualTo((short) 33));
            assertThat(response.finalizedFeaturesEpoch()).isEqualTo(1);
        }
    }

    @Test
    void anUnknownVersionIsAnsweredInVersion0WithTheRangeToChooseFrom() {
        ApiVersionsResponseData response = ask(99, new ApiVersionsRequestData());
        assertThat(response.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
        assertThat(response.apiKeys()).singleElement().satisfies(api -> {
            assertThat(api.apiKey()).isEqualTo(ApiKey.API_VERSIONS.id());
            assertThat(api.minVersion()).isZero();
            assertThat(api.maxVersion()).isEqualTo(ApiKey.API_VERSIONS.highestVersion());
        });
    }

    @Test
    void aClientsNameAndVersionMustBePlainWords() {
        assertThat(ask(3, client("bad name", "1")).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(ask(3, client("x", "-1")).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(ask(3, client("", "")).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(ask(3, client("apache-kafka-java", "4.4.0-rc1")).errorCode()).isZero();
        assertThat(ask(2, client("", "")).errorCode()).isZero();
    }

    @Test
    void aClientThatMeansAnotherClusterOrNodeIsSentBackToItsBootstrapServers() {
        ApiVersionsRequestData right =
                client("a", "1").setClusterId(TestMetadata.CLUSTER.toString()).setNodeId(1);
        assertThat(ask(5, right).errorCode()).isZero();
        assertThat(ask(5, client("a", "1").setClusterId("AAAAAAAAAAAAAAAAAAAAAQ"))
                        .errorCode())
                .isEqualTo(Errors.REBOOTSTRAP_REQUIRED.code());
        assertThat(ask(5, client("a", "1").setNodeId(2)).errorCode()).isEqualTo(Errors.REBOOTSTRAP_REQUIRED.code());
    }
}
