package io.moldau.broker.api.data;

import io.moldau.log.storage.LogFile;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.NioLogStorage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Real disks, of which all or those under one directory stop taking writes when told so.
public final class BreakableStorage implements LogStorage {

    private final LogStorage disk = new NioLogStorage();
    private final Set<Path> broken = ConcurrentHashMap.newKeySet();
    private volatile long left = -1;

    void breakDown() {
        breakDown(Path.of("/"));
    }

    public void breakDown(Path directory) {
        broken.add(directory);
    }

    private void check(Path path) throws IOException {
        if (broken.stream().anyMatch(path.toAbsolutePath()::startsWith)) {
            throw new IOException("the disk is broken");
        }
    }

    @Override
    public LogFile open(Path path, Access access) throws IOException {
        return new File(disk.open(path, access));
    }

    @Override
    public boolean exists(Path path) {
        return disk.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return disk.isDirectory(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public long size(Path path) throws IOException {
        return disk.size(path);
    }

    @Override
    public long lastModifiedMs(Path path) throws IOException {
        return disk.lastModifiedMs(path);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        disk.createDirectories(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        disk.delete(path);
    }

    @Override
    public void deleteTree(Path directory) throws IOException {
        disk.deleteTree(directory);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        disk.syncDirectory(directory);
    }

    @Override
    public byte[] readAll(Path path) throws IOException {
        return disk.readAll(path);
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        return disk.lock(path);
    }

    @Override
    public String bootId() {
        return disk.bootId();
    }

    @Override
    public long totalBytes(Path directory) throws IOException {
        return disk.totalBytes(directory);
    }

    /// As a disk that is nearly full says.
    public void leave(long bytes) {
        left = bytes;
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        return left < 0 ? disk.usableBytes(directory) : left;
    }

    private final class File implements LogFile {
        private final LogFile file;

        File(LogFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            check(file.path());
            file.write(source, position);
        }

        @Override
        public void truncate(long size) throws IOException {
            check(file.path());
            file.truncate(size);
        }

        @Override
        public void force() throws IOException {
            check(file.path());
            file.force();
        }

        @Override
        public FileChannel channel() {
            return file.channel();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
