package io.moldau.broker.net;

import io.moldau.broker.replica.RecordParts;
import io.moldau.broker.request.RequestRouter;
import io.moldau.wire.netty.ByteBufRecords;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.FileRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.protocol.Writable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.ReferenceCountUtil;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Turns answers into what goes to the socket, all answers of one burst together.
///
/// Everything written lands in one growing buffer. Record batches are not copied into it unless they are tiny: the
/// buffer is cut there and the records go out between the pieces, from the memory they are in or, when they are in
/// a file and many, by sendfile. The references of the records it is given become its own; it gives them back when
/// they are sent. Owned by the connection's event loop.
final class ResponseEncoder implements Writable {

    /// Up to here copying is cheaper than one more element in a gathering write.
    private static final int COPY_BYTES = 1024;

    /// From here on a file region is sent by the kernel; below, reading it first costs less CPU than a second
    /// system call.
    private static final int SENDFILE_BYTES = 128 * 1024;

    /// So much of a response may be read from files into memory; the rest goes by sendfile, however small the
    /// pieces.
    private static final int LOADED_BYTES = 256 * 1024;

    private static final int INITIAL_BYTES = 256;

    private final ByteBufAllocator allocator;
    private final List<Object> parts = new ArrayList<>();
    private @Nullable ByteBuf out;

    /// Where in `out` the piece begins that is not in `parts` yet.
    private int pieceStart;

    private long unflushed;

    /// Bytes of the response being encoded that were read from files.
    private int loaded;

    /// Bytes of the response being encoded that lie in parts other than `out`.
    private long outside;

