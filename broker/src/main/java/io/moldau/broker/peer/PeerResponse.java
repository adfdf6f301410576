package io.moldau.broker.peer;

import io.moldau.wire.protocol.Message;
import org.jspecify.annotations.Nullable;

/// The answer of another node. Owned by whoever received it, who closes it once.
///
/// Record bytes inside the message are slices of the frame it came in and live until [#close].
public final class PeerResponse implements AutoCloseable {

    private final Message message;
    private final int sizeInBytes;
    private @Nullable Runnable release;

    /// @param sizeInBytes of the whole frame
    /// @param release gives the frame's memory back
    public PeerResponse(Message message, int sizeInBytes, Runnable release) {
        this.message = message;
        this.sizeInBytes = sizeInBytes;
        this.release = release;
    }

    public Message message() {
        return message;
    }

    /// The message as what it is known to be.
    public <M extends Message> M as(Class<M> type) {
        return type.cast(message);
    }

    public int sizeInBytes() {
        return sizeInBytes;
    }

    @Override
    public void close() {
        Runnable once = release;
        release = null;
        if (once != null) {
            once.run();
        }
    }
}
