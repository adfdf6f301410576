package io.moldau.broker.request;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers a request from a callback, on a thread that is not the connection's. What fails there must reach the client
/// somehow: nobody else would ever end its wait.
public final class LateAnswer {

    private static final Logger LOG = LoggerFactory.getLogger(LateAnswer.class);

    private LateAnswer() {}

    /// Runs what answers the request; if it throws, the connection closes.
    public static void give(RequestContext context, Runnable answer) {
        try {
            answer.run();
        } catch (RuntimeException e) {
            LOG.error("answering failed apiKey={} correlationId={}", context.apiKey(), context.correlationId(), e);
            context.disconnect(context.apiKey() + " failed: " + e);
        }
    }
}
