package io.moldau.broker.api.metadata;

import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.ConfigSource;
import io.moldau.broker.config.DescribedConfig;
import io.moldau.broker.config.LogLevels;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.metadata.TopicNames;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.DescribeConfigsRequestData;
import io.moldau.wire.message.DescribeConfigsRequestData.DescribeConfigsResource;
import io.moldau.wire.message.DescribeConfigsResponseData;
import io.moldau.wire.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import io.moldau.wire.message.DescribeConfigsResponseData.DescribeConfigsResult;
import io.moldau.wire.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// DescribeConfigs, versions 1 to 4: settings with their values, where those come from, and what they are for.
///
/// v1 added sources and synonyms (KIP-226), v3 types and documentation (KIP-569).
public final class DescribeConfigsHandler implements RequestHandler<DescribeConfigsRequestData> {

    private final int localId;
    private final MetadataCache cache;
    private final ConfigResolver resolver;
    private final LogLevels levels;

    public DescribeConfigsHandler(int localId, MetadataCache cache, ConfigResolver resolver, LogLevels levels) {
        this.localId = localId;
        this.cache = cache;
        this.resolver = resolver;
        this.levels = levels;
    }

    @Override
    public void handle(RequestContext context, DescribeConfigsRequestData request) {
        MetadataImage image = cache.image();
        List<DescribeConfigsResult> results = new ArrayList<>();
        for (DescribeConfigsResource resource : request.resources()) {
            results.add(result(resource, request, image));
        }
        context.respond(new DescribeConfigsResponseData().setResults(results));
    }

    private DescribeConfigsResult result(
            DescribeConfigsResource resource, DescribeConfigsRequestData request, MetadataImage image) {
        DescribeConfigsResult result = new DescribeConfigsResult()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName());
        List<DescribeConfigsResourceResult> configs = new ArrayList<>();
        try {
            List<String> keys = resource.configurationKeys();
            if (resource.resourceType() == ConfigResource.Type.BROKER_LOGGER.code()) {
                return result.setErrorMessage(null).setConfigs(loggers(resource.resourceName(), keys));
            }
            for (DescribedConfig config : described(resource, image)) {
                if (keys == null || keys.contains(config.key().name())) {
                    configs.add(config(config, request));
                }
            }
        } catch (ApiException e) {
            return result.setErrorCode(e.error().code()).setErrorMessage(e.getMessage());
        }
        return result.setErrorMessage(null).setConfigs(configs);
    }

    private List<DescribedConfig> described(DescribeConfigsResource resource, MetadataImage image) {
        if (!ConfigResource.Type.exists(resource.resourceType())) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "The resource type " + resource.resourceType() + " has no configuration. Known are 2 (topic), 4"
                            + " (broker), 8 (broker logger), 16 (client metrics), 32 (group).");
        }
        String name = resource.resourceName();
        return switch (ConfigResource.Type.forCode(resource.resourceType())) {
            case TOPIC -> {
                String reason = TopicNames.reasonAgainst(name);
                if (!reason.isEmpty()) {
                    throw new ApiException(Errors.INVALID_TOPIC_EXCEPTION, reason);
                }
                if (image.topics().topic(name) == null) {
                    throw new ApiException(
                            Errors.UNKNOWN_TOPIC_OR_PARTITION, "The topic '" + name + "' does not exist.");
                }
                yield resolver.describeTopic(name, image.configs());
            }
            case BROKER -> {
                if (name.isEmpty()) {
                    yield resolver.describeBrokerDefault(image.configs());
                }
                BrokerResources.checkLocal(name, localId, true);
                yield resolver.describeBroker(image.configs());
            }
            case BROKER_LOGGER -> List.of();
            case CLIENT_METRICS -> {
                if (name.isEmpty()) {
                    throw new ApiException(
                            Errors.INVALID_REQUEST, "Client metrics subscription name must not be empty.");
                }
                yield resolver.describeClientMetrics(name, image.configs());
            }
            case GROUP -> {
                if (name.isEmpty()) {
                    throw new ApiException(Errors.INVALID_REQUEST, "Group name must not be empty.");
                }
                yield resolver.describeGroup(name, image.configs());
            }
        };
    }

    /// The levels in effect, in the place of settings (KIP-412).
    private List<DescribeConfigsResourceResult> loggers(String node, @Nullable List<String> names) {
        BrokerResources.checkLocal(node, localId, false);
        List<DescribeConfigsResourceResult> loggers = new ArrayList<>();
        levels.inEffect().forEach((name, level) -> {
            if (names == null || names.contains(name)) {
                loggers.add(new DescribeConfigsResourceResult()
                        .setName(name)
                        .setValue(level)
                        .setConfigSource(ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG.code()));
            }
        });
        return loggers;
    }

    private static DescribeConfigsResourceResult config(DescribedConfig config, DescribeConfigsRequestData request) {
        List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
        if (request.includeSynonyms()) {
            for (DescribedConfig.Synonym synonym : config.synonyms()) {
                synonyms.add(new DescribeConfigsSynonym()
                        .setName(synonym.name())
                        .setValue(synonym.value())
                        .setSource(synonym.source().code()));
            }
        }
        return new DescribeConfigsResourceResult()
                .setName(config.key().name())
                .setValue(config.value())
                .setReadOnly(config.readOnly())
                .setConfigSource(config.source().code())
                .setIsSensitive(config.key().isSensitive())
                .setSynonyms(synonyms)
                .setConfigType(config.key().type().kind().code())
                .setDocumentation(request.includeDocumentation() ? config.key().documentation() : null);
    }
}
