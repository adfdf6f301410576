package io.moldau.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import org.jspecify.annotations.Nullable;

/// Gives the socket the buffer to read into: the unfinished frame's own buffer while there is one, so that a large
/// frame is received where it is parsed; else a fresh buffer a little larger than what lately came at a time.
///
/// One per connection, owned by its event loop. The tight size matters: slices of these buffers live on in the tail
/// cache and pin the whole of them.
final class ReceiveAllocator extends DefaultMaxMessagesRecvByteBufAllocator {

    /// Room for a frame whose length has not arrived yet.
    static final int SMALL_BYTES = 512;

    private static final int MIN_BYTES = SMALL_BYTES;
    private static final int INITIAL_BYTES = 2048;
    private static final int MAX_BYTES = 128 * 1024;
    private static final int READS_PER_ADJUSTMENT = 16;

    private @Nullable ByteBuf unfinished;
    private int nextBytes = INITIAL_BYTES;
    private int largestRead;
    private int reads;

    /// From now on reads continue this frame, until it is replaced. The caller keeps its reference.
    void continueInto(@Nullable ByteBuf frame) {
        unfinished = frame;
    }

    @Override
    public Handle newHandle() {
        return new FrameHandle();
    }

    private final class FrameHandle extends MaxMessageHandle {

        private boolean fresh;

        @Override
        public int guess() {
            return unfinished == null ? nextBytes : unfinished.writableBytes();
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            ByteBuf frame = unfinished;
            fresh = frame == null;
            // The reader releases what it passes on and what it got nothing into, hence the extra reference.
            return frame != null ? frame.retain() : alloc.directBuffer(nextBytes, nextBytes);
        }

        @Override
        public void lastBytesRead(int bytes) {
            super.lastBytesRead(bytes);
            if (!fresh || bytes <= 0) {
                return;
            }
            if (bytes == attemptedBytesRead()) {
                nextBytes = Math.min(MAX_BYTES, nextBytes * 2);
                reads = 0;
                largestRead = 0;
                return;
            }
            largestRead = Math.max(largestRead, bytes);
            if (++reads == READS_PER_ADJUSTMENT) {
                nextBytes = Math.clamp(largestRead + largestRead / 16 + 64L, MIN_BYTES, MAX_BYTES);
                reads = 0;
                largestRead = 0;
            }
        }
    }
}
