package io.moldau.broker.api.controller;

import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.wire.protocol.Message;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands a client's request to the active controller, with the client's name.
public final class Forwarder {

    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    private final NodeToController controller;

    public Forwarder(NodeToController controller) {
        this.controller = controller;
    }

    /// @param timeoutMs how long the client waits, counted from when its request arrived
    /// @param onAnswer takes the controller's response; runs on a thread of the controller, so it must not block
    /// @param onFailure takes the reason why there is none, on such a thread too
    public void forward(
            RequestContext context,
            Message request,
            long timeoutMs,
            Consumer<Message> onAnswer,
            Consumer<ApiException> onFailure) {
        long deadlineNanos = deadline(context, timeoutMs);
        controller
                .forward(
                        new ControllerContext(
                                context.principal(), context.clientAddress(), context.apiVersion(), deadlineNanos),
                        request)
                .whenComplete((answer, failure) -> LateAnswer.give(context, () -> {
                    if (failure == null) {
                        onAnswer.accept(answer);
                    } else {
                        onFailure.accept(asApiException(context, failure));
                    }
                }));
    }

    static long deadline(RequestContext context, long timeoutMs) {
        return context.receivedNanos() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, timeoutMs));
    }

    private static ApiException asApiException(RequestContext context, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ApiException api) {
            return api;
        }
        LOG.error("request to the controller failed apiKey={}", context.apiKey(), cause);
        return new ApiException(Errors.UNKNOWN_SERVER_ERROR);
    }
}