    ResponseEncoder(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /// Adds one answer.
    ///
    /// @return its size
    /// @throws IOException if records cannot be read from their file; nothing more may then be sent on the
    ///     connection
    int encode(ApiKey api, short apiVersion, int correlationId, Message response) throws IOException {
        short version = RequestRouter.isVersionKnown(api, apiVersion) ? apiVersion : 0;
        return encode(api.responseHeaderVersion(version), version, correlationId, response);
    }

    /// Adds an answer to one of the nodes' own requests.
    ///
    /// @return its size
    int encode(int correlationId, Message answer) throws IOException {
        return encode(1, (short) 0, correlationId, answer);
    }

    private int encode(int headerVersion, short version, int correlationId, Message response) throws IOException {
        ByteBuf buffer = buffer();
        int start = buffer.writerIndex();
        outside = 0;
        loaded = 0;
        buffer.writeInt(0).writeInt(correlationId);
        if (headerVersion >= 1) {
            buffer.writeByte(0); // no tagged fields
        }
        try {
            response.write(this, version);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        long size = buffer.writerIndex() - start + outside;
        if (size > Integer.MAX_VALUE) {
            throw new IOException("a response of " + size + " bytes does not fit a frame");
        }
        buffer.setInt(start, (int) size - Integer.BYTES);
        unflushed += size;
        return (int) size;
    }

    /// Bytes added since the last flush.
    long unflushed() {
        return unflushed;
    }

    /// Sends what was added since the last call. False if that was nothing.
    boolean flush(ChannelHandlerContext context) {
        cut();
        unflushed = 0;
        if (out != null) {
            out.release();
            out = null;
            pieceStart = 0;
        }
        if (parts.isEmpty()) {
            return false;
        }
        for (Object part : parts) {
            context.write(part, context.voidPromise());
        }
        parts.clear();
        context.flush();
        return true;
    }

    /// Gives up what was not sent.
    void close() {
        for (Object part : parts) {
            ReferenceCountUtil.release(part);
        }
        parts.clear();
        if (out != null) {
            out.release();
            out = null;
            pieceStart = 0;
        }
    }

    private ByteBuf buffer() {
        ByteBuf buffer = out;
        if (buffer == null) {
            buffer = allocator.directBuffer(INITIAL_BYTES);
            out = buffer;
            pieceStart = 0;
        }
        return buffer;
    }

    private void cut() {
        ByteBuf buffer = out;
        if (buffer != null && buffer.writerIndex() > pieceStart) {
            parts.add(buffer.retainedSlice(pieceStart, buffer.writerIndex() - pieceStart));
            pieceStart = buffer.writerIndex();
        }
    }

    @Override
    public void writeRecords(RecordBytes records) {
        switch (records) {
            case RecordParts several -> several.parts().forEach(this::writeRecords);
            case BufferRecords inMemory -> writeMemory(inMemory);
            case FileRecords inFile -> writeFile(inFile);
            default -> throw new IllegalArgumentException("cannot send records of " + records.getClass());
        }
    }

    private void writeMemory(BufferRecords records) {
        int size = records.sizeInBytes();
        if (size <= COPY_BYTES) {
            buffer().writeBytes(records.buffer().duplicate());
            records.release();
            return;
        }
        cut();
        parts.add(
                records instanceof ByteBufRecords pooled ? pooled.byteBuf() : Unpooled.wrappedBuffer(records.buffer()));
        outside += size;
    }

    private void writeFile(FileRecords records) {
        int size = records.sizeInBytes();
        if (size > SENDFILE_BYTES || (size > COPY_BYTES && loaded + size > LOADED_BYTES)) {
            cut();
            parts.add(new RecordsRegion(records));
            outside += size;
            return;
        }
        try {
            if (size <= COPY_BYTES) {
                read(records, buffer());
            } else if (size > 0) {
                loaded += size;
                ByteBuf buffer = allocator.directBuffer(size, size);
                cut();
                parts.add(buffer);
                outside += size;
                read(records, buffer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            records.release();
        }
    }

    private static void read(FileRecords records, ByteBuf into) throws IOException {
        int left = records.sizeInBytes();
        long position = records.position();
        into.ensureWritable(left);
        while (left > 0) {
            int read = into.writeBytes(records.channel(), position, left);
            if (read <= 0) {
                throw new EOFException("the segment ends " + left + " bytes before the records do");
            }
            left -= read;
            position += read;
        }
    }

    /// Gives back the records inside an answer that will not be sent.
    static void release(@Nullable Message response, short version) {
        if (response != null) {
            response.write(new RecordsReleaser(), version);
        }
    }

    static void release(RecordBytes records) {
        switch (records) {
            case RecordParts several -> several.parts().forEach(ResponseEncoder::release);
            case BufferRecords inMemory -> inMemory.release();
            case FileRecords inFile -> inFile.release();
            default -> {}
        }
    }

    @Override
    public void writeByte(int value) {
        buffer().writeByte(value);
    }

    @Override
    public void writeShort(int value) {
        buffer().writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        buffer().writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        buffer().writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        buffer().writeDouble(value);
    }

    @Override
    public void writeBytes(byte[] value) {
        buffer().writeBytes(value);
    }

    @Override
    public void writeUtf8(String value, int utf8Length) {
        ByteBufUtil.reserveAndWriteUtf8(buffer(), value, utf8Length);
    }

    /// A file region that gives the records back instead of closing the segment's file.
    private static final class RecordsRegion extends DefaultFileRegion {
        private final FileRecords records;

        RecordsRegion(FileRecords records) {
            super(records.channel(), records.position(), records.sizeInBytes());
            this.records = records;
        }

        @Override
        protected void deallocate() {
            records.release();
        }
    }

    /// Walks a message for the sake of its records only.
    private static final class RecordsReleaser implements Writable {
        @Override
        public void writeRecords(RecordBytes records) {
            release(records);
        }

        @Override
        public void writeByte(int value) {}

        @Override
        public void writeShort(int value) {}

        @Override
        public void writeInt(int value) {}

        @Override
        public void writeLong(long value) {}

        @Override
        public void writeDouble(double value) {}

        @Override
        public void writeBytes(byte[] value) {}

        @Override
        public void writeUtf8(String value, int utf8Length) {}
    }
}
