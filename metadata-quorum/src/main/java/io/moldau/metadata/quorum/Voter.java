package io.moldau.metadata.quorum;

import io.moldau.common.Uuid;

/// A member of the metadata quorum.
///
/// @param directoryId the directory of its log; zero for a voter of a static list, which does not name directories
/// @param host and port: where other voters reach it; an empty host for a lone voter that nobody needs to reach
public record Voter(int nodeId, Uuid directoryId, String host, int port) {

    /// The name of the voter in the quorum: a wiped disk is a new voter, not the old one with a lost memory
    /// (KIP-853).
    public String key() {
        return directoryId.equals(Uuid.ZERO) ? Integer.toString(nodeId) : nodeId + "." + directoryId;
    }

    /// Whether a [#key()] is that of a voter which configuration names.
    public static boolean isFixed(String key) {
        return key.indexOf('.') < 0;
    }

    /// The node id in a [#key()].
    public static int nodeId(String key) {
        int dot = key.indexOf('.');
        return Integer.parseInt(dot < 0 ? key : key.substring(0, dot));
    }
}
