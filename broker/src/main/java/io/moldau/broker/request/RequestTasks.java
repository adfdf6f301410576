package io.moldau.broker.request;

import io.moldau.wire.protocol.Message;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
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
        answer(executor, context, answer, context::respond);
    }

    /// The same for what is not yet the answer, but has to be made before there can be one.
    public static <T> void answer(
            Executor executor, RequestContext context, Supplier<? extends T> work, Consumer<? super T> then) {
        executor.execute(() -> {
            T result;
            try {
                result = work.get();
            } catch (RuntimeException e) {
                LOG.error("Handler failed apiKey={} correlationId={}", context.apiKey(), context.correlationId(), e);
                context.disconnect("handler of " + context.apiKey() + " failed: " + e);
                return;
            }
            then.accept(result);
        });
    }
}
