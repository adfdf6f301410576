package io.moldau.broker.api.controller;

import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.CreateTopicsResponseData.CreatableTopicResult;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/// CreateTopics, versions 2 to 7. The answer waits until this broker has seen the topics too, so that the client finds
/// what it created.
public final class CreateTopicsHandler implements RequestHandler<CreateTopicsRequestData> {

    private final Forwarder forwarder;
    private final MetadataCache cache;

    public CreateTopicsHandler(Forwarder forwarder, MetadataCache cache) {
        this.forwarder = forwarder;
        this.cache = cache;
    }

    @Override
    public void handle(RequestContext context, CreateTopicsRequestData request) {
        forwarder.forward(
                context,
                request,
                request.timeoutMs(),
                answer -> respond(context, request, answer),
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    private void respond(RequestContext context, CreateTopicsRequestData request, Message answer) {
        if (request.validateOnly() || !(answer instanceof CreateTopicsResponseData data)) {
            context.respond(answer);
            return;
        }
        List<String> created = data.topics().stream()
                .filter(topic -> topic.errorCode() == 0)
                .map(CreatableTopicResult::name)
                .toList();
        cache.whenImage(
                image -> created.stream().allMatch(name -> isComplete(image, name)),
                Forwarder.deadline(context, request.timeoutMs()),
                image -> LateAnswer.give(context, () -> context.respond(answer)));
    }

    private static boolean isComplete(MetadataImage image, String name) {
        TopicImage topic = image.topics().topic(name);
        return topic != null && topic.partitions().values().stream().allMatch(partition -> partition.hasLeader());
    }

    @Override
    public Message errorResponse(RequestContext context, CreateTopicsRequestData request, ApiException failure) {
        List<CreatableTopicResult> results = new ArrayList<>();
        request.topics()
                .forEach(topic -> results.add(new CreatableTopicResult()
                        .setName(topic.name())
                        .setErrorCode(failure.error().code())
                        .setErrorMessage(failure.getMessage())));
        return new CreateTopicsResponseData().setTopics(results);
    }
}
