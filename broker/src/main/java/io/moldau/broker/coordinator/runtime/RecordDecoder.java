package io.moldau.broker.coordinator.runtime;

import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.Readable;
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

    /// A record whose type has been read.
    ///
    /// @param in the key after its type
    /// @param key, emptyValue what they are read into
    static CoordinatorRecord decode(
            short type, Readable in, Message key, @Nullable ByteBuffer value, Message emptyValue) {
        key.read(in, (short) 0);
        if (value == null) {
            return CoordinatorRecord.tombstone(type, key);
        }
        var valueIn = new ByteBufferReadable(value);
        short version = valueIn.readShort();
        if (version < emptyValue.lowestSupportedVersion() || version > emptyValue.highestSupportedVersion()) {
            throw new MalformedMessageException("a record of type " + type + " has a value of version " + version
                    + "; this release reads up to " + emptyValue.highestSupportedVersion());
        }
        emptyValue.read(valueIn, version);
        return new CoordinatorRecord(type, key, emptyValue, version);
    }
}
