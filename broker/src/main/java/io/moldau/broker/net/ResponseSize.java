package io.moldau.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;

/// How much of a connection's bound a part of a response uses up while it is unsent.
final class ResponseSize {

    /// A file region costs no memory, but a peer that does not read must not collect any number of them.
    private static final int FILE_REGION_BYTES = 64 * 1024;

    private static final MessageSizeEstimator.Handle HANDLE = message -> switch (message) {
        case ByteBuf bytes -> bytes.readableBytes();
        case FileRegion ignored -> FILE_REGION_BYTES;
        default -> 0;
    };

    static final MessageSizeEstimator ESTIMATOR = () -> HANDLE;

    private ResponseSize() {}
}
