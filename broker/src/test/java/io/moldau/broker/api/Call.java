package io.moldau.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.delayed.Deadlines;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.Message;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A request to a handler without a network. What it answers is encoded in the request's version and decoded again, so
/// that a test sees what a client would.
public final class Call implements RequestContext {

    private final ApiKey api;
    private final short version;
    private @Nullable Message response;

    public Call(ApiKey api, int version) {
        this.api = api;
        this.version = (short) version;
    }

    /// Calls the handler, which must answer at once.
    public static <Q extends Message, R extends Message> R answer(
            RequestHandler<Q> handler, ApiKey api, int version, Q request, Class<R> type) {
        Call call = new Call(api, version);
        call.to(handler, request);
        return type.cast(call.response());
    }

    public <Q extends Message> Call to(RequestHandler<Q> handler, Q request) {
        try {
            handler.handle(this, request);
        } catch (ApiException e) {
            respond(Objects.requireNonNull(handler.errorResponse(this, request, e)));
        }
        return this;
    }

    public boolean isAnswered() {
        return response != null;
    }

    public Message response() {
        assertThat(response).as("the answer").isNotNull();
        return Objects.requireNonNull(response);
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
        return 1;
    }

    @Override
    public String clientId() {
        return "test";
    }

    @Override
    public String listenerName() {
        return "PLAINTEXT";
    }

    @Override
    public String principal() {
        return "User:ANONYMOUS";
    }

    @Override
    public String clientAddress() {
        return "127.0.0.1";
    }

    @Override
    public long receivedNanos() {
        return 0;
    }

    @Override
    public void respond(Message message) {
        assertThat(response).as("a second answer").isNull();
        boolean tooNew = version > api.highestVersion();
        short encodedVersion = tooNew ? 0 : version;
        ByteBufferWritable out = new ByteBufferWritable();
        message.write(out, encodedVersion);
        Message decoded = api.newResponse();
        ByteBufferReadable in = new ByteBufferReadable(out.toByteBuffer());
        decoded.read(in, encodedVersion);
        assertThat(in.remaining()).isZero();
        response = decoded;
    }

    @Override
    public void respondNothing() {
        throw new AssertionError("answered with nothing");
    }

    @Override
    public void disconnect(String reason) {
        throw new AssertionError("disconnected: " + reason);
    }

    @Override
    public void whenDisconnected(Runnable action) {}

    @Override
    public Executor executor() {
        return Runnable::run;
    }

    @Override
    public boolean inExecutor() {
        return true;
    }

    @Override
    public Deadlines deadlines() {
        throw new UnsupportedOperationException();
    }
}
