package io.moldau.broker.request;

import io.moldau.wire.protocol.Message;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has requests answered by threads other than the event loop.
public final class RequestTasks {

    private static final Logger LOG = LoggerFactory.getLogger(RequestTasks.class);

    private RequestTasks() {}

    /// Makes the answer on the executor. If that fails the connection is closed: the client gets no answer, but it
    /// does not wait for one either.
    public static void answer(Executor executor, RequestContext context, Supplier<? extends Message> answer) {
        executor.execute(() -> {
            Message response;
            try {
                response = answer.get();
            } catch (RuntimeException e) {
                LOG.error("Handler failed apiKey={} correlationId={}", context.apiKey(), context.correlationId(), e);
                context.disconnect("handler of " + context.apiKey() + " failed: " + e);
                return;
            }
            context.respond(response);
        });
    }
}
