package io.moldau.common;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.random.RandomGenerator;

/// A 128-bit identifier as Kafka writes it: two longs on the wire, unpadded URL-safe base64 in text (KIP-516).
public record Uuid(long mostSignificantBits, long leastSignificantBits) implements Comparable<Uuid> {

    /// Stands for "no id" on the wire.
    public static final Uuid ZERO = new Uuid(0L, 0L);

    /// A new version-4 identifier that does not begin with a dash, so that it can stand as a command-line argument.
    public static Uuid random(RandomGenerator random) {
        while (true) {
            var uuid = new Uuid(
                    (random.nextLong() & 0xFFFFFFFFFFFF0FFFL) | 0x0000000000004000L,
                    (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L);
            if (!uuid.toString().startsWith("-")) {
                return uuid;
            }
        }
    }

    /// Parses what [#toString] prints.
    ///
    /// @throws IllegalArgumentException if the text is not 22 characters of URL-safe base64
    public static Uuid fromString(String text) {
        byte[] bytes = Base64.getUrlDecoder().decode(text);
        if (bytes.length != 16) {
            throw new IllegalArgumentException("'" + text + "' decodes to " + bytes.length + " bytes, a Uuid has 16");
        }
        var buffer = ByteBuffer.wrap(bytes);
        return new Uuid(buffer.getLong(), buffer.getLong());
    }

    @Override
    public String toString() {
        var bytes = ByteBuffer.allocate(16).putLong(mostSignificantBits).putLong(leastSignificantBits);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    @Override
    public int compareTo(Uuid other) {
        int high = Long.compare(mostSignificantBits, other.mostSignificantBits);
        return high != 0 ? high : Long.compare(leastSignificantBits, other.leastSignificantBits);
    }
}
