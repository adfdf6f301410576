package io.moldau.broker.coordinator.runtime;

import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.Message;
import org.jspecify.annotations.Nullable;

/// One record of an internal topic before it is bytes: the key's type, the key, and a value with its version or a
/// tombstone.
///
/// The bytes are a 16-bit type and the key in its only version; a 16-bit version and the value.
public record CoordinatorRecord(
        short type, Message key, @Nullable Message value, short valueVersion) {

    public static CoordinatorRecord of(int type, Message key, Message value, int valueVersion) {
        return new CoordinatorRecord((short) type, key, value, (short) valueVersion);
    }

    public static CoordinatorRecord tombstone(int type, Message key) {
        return new CoordinatorRecord((short) type, key, null, (short) 0);
    }

    public boolean isTombstone() {
        return value == null;
    }

    /// The key's bytes: its type, then the key.
    public byte[] encodedKey() {
        var out = new ByteBufferWritable();
        out.writeShort(type);
        key.write(out, (short) 0);
        return out.toByteArray();
    }

    /// The value's bytes: its version, then the value. Null for a tombstone.
    public byte @Nullable [] encodedValue() {
        if (value == null) {
            return null;
        }
        var out = new ByteBufferWritable();
        out.writeShort(valueVersion);
        value.write(out, valueVersion);
        return out.toByteArray();
    }
}
