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
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// IncrementalAlterConfigs, versions 0 and 1: sets, removes, and extends single settings (KIP-339).
public final class IncrementalAlterConfigsHandler implements RequestHandler<IncrementalAlterConfigsRequestData> {

    /// The request carries no time-out of its own.
    static final long TIMEOUT_MS = 30_000;

    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;

    /// How long an answer may wait for this broker's metadata to show the change. A change that another one overtakes
    /// never shows.
    static final long VISIBLE_WAIT_MS = 1_000;

    private final Forwarder forwarder;
    private final MetadataCache cache;
    private final int localId;
    private final LoggerChanges loggers;

    public IncrementalAlterConfigsHandler(
            Forwarder forwarder, MetadataCache cache, int localId, LoggerChanges loggers) {
        this.forwarder = forwarder;
        this.cache = cache;
        this.localId = localId;
        this.loggers = loggers;
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
            } else if (resource.resourceType() == ConfigResource.Type.BROKER_LOGGER.code()) {
                responses.add(result(resource, loggers.change(resource, request.validateOnly())));
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
                    List<AlterConfigsResourceResponse> decided =
                            answer instanceof IncrementalAlterConfigsResponseData data ? data.responses() : List.of();
                    responses.addAll(decided);
                    cache.whenImage(
                            image -> request.validateOnly() || isVisible(image.configs(), passedOn, decided),
                            Forwarder.deadline(context, VISIBLE_WAIT_MS),
                            image -> LateAnswer.give(
                                    context,
                                    () -> context.respond(
                                            new IncrementalAlterConfigsResponseData().setResponses(responses))));
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
                .allMatch(resource -> isVisible(
                        configs.overrides(new ConfigResource(
                                ConfigResource.Type.forCode(resource.resourceType()), resource.resourceName())),
                        resource.configs()));
    }

    private static boolean isVisible(Map<String, String> overrides, List<AlterableConfig> changes) {
        return changes.stream().allMatch(change -> {
            String now = overrides.get(change.name());
            return switch (change.configOperation()) {
                case SET -> now != null && now.equals(change.value());
                case DELETE -> now == null;
                case APPEND -> now != null && elements(now).containsAll(elements(change.value()));
                case SUBTRACT -> now != null && Collections.disjoint(elements(now), elements(change.value()));
                default -> true;
            };
        });
    }

    private static List<String> elements(@Nullable String list) {
        return list == null
                ? List.of()
                : Arrays.stream(list.split(",", -1)).map(String::strip).toList();
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
