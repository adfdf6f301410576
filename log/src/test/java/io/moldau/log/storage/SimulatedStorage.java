package io.moldau.log.storage;

import io.moldau.common.time.Time;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Files in memory that know which of their bytes a power cut would leave.
///
/// A write is durable once its file was forced, a name once its directory was synced. [#killProcess] keeps
/// everything and only invalidates what was open; [#cutPower] keeps what is durable, and of the rest whatever
/// its argument says. Tests can also damage files, make forcing or writing fail, and let the disk run full.
/// Thread-safe.
public final class SimulatedStorage implements LogStorage {

    /// What a power cut does to writes that were not forced.
    public enum Unforced {
        /// None of them survives.
        LOST,
        /// Any of them, or a part of one, survives: the disk wrote back in an order of its own.
        RANDOM
    }

    private sealed interface Node permits Directory, FileNode {}

    private static final class Directory implements Node {
        final TreeMap<String, Node> entries = new TreeMap<>();
        // Entries as of the last sync, and the changes since, in order.
        final TreeMap<String, Node> durable = new TreeMap<>();
        final List<NameChange> pending = new ArrayList<>();

        void put(String name, @Nullable Node node) {
            if (node == null) {
                entries.remove(name);
            } else {
                entries.put(name, node);
            }
            pending.add(new NameChange(name, node, null));
        }

        void rename(String from, String to, Node node) {
            entries.remove(from);
            entries.put(to, node);
            pending.add(new NameChange(to, node, from));
        }
    }

    /// @param from the name it had before, which goes with the change: no crash leaves a file without a name
    private record NameChange(
            String name, @Nullable Node node, @Nullable String from) {}

    /// A write, or with null data a change of the size.
    private record Change(int position, byte @Nullable [] data) {}

    private static final class FileNode implements Node {
        byte[] bytes = new byte[0];
        int size;
        byte[] durable = new byte[0];
        final List<Change> pending = new ArrayList<>();
        long modifiedMs;

        void apply(Change change) {
            var data = change.data();
            if (data == null) {
                size = Math.min(size, change.position());
                return;
            }
            int end = change.position() + data.length;
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
            }
            if (change.position() > size) {
                Arrays.fill(bytes, size, change.position(), (byte) 0);
            }
            System.arraycopy(data, 0, bytes, change.position(), data.length);
            size = Math.max(size, end);
        }

