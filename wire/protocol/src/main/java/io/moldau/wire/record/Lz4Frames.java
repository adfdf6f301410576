package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/// The LZ4 frame format, as far as Kafka's clients use it: independent blocks.
///
/// Writes what Kafka's own client writes: blocks of 64 KiB, no content size, no checksums but the header's. Reads block
/// sizes up to 4 MiB, content sizes and checksums as well. A block's checksum is verified, as in Kafka; the content's
/// is passed over, as in Kafka: the batch's CRC covers the same bytes.
final class Lz4Frames {

    private static final int MAGIC = 0x184D2204;
    private static final int VERSION_1 = 1 << 6;
    private static final int VERSION_MASK = 3 << 6;
    private static final int BLOCKS_INDEPENDENT = 1 << 5;
    private static final int BLOCK_CHECKSUM = 1 << 4;
    private static final int CONTENT_SIZE = 1 << 3;
    // Bit 2 announces a checksum of the content, behind the end mark.
    private static final int FLAGS_RESERVED = 0x03;
    private static final int BLOCK_SIZE_64_KIB = 4;
    private static final int DESCRIPTOR_RESERVED = 0x8F;
    private static final int STORED = 0x8000_0000;

    // One input byte can say "255 more of the same".
    private static final int MAX_EXPANSION = 255;

    private Lz4Frames() {}

    private static XXHash32 hash() {
        return XXHashFactory.fastestInstance().hash32();
    }

    static void compress(byte[] source, int length, int level, OutputStream out) throws IOException {
        var factory = LZ4Factory.fastestInstance();
        // Level 9 is the default of the setting, and there it means the fast compressor.
        LZ4Compressor compressor =
                level == Compression.LZ4.defaultLevel() ? factory.fastCompressor() : factory.highCompressor(level);
        byte[] header = new byte[7];
        putLittleEndian(header, 0, MAGIC);
        header[4] = (byte) (VERSION_1 | BLOCKS_INDEPENDENT);
        header[5] = (byte) (BLOCK_SIZE_64_KIB << 4);
        header[6] = (byte) (hash().hash(header, 4, 2, 0) >>> 8);
        out.write(header);

        int blockSize = 64 << 10;
        byte[] block = new byte[compressor.maxCompressedLength(blockSize)];
        byte[] word = new byte[4];
        for (int at = 0; at < length; at += blockSize) {
            int size = Math.min(blockSize, length - at);
            int compressedSize = compressor.compress(source, at, size, block, 0, block.length);
            boolean smaller = compressedSize < size;
            putLittleEndian(word, 0, smaller ? compressedSize : size | STORED);
            out.write(word);
            if (smaller) {
                out.write(block, 0, compressedSize);
            } else {
                out.write(source, at, size);
            }
        }
        putLittleEndian(word, 0, 0);
        out.write(word);
    }

    private static void putLittleEndian(byte[] target, int at, int value) {
        target[at] = (byte) value;
        target[at + 1] = (byte) (value >>> 8);
        target[at + 2] = (byte) (value >>> 16);
        target[at + 3] = (byte) (value >>> 24);
    }

    /// Reads one frame; what follows its end mark is left alone.
    static final class Reader implements Decompressor {

        private final LZ4SafeDecompressor decompressor =
                LZ4Factory.fastestInstance().safeDecompressor();
        private final ByteBuffer compressed;
        private final int end;
        private final int maxBlockSize;
        private final boolean blockChecksums;
        private int next;
        private boolean finished;
        private byte[] block = new byte[0];
        private int blockNext;
        private int blockEnd;

        Reader(ByteBuffer compressed) {
            this.compressed = compressed;
            this.next = compressed.position();
            this.end = compressed.limit();
            need(7);
            if (littleEndian(next) != MAGIC) {
                throw new MalformedMessageException("LZ4 data does not begin with a frame's magic number");
            }
            int descriptor = next + 4;
            int flags = compressed.get(descriptor) & 0xFF;
            int blockDescriptor = compressed.get(descriptor + 1) & 0xFF;
            if ((flags & VERSION_MASK) != VERSION_1
                    || (flags & FLAGS_RESERVED) != 0
                    || (blockDescriptor & DESCRIPTOR_RESERVED) != 0
                    || blockDescriptor >>> 4 < BLOCK_SIZE_64_KIB) {
                throw new MalformedMessageException("LZ4 frame with flags 0x" + Integer.toHexString(flags)
                        + " and block descriptor 0x" + Integer.toHexString(blockDescriptor) + " is not supported");
            }
            if ((flags & BLOCKS_INDEPENDENT) == 0) {
                throw new MalformedMessageException("LZ4 frame has blocks that depend on each other");
            }
            int descriptorSize = 2 + ((flags & CONTENT_SIZE) != 0 ? Long.BYTES : 0);
            need(4 + descriptorSize + 1);
            byte[] toHash = new byte[descriptorSize];
            compressed.get(descriptor, toHash);
            if ((byte) (hash().hash(toHash, 0, descriptorSize, 0) >>> 8)
                    != compressed.get(descriptor + descriptorSize)) {
                throw new MalformedMessageException("LZ4 frame header has a wrong checksum");
            }
            this.maxBlockSize = 1 << (2 * (blockDescriptor >>> 4) + 8);
            this.blockChecksums = (flags & BLOCK_CHECKSUM) != 0;
            next = descriptor + descriptorSize + 1;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            while (blockNext == blockEnd) {
                if (finished) {
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
            need(4);
            int word = littleEndian(next);
            next += 4;
            if (word == 0) {
                finished = true;
                return;
            }
            int size = word & ~STORED;
            if (size > maxBlockSize) {
                throw new MalformedMessageException(
                        "An LZ4 block has " + size + " bytes, its frame allows " + maxBlockSize);
            }
            need(size + (blockChecksums ? 4 : 0));
            if (blockChecksums && hash().hash(compressed, next, size, 0) != littleEndian(next + size)) {
                throw new MalformedMessageException("An LZ4 block has a wrong checksum");
            }
            blockNext = 0;
            if ((word & STORED) != 0) {
                reserve(size);
                compressed.get(next, block, 0, size);
                blockEnd = size;
            } else {
                blockEnd = decompress(size);
            }
            next += size + (blockChecksums ? 4 : 0);
        }

        private int decompress(int size) {
            int largest = (int) Math.min(maxBlockSize, (long) size * MAX_EXPANSION);
            reserve(largest);
            try {
                return decompressor.decompress(compressed, next, size, ByteBuffer.wrap(block), 0, largest);
            } catch (LZ4Exception e) {
                throw new MalformedMessageException("Records are not sound LZ4 data: " + e.getMessage());
            }
        }

        private void reserve(int size) {
            if (block.length < size) {
                block = new byte[size];
            }
        }

        private void need(int bytes) {
            if (end - next < bytes) {
                throw new MalformedMessageException(
                        "LZ4 data ends early: " + bytes + " bytes are due, " + (end - next) + " are left");
            }
        }

        private int littleEndian(int at) {
            return Integer.reverseBytes(compressed.getInt(at));
        }

        @Override
        public void close() {
            // Holds memory only.
        }
    }
}
