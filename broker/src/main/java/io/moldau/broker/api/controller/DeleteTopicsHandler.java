package io.moldau.broker.api.controller;

import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Uuid;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.message.DeleteTopicsResponseData.DeletableTopicResult;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// DeleteTopics, versions 1 to 6; by id from version 6 on (KIP-516). The answer waits until this broker has let go of
/// the topics.
public final class DeleteTopicsHandler implements RequestHandler<DeleteTopicsRequestData> {

    private final Forwarder forwarder;
    private final MetadataCache cache;

    public DeleteTopicsHandler(Forwarder forwarder, MetadataCache cache) {
        this.forwarder = forwarder;
        this.cache = cache;
    }

    @Override
    public void handle(RequestContext context, DeleteTopicsRequestData request) {
        List<Uuid> before = ids(request);
        forwarder.forward(
                context,
                request,
                request.timeoutMs(),
                answer -> respond(context, request, before, answer),
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    /// The topics' ids before they go: a name may come to mean another topic at any time.
    private List<Uuid> ids(DeleteTopicsRequestData request) {
        var topics = cache.image().topics();
        List<Uuid> ids = new ArrayList<>();
        request.topicNames().forEach(name -> ids.add(idOf(topics.topic(name))));
        request.topics()
                .forEach(topic -> ids.add(
                        topic.name() == null
                                ? topic.topicId()
                                : idOf(topics.topic(Objects.requireNonNull(topic.name())))));
        return ids;
    }

    private static Uuid idOf(io.moldau.metadata.image.@Nullable TopicImage topic) {
        return topic == null ? Uuid.ZERO : topic.id();
    }

    private void respond(RequestContext context, DeleteTopicsRequestData request, List<Uuid> before, Message answer) {
        boolean anyDeleted = answer instanceof DeleteTopicsResponseData data
                && data.responses().stream().anyMatch(result -> result.errorCode() == 0);
        if (!anyDeleted) {
            context.respond(answer);
            return;
        }
        List<Uuid> gone = deleted((DeleteTopicsResponseData) answer, before);
        cache.whenImage(
                image -> gone.stream().allMatch(id -> image.topics().topic(id) == null),
                Forwarder.deadline(context, request.timeoutMs()),
                image -> LateAnswer.give(context, () -> context.respond(answer)));
    }

    private List<Uuid> deleted(DeleteTopicsResponseData answer, List<Uuid> before) {
        List<Uuid> gone = new ArrayList<>();
        for (DeletableTopicResult result : answer.responses()) {
            if (result.errorCode() != 0) {
                continue;
            }
            if (!result.topicId().equals(Uuid.ZERO)) {
                gone.add(result.topicId());
            } else if (result.name() != null) {
                var topic = cache.image().topics().topic(Objects.requireNonNull(result.name()));
                if (topic != null && before.contains(topic.id())) {
                    gone.add(topic.id());
                }
            }
        }
        return gone;
    }

    @Override
    public Message errorResponse(RequestContext context, DeleteTopicsRequestData request, ApiException failure) {
        List<DeletableTopicResult> results = new ArrayList<>();
        request.topicNames()
                .forEach(name -> results.add(new DeletableTopicResult()
                        .setName(name)
                        .setErrorCode(failure.error().code())
                        .setErrorMessage(failure.getMessage())));
        request.topics()
                .forEach(topic -> results.add(new DeletableTopicResult()
                        .setName(topic.name())
                        .setTopicId(topic.topicId())
                        .setErrorCode(failure.error().code())
                        .setErrorMessage(failure.getMessage())));
        return new DeleteTopicsResponseData().setResponses(results);
    }
}
