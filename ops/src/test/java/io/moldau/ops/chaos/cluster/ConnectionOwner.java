package io.moldau.ops.chaos.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds out which process of this machine has opened a connection, by what Linux tells in `/proc`.
final class ConnectionOwner {

    /// Nobody that was asked about: a client, a tool, or a process that has ended.
    static final int UNKNOWN = -1;

    private static final int LOCAL_ADDRESS = 1;
    private static final int INODE = 9;

    private ConnectionOwner() {}

    /// The key of the process that owns the socket with this local port, or [#UNKNOWN].
    static int find(int localPort, Map<Integer, Long> pids) {
        var inode = inode(localPort);
        if (inode == null) {
            return UNKNOWN;
        }
        var wanted = "socket:[" + inode + "]";
        for (var candidate : pids.entrySet()) {
            if (owns(candidate.getValue(), wanted)) {
                return candidate.getKey();
            }
        }
        return UNKNOWN;
    }

    private static @Nullable String inode(int localPort) {
        var suffix = ":%04X".formatted(localPort);
        for (var table : new String[] {"tcp", "tcp6"}) {
            try {
                for (var line : Files.readAllLines(Path.of("/proc/net", table))) {
                    var words = line.strip().split("\\s+");
                    if (words.length > INODE && words[LOCAL_ADDRESS].endsWith(suffix)) {
                        return words[INODE];
                    }
                }
            } catch (IOException e) {
                // No IPv6 here: the other table has it, or nobody.
                continue;
            }
        }
        return null;
    }

    private static boolean owns(long pid, String socket) {
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "fd"))) {
            for (var descriptor : descriptors) {
                if (isLinkTo(descriptor, socket)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            // It has ended meanwhile.
            return false;
        }
    }

    private static boolean isLinkTo(Path descriptor, String target) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (IOException e) {
            // Closed since the folder was listed.
            return false;
        }
    }
}
