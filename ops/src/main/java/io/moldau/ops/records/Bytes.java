package io.moldau.ops.records;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Bytes as people can look at them: as text if they are that, else in hexadecimal. A value.
///
/// @param size of all
/// @param text null if they are no text
/// @param hex null if they are text
/// @param truncated whether only the first of them are shown
public record Bytes(
        int size, @Nullable String text, @Nullable String hex, boolean truncated) {

    private static final int LONGEST_CHARACTER = 4;

    /// @param most so many are shown; in hexadecimal half as many
    public static Bytes of(ByteBuffer bytes, int most) {
        int size = bytes.remaining();
        ByteBuffer shown = bytes.slice(bytes.position(), Math.min(size, most));
        String text = text(shown, size > most);
        if (text != null) {
            return new Bytes(size, text, null, size > most);
        }
        var some = new byte[Math.min(size, most / 2)];
        bytes.duplicate().get(some);
        return new Bytes(size, null, HexFormat.of().formatHex(some), size > some.length);
    }

    /// Null if it is none: no UTF-8, or with characters nobody can see.
    private static @Nullable String text(ByteBuffer bytes, boolean cut) {
        var characters = CharBuffer.allocate(bytes.remaining());
        var decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
        ByteBuffer in = bytes.duplicate();
        // What is cut may end inside a character.
        var result = decoder.decode(in, characters, !cut);
        if (result.isError() || in.remaining() >= LONGEST_CHARACTER) {
            return null;
        }
        String text = characters.flip().toString();
        return text.chars().allMatch(Bytes::isSeen) ? text : null;
    }

    private static boolean isSeen(int c) {
        return c >= ' ' && c != 0x7f || c == '\n' || c == '\r' || c == '\t';
    }

    /// The bytes of a text in hexadecimal.
    ///
    /// @throws IllegalArgumentException if it is none
    public static ByteBuffer ofHex(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    /// The bytes of a text.
    ///
    /// @throws IllegalArgumentException if it has none in UTF-8
    public static ByteBuffer ofText(String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("this is no text: " + e.getMessage(), e);
        }
    }
}
