package io.moldau.metadata.quorum.ratis;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// What voters tell each other about a leader, beside Raft's own messages.
///
/// @param term of the leader
/// @param leader the leader's key, see [io.moldau.metadata.quorum.Voter#key()]
/// @param sender who says it
/// @param lastTerm and lastIndex: where the sender's log ends
record PeerNote(long term, String leader, String sender, long lastTerm, long lastIndex) {

    private static final int MAX_KEY = 100;

    /// Whether somebody whose log ends there is the better candidate than the sender of this note: the longer log wins
    /// elections anyway, and of equals one has to give way.
    boolean isWorseThan(String key, long otherLastTerm, long otherLastIndex) {
        if (otherLastTerm != lastTerm) {
            return otherLastTerm > lastTerm;
        }
        if (otherLastIndex != lastIndex) {
            return otherLastIndex > lastIndex;
        }
        return key.compareTo(sender) < 0;
    }

    ByteBuffer encode() {
        byte[] leaderBytes = leader.getBytes(StandardCharsets.UTF_8);
        byte[] senderBytes = sender.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(3 * Long.BYTES + 2 * Short.BYTES + leaderBytes.length + senderBytes.length)
                .putLong(term)
                .putLong(lastTerm)
                .putLong(lastIndex)
                .putShort((short) leaderBytes.length)
                .put(leaderBytes)
                .putShort((short) senderBytes.length)
                .put(senderBytes)
                .flip();
    }

    /// @throws IOException if the bytes are no note
    static PeerNote decode(ByteBuffer bytes) throws IOException {
        try {
            long term = bytes.getLong();
            long lastTerm = bytes.getLong();
            long lastIndex = bytes.getLong();
            String leader = key(bytes);
            return new PeerNote(term, leader, key(bytes), lastTerm, lastIndex);
        } catch (BufferUnderflowException e) {
            throw new IOException("a note between voters is too short", e);
        }
    }

    private static String key(ByteBuffer bytes) throws IOException {
        short length = bytes.getShort();
        if (length < 0 || length > MAX_KEY) {
            throw new IOException("a voter's key of " + length + " bytes");
        }
        var key = new byte[length];
        bytes.get(key);
        return new String(key, StandardCharsets.UTF_8);
    }
}
