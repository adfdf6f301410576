package io.moldau.ops.metrics;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Text that grows, as UTF-8, in pieces, so that nothing is copied when it does. Not thread-safe.
final class Lines {

    private static final int FIRST_BYTES = 1 << 9;
    private static final int LARGEST_BYTES = 1 << 16;
    private static final int LONG_DIGITS = 20;

    private record Piece(byte[] bytes, int length) {}

    private final List<Piece> full = new ArrayList<>();
    private long fullBytes;
    private byte[] last = new byte[FIRST_BYTES];
    private int at;

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Makes room for so many bytes in one piece.
    private void room(int bytes) {
        if (last.length - at >= bytes) {
            return;
        }
        if (at > 0) {
            full.add(new Piece(last, at));
            fullBytes += at;
        }
        last = new byte[Math.max(bytes, Math.min(2 * last.length, LARGEST_BYTES))];
        at = 0;
    }

    Lines append(byte[] text) {
        room(text.length);
        System.arraycopy(text, 0, last, at, text.length);
        at += text.length;
        return this;
    }

    Lines append(char ascii) {
        room(1);
        last[at++] = (byte) ascii;
        return this;
    }

    Lines append(String text) {
        return append(utf8(text));
    }

    Lines append(long number) {
        if (number < 0) {
            return append(Long.toString(number));
        }
        room(LONG_DIGITS);
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        long rest = number;
        for (int i = at + digits - 1; i >= at; i--) {
            last[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        at += digits;
        return this;
    }

    long size() {
        return fullBytes + at;
    }

    void writeTo(OutputStream out) throws IOException {
        for (Piece piece : full) {
            out.write(piece.bytes, 0, piece.length);
        }
        out.write(last, 0, at);
    }
}
