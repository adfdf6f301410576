package io.moldau.broker.net;

import io.moldau.broker.delayed.Deadlines;
import io.moldau.broker.delayed.Deadlines.Deadline;
import io.moldau.broker.request.NodeRequest;
import io.moldau.broker.request.NodeRequestHandler;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.broker.request.RequestMetrics.Closed;
import io.moldau.broker.request.RequestRouter;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.netty.ByteBufReadable;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ErrorCodes;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection: cuts frames, hands each request to the router on this very thread, and sends answers in order.
///
/// A request may be served while an earlier one of the same connection still waits (long poll, acks=all). Reading
/// stops, and nothing is dropped, while any bound is reached: open requests of the connection, the node's request
/// memory, or answers the peer does not take. Everything here is owned by the connection's event loop.
final class ConnectionHandler extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

    /// What every connection of a server shares.
    record Shared(
            RequestRouter router,
            NodeRequestHandler nodeRequests,
            RequestMetrics metrics,
            RequestMemory memory,
            UnsentMemory unsent,
            ConnectionLimits limits,
            NetworkConfig config,
            Function<EventLoop, Deadlines> deadlines) {}

    /// A frame of this size is received into one buffer at once; a larger one grows by doubling as its bytes come,
    /// so that a length alone cannot claim memory.
    private static final int EAGER_FRAME_BYTES = 4 * 1024 * 1024;

    /// Answers are sent when a burst ends, or when there are this many bytes of them.
    private static final int FLUSH_BYTES = 256 * 1024;

    private static final long STALL_SECONDS = 10;
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(STALL_SECONDS);
    private static final int LENGTH_BYTES = 4;
    private static final int SHORTEST_HEADER_BYTES = 2 + 2 + 4 + 2;

    private final Shared shared;
    private final String listenerName;
    private final ReceiveAllocator receive;
    private final ResponseSequencer<ServerRequest> sequencer = new ResponseSequencer<>();
    private final AnsweredErrors errors;

    private @Nullable ChannelHandlerContext context;
    private @Nullable ResponseEncoder encoder;
    private String clientAddress = "";
    private @Nullable Deadlines deadlines;
    private @Nullable Deadline idleness;
    private @Nullable Deadline stallWatch;

    /// The frame being received: starts with its length, writer index behind what has come. Its capacity is
    /// reserved.
    private @Nullable ByteBuf unfinished;

    /// Bytes being served, or left over when a bound stopped that.
    private @Nullable ByteBuf unparsed;

    private long lastActivityNanos;
    private boolean counted;
    private boolean closed;
    private boolean draining;
    private boolean inBurst;
    private boolean paused;
    private boolean waitsForMemory;
    private boolean flushPosted;
    private boolean drainAwaited;

    /// What this connection adds to the count of unsent bytes.
    private long unsentBytes;
    private @Nullable Runnable whenEnded;
    private @Nullable String lastClientId;
    private byte[] lastClientIdBytes = {};

    ConnectionHandler(Shared shared, String listenerName, ReceiveAllocator receive) {
        this.shared = shared;
        this.listenerName = listenerName;
        this.receive = receive;
        this.errors = new AnsweredErrors(shared.metrics);
    }

    String listenerName() {
        return listenerName;
    }

    String principal() {
        return "User:ANONYMOUS";
    }

    String clientAddress() {
        return clientAddress;
    }

    Executor executor() {
        return attached().executor();
    }

    boolean isClosed() {
        return closed;
    }

    boolean inExecutor() {
        return attached().executor().inEventLoop();
    }

    Deadlines deadlines() {
        Deadlines of = deadlines;
        if (of == null) {
            throw new IllegalStateException("not attached to an event loop");
        }
        return of;
    }

    private ChannelHandlerContext attached() {
        ChannelHandlerContext of = context;
        if (of == null) {
            throw new IllegalStateException("not attached to a channel");
        }
        return of;
    }

    // --- life ---

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        encoder = new ResponseEncoder(ctx.alloc());
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        clientAddress = EventLoops.addressOf(ctx.channel());
        deadlines = shared.deadlines.apply(ctx.channel().eventLoop());
        switch (shared.limits.open(clientAddress)) {
            case ACCEPTED -> {
                counted = true;
                shared.metrics.connectionOpened(listenerName);
                lastActivityNanos = deadlines().nowNanos();
                if (shared.config.idleMs() > 0) {
                    watchIdleness(TimeUnit.MILLISECONDS.toNanos(shared.config.idleMs()));
                }
                super.channelActive(ctx);
            }
            case TOO_MANY -> drop(Closed.TOO_MANY_CONNECTIONS, "max.connections is reached");
            case TOO_MANY_PER_IP -> drop(Closed.TOO_MANY_CONNECTIONS_PER_IP, "max.connections.per.ip is reached");
        }
    }

    private void watchIdleness(long delayNanos) {
        idleness = deadlines().after(delayNanos, () -> {
            long idleNanos = TimeUnit.MILLISECONDS.toNanos(shared.config.idleMs());
            long left = sequencer.open() > 0
                    ? idleNanos
                    : lastActivityNanos + idleNanos - deadlines().nowNanos();
            if (left > 0) {
                watchIdleness(left);
            } else {
                drop(Closed.IDLE, "idle for connections.max.idle.ms");
            }
        });
    }

    private void drop(Closed cause, String reason) {
        if (closed) {
            return;
        }
        LOG.debug("Closing connection listener={} peer={}: {}", listenerName, clientAddress, reason);
        shared.metrics.connectionDropped(listenerName, cause);
        tearDown();
        attached().close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        tearDown();
        super.channelInactive(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        tearDown();
    }

    /// The peer sent what cannot be served: nothing more is read, and the connection closes once the requests
    /// before are answered.
    private void refuse(Closed cause, String reason) {
        LOG.debug("Refusing a frame listener={} peer={}: {}", listenerName, clientAddress, reason);
        shared.metrics.connectionDropped(listenerName, cause);
        draining = true;
        pause();
        if (unparsed != null) {
            unparsed.release();
            unparsed = null;
        }
        closeIfDrained();
    }

    /// Serves no further request, sends what is answered soon, and closes. On the event loop.
    void drain() {
        if (closed || draining) {
            return;
        }
        draining = true;
        pause();
        List<ServerRequest> open = new ArrayList<>();
        sequencer.forEach(open::add);
        open.forEach(ServerRequest::giveUpWaiting);
        closeIfDrained();
    }

    private void closeIfDrained() {
        if (draining && !closed && sequencer.open() == 0) {
            flush();
            attached().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /// Gives everything back. Answers that are still being made find `closed` set and are released on arrival.
    private void tearDown() {
        if (closed) {
            return;
        }
        closed = true;
        if (paused) {
            shared.metrics.readingResumed(listenerName);
        }
        if (idleness != null) {
            idleness.cancel();
        }
        if (stallWatch != null) {
            stallWatch.cancel();
        }
        if (counted) {
            shared.limits.close(clientAddress);
            shared.metrics.connectionClosed(listenerName);
        }
        if (unfinished != null) {
            takeUnfinished().release();
        }
        if (unparsed != null) {
            unparsed.release();
            unparsed = null;
        }
        ServerRequest request;
        while ((request = sequencer.poll()) != null) {
            shared.memory.release(request.bytes());
            ResponseEncoder.release(request.response(), request.apiVersion());
            request.dropResponse();
            request.giveUpWaiting();
        }
        if (encoder != null) {
            encoder.close();
        }
        owe(0);
        if (whenEnded != null) {
            whenEnded.run();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("Connection failed listener={} peer={}: {}", listenerName, clientAddress, cause.toString());
        } else {
            LOG.error("Unexpected failure on a connection listener={} peer={}", listenerName, clientAddress, cause);
        }
        drop(Closed.ERROR, "failure: " + cause);
    }

    // --- in ---

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        if (closed || draining) {
            buffer.release();
            return;
        }
        inBurst = true;
        lastActivityNanos = deadlines().nowNanos();
        if (buffer == unfinished) {
            buffer.release(); // the reference the allocator took for this read; the frame's own one remains
            if (buffer.isWritable() && !beginsWithWholeFrame(buffer)) {
                return;
            }
            unparsed = takeUnfinished();
        } else {
            // Bytes that are left come from a read that was under way when reading stopped, or from a handler in front
            // of this one that does not read into our buffers.
            ByteBuf left = unfinished != null ? takeUnfinished() : unparsed;
            unparsed = left == null ? buffer : join(left, buffer);
        }
        if (!paused) {
            parse();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        endBurst();
        super.channelReadComplete(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
        if (ctx.channel().isWritable()) {
            resume();
        }
        super.channelWritabilityChanged(ctx);
    }

    private boolean beginsWithWholeFrame(ByteBuf buffer) {
        return buffer.readableBytes() >= LENGTH_BYTES
                && buffer.readableBytes() - LENGTH_BYTES >= buffer.getInt(buffer.readerIndex());
    }

    private ByteBuf takeUnfinished() {
        ByteBuf frame = Objects.requireNonNull(unfinished);
        unfinished = null;
        receive.continueInto(null);
        shared.memory.release(frame.capacity());
        return frame;
    }

    private ByteBuf join(ByteBuf first, ByteBuf second) {
        ByteBuf joined = attached().alloc().directBuffer(first.readableBytes() + second.readableBytes());
        joined.writeBytes(first).writeBytes(second);
        first.release();
        second.release();
        return joined;
    }

    /// Serves the whole frames in `unparsed`, then makes what is left the unfinished frame. Stops early at a bound.
    private void parse() {
        while (!closed && !draining && unparsed != null) {
            ByteBuf buffer = unparsed;
            if (buffer.readableBytes() < LENGTH_BYTES) {
                if (!buffer.isReadable() || receiveRest(buffer, ReceiveAllocator.SMALL_BYTES)) {
                    unparsed = null;
                    buffer.release();
                }
                return;
            }
            int length = buffer.getInt(buffer.readerIndex());
            if (length < SHORTEST_HEADER_BYTES || length > shared.config.requestMaxBytes()) {
                refuse(
                        Closed.BAD_FRAME,
                        "a frame of " + length + " bytes, socket.request.max.bytes is "
                                + shared.config.requestMaxBytes() + ForeignProtocol.hint(length));
                return;
            }
            if (buffer.readableBytes() < LENGTH_BYTES + length) {
                if (receiveRest(buffer, LENGTH_BYTES + length)) {
                    unparsed = null;
                    buffer.release();
                }
                return;
            }
            if (mustPause() || !reserveMemory(length)) {
                pause();
                return;
            }
            int start = buffer.readerIndex() + LENGTH_BYTES;
            buffer.readerIndex(start + length);
            serve(buffer, start, length);
        }
    }

    /// Copies the beginning of a frame to a buffer of its own, which the next reads fill. False, and reading stops,
    /// if there is no memory for it now.
    private boolean receiveRest(ByteBuf buffer, int needed) {
        int capacity = Math.min(needed, Math.max(EAGER_FRAME_BYTES, 2 * buffer.readableBytes()));
        if (!reserveMemory(capacity)) {
            pause();
            return false;
        }
        ByteBuf frame = attached().alloc().directBuffer(capacity, capacity);
        frame.writeBytes(buffer);
        unfinished = frame;
        receive.continueInto(frame);
        if (stallWatch == null) {
            watchStall(frame, frame.writerIndex());
        }
        return true;
    }

    /// A peer that begins a frame and does not go on holds memory that others wait for: then its connection goes.
    private void watchStall(ByteBuf frame, int received) {
        stallWatch = deadlines().after(STALL_NANOS, () -> {
            stallWatch = null;
            ByteBuf now = unfinished;
            if (now == null) {
                return;
            }
            if (now == frame && now.writerIndex() == received && shared.memory.isContended()) {
                drop(
                        Closed.STALLED,
                        "no byte of a frame that has begun for " + STALL_SECONDS + " s, and memory is short");
            } else {
                watchStall(now, now.writerIndex());
            }
        });
    }

    private boolean mustPause() {
        return sequencer.open() >= shared.config.maxRequestsInFlight()
                || !attached().channel().isWritable()
                || (unsentBytes > 0 && shared.unsent.isOver());
    }

    /// False when the node's request memory is used up; parsing goes on when some is free.
    private boolean reserveMemory(long bytes) {
        if (shared.memory.tryReserve(bytes)) {
            return true;
        }
        if (!waitsForMemory) {
            waitsForMemory = true;
            shared.memory.whenReleased(() -> executor().execute(() -> {
                waitsForMemory = false;
                resume();
            }));
        }
        return false;
    }

    private void pause() {
        if (!paused) {
            paused = true;
            shared.metrics.readingPaused(listenerName);
            attached().channel().config().setAutoRead(false);
        }
    }

    private void resume() {
        if (!paused || closed || draining || waitsForMemory || mustPause()) {
            return;
        }
        paused = false;
        shared.metrics.readingResumed(listenerName);
        boolean ownBurst = !inBurst;
        inBurst = true;
        parse();
        if (ownBurst) {
            endBurst();
        }
        if (!paused && !closed) {
            attached().channel().config().setAutoRead(true);
        }
    }

    private void endBurst() {
        inBurst = false;
        if (!closed) {
            flush();
        }
    }

    private void serve(ByteBuf buffer, int start, int length) {
        short apiKey = buffer.getShort(start);
        short apiVersion = buffer.getShort(start + Short.BYTES);
        ApiKey api = shared.router.find(apiKey, apiVersion);
        if (api == null) {
            if (apiVersion == 0 && shared.nodeRequests.serves(apiKey)) {
                serveNode(buffer, start, length);
                return;
            }
            shared.memory.release(length);
            refuse(Closed.BAD_REQUEST, "API key " + apiKey + " version " + apiVersion + " is not served here");
            return;
        }
        var body = new ByteBufReadable(buffer.slice(start, length));
        ServerRequest request = null;
        try {
            body.skip(Short.BYTES + Short.BYTES);
            int correlationId = body.readInt();
            String clientId = readClientId(buffer, start, body);
            if (api.requestHeaderVersion(apiVersion) >= 2) {
                body.skipTaggedFields();
            }
            request = new ServerRequest(this, api, apiVersion, correlationId, clientId, lastActivityNanos, length);
            sequencer.add(request);
            shared.metrics.requestReceived(api, apiVersion, length);
            shared.router.dispatch(request, body);
            if (!request.isAnswered()) {
                request.handled(deadlines().nowNanos());
            }
        } catch (MalformedMessageException e) {
            if (request == null) {
                shared.memory.release(length);
            } else {
                request.abandon();
            }
            refuse(Closed.BAD_REQUEST, "malformed " + api + " request version " + apiVersion + ": " + e.getMessage());
        } catch (RuntimeException e) {
            LOG.error(
                    "Handler failed apiKey={} version={} listener={} peer={}",
                    api,
                    apiVersion,
                    listenerName,
                    clientAddress,
                    e);
            drop(Closed.ERROR, "handler of " + api + " failed: " + e);
        }
    }

    /// Hands on one of the nodes' own requests. Its bytes are copied: it may be worked on long after the connection has
    /// gone, and some of them are never answered.
    private void serveNode(ByteBuf buffer, int start, int length) {
        var in = new ByteBufReadable(buffer.slice(start, length));
        ServerRequest place = null;
        try {
            short key = in.readShort();
            in.skip(Short.BYTES);
            int correlationId = in.readInt();
            in.skip(Math.max(0, in.readShort()));
            in.skipTaggedFields();
            place = new ServerRequest(this, null, (short) 0, correlationId, null, lastActivityNanos, length);
            sequencer.add(place);
            ServerRequest answered = place;
            ByteBuffer body = ByteBuffer.wrap(in.readBytes(in.remaining()));
            shared.nodeRequests
                    .handle(new OwnRequest(key, body))
                    .whenComplete((answer, failure) -> answered.respond(
                            failure == null ? NodeAnswer.of(answer) : NodeAnswer.of(asApiException(key, failure))));
        } catch (MalformedMessageException e) {
            if (place == null) {
                shared.memory.release(length);
            } else {
                place.abandon();
            }
            refuse(Closed.BAD_REQUEST, "malformed request of a node: " + e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("Handler of nodes' requests failed listener={} peer={}", listenerName, clientAddress, e);
            drop(Closed.ERROR, "handler of nodes' requests failed: " + e);
        }
    }

    private static ApiException asApiException(short key, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ApiException api) {
            return api;
        }
        LOG.error("request of a node failed key={}", key, cause);
        return new ApiException(Errors.UNKNOWN_SERVER_ERROR, String.valueOf(cause.getMessage()));
    }

    private final class OwnRequest implements NodeRequest {
        private final short key;
        private final ByteBuffer body;

        OwnRequest(short key, ByteBuffer body) {
            this.key = key;
            this.body = body;
        }

        @Override
        public short key() {
            return key;
        }

        @Override
        public ByteBuffer body() {
            return body;
        }

        @Override
        public String principal() {
            return ConnectionHandler.this.principal();
        }

        @Override
        public String clientAddress() {
            return clientAddress;
        }

        @Override
        public void whenConnectionEnds(Runnable action) {
            whenEnded = action;
        }
    }

    /// The client id, which hardly ever changes within a connection, without making the string anew.
    private @Nullable String readClientId(ByteBuf buffer, int start, ByteBufReadable body) {
        int length = body.readShort();
        if (length < 0) {
            return null;
        }
        if (length > body.remaining()) {
            throw new MalformedMessageException("client id of " + length + " bytes in a frame that ends before it");
        }
        int at = start + SHORTEST_HEADER_BYTES;
        if (length == lastClientIdBytes.length && equalBytes(buffer, at, lastClientIdBytes)) {
            body.skip(length);
            return lastClientId;
        }
        byte[] bytes = body.readBytes(length);
        lastClientIdBytes = bytes;
        lastClientId = new String(bytes, StandardCharsets.UTF_8);
        return lastClientId;
    }

    private static boolean equalBytes(ByteBuf buffer, int at, byte[] expected) {
        for (int i = 0; i < expected.length; i++) {
            if (buffer.getByte(at + i) != expected[i]) {
                return false;
            }
        }
        return true;
    }

    // --- out ---

    /// An answer is there. On the event loop, in a read burst or later.
    void completed(ServerRequest request) {
        if (closed) {
            ResponseEncoder.release(request.response(), request.apiVersion());
            request.dropResponse();
            return;
        }
        request.answered(deadlines().nowNanos());
        request.markReady();
        ServerRequest next;
        while (!closed && (next = sequencer.pollReady()) != null) {
            send(next);
        }
        if (closed) {
            return;
        }
        if (!inBurst && !flushPosted) {
            // Whatever else completes in this round of the event loop leaves in the same flush.
            flushPosted = true;
            executor().execute(() -> {
                flushPosted = false;
                if (!closed) {
                    flush();
                    resume();
                    closeIfDrained();
                }
            });
        }
    }

    private void send(ServerRequest request) {
        shared.memory.release(request.bytes());
        String reason = request.disconnectReason();
        if (reason != null) {
            flush();
            drop(Closed.HANDLER, reason);
            return;
        }
        Message response = request.response();
        ApiKey api = request.api();
        int bytes = 0;
        if (response != null) {
            try {
                bytes = api == null
                        ? encoder().encode(request.correlationId(), response)
                        : encoder().encode(api, request.apiVersion(), request.correlationId(), response);
            } catch (RuntimeException | IOException e) {
                LOG.error(
                        "Response cannot be sent apiKey={} version={} peer={}",
                        api,
                        request.apiVersion(),
                        clientAddress,
                        e);
                drop(Closed.ERROR, "response of " + api + " cannot be sent: " + e);
                return;
            }
            if (api != null) {
                errors.api = api;
                response.errorCodes(errors);
            }
            request.dropResponse();
            if (encoder().unflushed() > FLUSH_BYTES) {
                flush(); // a burst of small requests can ask for any number of large answers
            }
        }
        if (api != null) {
            long handled = request.handledNanos();
            long answered = request.answeredNanos();
            shared.metrics.requestCompleted(
                    api,
                    request.apiVersion(),
                    handled - request.receivedNanos(),
                    answered - handled,
                    deadlines().nowNanos() - answered,
                    bytes);
        }
    }

    /// Counts the errors in the answers of this connection. One object for all of them.
    private static final class AnsweredErrors implements ErrorCodes {
        private final RequestMetrics metrics;
        private @Nullable ApiKey api;

        AnsweredErrors(RequestMetrics metrics) {
            this.metrics = metrics;
        }

        @Override
        public void add(short code) {
            metrics.errorAnswered(Objects.requireNonNull(api), code);
        }
    }

    private ResponseEncoder encoder() {
        return Objects.requireNonNull(encoder);
    }

    private void flush() {
        ChannelHandlerContext ctx = attached();
        if (!encoder().flush(ctx)) {
            return;
        }
        lastActivityNanos = deadlines().nowNanos();
        ChannelOutboundBuffer outbound = ctx.channel().unsafe().outboundBuffer();
        long left = outbound == null ? 0 : outbound.totalPendingWriteBytes();
        if (left == 0) {
            return; // as nearly always: the socket took everything
        }
        owe(left);
        if (!drainAwaited) {
            drainAwaited = true;
            ctx.write(Unpooled.EMPTY_BUFFER).addListener(sent -> {
                drainAwaited = false;
                owe(0);
                if (sent.isSuccess()) {
                    resume();
                }
            });
            ctx.flush();
        }
    }

    /// The peer has so many bytes to take. More may be under way behind those that are waited for; they are counted
    /// at the next flush.
    private void owe(long bytes) {
        shared.unsent.add(bytes - unsentBytes);
        unsentBytes = bytes;
    }
}
