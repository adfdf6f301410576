package io.moldau.metadata.quorum.transport;

/// The kinds of messages between voters. Each kind has a connection of its own to each voter, so that none waits
/// behind another: a heartbeat behind a snapshot would cost the leader its leadership.
public enum RaftMessage {
    /// A candidate asks for a vote, or whether it would get one.
    VOTE(1),
    /// The leader sends entries; answered when they are on the follower's disk.
    APPEND(2),
    /// The leader shows that it lives and how far the log is committed.
    HEARTBEAT(3),
    /// The leader sends a piece of a snapshot.
    SNAPSHOT(4),
    /// The leader asks a follower to take over.
    START_ELECTION(5),
    /// A follower keeps this open at the leader: that it breaks is how the end of the leader's process is noticed.
    WATCH(6),
    /// A follower whose leader's process is gone asks the others whether they see the same.
    LEADER_GONE(7),
    /// The leader asks a controller to get ready to become a voter.
    PREPARE_TO_JOIN(8);

    private static final RaftMessage[] BY_CODE = new RaftMessage[9];

    static {
        for (RaftMessage message : values()) {
            BY_CODE[message.code] = message;
        }
    }

    private final byte code;

    RaftMessage(int code) {
        this.code = (byte) code;
    }

    /// What stands for it on the wire.
    public byte code() {
        return code;
    }

    /// @throws IllegalArgumentException if nothing has this code
    public static RaftMessage of(byte code) {
        if (code < 1 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("no raft message has the code " + code);
        }
        return BY_CODE[code];
    }
}
