package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;

/// Snappy as Kafka's clients write it: either in the framing of snappy-java (a 16-byte header, then blocks that each
/// follow their compressed length, and perhaps another header), or as one block without any framing, which librdkafka
/// sends.
///
/// Own reading of the framing, and the library for the blocks, so that no length is trusted before it is checked.
final class SnappyDecompressor implements Decompressor {

    // 0x82 'S' 'N' 'A' 'P' 'P' 'Y' 0x00, followed by two version numbers.
    private static final long MAGIC = 0x82534E4150505900L;
    private static final int MAGIC_HEAD = (int) (MAGIC >>> 32);
    private static final int FRAMING_HEADER = 16;
    private static final int SUPPORTED_VERSION = 1;

    // A copy of 64 bytes takes three; nothing in the format expands more than that.
    private static final int MAX_EXPANSION = 22;

    private final ByteBuffer compressed;
    private final int end;
    private final boolean framed;
    private int next;
    private byte[] in = new byte[0];
    private byte[] block = new byte[0];
    private int blockNext;
    private int blockEnd;

    SnappyDecompressor(ByteBuffer compressed) {
        this.compressed = compressed;
        this.next = compressed.position();
        this.end = compressed.limit();
        this.framed = end - next >= FRAMING_HEADER && compressed.getLong(next) == MAGIC;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        while (blockNext == blockEnd) {
            if (next == end) {
                return -1;
            }
            nextBlock();
        }
        int count = Math.min(length, blockEnd - blockNext);
        System.arraycopy(block, blockNext, target, offset, count);
        blockNext += count;
        return count;
    }

    private void nextBlock() {
        if (!framed) {
            decompress(end - next);
            return;
        }
        if (end - next < Integer.BYTES) {
            throw new MalformedMessageException("Snappy data ends inside the length of a block");
        }
        int length = compressed.getInt(next);
        if (length == MAGIC_HEAD) {
            skipHeader();
            return;
        }
        next += Integer.BYTES;
        if (length < 0 || length > end - next) {
            throw new MalformedMessageException(
                    "A snappy block says it has " + length + " bytes, " + (end - next) + " are left");
        }
        decompress(length);
    }

    private void skipHeader() {
        if (end - next < FRAMING_HEADER || compressed.getLong(next) != MAGIC) {
            throw new MalformedMessageException("Snappy data has a broken framing header");
        }
        int compatibleVersion = compressed.getInt(next + 12);
        if (compatibleVersion > SUPPORTED_VERSION) {
            throw new MalformedMessageException("Snappy framing of version " + compatibleVersion + " is not supported");
        }
        next += FRAMING_HEADER;
    }

    private void decompress(int length) {
        if (in.length < length) {
            in = new byte[length];
        }
        compressed.get(next, in, 0, length);
        next += length;
        try {
            int size = Snappy.uncompressedLength(in, 0, length);
            if (size < 0 || size > (long) length * MAX_EXPANSION) {
                throw new MalformedMessageException(
                        "A snappy block of " + length + " bytes says it holds " + (size & 0xFFFF_FFFFL));
            }
            if (block.length < size) {
                block = new byte[size];
            }
            blockNext = 0;
            blockEnd = Snappy.uncompress(in, 0, length, block, 0);
        } catch (IOException e) {
            throw new MalformedMessageException("Records are not sound snappy data: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        // Holds memory only.
    }
}
