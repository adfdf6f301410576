package io.moldau.broker.api.controller;

import io.moldau.broker.api.controller.ConfigChanges.Change;
import io.moldau.broker.api.controller.ConfigChanges.Resource;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.ConfigurationsImage;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.AlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.AlterConfigsResponseData;
import io.moldau.wire.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// AlterConfigs, versions 0 to 2: replaces all settings of a resource. Older than IncrementalAlterConfigs, and still
/// what many libraries send.
public final class AlterConfigsHandler implements RequestHandler<AlterConfigsRequestData> {

    private final Forwarder forwarder;
    private final MetadataCache cache;
    private final int localId;

    public AlterConfigsHandler(Forwarder forwarder, MetadataCache cache, int localId) {
        this.forwarder = forwarder;
        this.cache = cache;
        this.localId = localId;
    }

    @Override
    public void handle(RequestContext context, AlterConfigsRequestData request) {
        List<AlterConfigsResource> resources = request.resources();
        Map<Integer, ApiError> refused = ConfigChanges.refused(
                resources.stream().map(AlterConfigsHandler::changes).toList(), localId);
        List<AlterConfigsResource> passedOn = new ArrayList<>();
        List<AlterConfigsResourceResponse> responses = new ArrayList<>();
        for (int i = 0; i < resources.size(); i++) {
            ApiError error = refused.get(i);
            if (error != null) {
                responses.add(result(resources.get(i), error));
            } else if (resources.get(i).resourceType() == ConfigResource.Type.BROKER_LOGGER.code()) {
                responses.add(result(resources.get(i), LoggerChanges.ONE_BY_ONE));
            } else {
                passedOn.add(resources.get(i));
            }
        }
        if (passedOn.isEmpty()) {
            context.respond(new AlterConfigsResponseData().setResponses(responses));
            return;
        }
        forwarder.forward(
                context,
                new AlterConfigsRequestData().setResources(passedOn).setValidateOnly(request.validateOnly()),
                IncrementalAlterConfigsHandler.TIMEOUT_MS,
                answer -> {
                    List<AlterConfigsResourceResponse> decided =
                            answer instanceof AlterConfigsResponseData data ? data.responses() : List.of();
                    responses.addAll(decided);
                    cache.whenImage(
                            image -> request.validateOnly() || isVisible(image.configs(), passedOn, decided),
                            Forwarder.deadline(context, IncrementalAlterConfigsHandler.VISIBLE_WAIT_MS),
                            image -> LateAnswer.give(
                                    context,
                                    () -> context.respond(new AlterConfigsResponseData().setResponses(responses))));
                },
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    private static boolean isVisible(
            ConfigurationsImage configs,
            List<AlterConfigsResource> resources,
            List<AlterConfigsResourceResponse> decided) {
        return resources.stream()
                .filter(resource -> decided.stream()
                        .anyMatch(response -> response.errorCode() == 0
                                && response.resourceType() == resource.resourceType()
                                && response.resourceName().equals(resource.resourceName())))
                .allMatch(resource -> {
                    Map<String, String> wanted = new HashMap<>();
                    resource.configs().forEach(config -> {
                        String value = config.value();
                        if (value != null) {
                            wanted.put(config.name(), value);
                        }
                    });
                    return wanted.equals(configs.overrides(new ConfigResource(
                            ConfigResource.Type.forCode(resource.resourceType()), resource.resourceName())));
                });
    }

    private static Resource changes(AlterConfigsResource resource) {
        return new Resource(
                resource.resourceType(),
                resource.resourceName(),
                resource.configs().stream()
                        .map(config -> new Change(config.name(), config.value(), false))
                        .toList());
    }

    private static AlterConfigsResourceResponse result(AlterConfigsResource resource, ApiError error) {
        return new AlterConfigsResourceResponse()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName())
                .setErrorCode(error.code())
                .setErrorMessage(error.message());
    }

    @Override
    public Message errorResponse(RequestContext context, AlterConfigsRequestData request, ApiException failure) {
        return new AlterConfigsResponseData()
                .setResponses(request.resources().stream()
                        .map(resource -> result(resource, failure.toApiError()))
                        .toList());
    }
}
