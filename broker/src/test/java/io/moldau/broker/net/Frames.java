package io.moldau.broker.net;

import io.moldau.wire.message.RequestHeaderData;
import io.moldau.wire.message.ResponseHeaderData;
import io.moldau.wire.netty.ByteBufReadable;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.Message;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/// Frames as a client writes and reads them.
final class Frames {

    private Frames() {}

    static byte[] request(ApiKey api, short version, int correlationId, Message body) {
        var out = new ByteBufferWritable(256);
        new RequestHeaderData()
                .setRequestApiKey(api.id())
                .setRequestApiVersion(version)
                .setCorrelationId(correlationId)
                .setClientId("tester")
                .write(out, api.requestHeaderVersion(version));
        body.write(out, version);
        ByteBuffer bytes = out.toByteBuffer();
        return ByteBuffer.allocate(Integer.BYTES + bytes.remaining())
                .putInt(bytes.remaining())
                .put(bytes)
                .array();
    }

    /// Reads one response frame and returns its correlation id; the body is read into `body`.
    static int response(ByteBuf in, ApiKey api, short version, Message body) {
        int length = in.readInt();
        ByteBuf frame = in.readSlice(length);
        var readable = new ByteBufReadable(frame);
        var header = new ResponseHeaderData(readable, api.responseHeaderVersion(version));
        body.read(readable, version);
        if (frame.isReadable()) {
            throw new AssertionError(frame.readableBytes() + " bytes are left in the frame");
        }
        return header.correlationId();
    }
}
