package io.moldau.sim;

import io.moldau.broker.replica.RecordParts;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.FileRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.protocol.Writable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/// A message as bytes, as it is between two machines. Records are read from wherever they are and given back.
final class Encoded implements Writable {

    private final ByteBufferWritable out = new ByteBufferWritable();

    private Encoded() {}

    static ByteBuffer of(Message message, short version) {
        var encoded = new Encoded();
        message.write(encoded, version);
        return encoded.out.toByteBuffer();
    }

    static Message request(ApiKey api, short version, ByteBuffer bytes) {
        Message message = api.newRequest();
        message.read(new ByteBufferReadable(bytes.duplicate()), version);
        return message;
    }

    static Message response(ApiKey api, short version, ByteBuffer bytes) {
        Message message = api.newResponse();
        message.read(new ByteBufferReadable(bytes.duplicate()), version);
        return message;
    }

    @Override
    public void writeRecords(RecordBytes records) {
        switch (records) {
            case RecordParts parts -> parts.parts().forEach(this::writeRecords);
            case BufferRecords inMemory -> {
                out.writeRecords(inMemory);
                inMemory.release();
            }
            case FileRecords inFile -> {
                writeFile(inFile);
                inFile.release();
            }
            default -> throw new IllegalArgumentException("records of " + records.getClass());
        }
    }

    private void writeFile(FileRecords records) {
        var bytes = ByteBuffer.allocate(records.sizeInBytes());
        try {
            long position = records.position();
            while (bytes.hasRemaining()) {
                int read = records.channel().read(bytes, position);
                if (read <= 0) {
                    throw new IOException("a segment ends before its records do");
                }
                position += read;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.writeBytes(bytes.array());
    }

    @Override
    public void writeByte(int value) {
        out.writeByte(value);
    }

    @Override
    public void writeShort(int value) {
        out.writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        out.writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        out.writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        out.writeDouble(value);
    }

    @Override
    public void writeBytes(byte[] value) {
        out.writeBytes(value);
    }

    @Override
    public void writeUtf8(String value, int utf8Length) {
        out.writeUtf8(value, utf8Length);
    }
}
