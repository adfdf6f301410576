package io.moldau.wire.netty;

import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Readable;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.protocol.WireFormat;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/// Reads from a `ByteBuf` and moves its reader index.
///
/// Records are slices of the buffer and *borrow* its reference: they live until the owner of the request releases the
/// request's buffer, once and for all of them, also when decoding failed half-way. Whoever keeps records longer takes a
/// reference with [ByteBufRecords#retain].
public final class ByteBufReadable implements Readable {

    private final ByteBuf buffer;

    public ByteBufReadable(ByteBuf buffer) {
        this.buffer = buffer;
    }

    @Override
    public byte readByte() {
        need(1);
        return buffer.readByte();
    }

    @Override
    public short readShort() {
        need(2);
        return buffer.readShort();
    }

    @Override
    public int readInt() {
        need(4);
        return buffer.readInt();
    }

    @Override
    public long readLong() {
        need(8);
        return buffer.readLong();
    }

    @Override
    public double readDouble() {
        need(8);
        return buffer.readDouble();
    }

    @Override
    public String readString(int length) {
        // Twice as fast for names as Netty's own way over a thread's scratch buffer.
        return new String(readBytes(length), StandardCharsets.UTF_8);
    }

    @Override
    public byte[] readBytes(int length) {
        need(length);
        if (length == 0) {
            return WireFormat.NO_BYTES;
        }
        var bytes = new byte[length];
        buffer.readBytes(bytes);
        return bytes;
    }

    @Override
    public RecordBytes readRecords(int length) {
        need(length);
        return new ByteBufRecords(buffer.readSlice(length));
    }

    @Override
    public void skip(int length) {
        need(length);
        buffer.skipBytes(length);
    }

    @Override
    public int remaining() {
        return buffer.readableBytes();
    }

    private void need(int length) {
        if (length < 0 || length > buffer.readableBytes()) {
            throw new MalformedMessageException(
                    length + " bytes are expected but " + buffer.readableBytes() + " are left");
        }
    }
}
