package io.moldau.metadata.quorum.ratis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedOutputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;

/// Ratis' messages as bytes. An answer begins with one byte that says whether it is one, or an error's text.
final class RaftBytes {

    private static final byte ANSWER = 0;
    private static final byte ERROR = 1;

    private RaftBytes() {}

    static ByteBuffer request(MessageLite message) {
        return write(message, ByteBuffer.allocate(message.getSerializedSize())).flip();
    }

    static ByteBuffer answer(MessageLite message) {
        return write(
                        message,
                        ByteBuffer.allocate(1 + message.getSerializedSize()).put(ANSWER))
                .flip();
    }

    private static ByteBuffer write(MessageLite message, ByteBuffer buffer) {
        try {
            CodedOutputStream out =
                    CodedOutputStream.newInstance(buffer.array(), buffer.position(), buffer.remaining());
            message.writeTo(out);
            out.flush();
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new IllegalStateException("a message does not fit the size it gave", e);
        }
        return buffer.position(buffer.limit());
    }

    static ByteBuffer error(Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        byte[] text =
                (failure.getClass().getSimpleName() + ": " + failure.getMessage()).getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + text.length).put(ERROR).put(text).flip();
    }

    /// @throws IOException if it is none
    static <M> M parse(Parser<M> parser, ByteBuffer request) throws IOException {
        return parser.parseFrom(CodedInputStream.newInstance(request));
    }

    /// @throws IOException if the other side answered with an error, or with nothing that can be read
    static <M> M answer(Parser<M> parser, ByteBuffer answer) throws IOException {
        if (!answer.hasRemaining()) {
            throw new IOException("an empty answer");
        }
        byte kind = answer.get();
        return switch (kind) {
            case ANSWER -> parse(parser, answer);
            case ERROR ->
                throw new IOException(StandardCharsets.UTF_8.decode(answer).toString());
            default -> throw new IOException("an answer of kind " + kind);
        };
    }
}
