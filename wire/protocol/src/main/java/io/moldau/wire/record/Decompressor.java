package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;

/// A stream of decompressed bytes out of memory. It holds at most one block of its format at a time.
interface Decompressor extends AutoCloseable {

    /// At least one byte, unless `length` is zero, or -1 at the end.
    ///
    /// @throws MalformedMessageException if the compressed bytes are not what they should be
    int read(byte[] target, int offset, int length);

    @Override
    void close();
}
