package io.moldau.broker.api.metadata;

import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.VersionRange;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ApiVersionsResponseData;
import io.moldau.wire.message.ApiVersionsResponseData.ApiVersion;
import io.moldau.wire.message.ApiVersionsResponseData.FinalizedFeatureKey;
import io.moldau.wire.message.ApiVersionsResponseData.SupportedFeatureKey;
import io.moldau.wire.protocol.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// ApiVersions, versions 0 to 5, and a helpful answer to any other: which APIs are served here, and which features are
/// final.
///
/// v3 added the client's name and version (KIP-511) and features (KIP-584), v4 features whose lowest level is 0, v5 the
/// cluster and node the client means to reach (KIP-1242).
public final class ApiVersionsHandler implements RequestHandler<ApiVersionsRequestData> {

    /// Letters, digits, and between them also dots and dashes.
    private static final Pattern CLIENT_SOFTWARE = Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9.\\-]*[a-zA-Z0-9])?");

    private final int localId;
    private final MetadataCache cache;
    private final Map<String, VersionRange> supportedFeatures;
    private final Supplier<List<ApiKey>> served;

    /// @param served the APIs this listener has handlers for
    public ApiVersionsHandler(
            int localId,
            MetadataCache cache,
            Map<String, VersionRange> supportedFeatures,
            Supplier<List<ApiKey>> served) {
        this.localId = localId;
        this.cache = cache;
        this.supportedFeatures = Map.copyOf(supportedFeatures);
        this.served = served;
    }

    @Override
    public void handle(RequestContext context, ApiVersionsRequestData request) {
        context.respond(answer(context.apiVersion(), request));
    }

    private ApiVersionsResponseData answer(short version, ApiVersionsRequestData request) {
        if (version > ApiKey.API_VERSIONS.highestVersion() || version < 0) {
            // The answer is encoded in version 0, which every client reads; the range lets it choose another (KIP-511).
            return new ApiVersionsResponseData()
                    .setErrorCode(Errors.UNSUPPORTED_VERSION.code())
                    .setApiKeys(List.of(apiVersion(ApiKey.API_VERSIONS)));
        }
        if (version >= 3
                && !(CLIENT_SOFTWARE.matcher(request.clientSoftwareName()).matches()
                        && CLIENT_SOFTWARE
                                .matcher(request.clientSoftwareVersion())
                                .matches())) {
            return new ApiVersionsResponseData().setErrorCode(Errors.INVALID_REQUEST.code());
        }
        MetadataImage image = cache.image();
        if (version >= 5 && meansAnother(request, image)) {
            return new ApiVersionsResponseData().setErrorCode(Errors.REBOOTSTRAP_REQUIRED.code());
        }
        List<ApiVersion> apis = new ArrayList<>();
        for (ApiKey api : served.get()) {
            apis.add(apiVersion(api));
        }
        ApiVersionsResponseData response = new ApiVersionsResponseData().setApiKeys(apis);
        if (version >= 3) {
            addFeatures(response, version, image);
        }
        return response;
    }

    /// The client reached some other node than it looked for: its addresses are stale.
    private boolean meansAnother(ApiVersionsRequestData request, MetadataImage image) {
        String clusterId = request.clusterId();
        boolean otherCluster = clusterId != null
                && !image.isEmpty()
                && !clusterId.equals(image.cluster().clusterId().toString());
        return otherCluster || (request.nodeId() >= 0 && request.nodeId() != localId);
    }

    private void addFeatures(ApiVersionsResponseData response, short version, MetadataImage image) {
        List<SupportedFeatureKey> supported = new ArrayList<>();
        supportedFeatures.forEach((name, range) -> {
            if (range.min() > 0 || version >= 4) {
                supported.add(new SupportedFeatureKey()
                        .setName(name)
                        .setMinVersion(range.min())
                        .setMaxVersion(range.max()));
            }
        });
        List<FinalizedFeatureKey> finalized = new ArrayList<>();
        FeaturesImage features = image.features();
        features.finalizedLevels()
                .forEach((name, level) -> finalized.add(new FinalizedFeatureKey()
                        .setName(name)
                        .setMinVersionLevel(level)
                        .setMaxVersionLevel(level)));
        response.setSupportedFeatures(supported)
                .setFinalizedFeatures(finalized)
                .setFinalizedFeaturesEpoch(image.offset());
    }

    private static ApiVersion apiVersion(ApiKey api) {
        // Versions 0 to 2 of Produce are not served, by nobody any more. Some releases of librdkafka take their absence
        // for a broker that cannot compress, so Kafka names them too (KAFKA-18659).
        short lowest = api == ApiKey.PRODUCE ? 0 : api.lowestVersion();
        return new ApiVersion().setApiKey(api.id()).setMinVersion(lowest).setMaxVersion(api.highestVersion());
    }
}
