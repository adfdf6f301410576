package io.moldau.broker.lifecycle;

import io.moldau.common.Uuid;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The data directories of this node, checked to be its own.
///
/// There is no format step: a directory without identity gets one here, at the first start. While it is checked a
/// directory is locked by its `.lock`; after that the lock is taken again by whoever uses the directory.
public final class DataDirectories {

    private final String clusterId;
    private final Map<Path, Uuid> directoryIds;
    private final boolean firstStart;

    private DataDirectories(String clusterId, Map<Path, Uuid> directoryIds, boolean firstStart) {
        this.clusterId = clusterId;
        this.directoryIds = directoryIds;
        this.firstStart = firstStart;
    }

    /// The cluster that a node belongs to by its settings or its directories; null for a node that has no past and was
    /// told nothing. Changes nothing.
    ///
    /// @throws StartException if a directory belongs to another node or cluster
    public static @Nullable String clusterId(List<Path> directories, int nodeId, @Nullable String wantedClusterId) {
        Map<Path, MetaProperties> known = new LinkedHashMap<>();
        for (Path directory : directories) {
            read(directory).ifPresent(meta -> known.put(directory, meta));
        }
        return check(known, nodeId, wantedClusterId);
    }

    /// Checks the directories and gives an identity to those that have none. Each gets it at once or not at all, so
    /// that
    /// a process that is killed meanwhile leaves nothing that the next one would stumble over.
    ///
    /// @param wantedClusterId the cluster this node is configured for; null takes the directories' word, and
    /// draws an id for a new node
    /// @throws StartException if a directory is in use, cannot be used, or belongs to another node or cluster
    public static DataDirectories open(
            List<Path> directories, int nodeId, @Nullable String wantedClusterId, RandomGenerator random) {
        List<FileLock> locks = new ArrayList<>();
        try {
            for (Path directory : directories) {
                locks.add(lock(directory));
            }
            Map<Path, MetaProperties> known = new LinkedHashMap<>();
            for (Path directory : directories) {
                read(directory).ifPresent(meta -> known.put(directory, meta));
            }
            String clusterId = check(known, nodeId, wantedClusterId);
            boolean firstStart = known.isEmpty();
            if (clusterId == null) {
                clusterId = Uuid.random(random).toString();
            }
            Map<Path, Uuid> ids = new LinkedHashMap<>();
            for (Path directory : directories) {
                MetaProperties meta = known.get(directory);
                if (meta == null) {
                    meta = new MetaProperties(clusterId, nodeId, Uuid.random(random));
                    write(directory, meta);
                }
                ids.put(directory, meta.directoryId());
            }
            return new DataDirectories(clusterId, ids, firstStart);
        } finally {
            release(locks);
        }
    }

    public String clusterId() {
        return clusterId;
    }

    /// Directory to id, in the order of the configuration.
    public Map<Path, Uuid> directoryIds() {
        return directoryIds;
    }

    /// Whether none of the directories had been used before.
    public boolean firstStart() {
        return firstStart;
    }

    private static @Nullable String check(
            Map<Path, MetaProperties> known, int nodeId, @Nullable String wantedClusterId) {
        String clusterId = wantedClusterId;
        Path clusterIdFrom = null;
        Map<Uuid, Path> byId = new LinkedHashMap<>();
        for (Map.Entry<Path, MetaProperties> entry : known.entrySet()) {
            Path directory = entry.getKey();
            MetaProperties meta = entry.getValue();
            if (meta.nodeId() != nodeId) {
                throw new StartException("Data directory " + directory + " belongs to node " + meta.nodeId()
                        + ", this node has node.id=" + nodeId + ". Set node.id=" + meta.nodeId()
                        + " or give this node a directory of its own in log.dirs.");
            }
            if (clusterId != null && !clusterId.equals(meta.clusterId())) {
                throw new StartException("Data directory " + directory + " belongs to cluster " + meta.clusterId()
                        + (clusterIdFrom == null
                                ? ", this node is configured for cluster " + clusterId
                                : ", directory " + clusterIdFrom + " to cluster " + clusterId)
                        + ". Remove the directory that does not belong here from log.dirs.");
            }
            clusterId = meta.clusterId();
            clusterIdFrom = directory;
            Path twin = byId.putIfAbsent(meta.directoryId(), directory);
            if (twin != null) {
                throw new StartException("Data directories " + twin + " and " + directory
                        + " have the same directory.id " + meta.directoryId()
                        + ": one is a copy of the other. Remove the copy from log.dirs.");
            }
        }
        return clusterId;
    }

    private static FileLock lock(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new StartException(
                    "Data directory " + directory + " cannot be created (" + reason(e)
                            + "). Create it or name another one in log.dirs.",
                    e);
        }
        Path file = directory.resolve(".lock");
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            @Nullable FileLock lock = tryLock(channel);
            if (lock != null) {
                return lock;
            }
            channel.close();
        } catch (IOException e) {
            throw new StartException(
                    "Data directory " + directory + " cannot be locked (" + reason(e)
                            + "). It must be writable for the user that runs the node.",
                    e);
        }
        throw new StartException("Data directory " + directory
                + " is in use by another node. Stop that node or give this one a directory of its own in log.dirs.");
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Held by this very process: as bad as by another one.
            return null;
        }
    }

    private static Optional<MetaProperties> read(Path directory) {
        try {
            return MetaProperties.read(directory);
        } catch (IOException e) {
            throw new StartException(
                    "Data directory " + directory + ": " + MetaProperties.FILE_NAME + " cannot be read (" + reason(e)
                            + ").",
                    e);
        }
    }

    private static void write(Path directory, MetaProperties meta) {
        try {
            meta.write(directory);
        } catch (IOException e) {
            throw new StartException(
                    "Data directory " + directory + ": " + MetaProperties.FILE_NAME + " cannot be written (" + reason(e)
                            + "). The directory must be writable and its disk must not be full.",
                    e);
        }
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }

    private static void release(List<FileLock> locks) {
        for (FileLock lock : locks) {
            try {
                lock.acquiredBy().close();
            } catch (IOException e) {
                throw new StartException("A lock of a data directory cannot be released", e);
            }
        }
    }
}
