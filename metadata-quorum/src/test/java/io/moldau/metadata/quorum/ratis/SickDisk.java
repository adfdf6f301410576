package io.moldau.metadata.quorum.ratis;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.apache.ratis.server.raftlog.RaftLog;

/// The open segment of a voter's log, on a disk that runs full or hangs.
///
/// Takes the place of the file channel that Ratis writes the segment through, which it has no way to be given: so it
/// goes in by reflection, and fails loudly when Ratis names its fields otherwise.
final class SickDisk extends FileChannel {

    private final FileChannel file;
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final CountDownLatch hanging = new CountDownLatch(1);
    private volatile boolean full;
    private volatile boolean stuck;

    private SickDisk(FileChannel file) {
        this.file = file;
    }

    /// Puts it under the open segment; nothing is wrong with it yet. Nobody may write the log meanwhile.
    static SickDisk under(RaftLog log) throws ReflectiveOperationException {
        Object channel = value(value(value(log, "fileLogWorker"), "out"), "out");
        Field field = field(channel, "fileChannel");
        var disk = new SickDisk((FileChannel) field.get(channel));
        field.set(channel, disk);
        return disk;
    }

    private static Field field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static Object value(Object of, String name) throws ReflectiveOperationException {
        return Objects.requireNonNull(field(of, name).get(of), name);
    }

    /// From here on there is no space for what is written.
    void runFull() {
        full = true;
    }

    /// From here on no fsync comes back, until [#resume].
    void hang() {
        stuck = true;
    }

    void resume() {
        stuck = false;
        hangs.countDown();
    }

    boolean isHanging() {
        return hanging.getCount() == 0;
    }

    private void checkSpace() throws IOException {
        if (full) {
            throw new IOException("No space left on device");
        }
    }

    @Override
    public void force(boolean metaData) throws IOException {
        if (stuck) {
            hanging.countDown();
            try {
                hangs.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        file.force(metaData);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        checkSpace();
        return file.write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        checkSpace();
        return file.write(srcs, offset, length);
    }

    @Override
    public int write(ByteBuffer src, long position) throws IOException {
        checkSpace();
        return file.write(src, position);
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        return file.read(dst);
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        return file.read(dsts, offset, length);
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
        return file.read(dst, position);
    }

    @Override
    public long position() throws IOException {
        return file.position();
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        file.position(newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        file.truncate(size);
        return this;
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        return file.transferTo(position, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel src, long position, long count) throws IOException {
        checkSpace();
        return file.transferFrom(src, position, count);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        return file.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        return file.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return file.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }
}
