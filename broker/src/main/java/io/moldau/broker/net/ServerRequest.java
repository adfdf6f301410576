package io.moldau.broker.net;

import io.moldau.broker.delayed.Deadlines;
import io.moldau.broker.request.RequestContext;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// One request of a connection: the handlers' context and the place its answer waits in. One of the nodes' own requests
/// has no handler that sees it; it is only the place.
///
/// Whoever answers first takes the state from OPEN; everything after that happens on the event loop.
final class ServerRequest extends ResponseSequencer.Slot<ServerRequest> implements RequestContext, Runnable {

    private static final int OPEN = 0;
    private static final int ANSWERED = 1;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ServerRequest.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ConnectionHandler connection;
    private final @Nullable ApiKey apiKey;
    private final short apiVersion;
    private final int correlationId;
    private final @Nullable String clientId;
    private final long receivedNanos;
    private final int bytes;

    @SuppressWarnings("unused") // through STATE
    private volatile int state = OPEN;

    /// On the event loop: when the handler came back without an answer, and when the answer was there; 0 if not yet.
    private long handledNanos;

    private long answeredNanos;

    private @Nullable Message response;
    private @Nullable String disconnectReason;
    private @Nullable Runnable giveUp;

    ServerRequest(
            ConnectionHandler connection,
            @Nullable ApiKey apiKey,
            short apiVersion,
            int correlationId,
            @Nullable String clientId,
            long receivedNanos,
            int bytes) {
        this.connection = connection;
        this.apiKey = apiKey;
        this.apiVersion = apiVersion;
        this.correlationId = correlationId;
        this.clientId = clientId;
        this.receivedNanos = receivedNanos;
        this.bytes = bytes;
    }

    @Override
    public ApiKey apiKey() {
        ApiKey api = apiKey;
        if (api == null) {
            throw new IllegalStateException("one of the nodes' own requests");
        }
        return api;
    }

    /// Null for one of the nodes' own requests.
    @Nullable
    ApiKey api() {
        return apiKey;
    }

    @Override
    public short apiVersion() {
        return apiVersion;
    }

    @Override
    public int correlationId() {
        return correlationId;
    }

    @Override
    public @Nullable String clientId() {
        return clientId;
    }

    @Override
    public String listenerName() {
        return connection.listenerName();
    }

    @Override
    public String principal() {
        return connection.principal();
    }

    @Override
    public String clientAddress() {
        return connection.clientAddress();
    }

    @Override
    public long receivedNanos() {
        return receivedNanos;
    }

    @Override
    public Executor executor() {
        return connection.executor();
    }

    @Override
    public boolean inExecutor() {
        return connection.inExecutor();
    }

    @Override
    public Deadlines deadlines() {
        return connection.deadlines();
    }

    @Override
    public void whenDisconnected(Runnable action) {
        giveUp = action;
        if (connection.isClosed()) {
            action.run();
        }
    }

    /// The connection is gone or about to go: if this request is not answered yet, its handler need not wait
    /// longer.
    void giveUpWaiting() {
        Runnable action = giveUp;
        if (action != null && (int) STATE.getVolatile(this) == OPEN) {
            giveUp = null;
            action.run();
        }
    }

    /// The handler has come back.
    void handled(long nowNanos) {
        handledNanos = nowNanos;
    }

    /// Whether the answer has come to the event loop.
    boolean isAnswered() {
        return answeredNanos != 0;
    }

    void answered(long nowNanos) {
        answeredNanos = nowNanos;
    }

    /// When the handler was done with it: by an answer, or by leaving that to later.
    long handledNanos() {
        return handledNanos == 0 ? answeredNanos : handledNanos;
    }

    long answeredNanos() {
        return answeredNanos;
    }

    /// Size of the frame, for the node's request budget.
    int bytes() {
        return bytes;
    }

    @Nullable
    Message response() {
        return response;
    }

    @Nullable
    String disconnectReason() {
        return disconnectReason;
    }

    /// Forgets the answer once it is encoded, since the request may live on in a closure of its handler.
    void dropResponse() {
        response = null;
    }

    @Override
    public void respond(Message answer) {
        claim();
        response = answer;
        complete();
    }

    @Override
    public void respondNothing() {
        claim();
        complete();
    }

    @Override
    public void disconnect(String reason) {
        claim();
        disconnectReason = reason;
        complete();
    }

    /// Ends the request without an answer, unless it has one: its body could not be read.
    void abandon() {
        if (STATE.compareAndSet(this, OPEN, ANSWERED)) {
            complete();
        }
    }

    private void claim() {
        if (!STATE.compareAndSet(this, OPEN, ANSWERED)) {
            throw new IllegalStateException(apiKey + " request " + correlationId + " was answered twice");
        }
    }

    private void complete() {
        if (connection.inExecutor()) {
            connection.completed(this);
            return;
        }
        try {
            connection.executor().execute(this);
        } catch (RejectedExecutionException e) {
            // The event loop has stopped, and every connection with it.
            ResponseEncoder.release(response, apiVersion);
        }
    }

    /// An answer that came from another thread arrives on the event loop.
    @Override
    public void run() {
        connection.completed(this);
    }
}
