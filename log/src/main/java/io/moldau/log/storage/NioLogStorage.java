package io.moldau.log.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The operating system's files.
public final class NioLogStorage implements LogStorage {

    private static final Path LINUX_BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final String bootId;

    public NioLogStorage() {
        this.bootId = readBootId();
    }

    private static String readBootId() {
        try {
            return Files.readString(LINUX_BOOT_ID).strip();
        } catch (IOException e) {
            // Not Linux. An id that never equals a recorded one means "assume the machine restarted": slower,
            // still right.
            return "";
        }
    }

    @Override
    public LogFile open(Path path, Access access) throws IOException {
        var channel = switch (access) {
            case READ -> FileChannel.open(path, StandardOpenOption.READ);
            case READ_WRITE -> FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            case CREATE ->
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        };
        return new NioFile(path, channel);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        var names = new ArrayList<String>();
        try (var stream = Files.newDirectoryStream(directory)) {
            for (var entry : stream) {
                names.add(entry.getFileName().toString());
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public long size(Path path) throws IOException {
        return Files.size(path);
    }

    @Override
    public long lastModifiedMs(Path path) throws IOException {
        return Files.getLastModifiedTime(path).toMillis();
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public void deleteTree(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                    Path visited, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw new DiskException(directory, "fsync", e);
        }
    }

    @Override
    public byte[] readAll(Path path) throws IOException {
        try {
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new DiskException(path, "read", e);
        }
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        var channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        try {
            var lock = channel.tryLock();
            if (lock == null) {
                throw new IOException("'" + path + "' is locked by another process: is a node already running on it?");
            }
            return channel;
        } catch (OverlappingFileLockException e) {
            channel.close();
            throw new IOException("'" + path + "' is already locked by this process", e);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public String bootId() {
        return bootId;
    }

    @Override
    public long totalBytes(Path directory) throws IOException {
        // Not by Files.getFileStore, which reads the table of mounts each time.
        long total = directory.toFile().getTotalSpace();
        if (total == 0) {
            throw new NoSuchFileException(directory.toString());
        }
        return total;
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        long usable = directory.toFile().getUsableSpace();
        if (usable == 0) {
            // Zero also stands for a directory that is not there.
            totalBytes(directory);
        }
        return usable;
    }

    /// Puts the file's name into what a channel says of a failure.
    private record NioFile(Path path, FileChannel channel) implements LogFile {

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            try {
                int total = 0;
                while (target.hasRemaining()) {
                    int read = channel.read(target, position + total);
                    if (read < 0) {
                        break;
                    }
                    total += read;
                }
                return total;
            } catch (IOException e) {
                throw new DiskException(path, "read", e);
            }
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            try {
                long at = position;
                while (source.hasRemaining()) {
                    at += channel.write(source, at);
                }
            } catch (IOException e) {
                throw new DiskException(path, "write", e);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            try {
                channel.truncate(size);
            } catch (IOException e) {
                throw new DiskException(path, "truncate", e);
            }
        }

        @Override
        public void force() throws IOException {
            try {
                // Sizes change with every append, and fdatasync makes a changed size durable too.
                channel.force(false);
            } catch (IOException e) {
                throw new DiskException(path, "fdatasync", e);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
