package io.moldau.wire.protocol;

/// Sizes of variable-length integers.
public final class Varints {

    private Varints() {}

    /// How many bytes the value takes as an unsigned varint.
    public static int sizeOfUnsigned(int value) {
        return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
    }

    /// How many bytes the value takes as an unsigned varlong.
    public static int sizeOfUnsigned(long value) {
        return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    public static int zigzag(int value) {
        return (value << 1) ^ (value >> 31);
    }

    public static long zigzag(long value) {
        return (value << 1) ^ (value >> 63);
    }

    public static int unzigzag(int value) {
        return (value >>> 1) ^ -(value & 1);
    }

    public static long unzigzag(long value) {
        return (value >>> 1) ^ -(value & 1);
    }
}
