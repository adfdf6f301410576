package io.moldau.broker.api.controller;

import io.moldau.broker.api.controller.ConfigChanges.Change;
import io.moldau.broker.api.controller.ConfigChanges.Resource;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// IncrementalAlterConfigs, versions 0 and 1: sets, removes, and extends single settings (KIP-339).
public final class IncrementalAlterConfigsHandler implements RequestHandler<IncrementalAlterConfigsRequestData> {

    /// The request carries no time-out of its own.
    static final long TIMEOUT_MS = 30_000;

    private static final byte DELETE = 1;

    private final Forwarder forwarder;
    private final int localId;

    public IncrementalAlterConfigsHandler(Forwarder forwarder, int localId) {
        this.forwarder = forwarder;
        this.localId = localId;
    }

    @Override
    public void handle(RequestContext context, IncrementalAlterConfigsRequestData request) {
        List<AlterConfigsResource> resources = request.resources();
        Map<Integer, ApiError> refused = ConfigChanges.refused(
                resources.stream().map(IncrementalAlterConfigsHandler::changes).toList(), localId);
        List<AlterConfigsResource> passedOn = new ArrayList<>();
        List<AlterConfigsResourceResponse> responses = new ArrayList<>();
        for (int i = 0; i < resources.size(); i++) {
            ApiError error = refused.get(i);
            AlterConfigsResource resource = resources.get(i);
            if (error != null) {
                responses.add(result(resource, error));
            } else if (resource.configs().isEmpty()) {
                responses.add(result(resource, ApiError.NONE));
            } else {
                passedOn.add(resource);
            }
        }
        if (passedOn.isEmpty()) {
            context.respond(new IncrementalAlterConfigsResponseData().setResponses(responses));
            return;
        }
        forwarder.forward(
                context,
                new IncrementalAlterConfigsRequestData().setResources(passedOn).setValidateOnly(request.validateOnly()),
                TIMEOUT_MS,
                answer -> {
                    if (answer instanceof IncrementalAlterConfigsResponseData data) {
                        responses.addAll(data.responses());
                    }
                    context.respond(new IncrementalAlterConfigsResponseData().setResponses(responses));
                },
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    private static Resource changes(AlterConfigsResource resource) {
        return new Resource(
                resource.resourceType(),
                resource.resourceName(),
                resource.configs().stream()
                        .map(config -> new Change(config.name(), config.value(), config.configOperation() == DELETE))
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
    public Message errorResponse(
            RequestContext context, IncrementalAlterConfigsRequestData request, ApiException failure) {
        return new IncrementalAlterConfigsResponseData()
                .setResponses(request.resources().stream()
                        .map(resource -> result(resource, failure.toApiError()))
                        .toList());
    }
}
