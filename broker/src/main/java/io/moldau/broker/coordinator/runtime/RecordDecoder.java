package io.moldau.broker.coordinator.runtime;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads the records of one internal topic.
@FunctionalInterface
public interface RecordDecoder {

    /// The record in these bytes, or null if this release does not know its type.
    ///
    /// @throws io.moldau.wire.protocol.MalformedMessageException if the bytes are not what their type says, or the
    ///     value has a version that this release cannot read
    @Nullable
    CoordinatorRecord decode(ByteBuffer key, @Nullable ByteBuffer value);
}
