package io.moldau.broker.api.metadata;

import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.wire.message.ListConfigResourcesRequestData;
import io.moldau.wire.message.ListConfigResourcesResponseData;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// ListConfigResources, versions 0 and 1: what has configuration. v0 knew client metrics subscriptions only (KIP-1000),
/// v1 every type (KIP-1142).
public final class ListConfigResourcesHandler implements RequestHandler<ListConfigResourcesRequestData> {

    private final MetadataCache cache;

    public ListConfigResourcesHandler(MetadataCache cache) {
        this.cache = cache;
    }

    @Override
    public void handle(RequestContext context, ListConfigResourcesRequestData request) {
        MetadataImage image = cache.image();
        List<ListConfigResourcesResponseData.ConfigResource> resources = new ArrayList<>();
        for (ConfigResource.Type type : types(context.apiVersion(), request)) {
            for (String name : names(type, image)) {
                resources.add(new ListConfigResourcesResponseData.ConfigResource()
                        .setResourceType(type.code())
                        .setResourceName(name));
            }
        }
        context.respond(new ListConfigResourcesResponseData().setConfigResources(resources));
    }

    private static Set<ConfigResource.Type> types(short version, ListConfigResourcesRequestData request) {
        if (version == 0) {
            return EnumSet.of(ConfigResource.Type.CLIENT_METRICS);
        }
        if (request.resourceTypes().isEmpty()) {
            return EnumSet.allOf(ConfigResource.Type.class);
        }
        Set<ConfigResource.Type> types = EnumSet.noneOf(ConfigResource.Type.class);
        for (byte code : request.resourceTypes()) {
            if (!ConfigResource.Type.exists(code)) {
                throw new ApiException(
                        Errors.UNSUPPORTED_VERSION, "The resource type " + code + " cannot be listed here.");
            }
            types.add(ConfigResource.Type.forCode(code));
        }
        return types;
    }

    private static List<String> names(ConfigResource.Type type, MetadataImage image) {
        return switch (type) {
            case TOPIC -> image.topics().topics().stream().map(TopicImage::name).toList();
            case BROKER, BROKER_LOGGER ->
                image.cluster().brokers().stream()
                        .map(BrokerRegistration::id)
                        .map(String::valueOf)
                        .toList();
            case CLIENT_METRICS, GROUP ->
                image.configs().names().stream()
                        .filter(resource -> resource.type() == type)
                        .map(ConfigResource::name)
                        .sorted()
                        .toList();
        };
    }
}
