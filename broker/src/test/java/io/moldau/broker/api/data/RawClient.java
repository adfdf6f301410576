package io.moldau.broker.api.data;

import io.moldau.wire.message.RequestHeaderData;
import io.moldau.wire.message.ResponseHeaderData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.Message;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/// One blocking connection that speaks any version of any API.
public final class RawClient implements AutoCloseable {

    public final Socket socket = new Socket();
    private final DataInputStream in;
    private int correlationId;

    public RawClient(InetSocketAddress address) {
        try {
            socket.connect(address);
            socket.setSoTimeout(20_000);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int send(ApiKey api, int version, Message request) {
        var out = new ByteBufferWritable(256);
        new RequestHeaderData()
                .setRequestApiKey(api.id())
                .setRequestApiVersion((short) version)
                .setCorrelationId(++correlationId)
                .setClientId("raw")
                .write(out, api.requestHeaderVersion((short) version));
        request.write(out, (short) version);
        ByteBuffer body = out.toByteBuffer();
        byte[] frame = new byte[Integer.BYTES + body.remaining()];
        ByteBuffer.wrap(frame).putInt(body.remaining()).put(body);
        try {
            socket.getOutputStream().write(frame);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return correlationId;
    }

    public <M extends Message> M receive(ApiKey api, int version, int expectedCorrelationId, Class<M> type) {
        try {
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            var readable = new ByteBufferReadable(ByteBuffer.wrap(frame));
            var header = new ResponseHeaderData(readable, api.responseHeaderVersion((short) version));
            if (header.correlationId() != expectedCorrelationId) {
                throw new AssertionError(
                        "answer to " + header.correlationId() + " came, " + expectedCorrelationId + " was due");
            }
            Message response = api.newResponse();
            response.read(readable, (short) version);
            if (readable.remaining() > 0) {
                throw new AssertionError(readable.remaining() + " bytes are left in the frame");
            }
            return type.cast(response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public <M extends Message> M call(ApiKey api, int version, Message request, Class<M> type) {
        return receive(api, version, send(api, version, request), type);
    }

    /// Whether the other side has closed.
    public boolean isClosedByPeer() {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