        void become(byte[] content) {
            bytes = content.clone();
            size = content.length;
        }
    }

    private final Time time;
    private final RandomGenerator random;
    private final Directory root = new Directory();
    private final Set<Path> locks = new HashSet<>();
    private int boots;
    private int lives;
    private long capacity = Long.MAX_VALUE;
    private int forcesUntilFailure = -1;
    private int writesUntilFailure = -1;
    private int failedForces;
    private int forces;
    private int stepsUntilCrash = -1;

    public SimulatedStorage(Time time, RandomGenerator random) {
        this.time = time;
        this.random = random;
    }

    // ---- faults

    /// As kill -9: the operating system lives on, so every write survives.
    public synchronized void killProcess() {
        lives++;
        locks.clear();
        stepsUntilCrash = -1;
    }

    public synchronized void cutPower(Unforced unforced) {
        killProcess();
        boots++;
        revert(root, unforced);
    }

    private void revert(Directory directory, Unforced unforced) {
        int kept = unforced == Unforced.LOST ? 0 : random.nextInt(directory.pending.size() + 1);
        for (var change : directory.pending.subList(0, kept)) {
            var node = change.node();
            if (node == null) {
                directory.durable.remove(change.name());
            } else {
                directory.durable.put(change.name(), node);
            }
            if (change.from() != null) {
                directory.durable.remove(change.from());
            }
        }
        directory.pending.clear();
        directory.entries.clear();
        directory.entries.putAll(directory.durable);
        for (var node : directory.entries.values()) {
            switch (node) {
                case Directory child -> revert(child, unforced);
                case FileNode file -> revert(file, unforced);
            }
        }
    }

    private void revert(FileNode file, Unforced unforced) {
        file.become(file.durable);
        if (unforced == Unforced.RANDOM) {
            for (var change : file.pending) {
                var data = change.data();
                switch (random.nextInt(3)) {
                    case 0 -> file.apply(change);
                    case 1 -> {
                        if (data != null) {
                            file.apply(new Change(
                                    change.position(), Arrays.copyOf(data, random.nextInt(data.length + 1))));
                        }
                    }
                    default -> {}
                }
            }
        }
        file.pending.clear();
        file.durable = Arrays.copyOf(file.bytes, file.size);
    }

    /// The `count`-th force from now on fails, and every later one until this is called again; 0 for never.
    public synchronized void failForces(int count) {
        forcesUntilFailure = count == 0 ? -1 : count;
        failedForces = 0;
    }

    /// How many forces have failed since [#failForces] was called.
    public synchronized int failedForces() {
        return failedForces;
    }

    /// The same for writes; each that fails leaves some of its first bytes behind.
    public synchronized void failWrites(int count) {
        writesUntilFailure = count == 0 ? -1 : count;
    }

    /// The `count`-th change of a file or a directory from now on does not happen, nor does any after it, until the
    /// process is killed or the power is cut.
    public synchronized void crashAt(int count) {
        stepsUntilCrash = count;
    }

    /// Whether the point that [#crashAt] named has been reached.
    public synchronized boolean hasCrashed() {
        return stepsUntilCrash == 0;
    }

    private void step() throws IOException {
        if (stepsUntilCrash > 0) {
            stepsUntilCrash--;
        }
        if (stepsUntilCrash == 0) {
            throw new IOException("The process is gone");
        }
    }

    /// How many bytes all files may have together.
    public synchronized void capacity(long bytes) {
        capacity = bytes;
    }

    /// How often a file or directory was forced.
    public synchronized int forces() {
        return forces;
    }

    public synchronized void flipBit(Path path, long bit) throws IOException {
        var file = file(path);
        file.bytes[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
    }

    /// Replaces a file behind the log's back.
    public synchronized void overwrite(Path path, byte[] content) throws IOException {
        var name = name(path);
        var directory = directory(parent(path));
        if (!(directory.entries.get(name) instanceof FileNode)) {
            directory.put(name, new FileNode());
        }
        file(path).become(content);
    }

    // ---- names

    private static Path parent(Path path) {
        return LogStorage.parent(path.toAbsolutePath());
    }

    private static String name(Path path) {
        return path.getFileName().toString();
    }

    private @Nullable Node find(Path path) {
        Node node = root;
        for (var step : path.toAbsolutePath()) {
            if (!(node instanceof Directory directory)) {
                return null;
            }
            var next = directory.entries.get(step.toString());
            if (next == null) {
                return null;
            }
            node = next;
        }
        return node;
    }

    private Directory directory(Path path) throws IOException {
        if (find(path) instanceof Directory directory) {
            return directory;
        }
        throw new NoSuchFileException(path.toString());
    }

    private FileNode file(Path path) throws IOException {
        if (find(path) instanceof FileNode file) {
            return file;
        }
        throw new NoSuchFileException(path.toString());
    }

    // ---- LogStorage

    @Override
    public synchronized LogFile open(Path path, Access access) throws IOException {
        var node = find(path);
        if (node == null && access == Access.CREATE) {
            step();
            var created = new FileNode();
            created.modifiedMs = time.milliseconds();
            directory(parent(path)).put(name(path), created);
            node = created;
        }
        if (node instanceof FileNode file) {
            return new SimulatedFile(path, file, lives);
        }
        throw new NoSuchFileException(path.toString());
    }

    @Override
    public synchronized boolean exists(Path path) {
        return find(path) != null;
    }

    @Override
    public synchronized boolean isDirectory(Path path) {
        return find(path) instanceof Directory;
    }

    @Override
    public synchronized List<String> list(Path directory) {
        return find(directory) instanceof Directory found ? List.copyOf(found.entries.keySet()) : List.of();
    }

    @Override
    public synchronized long size(Path path) throws IOException {
        return file(path).size;
    }

    @Override
    public synchronized long lastModifiedMs(Path path) throws IOException {
        return file(path).modifiedMs;
    }

    @Override
    public synchronized void createDirectories(Path directory) throws IOException {
        Directory at = root;
        for (var step : directory.toAbsolutePath()) {
            var next = at.entries.get(step.toString());
            if (next == null) {
                next = new Directory();
                at.put(step.toString(), next);
            }
            if (!(next instanceof Directory child)) {
                throw new IOException("'" + step + "' is a file");
            }
            at = child;
        }
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        var source = directory(parent(from));
        var node = source.entries.get(name(from));
        if (node == null) {
            throw new NoSuchFileException(from.toString());
        }
        step();
        var target = directory(parent(to));
        if (parent(from).equals(parent(to))) {
            target.rename(name(from), name(to), node);
        } else {
            source.put(name(from), null);
            target.put(name(to), node);
        }
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        var directory = directory(parent(path));
        if (directory.entries.containsKey(name(path))) {
            step();
            directory.put(name(path), null);
        }
    }

    @Override
    public void deleteTree(Path directory) throws IOException {
        delete(directory);
    }

    @Override
    public synchronized void syncDirectory(Path path) throws IOException {
        countForce(path);
        var directory = directory(path);
        directory.durable.clear();
        directory.durable.putAll(directory.entries);
        directory.pending.clear();
    }

    private void countForce(Path path) throws IOException {
        step();
        forces++;
        if (forcesUntilFailure > 1) {
            forcesUntilFailure--;
        } else if (forcesUntilFailure == 1) {
            failedForces++;
            throw new DiskException(path, "fdatasync", new IOException("Input/output error"));
        }
    }

    /// Counts a write; one that fails leaves the first part of its bytes, as a disk may.
    private boolean isGoodWrite() throws IOException {
        step();
        if (writesUntilFailure > 1) {
            writesUntilFailure--;
        }
        return writesUntilFailure != 1;
    }

    @Override
    public synchronized byte[] readAll(Path path) throws IOException {
        var file = file(path);
        return Arrays.copyOf(file.bytes, file.size);
    }

    @Override
    public synchronized Closeable lock(Path path) throws IOException {
        open(path, Access.CREATE).close();
        if (!locks.add(path)) {
            throw new IOException("'" + path + "' is already locked");
        }
        return () -> {
            synchronized (this) {
                locks.remove(path);
            }
        };
    }

    @Override
    public synchronized String bootId() {
        return "boot-" + boots;
    }

    @Override
    public long totalBytes(Path directory) {
        return capacity;
    }

    @Override
    public synchronized long usableBytes(Path directory) {
        return capacity - used(root);
    }

    private static long used(Directory directory) {
        long used = 0;
        for (var node : directory.entries.values()) {
            used += switch (node) {
                case Directory child -> used(child);
                case FileNode file -> file.size;
            };
        }
        return used;
    }

    /// An open file; useless once the process that opened it was killed.
    private final class SimulatedFile implements LogFile {

        private final Path path;
        private final FileNode node;
        private final int life;
        private boolean closed;

        SimulatedFile(Path path, FileNode node, int life) {
            this.path = path;
            this.node = node;
            this.life = life;
        }

        private void checkAlive() throws IOException {
            if (closed || life != lives) {
                throw new FileNotFoundException("'" + path + "' is not open any more");
            }
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public long size() throws IOException {
            synchronized (SimulatedStorage.this) {
                checkAlive();
                return node.size;
            }
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            synchronized (SimulatedStorage.this) {
                checkAlive();
                int count = (int) Math.clamp(node.size - position, 0, target.remaining());
                target.put(node.bytes, (int) position, count);
                return count;
            }
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            synchronized (SimulatedStorage.this) {
                checkAlive();
                boolean good = isGoodWrite();
                var data = new byte[source.remaining()];
                source.get(data);
                if (!good) {
                    change(new Change((int) position, Arrays.copyOf(data, random.nextInt(data.length + 1))));
                    throw new DiskException(path, "write", new IOException("Input/output error"));
                }
                long grows = Math.max(0, position + data.length - node.size);
                long free = capacity == Long.MAX_VALUE ? Long.MAX_VALUE : capacity - used(root);
                if (grows > free) {
                    change(new Change((int) position, Arrays.copyOf(data, (int) Math.max(0, data.length - grows))));
                    throw new DiskException(path, "write", new IOException("No space left on device"));
                }
                change(new Change((int) position, data));
            }
        }

        private void change(Change change) {
            node.apply(change);
            node.pending.add(change);
            node.modifiedMs = time.milliseconds();
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (SimulatedStorage.this) {
                checkAlive();
                if (size < node.size) {
                    step();
                    change(new Change((int) size, null));
                }
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (SimulatedStorage.this) {
                checkAlive();
                countForce(path);
                node.durable = Arrays.copyOf(node.bytes, node.size);
                node.pending.clear();
            }
        }

        @Override
        public FileChannel channel() {
            return new ReadOnlyChannel(this);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /// As much of a file channel as sending a region of it takes.
    private static final class ReadOnlyChannel extends FileChannel {

        private final SimulatedFile file;

        ReadOnlyChannel(SimulatedFile file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            int read = file.read(target, position);
            return read == 0 && target.hasRemaining() ? -1 : read;
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
            var buffer = ByteBuffer.allocate((int) Math.min(count, 1 << 16));
            file.read(buffer, position);
            return target.write(buffer.flip());
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel position(long newPosition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(boolean metaData) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source, long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void implCloseChannel() {}
    }

    /// A storage with the same files, all of them durable, that knows nothing of what was open.
    public synchronized SimulatedStorage copy() {
        var copy = new SimulatedStorage(time, random);
        copy.boots = boots;
        copyInto(root, copy.root);
        return copy;
    }

    private static void copyInto(Directory from, Directory to) {
        from.entries.forEach((name, node) -> to.entries.put(
                name,
                switch (node) {
                    case Directory child -> {
                        var directory = new Directory();
                        copyInto(child, directory);
                        yield directory;
                    }
                    case FileNode file -> {
                        var copied = new FileNode();
                        copied.become(Arrays.copyOf(file.bytes, file.size));
                        copied.durable = Arrays.copyOf(file.bytes, file.size);
                        copied.modifiedMs = file.modifiedMs;
                        yield copied;
                    }
                }));
        to.durable.putAll(to.entries);
    }

    /// Every file below a directory, by its path from there.
    public synchronized Map<String, byte[]> files(Path directory) throws IOException {
        var found = new TreeMap<String, byte[]>();
        collect(directory(directory), "", found);
        return found;
    }

    private static void collect(Directory directory, String prefix, Map<String, byte[]> into) {
        directory.entries.forEach((name, node) -> {
            switch (node) {
                case Directory child -> collect(child, prefix + name + "/", into);
                case FileNode file -> into.put(prefix + name, Arrays.copyOf(file.bytes, file.size));
            }
        });
    }
}
