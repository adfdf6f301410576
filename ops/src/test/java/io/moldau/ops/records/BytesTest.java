package io.moldau.ops.records;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BytesTest {

    private static Bytes of(String text, int most) {
        return Bytes.of(ByteBuffer.wrap(text.getBytes(UTF_8)), most);
    }

    @Test
    void textIsTextAndTheRestIsHexadecimal() {
        assertThat(of("größe\n\t", 100)).isEqualTo(new Bytes(9, "größe\n\t", null, false));
        assertThat(of("", 100)).isEqualTo(new Bytes(0, "", null, false));
        assertThat(of("a\u0000b", 100)).isEqualTo(new Bytes(3, null, "610062", false));
        assertThat(Bytes.of(ByteBuffer.wrap(new byte[] {(byte) 0xc3}), 100)).isEqualTo(new Bytes(1, null, "c3", false));
    }

    @Test
    void whatIsLongIsCutBetweenCharacters() {
        assertThat(of("aaaa€", 5)).isEqualTo(new Bytes(7, "aaaa", null, true));
        assertThat(of("aaaaaa", 5)).isEqualTo(new Bytes(6, "aaaaa", null, true));
        assertThat(of("\u0001".repeat(9), 8)).isEqualTo(new Bytes(9, null, "01010101", true));
        assertThat(of("\u0001".repeat(6), 8)).isEqualTo(new Bytes(6, null, "01010101", true));
    }

    @Test
    void aPartOfABufferIsThatPart() {
        ByteBuffer part =
                ByteBuffer.wrap("0123456789".getBytes(UTF_8)).position(2).limit(5);
        assertThat(Bytes.of(part, 100)).isEqualTo(new Bytes(3, "234", null, false));
        assertThat(Bytes.of(part, 2)).isEqualTo(new Bytes(3, "23", null, true));
    }

    @Test
    void keysAreReadBack() {
        assertThat(Bytes.ofHex("00ff")).isEqualTo(ByteBuffer.wrap(new byte[] {0, (byte) 0xff}));
        assertThat(Bytes.ofText("ü")).isEqualTo(ByteBuffer.wrap("ü".getBytes(UTF_8)));
    }
}
