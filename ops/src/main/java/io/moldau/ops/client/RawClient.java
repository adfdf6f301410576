package io.moldau.ops.client;

import io.moldau.wire.message.RequestHeaderData;
import io.moldau.wire.message.ResponseHeaderData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.Message;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/// One connection that sends a request and waits for its answer. Owned by one thread.
public final class RawClient implements AutoCloseable {

    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int ANSWER_TIMEOUT_MS = 20_000;
    private static final int LARGEST_ANSWER_BYTES = 16 << 20;

    private final String purpose;
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int correlationId;

    /// To a node of this machine.
    public RawClient(int port) throws IOException {
        this(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), "training");
    }

    /// @param purpose how it calls itself
    public RawClient(InetSocketAddress address, String purpose) throws IOException {
        this.purpose = purpose;
        socket = new Socket();
        socket.connect(address, CONNECT_TIMEOUT_MS);
        socket.setSoTimeout(ANSWER_TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /// Calls the API in its highest version.
    public <R extends Message> R call(ApiKey api, Message request, Class<R> answer) throws IOException {
        return call(api, api.highestVersion(), request, answer);
    }

    public <R extends Message> R call(ApiKey api, short version, Message request, Class<R> answer) throws IOException {
        var header = new RequestHeaderData()
                .setRequestApiKey(api.id())
                .setRequestApiVersion(version)
                .setCorrelationId(++correlationId)
                .setClientId(purpose);
        var frame = new ByteBufferWritable();
        header.write(frame, api.requestHeaderVersion(version));
        request.write(frame, version);
        out.writeInt(frame.size());
        out.write(frame.toByteArray());
        out.flush();

        int size = in.readInt();
        if (size < 0 || size > LARGEST_ANSWER_BYTES) {
            throw new IOException("The answer to " + api + " claims to have " + size + " bytes.");
        }
        var body = new ByteBufferReadable(ByteBuffer.wrap(in.readNBytes(size)));
        var answered = new ResponseHeaderData(body, api.responseHeaderVersion(version)).correlationId();
        if (answered != correlationId) {
            throw new IOException("Asked " + api + " as " + correlationId + " and got the answer to " + answered + ".");
        }
        var response = api.newResponse();
        response.read(body, version);
        return answer.cast(response);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
