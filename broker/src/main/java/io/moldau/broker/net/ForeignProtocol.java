package io.moldau.broker.net;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What a peer may have meant whose first four bytes are no length of a frame. Functions.
final class ForeignProtocol {

    private static final int TLS_HANDSHAKE = 0x16_03;

    private static final List<String> HTTP = List.of("GET ", "POST", "PUT ", "HEAD", "OPTI", "DELE", "PRI ");

    private ForeignProtocol() {}

    /// For the end of a message; empty if it looks like nothing known.
    static String hint(int firstBytes) {
        if (firstBytes >>> 16 == TLS_HANDSHAKE) {
            return ": the client speaks TLS to a listener without it";
        }
        String text =
                new String(ByteBuffer.allocate(Integer.BYTES).putInt(firstBytes).array(), StandardCharsets.ISO_8859_1);
        if (HTTP.contains(text)) {
            return ": the client speaks HTTP";
        }
        return text.equals("SSH-") ? ": the client speaks SSH" : "";
    }
}
