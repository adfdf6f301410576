package io.moldau.wire.protocol;

/// UTF-8 lengths without encoding.
public final class Utf8 {

    private Utf8() {}

    /// How many bytes the string takes in UTF-8. An unpaired surrogate counts one byte, as the JDK's encoder writes
    /// '?'.
    public static int length(CharSequence text) {
        int length = text.length();
        int bytes = length;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                continue;
            }
            if (c < 0x800) {
                bytes++;
            } else if (!Character.isSurrogate(c)) {
                bytes += 2;
            } else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 2;
                i++;
            }
        }
        return bytes;
    }
}
