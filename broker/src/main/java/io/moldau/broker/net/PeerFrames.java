package io.moldau.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Cuts what another node sends into frames, receiving a large one where it will be read. Owned by the connection's
/// event loop.
final class PeerFrames extends ChannelInboundHandlerAdapter {

    /// What to do with frames, and with the end of the connection.
    interface Receiver {

        /// A whole frame without its length. The buffer is lent for the time of the call.
        void frame(ByteBuf frame);

        /// The connection is no more, whoever ended it. Called once.
        void ended(String reason);
    }

    private static final int EAGER_FRAME_BYTES = 4 * 1024 * 1024;
    private static final int LENGTH_BYTES = 4;

    private final int maxFrameBytes;
    private final ReceiveAllocator receive;
    private final Receiver receiver;

    /// The frame being received, its length in front.
    private @Nullable ByteBuf unfinished;

    private String reason = "the other node closed the connection";
    private boolean ended;

    PeerFrames(int maxFrameBytes, ReceiveAllocator receive, Receiver receiver) {
        this.maxFrameBytes = maxFrameBytes;
        this.receive = receive;
        this.receiver = receiver;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        if (ended) {
            buffer.release();
            return;
        }
        ByteBuf left = unfinished;
        if (left == null) {
            parse(ctx, buffer);
        } else if (buffer == left) {
            buffer.release(); // the reference the allocator took for this read
            if (!buffer.isWritable() || isWhole(buffer)) {
                parse(ctx, takeUnfinished());
            }
        } else {
            parse(ctx, joined(ctx, takeUnfinished(), buffer));
        }
    }

    private static boolean isWhole(ByteBuf buffer) {
        return buffer.readableBytes() >= LENGTH_BYTES
                && buffer.readableBytes() - LENGTH_BYTES >= buffer.getInt(buffer.readerIndex());
    }

    private ByteBuf takeUnfinished() {
        ByteBuf frame = Objects.requireNonNull(unfinished);
        unfinished = null;
        receive.continueInto(null);
        return frame;
    }

    private static ByteBuf joined(ChannelHandlerContext ctx, ByteBuf first, ByteBuf second) {
        ByteBuf both = ctx.alloc().directBuffer(first.readableBytes() + second.readableBytes());
        both.writeBytes(first).writeBytes(second);
        first.release();
        second.release();
        return both;
    }

    private void parse(ChannelHandlerContext ctx, ByteBuf buffer) {
        try {
            while (!ended && buffer.isReadable()) {
                int readable = buffer.readableBytes();
                if (readable < LENGTH_BYTES) {
                    receiveRest(ctx, buffer, ReceiveAllocator.SMALL_BYTES);
                    return;
                }
                int length = buffer.getInt(buffer.readerIndex());
                if (length < Integer.BYTES || length > maxFrameBytes) {
                    end(
                            ctx.channel(),
                            "it sent a frame of " + length + " bytes, at most " + maxFrameBytes + " are taken");
                    return;
                }
                if (readable - LENGTH_BYTES < length) {
                    receiveRest(ctx, buffer, LENGTH_BYTES + length);
                    return;
                }
                buffer.skipBytes(LENGTH_BYTES);
                receiver.frame(buffer.readSlice(length));
            }
        } finally {
            buffer.release();
        }
    }

    /// The beginning of a frame goes to a buffer that the next reads fill. A long one grows as its bytes come: a length
    /// alone claims no memory.
    private void receiveRest(ChannelHandlerContext ctx, ByteBuf beginning, int needed) {
        int capacity = Math.min(needed, Math.max(EAGER_FRAME_BYTES, 2 * beginning.readableBytes()));
        ByteBuf frame = ctx.alloc().directBuffer(capacity, capacity);
        frame.writeBytes(beginning);
        unfinished = frame;
        receive.continueInto(frame);
    }

    /// Ends the connection from this side.
    void end(Channel channel, String why) {
        if (!ended) {
            reason = why;
            finish();
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        finish();
        super.channelInactive(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        finish();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(ctx.channel(), String.valueOf(cause.getMessage()));
    }

    private void finish() {
        if (ended) {
            return;
        }
        ended = true;
        if (unfinished != null) {
            takeUnfinished().release();
        }
        receiver.ended(reason);
    }
}
