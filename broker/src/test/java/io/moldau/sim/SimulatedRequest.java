package io.moldau.sim;

import io.moldau.broker.delayed.Deadlines;
import io.moldau.broker.request.RequestContext;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A request on a simulated connection, as handlers see it.
final class SimulatedRequest implements RequestContext {

    private final SimulatedNetwork.Exchange exchange;
    private final ApiKey api;
    private final short version;
    private final String clientId;
    private final long receivedNanos;
    private final BiConsumer<@Nullable ByteBuffer, @Nullable Throwable> answer;
    private @Nullable Runnable giveUp;
    private boolean answered;

    SimulatedRequest(
            SimulatedNetwork.Exchange exchange,
            ApiKey api,
            short version,
            String clientId,
            long receivedNanos,
            BiConsumer<@Nullable ByteBuffer, @Nullable Throwable> answer) {
        this.exchange = exchange;
        this.api = api;
        this.version = version;
        this.clientId = clientId;
        this.receivedNanos = receivedNanos;
        this.answer = answer;
    }

    @Override
    public ApiKey apiKey() {
        return api;
    }

    @Override
    public short apiVersion() {
        return version;
    }

    @Override
    public int correlationId() {
        return 0;
    }

    @Override
    public String clientId() {
        return clientId;
    }

    @Override
    public String listenerName() {
        return SimulatedNode.LISTENER;
    }

    @Override
    public String principal() {
        return "User:ANONYMOUS";
    }

    @Override
    public String clientAddress() {
        return clientId;
    }

    @Override
    public long receivedNanos() {
        return receivedNanos;
    }

    private void end() {
        if (answered) {
            throw new AssertionError(api + " answered twice");
        }
        answered = true;
        if (giveUp != null) {
            exchange.forget(giveUp);
        }
    }

    @Override
    public void respond(Message response) {
        end();
        // From another thread the answer takes the way over the connection's own.
        ByteBuffer bytes = Encoded.of(response, version);
        if (inExecutor()) {
            answer.accept(bytes, null);
        } else {
            exchange.thread().execute(() -> answer.accept(bytes, null));
        }
    }

    @Override
    public void respondNothing() {
        throw new AssertionError(api + " answered with nothing");
    }

    @Override
    public void disconnect(String reason) {
        end();
        exchange.disconnect();
    }

    @Override
    public void whenDisconnected(Runnable action) {
        giveUp = action;
        exchange.whenDisconnected(action);
    }

    @Override
    public Executor executor() {
        return exchange.thread();
    }

    @Override
    public boolean inExecutor() {
        return exchange.thread().isInside();
    }

    @Override
    public Deadlines deadlines() {
        return exchange.thread().asDeadlines();
    }
}
