package io.moldau.broker.net;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.Readable;
import io.moldau.wire.protocol.Writable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The answer to one of the nodes' own requests: an error code, and behind it the bytes or the error's message.
record NodeAnswer(Errors error, ByteBuffer bytes) implements Message {

    static NodeAnswer of(ByteBuffer bytes) {
        return new NodeAnswer(Errors.NONE, bytes);
    }

    static NodeAnswer of(ApiException failure) {
        return new NodeAnswer(
                failure.error(), ByteBuffer.wrap(failure.getMessage().getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public short apiKey() {
        return -1;
    }

    @Override
    public short lowestSupportedVersion() {
        return 0;
    }

    @Override
    public short highestSupportedVersion() {
        return 0;
    }

    @Override
    public void read(Readable in, short version) {
        throw new UnsupportedOperationException("only written here");
    }

    @Override
    public void write(Writable out, short version) {
        out.writeShort(error.code());
        out.writeRecords(HeapRecords.of(bytes));
    }
}
