package io.moldau.wire.record;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A header of a record (KIP-82): a key that need not be unique, and bytes or null.
public record Header(String key, @Nullable ByteBuffer value) {

    /// Takes the array as it is.
    public static Header of(String key, byte @Nullable [] value) {
        return new Header(key, value == null ? null : ByteBuffer.wrap(value));
    }
}
