package io.moldau.broker.coordinator.runtime;

import io.moldau.wire.protocol.ByteBufferWritable;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Between [CoordinatorRecord]s and the keys and values of an internal topic.
public abstract class RecordCodec {

    /// The key's bytes: its type, then the key.
    public static ByteBuffer encodeKey(CoordinatorRecord record) {
        var out = new ByteBufferWritable();
        out.writeShort(record.type());
        record.key().write(out, (short) 0);
        return out.toByteBuffer();
    }

    /// The value's bytes, its version first; null for a tombstone.
    public static @Nullable ByteBuffer encodeValue(CoordinatorRecord record) {
        var value = record.value();
        if (value == null) {
            return null;
        }
        var out = new ByteBufferWritable();
        out.writeShort(record.valueVersion());
        value.write(out, record.valueVersion());
        return out.toByteBuffer();
    }

    /// The record in these bytes, or null if this release does not know its type.
    ///
    /// @throws io.moldau.wire.protocol.MalformedMessageException if the bytes are not what their type says,
    ///     or the value has a version that this release cannot read
    public abstract @Nullable CoordinatorRecord decode(ByteBuffer key, @Nullable ByteBuffer value);
}
