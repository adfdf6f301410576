package io.moldau.broker.api.controller;

import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import io.moldau.wire.message.CreatePartitionsResponseData;
import io.moldau.wire.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// CreatePartitions, versions 0 to 3. The answer waits until this broker has seen the partitions too.
public final class CreatePartitionsHandler implements RequestHandler<CreatePartitionsRequestData> {

    private final Forwarder forwarder;
    private final MetadataCache cache;

    public CreatePartitionsHandler(Forwarder forwarder, MetadataCache cache) {
        this.forwarder = forwarder;
        this.cache = cache;
    }

    @Override
    public void handle(RequestContext context, CreatePartitionsRequestData request) {
        forwarder.forward(
                context,
                request,
                request.timeoutMs(),
                answer -> respond(context, request, answer),
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    private void respond(RequestContext context, CreatePartitionsRequestData request, Message answer) {
        if (request.validateOnly() || !(answer instanceof CreatePartitionsResponseData data)) {
            context.respond(answer);
            return;
        }
        Set<String> grown = new HashSet<>();
        data.results().forEach(result -> {
            if (result.errorCode() == 0) {
                grown.add(result.name());
            }
        });
        cache.whenImage(
                image -> request.topics().stream()
                        .filter(topic -> grown.contains(topic.name()))
                        .allMatch(topic -> hasGrown(image, topic)),
                Forwarder.deadline(context, request.timeoutMs()),
                image -> LateAnswer.give(context, () -> context.respond(answer)));
    }

    private static boolean hasGrown(MetadataImage image, CreatePartitionsTopic wanted) {
        TopicImage topic = image.topics().topic(wanted.name());
        return topic == null || topic.partitions().size() >= wanted.count();
    }

    @Override
    public Message errorResponse(RequestContext context, CreatePartitionsRequestData request, ApiException failure) {
        List<CreatePartitionsTopicResult> results = new ArrayList<>();
        request.topics()
                .forEach(topic -> results.add(new CreatePartitionsTopicResult()
                        .setName(topic.name())
                        .setErrorCode(failure.error().code())
                        .setErrorMessage(failure.getMessage())));
        return new CreatePartitionsResponseData().setResults(results);
    }
}
