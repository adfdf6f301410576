package io.moldau.wire.netty;

import io.moldau.wire.protocol.FileRecords;
import io.netty.buffer.ByteBuf;

/// A piece of an encoded frame. Whoever has it owns one reference.
public sealed interface FramePart {

    /// Bytes in memory.
    record Memory(ByteBuf bytes) implements FramePart {
        @Override
        public int sizeInBytes() {
            return bytes.readableBytes();
        }

        @Override
        public void release() {
            bytes.release();
        }
    }

    /// A region of a file, to be sent by the operating system.
    record File(FileRecords records) implements FramePart {
        @Override
        public int sizeInBytes() {
            return records.sizeInBytes();
        }

        @Override
        public void release() {
            records.release();
        }
    }

    int sizeInBytes();

    /// Gives the reference back without sending the part.
    void release();
}
