package io.moldau.log.storage;

import java.nio.ByteBuffer;

/// Direct buffers for reading files, one for each thread that reads. Whatever gets one uses it before
/// calling anything else that may.
public final class ScratchBuffers {

    private final ThreadLocal<ByteBuffer> buffers;

    public ScratchBuffers(int bytes) {
        this.buffers = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(bytes));
    }

    public ByteBuffer get() {
        return buffers.get();
    }
}
