package io.moldau.log.space;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.log.storage.DiskException;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How much room one log directory has, and what is done about it. Thread-safe; [#refusal] is one volatile read as
/// long as there is enough.
///
/// A full volume is the one failure of a disk that ends by itself, so it takes nothing offline: writes are refused
/// in time, some room is held back for what the node itself must write, and they return when there is space.
public final class DirectorySpace {

    /// Something that writes.
    @FunctionalInterface
    public interface Step<T> {
        T run() throws IOException;
    }

    /// What is known of a directory's room.
    ///
    /// @param usableBytes free, with the reserve if that was given up; -1 if nobody has looked
    /// @param overBudget topics that have more than their budget on this broker
    public record State(
            SpaceLevel level, long usableBytes, long totalBytes, boolean reserveHeld, Set<String> overBudget) {
        public State {
            overBudget = Set.copyOf(overBudget);
        }

        private State with(SpaceLevel newLevel) {
            return new State(newLevel, usableBytes, totalBytes, false, overBudget);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(DirectorySpace.class);

    private static final State UNKNOWN = new State(SpaceLevel.AMPLE, -1, -1, false, Set.of());

    /// How long a directory counts as full after the disk said so, whatever it says of its free space: a quota is
    /// not seen there.
    private static final long FULL_MS = 1_000;

    private final LogStorage storage;
    private final Path path;
    private final SpaceReserve reserve;

    /// Written under this object's lock.
    private volatile State state = UNKNOWN;

    private volatile long timesFull;

    // Guarded by this.
    private boolean ranOut;
    private long fullUntilMs = Long.MIN_VALUE;

    public DirectorySpace(LogStorage storage, Path path) {
        this.storage = storage;
        this.path = path;
        this.reserve = new SpaceReserve(storage, path);
    }

    public Path path() {
        return path;
    }

    public State state() {
        return state;
    }

    public SpaceLevel level() {
        return state.level();
    }

    /// How often the disk itself said that it is full.
    public long timesFull() {
        return timesFull;
    }

    /// Why a client's records for the topic are not taken; null if they are.
    public @Nullable String refusal(String topic) {
        State now = state;
        return switch (now.level()) {
            case AMPLE -> null;
            case SHORT -> now.overBudget().contains(topic) ? overBudget(topic, now) : null;
            case FULL -> full(now);
        };
    }

    private String overBudget(String topic, State now) {
        return "Topic '" + topic + "' is over its moldau.storage.budget.bytes while log directory '" + path
                + "' is short of space (" + mib(now.usableBytes())
                + " free). Delete records, lower its retention, raise the budget, or make room on the disk; writes "
                + "return by themselves.";
    }

    private String full(State now) {
        return "Log directory '" + path + "' is full (" + mib(now.usableBytes())
                + " free). Delete records, lower the retention of its topics, or make room on the disk; writes "
                + "return by themselves.";
    }

    private static String mib(long bytes) {
        return bytes < 0 ? "nobody knows how much" : (bytes >> 20) + " MiB";
    }

    // ---- when the disk says that it is full

    /// Runs a step that the node cannot do without and that can be done again. If the disk is full, the reserve is
    /// given up and the step is tried once more.
    public <T> T withRoom(Step<T> step) throws IOException {
        try {
            return step.run();
        } catch (IOException e) {
            if (!DiskException.isFull(e)) {
                throw e;
            }
            ranOut(e);
            return step.run();
        }
    }

    /// Takes note that the disk is full: from now on no client writes, and the reserve is there for the others.
    ///
    /// @return what to throw
    public ApiException ranOut(IOException cause) {
        State now;
        synchronized (this) {
            ranOut = true;
            timesFull++;
            if (state.level() != SpaceLevel.FULL) {
                LOG.warn(
                        "The disk is full, records of clients are refused until there is space path={} cause=\"{}\"",
                        path,
                        cause.getMessage());
            }
            giveUpReserve();
            now = state.with(SpaceLevel.FULL);
            state = now;
        }
        return new ApiException(Errors.KAFKA_STORAGE_ERROR, full(now) + " (" + cause.getMessage() + ")");
    }

    /// Leaves the reserved room to whoever writes next.
    public synchronized void giveUpReserve() {
        try {
            reserve.giveUp();
        } catch (IOException e) {
            LOG.warn("The reserved space could not be given up path={}", path, e);
        }
    }

    // ---- looking

    /// Asks the disk how much is free, and decides. Waits for the disk.
    ///
    /// @return what it is now
    public State look(MarkSettings settings, long nowMs) {
        try {
            long usable = storage.usableBytes(path);
            long total = storage.totalBytes(path);
            return decide(settings.marks(total), usable, total, nowMs);
        } catch (IOException e) {
            // Whoever writes there will be told; this is not the place to judge a disk.
            LOG.debug("Looking at the free space failed path={}", path, e);
            return state;
        }
    }

    private synchronized State decide(SpaceMarks marks, long usable, long total, long nowMs) throws IOException {
        if (ranOut) {
            ranOut = false;
            fullUntilMs = nowMs + FULL_MS;
        }
        State before = state;
        long held = reserve.heldBytes();
        long lacking = Math.max(0, marks.reserveBytes() - held);
        SpaceLevel level =
                nowMs < fullUntilMs ? SpaceLevel.FULL : marks.next(before.level(), Math.max(0, usable - lacking));
        if (held > 0 && usable < marks.fullBytes() / 4) {
            // Somebody else fills the disk. Better now than when the metadata log is told that there is no space.
            reserve.giveUp();
            held = 0;
        } else if (level == SpaceLevel.AMPLE && held != marks.reserveBytes()) {
            held = hold(marks.reserveBytes());
        }
        if (level != before.level()) {
            tell(before.level(), level, usable, total);
        }
        State now = new State(level, usable, total, held > 0, before.overBudget());
        state = now;
        return now;
    }

    private long hold(long bytes) throws IOException {
        try {
            reserve.hold(bytes);
            return bytes;
        } catch (IOException e) {
            LOG.warn("No space could be reserved path={} cause=\"{}\"", path, e.getMessage());
            reserve.giveUp();
            return 0;
        }
    }

    private void tell(SpaceLevel before, SpaceLevel now, long usable, long total) {
        switch (now) {
            case AMPLE -> LOG.info("There is enough space again path={} usable={} total={}", path, usable, total);
            case SHORT ->
                LOG.warn(
                        "Space is short, topics over their budget are refused path={} usable={} total={} before={}",
                        path,
                        usable,
                        total,
                        before);
            case FULL ->
                LOG.warn(
                        "Space runs out, records of clients are refused until there is some path={} usable={} total={}",
                        path,
                        usable,
                        total);
        }
    }

    /// Names the topics that have more than their budget.
    public synchronized void overBudget(Set<String> topics) {
        State now = state;
        if (!now.overBudget().equals(topics)) {
            state = new State(now.level(), now.usableBytes(), now.totalBytes(), now.reserveHeld(), topics);
        }
    }
}
