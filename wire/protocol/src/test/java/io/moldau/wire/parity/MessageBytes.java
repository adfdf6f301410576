package io.moldau.wire.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.wire.netty.ByteBufReadable;
import io.moldau.wire.netty.ByteBufWritable;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.SizeCounter;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;

/// Our messages as bytes, through every kind of buffer at once.
final class MessageBytes {

    private MessageBytes() {}

    static byte[] encode(Message message, short version) {
        var heap = new ByteBufferWritable();
        message.write(heap, version);
        var bytes = heap.toByteArray();

        var size = new SizeCounter();
        message.write(size, version);
        assertThat(size.size()).as("counted size").isEqualTo(bytes.length);

        var direct = PooledByteBufAllocator.DEFAULT.directBuffer();
        try {
            message.write(new ByteBufWritable(direct), version);
            assertThat(ByteBufUtil.getBytes(direct))
                    .as("bytes in a Netty buffer")
                    .isEqualTo(bytes);
        } finally {
            direct.release();
        }
        return bytes;
    }

    static <M extends Message> M decode(Class<M> type, byte[] bytes, short version) {
        var message = MessageClasses.create(type);
        var in = new ByteBufferReadable(ByteBuffer.wrap(bytes));
        message.read(in, version);
        assertThat(in.remaining()).as("bytes left over").isZero();

        var direct = PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(bytes);
        try {
            var again = MessageClasses.create(type);
            again.read(new ByteBufReadable(direct), version);
            assertThat(direct.isReadable())
                    .as("bytes left over in a Netty buffer")
                    .isFalse();
            assertThat(again).isEqualTo(message);
            direct.readerIndex(0);
            again.read(new ByteBufReadable(direct), version);
            assertThat(again).isEqualTo(message);
        } finally {
            direct.release();
        }
        return message;
    }
}
