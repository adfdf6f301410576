package io.moldau.log.storage;

import java.nio.ByteBuffer;

/// Small direct buffers for reading headers, one for each thread that reads. Whatever gets one uses it before
/// calling anything else that may.
public final class ScratchBuffers {

    private static final int SIZE = 4096;

    private final ThreadLocal<ByteBuffer> buffers = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(SIZE));

    public ByteBuffer get() {
        return buffers.get();
    }
}
