package io.moldau.wire.record;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.moldau.wire.protocol.MalformedMessageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;

/// Decompression by a library's input stream: gzip and zstd.
final class StreamDecompressor implements Decompressor {

    private static final int GZIP_INPUT_BUFFER = 4096;

    private final String codec;
    private final InputStream stream;

    private StreamDecompressor(String codec, InputStream stream) {
        this.codec = codec;
        this.stream = stream;
    }

    static Decompressor gzip(ByteBuffer compressed) {
        try {
            return new StreamDecompressor("gzip", new GZIPInputStream(new BufferInput(compressed), GZIP_INPUT_BUFFER));
        } catch (IOException e) {
            throw malformed("gzip", e);
        }
    }

    static Decompressor zstd(ByteBuffer compressed, int maxWindowLog) {
        try {
            var stream = new ZstdInputStreamNoFinalizer(new BufferInput(compressed), RecyclingBufferPool.INSTANCE);
            stream.setLongMax(maxWindowLog);
            return new StreamDecompressor("zstd", stream);
        } catch (IOException e) {
            throw malformed("zstd", e);
        }
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        try {
            return stream.read(target, offset, length);
        } catch (IOException e) {
            throw malformed(codec, e);
        }
    }

    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            // It reads from memory: closing has nothing to write and nothing to lose.
            throw new UncheckedIOException(e);
        }
    }

    private static MalformedMessageException malformed(String codec, IOException cause) {
        return new MalformedMessageException("Records are not sound " + codec + " data: " + cause.getMessage());
    }

    /// Reads a buffer, from its position to its limit, by absolute gets.
    private static final class BufferInput extends InputStream {

        private final ByteBuffer buffer;
        private final int end;
        private int next;

        BufferInput(ByteBuffer buffer) {
            this.buffer = buffer;
            this.next = buffer.position();
            this.end = buffer.limit();
        }

        @Override
        public int read() {
            return next < end ? buffer.get(next++) & 0xFF : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (length == 0) {
                return 0;
            }
            if (next >= end) {
                return -1;
            }
            int count = Math.min(length, end - next);
            buffer.get(next, target, offset, count);
            next += count;
            return count;
        }

        @Override
        public int available() {
            return end - next;
        }
    }
}
