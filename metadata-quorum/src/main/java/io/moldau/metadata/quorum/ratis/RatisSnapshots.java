package io.moldau.metadata.quorum.ratis;

import io.moldau.metadata.image.snapshot.ImageReader;
import io.moldau.metadata.image.snapshot.ImageWriter;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.metadata.quorum.SnapshotSource;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.FileUtils;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The snapshot files of one group.
///
/// Ratis asks for a snapshot on its applying thread, where writing one would stop every commit. So a snapshot is
/// first
/// written by another thread under a temporary name ([#prepare]), and then only renamed when Ratis asks
/// ([#register]).
final class RatisSnapshots implements SnapshotSource {

    private static final Logger LOG = LoggerFactory.getLogger(RatisSnapshots.class);
    private static final String PREPARED_PREFIX = "prepared.";
    private static final String TRANSFER_PREFIX = "snapshot-";

    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private volatile @Nullable Path directory;
    private volatile @Nullable Path transfers;
    private volatile @Nullable Prepared prepared;

    private record Prepared(Path file, MD5Hash digest, long index, int term) {}

    SimpleStateMachineStorage storage() {
        return storage;
    }

    void init(RaftStorage raftStorage) throws IOException {
        Path path = raftStorage.getStorageDir().getStateMachineDir().toPath();
        directory = path;
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(path, PREPARED_PREFIX + "*")) {
            for (Path leftover : leftovers) {
                Files.delete(leftover);
            }
        }
        transfers = raftStorage.getStorageDir().getRoot().toPath().resolve("tmp");
        deleteTransfers();
        storage.init(raftStorage);
    }

    /// What Ratis leaves of transfers that were cut off: each is as large as a snapshot, and none is ever continued.
    private void deleteTransfers() throws IOException {
        Path path = transfers;
        if (path == null || !Files.isDirectory(path)) {
            return;
        }
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(path, TRANSFER_PREFIX + "*")) {
            for (Path leftover : leftovers) {
                FileUtils.deleteFully(leftover.toFile());
            }
        }
    }

    /// Looks for a snapshot that Ratis installed.
    void reload() {
        storage.loadLatestSnapshot();
        try {
            deleteTransfers();
        } catch (IOException e) {
            // The next transfer may have begun meanwhile; if it is hit, the leader begins it anew.
            LOG.warn("what is left of snapshot transfers could not be deleted; the next start tries it again", e);
        }
    }

    /// The newest snapshot's contents, or null if there is none.
    ImageReader.@Nullable Loaded load() throws IOException {
        @Nullable SingleFileSnapshotInfo latest = storage.getLatestSnapshot();
        if (latest == null) {
            return null;
        }
        Path file = latest.getFile().getPath();
        try (var in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            ImageReader.Loaded loaded = ImageReader.read(in);
            LOG.info("loaded metadata snapshot: offset={} epoch={}", loaded.index(), loaded.term());
            return loaded;
        } catch (IOException e) {
            throw new IOException("metadata snapshot " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /// Writes a snapshot under a temporary name. Not on the applying thread.
    ///
    /// @return its size in bytes
    long prepare(AppliedMetadata.Position position) throws IOException {
        Prepared done = write(position);
        discard(prepared);
        prepared = done;
        return Files.size(done.file());
    }

    /// Makes the prepared snapshot the newest one; without one, writes one. On the applying thread.
    ///
    /// @return the index up to which the log may be forgotten
    long register(AppliedMetadata.Position position) throws IOException {
        Prepared ready = prepared;
        prepared = null;
        if (position.index() < 0) {
            return -1;
        }
        if (ready == null) {
            ready = write(position);
        }
        Path file = storage.getSnapshotFile(ready.term(), ready.index()).toPath();
        DurableFiles.rename(ready.file(), file);
        MD5FileUtil.saveMD5File(file.toFile(), ready.digest());
        storage.updateLatestSnapshot(
                new SingleFileSnapshotInfo(new FileInfo(file, ready.digest()), ready.term(), ready.index()));
        return ready.index();
    }

    private Prepared write(AppliedMetadata.Position position) throws IOException {
        Path path = directory();
        Path file = path.resolve(PREPARED_PREFIX + position.term() + "_" + position.index());
        try (FileChannel channel = FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
                var out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16)) {
            ImageWriter.write(position.image(), position.index(), position.term(), out);
            out.flush();
            channel.force(true);
        }
        return new Prepared(file, MD5FileUtil.computeMd5ForFile(file.toFile()), position.index(), position.term());
    }

    private static void discard(@Nullable Prepared old) throws IOException {
        if (old != null) {
            Files.deleteIfExists(old.file());
        }
    }

    private Path directory() {
        Path path = directory;
        if (path == null) {
            throw new IllegalStateException("the storage is not open yet");
        }
        return path;
    }

    // ---- For those who fetch.

    @Override
    public @Nullable Snapshot latest() {
        @Nullable SingleFileSnapshotInfo latest = storage.getLatestSnapshot();
        return latest == null
                ? null
                : new Snapshot(
                        latest.getIndex(),
                        (int) latest.getTerm(),
                        latest.getFile().getFileSize());
    }

    @Override
    public long latestWrittenMs() {
        @Nullable SingleFileSnapshotInfo latest = storage.getLatestSnapshot();
        try {
            return latest == null
                    ? -1
                    : Files.getLastModifiedTime(latest.getFile().getPath()).toMillis();
        } catch (IOException e) {
            // A newer one took its place meanwhile.
            LOG.debug("the newest snapshot's file cannot be looked at", e);
            return -1;
        }
    }

    @Override
    public @Nullable ByteBuffer read(Snapshot snapshot, long position, int maxBytes) throws IOException {
        Path file = storage.getSnapshotFile(snapshot.term(), snapshot.index()).toPath();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            var buffer = ByteBuffer.allocate((int) Math.max(0, Math.min(maxBytes, channel.size() - position)));
            while (buffer.hasRemaining() && channel.read(buffer, position + buffer.position()) >= 0) {
                continue;
            }
            return buffer.flip();
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
