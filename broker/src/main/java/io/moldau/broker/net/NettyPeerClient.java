package io.moldau.broker.net;

import io.moldau.broker.delayed.Deadlines.Deadline;
import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.netty.ByteBufReadable;
import io.moldau.wire.netty.ByteBufWritable;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection to another node. Requests are encoded by whoever sends them; everything else is owned by one event
/// loop, over all connections this client makes one after the other.
final class NettyPeerClient implements PeerClient {

    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerClient.class);

    private final EventLoops loops;
    private final EventLoop loop;
    private final PeerAddresses addresses;
    private final String host;
    private final int port;
    private final byte[] clientId;
    private final PeerLimits limits;
    private final AtomicInteger correlationIds = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();

    // Event loop
    private final Deque<Pending> unsent = new ArrayDeque<>();
    private final Deque<Pending> sent = new ArrayDeque<>();
    private @Nullable Link link;
    private boolean connecting;
    private boolean closed;

    NettyPeerClient(
            EventLoops loops,
            EventLoop loop,
            PeerAddresses addresses,
            String host,
            int port,
            String clientId,
            PeerLimits limits) {
        this.loops = loops;
        this.loop = loop;
        this.addresses = addresses;
        this.host = host;
        this.port = port;
        this.clientId = clientId.getBytes(StandardCharsets.UTF_8);
        this.limits = limits;
    }

    // --- Any thread.

    @Override
    public CompletableFuture<PeerResponse> send(short apiVersion, Message request, long timeoutMs) {
        ApiKey api = ApiKey.forId(request.apiKey());
        if (api == null) {
            throw new IllegalArgumentException("no request: " + request.getClass());
        }
        var pending = new KafkaPending(api, apiVersion, correlationIds.getAndIncrement());
        return submit(pending, timeoutMs, () -> encode(api, apiVersion, pending.correlationId, request)).answer;
    }

    @Override
    public CompletableFuture<ByteBuffer> call(short apiKey, ByteBuffer body, long timeoutMs) {
        var pending = new OwnPending(correlationIds.getAndIncrement());
        return submit(pending, timeoutMs, () -> encode(apiKey, pending.correlationId, body)).answer;
    }

    private interface Encoder {
        ByteBuf encode();
    }

    private <P extends Pending> P submit(P pending, long timeoutMs, Encoder encoder) {
        if (open.incrementAndGet() > limits.maxInFlight()) {
            pending.fail(Errors.NETWORK_EXCEPTION, "more than " + limits.maxInFlight() + " requests are open");
            return pending;
        }
        try {
            pending.frame = encoder.encode();
        } catch (RuntimeException e) {
            open.decrementAndGet();
            throw e;
        }
        execute(() -> add(pending, timeoutMs), () -> {
            pending.releaseFrame();
            pending.fail(Errors.NETWORK_EXCEPTION, "this node is stopping");
        });
        return pending;
    }

    private ByteBuf encode(ApiKey api, short apiVersion, int correlationId, Message request) {
        ByteBuf frame = loops.allocator().directBuffer(256);
        try {
            header(frame, api.id(), apiVersion, correlationId, api.requestHeaderVersion(apiVersion));
            request.write(new ByteBufWritable(frame), apiVersion);
            return frame.setInt(0, frame.readableBytes() - Integer.BYTES);
        } catch (RuntimeException e) {
            frame.release();
            throw e;
        }
    }

    private ByteBuf encode(short apiKey, int correlationId, ByteBuffer body) {
        ByteBuf frame = loops.allocator().directBuffer(64 + clientId.length + body.remaining());
        header(frame, apiKey, (short) 0, correlationId, (short) 2);
        frame.writeBytes(body.duplicate());
        return frame.setInt(0, frame.readableBytes() - Integer.BYTES);
    }

    private void header(ByteBuf frame, short apiKey, short apiVersion, int correlationId, short headerVersion) {
        frame.writeInt(0)
                .writeShort(apiKey)
                .writeShort(apiVersion)
                .writeInt(correlationId)
                .writeShort(clientId.length)
                .writeBytes(clientId);
        if (headerVersion >= 2) {
            frame.writeByte(0); // no tagged fields
        }
    }

    @Override
    public void close() {
        execute(
                () -> {
                    closed = true;
                    giveUp("this node closed the connection");
                },
                () -> {});
    }

    private void execute(Runnable task, Runnable ifStopped) {
        if (loop.inEventLoop()) {
            task.run();
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            ifStopped.run();
        }
    }

    // --- Event loop.

    private void add(Pending pending, long timeoutMs) {
        if (closed) {
            pending.releaseFrame();
            pending.fail(Errors.NETWORK_EXCEPTION, "the connection was closed by this node");
            return;
        }
        pending.deadline = loops.deadlinesOf(loop)
                .after(TimeUnit.MILLISECONDS.toNanos(timeoutMs), () -> timedOut(pending, timeoutMs));
        Link now = link;
        if (now == null) {
            unsent.add(pending);
            connect();
        } else {
            now.send(pending);
        }
    }

    private void timedOut(Pending pending, long timeoutMs) {
        if (unsent.remove(pending)) {
            pending.releaseFrame();
        } else if (sent.remove(pending)) {
            // What comes behind it cannot come before it does.
            giveUp("a request before this one was not answered within " + timeoutMs + " ms");
        }
        pending.fail(Errors.REQUEST_TIMED_OUT, "no answer within " + timeoutMs + " ms");
    }

    /// Ends the connection and fails what is open.
    private void giveUp(String reason) {
        Link now = link;
        if (now != null) {
            now.end(reason);
        } else {
            failAll(Errors.NETWORK_EXCEPTION, reason);
        }
    }

    private void failAll(Errors error, String reason) {
        // A caller may send again when it hears of the failure: that request is none of these.
        List<Pending> failed = new ArrayList<>(sent);
        sent.clear();
        for (Pending pending : unsent) {
            pending.releaseFrame();
            failed.add(pending);
        }
        unsent.clear();
        failed.forEach(pending -> pending.fail(error, reason));
    }

    private void connect() {
        if (connecting) {
            return;
        }
        connecting = true;
        addresses
                .resolve(host, port)
                .whenComplete((found, failure) -> execute(
                        () -> {
                            if (failure != null) {
                                notConnected(failure);
                            } else {
                                connect(found, 0);
                            }
                        },
                        () -> {}));
    }

    private void connect(List<InetSocketAddress> found, int index) {
        var attempt = new Link();
        ChannelFuture outcome = loops.client(loop, limits.connectTimeoutMs())
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        attempt.open(channel);
                    }
                })
                .connect(found.get(index));
        outcome.addListener((ChannelFutureListener) connected -> {
            if (connected.isSuccess()) {
                connected(attempt);
            } else if (index + 1 < found.size() && !closed && !unsent.isEmpty()) {
                connect(found, index + 1);
            } else {
                notConnected(connected.cause());
            }
        });
    }

    private void connected(Link attempt) {
        connecting = false;
        if (closed || !attempt.isOpen()) {
            attempt.end("the connection was closed by this node");
            failAll(Errors.NETWORK_EXCEPTION, "the connection ended as it began");
            return;
        }
        link = attempt;
        Pending next;
        while ((next = unsent.poll()) != null) {
            attempt.send(next);
        }
    }

    private void notConnected(Throwable cause) {
        connecting = false;
        boolean slow = cause instanceof ConnectTimeoutException;
        String reason = cause instanceof UnknownHostException
                ? "the host name is not known: " + cause.getMessage()
                : String.valueOf(cause.getMessage());
        failAll(slow ? Errors.REQUEST_TIMED_OUT : Errors.NETWORK_EXCEPTION, reason);
    }

    private void lost(Link ended, String reason) {
        if (link == ended) {
            link = null;
            LOG.debug("connection ended host={} port={} reason=\"{}\"", host, port, reason);
            failAll(Errors.NETWORK_EXCEPTION, reason);
        }
    }

    /// One connection while it lasts.
    private final class Link implements PeerFrames.Receiver {
        private @Nullable Channel channel;
        private @Nullable PeerFrames frames;

        void open(SocketChannel opened) {
            var receive = new ReceiveAllocator();
            opened.config().setRecvByteBufAllocator(receive);
            frames = new PeerFrames(limits.maxFrameBytes(), receive, this);
            channel = opened;
            opened.pipeline().addLast(frames);
        }

        boolean isOpen() {
            return channel != null && channel.isActive();
        }

        void send(Pending pending) {
            ByteBuf frame = pending.takeFrame();
            sent.add(pending);
            if (channel == null) {
                throw new IllegalStateException("not open");
            }
            channel.writeAndFlush(frame, channel.voidPromise());
        }

        void end(String reason) {
            if (channel != null && frames != null) {
                frames.end(channel, reason);
            }
        }

        @Override
        public void frame(ByteBuf frame) {
            int correlationId = frame.readInt();
            Pending first = sent.peek();
            if (first == null || first.correlationId != correlationId) {
                end("it answered request " + correlationId + ", " + (first == null ? "none" : first.correlationId)
                        + " was due");
                return;
            }
            sent.remove();
            try {
                first.complete(frame);
            } catch (MalformedMessageException | IndexOutOfBoundsException e) {
                first.fail(Errors.NETWORK_EXCEPTION, "its answer cannot be read: " + e.getMessage());
                end("an answer before this one could not be read");
            }
        }

        @Override
        public void ended(String reason) {
            lost(this, reason);
        }
    }

    /// A request that has no answer yet.
    private abstract class Pending {
        final int correlationId;

        @Nullable
        ByteBuf frame;

        @Nullable
        Deadline deadline;

        Pending(int correlationId) {
            this.correlationId = correlationId;
        }

        /// Reads the answer behind its correlation id.
        abstract void read(ByteBuf body);

        abstract void failWith(ApiException failure);

        void complete(ByteBuf body) {
            finish();
            read(body);
        }

        void fail(Errors error, String reason) {
            finish();
            failWith(new ApiException(error, host + ":" + port + ": " + reason));
        }

        private boolean finished;

        private void finish() {
            if (!finished) {
                finished = true;
                open.decrementAndGet();
                if (deadline != null) {
                    deadline.cancel();
                }
            }
        }

        ByteBuf takeFrame() {
            ByteBuf taken = frame;
            if (taken == null) {
                throw new IllegalStateException("sent already");
            }
            frame = null;
            return taken;
        }

        void releaseFrame() {
            takeFrame().release();
        }
    }

    private final class KafkaPending extends Pending {
        private final ApiKey api;
        private final short version;
        final CompletableFuture<PeerResponse> answer = new CompletableFuture<>();

        KafkaPending(ApiKey api, short version, int correlationId) {
            super(correlationId);
            this.api = api;
            this.version = version;
        }

        @Override
        void read(ByteBuf body) {
            var in = new ByteBufReadable(body);
            if (api.responseHeaderVersion(version) >= 1) {
                in.skipTaggedFields();
            }
            int size = body.readableBytes();
            Message response = api.newResponse();
            response.read(in, version);
            body.retain();
            if (!answer.complete(new PeerResponse(response, size, body::release))) {
                body.release();
            }
        }

        @Override
        void failWith(ApiException failure) {
            answer.completeExceptionally(failure);
        }
    }

    private final class OwnPending extends Pending {
        final CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();

        OwnPending(int correlationId) {
            super(correlationId);
        }

        @Override
        void read(ByteBuf body) {
            var in = new ByteBufReadable(body);
            in.skipTaggedFields();
            short code = in.readShort();
            if (code == Errors.NONE.code()) {
                answer.complete(ByteBuffer.wrap(in.readBytes(in.remaining())));
            } else {
                answer.completeExceptionally(new ApiException(Errors.forCode(code), in.readString(in.remaining())));
            }
        }

        @Override
        void failWith(ApiException failure) {
            answer.completeExceptionally(failure);
        }
    }
}
