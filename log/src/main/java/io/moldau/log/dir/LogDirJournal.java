package io.moldau.log.dir;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.LogSummary;
import io.moldau.log.LogView;
import io.moldau.log.storage.LogFile;
import io.moldau.log.storage.LogStorage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// What a log directory knows about its partitions without opening them, kept so that a start after a crash
/// looks at no partition but those that were being written: the checkpoint `moldau-log-checkpoint`, which is
/// replaced as a whole now and then, and journals `moldau-log-journal-N` of everything since.
///
/// Both are sequences of frames: `length i32 | crc32c of the rest u32 | type i8 | fields`. The first frame says
/// which generation the file is (a checkpoint of generation N stands for all journals before N), in which run of
/// the operating system it was written, and, for the checkpoint of a clean stop, the time of the clean-shutdown
/// marker. If that is not the marker's time any more, another program has used the directory since, and nothing
/// here is believed.
///
/// Kafka's own files cannot do this: they hold offsets only and are written once a minute. Kafka ignores these.
///
/// Thread-safe. Appends to the journal are not forced, except where a method says so: what the machine's failure
/// can take away is checked at the next start, because then the run of the operating system is another one.
final class LogDirJournal {

    static final String CHECKPOINT = "moldau-log-checkpoint";
    static final String JOURNAL = "moldau-log-journal-";

    private static final int ROTATE_BYTES = 4 << 20;
    private static final long NOT_CLEAN = -1L;

    private static final byte HEADER = 1;
    private static final byte STATE = 2;
    private static final byte DIRTY = 3;
    private static final byte TRUNCATED = 4;
    private static final byte LOG_START = 5;
    private static final byte REMOVED = 6;

    private final LogStorage storage;
    private final Path logDir;
    private final Map<TopicPartition, RememberedLog> logs;
    // Taken before the lock of the journal itself; while it is held the open file is not closed.
    private final Object forcing = new Object();
    private final boolean notesMayBeMissing;
    private long generation;
    private @Nullable LogFile journal;
    private long journalSize;
    private long notes;
    // Written by whoever forces; notes up to this one are durable.
    private volatile long forcedNotes;

    private LogDirJournal(
            LogStorage storage,
            Path logDir,
            Map<TopicPartition, RememberedLog> logs,
            long generation,
            boolean notesMayBeMissing) {
        this.notesMayBeMissing = notesMayBeMissing;
        this.storage = storage;
        this.logDir = logDir;
        this.logs = logs;
        this.generation = generation;
    }

    // ---- starting

    /// Reads what the directory remembers.
    ///
    /// @param markerMs when the clean-shutdown marker was written, -1 if there is none
    /// @return null if there is nothing to be believed
    static @Nullable LogDirJournal read(LogStorage storage, Path logDir, long markerMs) throws IOException {
        var journals = new TreeMap<Long, Path>();
        boolean hasCheckpoint = false;
        for (var name : storage.list(logDir)) {
            hasCheckpoint |= name.equals(CHECKPOINT);
            if (name.startsWith(JOURNAL)) {
                try {
                    journals.put(Long.parseLong(name.substring(JOURNAL.length())), logDir.resolve(name));
                } catch (NumberFormatException e) {
                    // Not one of ours.
                    continue;
                }
            }
        }
        var replay = new Replay(storage.bootId());
        long generation = 0;
        if (hasCheckpoint) {
            if (!replay.read(storage.readAll(logDir.resolve(CHECKPOINT)))) {
                return null;
            }
            generation = replay.generation;
        }
        boolean notesMayBeMissing = false;
        var newer = journals.tailMap(generation, true);
        if (newer.isEmpty()) {
            // A clean stop leaves a checkpoint and no journal.
            if (!hasCheckpoint || replay.markerMs == NOT_CLEAN || replay.markerMs != markerMs) {
                return null;
            }
        } else {
            if (markerMs != NOT_CLEAN || (!hasCheckpoint && newer.firstKey() != 0)) {
                return null;
            }
            for (var journal : newer.values()) {
                replay.read(storage.readAll(journal));
                generation = Math.max(generation, replay.generation);
            }
            notesMayBeMissing = !replay.sameBoot;
            if (notesMayBeMissing) {
                // Only forced bytes are sure to be there, and the last lines of the journal may be missing too.
                for (var log : replay.logs.values()) {
                    log.limitEnd(log.view.recoveryPoint());
                    log.dirty = true;
                }
            }
        }
        return new LogDirJournal(storage, logDir, replay.logs, generation, notesMayBeMissing);
    }

    /// A directory that remembers nothing yet.
    static LogDirJournal empty(LogStorage storage, Path logDir) throws IOException {
        for (var name : storage.list(logDir)) {
            if (name.equals(CHECKPOINT) || name.startsWith(JOURNAL)) {
                storage.delete(logDir.resolve(name));
            }
        }
        return new LogDirJournal(storage, logDir, new LinkedHashMap<>(), -1, false);
    }

    /// Whether the machine failed while this program used the directory: a partition that the journal does not
    /// know may be its own then. Otherwise it was put there by somebody else.
    boolean notesMayBeMissing() {
        return notesMayBeMissing;
    }

    synchronized Map<TopicPartition, LogSummary> summaries() {
        var summaries = new LinkedHashMap<TopicPartition, LogSummary>();
        logs.forEach((partition, log) -> summaries.put(partition, log.summary()));
        return summaries;
    }

    /// Adds a partition that was found on disk and that nothing is known about but this.
    synchronized void adopt(TopicPartition partition, LogSummary summary) {
        var log = new RememberedLog(summary.topicId());
        var opening = summary.opening();
        log.view = new LogView(
                opening.logStartOffset(),
                opening.soundUpTo(),
                summary.recoveryPoint(),
                -1,
                Long.MAX_VALUE,
                0,
                opening.logStartOffset());
        log.highWatermark = summary.highWatermark();
        log.dirty = true;
        log.logStartOffset = opening.logStartOffset();
        log.foreign = !opening.gapsAreLosses();
        logs.put(partition, log);
    }

    /// Begins to take notes. Everything known so far is written down as the first checkpoint of this run.
    void start() throws IOException {
        checkpoint();
    }

    // ---- notes

    synchronized void dirty(TopicPartition partition, Uuid topicId) throws IOException {
        logs.computeIfAbsent(partition, p -> new RememberedLog(topicId)).dirty = true;
        append(frame(DIRTY, out -> {
            write(out, partition);
            write(out, topicId);
        }));
    }

    /// Durable on return.
    void truncated(TopicPartition partition, long offset) throws IOException {
        synchronized (this) {
            var log = logs.get(partition);
            if (log == null) {
                return;
            }
            log.truncated(offset);
            append(frame(TRUNCATED, out -> {
                write(out, partition);
                out.writeLong(offset);
            }));
        }
        force();
    }

    /// Durable on return.
    void logStartAdvanced(TopicPartition partition, long offset) throws IOException {
        settle(logStartMoved(partition, offset));
    }

    /// @return for [#settle(long)]
    synchronized long logStartMoved(TopicPartition partition, long offset) throws IOException {
        var log = logs.get(partition);
        if (log == null) {
            return 0;
        }
        log.logStartOffset = offset;
        append(frame(LOG_START, out -> {
            write(out, partition);
            out.writeLong(offset);
        }));
        return notes;
    }

    /// Durable on return, with the notes before it.
    void settle(long note) throws IOException {
        if (note > forcedNotes) {
            force();
        }
    }

    synchronized void saved(TopicPartition partition, LogSummary summary) throws IOException {
        if (summary.view() != null) {
            var log = logs.computeIfAbsent(partition, p -> new RememberedLog(summary.topicId()));
            log.saved(summary);
            append(frame(STATE, out -> writeState(out, partition, log)));
        }
    }

    /// Durable on return.
    void removed(TopicPartition partition) throws IOException {
        synchronized (this) {
            if (!logs.containsKey(partition)) {
                return;
            }
            append(frame(REMOVED, out -> write(out, partition)));
            logs.remove(partition);
        }
        force();
    }

    private void append(byte[] frame) throws IOException {
        var open = journal;
        if (open == null) {
            throw new IOException("The journal of '" + logDir + "' is closed");
        }
        open.write(ByteBuffer.wrap(frame), journalSize);
        journalSize += frame.length;
        notes++;
    }

    /// Makes all notes so far durable. Not under the journal's own lock: notes of other partitions need not wait.
    private void force() throws IOException {
        synchronized (forcing) {
            @Nullable LogFile open;
            long upTo;
            synchronized (this) {
                open = journal;
                upTo = notes;
            }
            if (open != null) {
                open.force();
                forcedNotes = upTo;
            }
        }
    }

    /// Makes the notes durable; writes a checkpoint if the journal has grown long.
    void settle() throws IOException {
        boolean isLong;
        synchronized (this) {
            isLong = journalSize >= ROTATE_BYTES;
        }
        if (isLong) {
            checkpoint();
        } else {
            force();
        }
    }

    /// Writes everything down anew and begins a new journal. Notes go on while the file is being written.
    private void checkpoint() throws IOException {
        byte[] content;
        long newGeneration;
        synchronized (forcing) {
            @Nullable LogFile old;
            synchronized (this) {
                newGeneration = generation + 1;
                var path = journalPath(newGeneration);
                var header = frame(HEADER, out -> writeHeader(out, newGeneration, NOT_CLEAN));
                var file = storage.open(path, LogStorage.Access.CREATE);
                file.truncate(0);
                file.write(ByteBuffer.wrap(header), 0);
                file.force();
                storage.syncDirectory(logDir);
                old = journal;
                journal = file;
                journalSize = header.length;
                generation = newGeneration;
                content = snapshot(NOT_CLEAN);
            }
            if (old != null) {
                // Whoever forces the new one takes the notes in this one for durable too.
                old.force();
                old.close();
            }
        }
        storage.replace(logDir.resolve(CHECKPOINT), content, true);
        deleteJournalsBefore(newGeneration);
    }

    /// Writes the checkpoint of a clean stop and closes.
    ///
    /// @param markerMs when the clean-shutdown marker was written
    synchronized void close(long markerMs) throws IOException {
        generation++;
        storage.replace(logDir.resolve(CHECKPOINT), snapshot(markerMs), true);
        abandon();
        deleteJournalsBefore(Long.MAX_VALUE);
        storage.syncDirectory(logDir);
    }

    synchronized void abandon() throws IOException {
        var open = journal;
        if (open != null) {
            journal = null;
            open.close();
        }
    }

    private Path journalPath(long number) {
        return logDir.resolve(JOURNAL + number);
    }

    private void deleteJournalsBefore(long number) throws IOException {
        for (var name : storage.list(logDir)) {
            if (name.startsWith(JOURNAL)) {
                try {
                    if (Long.parseLong(name.substring(JOURNAL.length())) < number) {
                        storage.delete(logDir.resolve(name));
                    }
                } catch (NumberFormatException e) {
                    // Not one of ours.
                    continue;
                }
            }
        }
    }

    // ---- bytes

    private interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    private byte[] snapshot(long markerMs) throws IOException {
        var bytes = new ByteArrayOutputStream(128 * (logs.size() + 1));
        bytes.write(frame(HEADER, out -> writeHeader(out, generation, markerMs)));
        for (var entry : logs.entrySet()) {
            bytes.write(frame(STATE, out -> writeState(out, entry.getKey(), entry.getValue())));
        }
        return bytes.toByteArray();
    }

    private static byte[] frame(byte type, Fields fields) throws IOException {
        var bytes = new ByteArrayOutputStream(160);
        var out = new DataOutputStream(bytes);
        out.writeLong(0);
        out.writeByte(type);
        fields.write(out);
        var frame = bytes.toByteArray();
        var buffer = ByteBuffer.wrap(frame);
        buffer.putInt(0, frame.length - 4);
        buffer.putInt(4, crc(frame, 8, frame.length - 8));
        return frame;
    }

    private static int crc(byte[] bytes, int offset, int length) {
        var crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    private void writeHeader(DataOutputStream out, long number, long markerMs) throws IOException {
        out.writeLong(number);
        out.writeUTF(storage.bootId());
        out.writeLong(markerMs);
    }

    private static void writeState(DataOutputStream out, TopicPartition partition, RememberedLog log)
            throws IOException {
        write(out, partition);
        write(out, log.topicId);
        var view = log.view;
        out.writeLong(view.logStartOffset());
        out.writeLong(view.logEndOffset());
        out.writeLong(view.recoveryPoint());
        out.writeInt(view.latestEpoch());
        out.writeLong(view.firstUnstableOffset());
        out.writeLong(view.sizeInBytes());
        out.writeLong(view.activeSegmentBaseOffset());
        out.writeLong(log.highWatermark);
        out.writeInt(log.activeSizeInBytes);
        out.writeLong(log.durableUpTo);
        out.writeLong(log.logStartOffset);
        out.writeBoolean(log.dirty);
        out.writeBoolean(log.foreign);
    }

    private static void write(DataOutputStream out, TopicPartition partition) throws IOException {
        var topic = partition.topic().getBytes(StandardCharsets.UTF_8);
        out.writeShort(topic.length);
        out.write(topic);
        out.writeInt(partition.partition());
    }

    private static void write(DataOutputStream out, Uuid id) throws IOException {
        out.writeLong(id.mostSignificantBits());
        out.writeLong(id.leastSignificantBits());
    }

    /// Reads files in order into one state.
    private static final class Replay {
        final Map<TopicPartition, RememberedLog> logs = new LinkedHashMap<>();
        private final String currentBoot;
        long generation = -1;
        long markerMs = NOT_CLEAN;
        boolean sameBoot = true;

        Replay(String currentBoot) {
            this.currentBoot = currentBoot;
        }

        /// Takes the frames up to the first that is torn or damaged.
        ///
        /// @return whether the whole file was sound
        boolean read(byte[] content) {
            var buffer = ByteBuffer.wrap(content);
            while (buffer.remaining() >= 9) {
                int start = buffer.position();
                int length = buffer.getInt();
                if (length < 5 || length > buffer.remaining()) {
                    return false;
                }
                int crc = buffer.getInt();
                if (crc != crc(content, start + 8, length - 4)) {
                    return false;
                }
                apply(buffer.get(), buffer);
                buffer.position(start + 4 + length);
            }
            return !buffer.hasRemaining() && generation >= 0;
        }

        private void apply(byte type, ByteBuffer in) {
            switch (type) {
                case HEADER -> {
                    generation = in.getLong();
                    var boot = new byte[in.getShort() & 0xFFFF];
                    in.get(boot);
                    markerMs = in.getLong();
                    // After a clean stop everything was forced, whatever happened to the machine.
                    sameBoot &= markerMs != NOT_CLEAN
                            || (!currentBoot.isEmpty() && currentBoot.equals(new String(boot, StandardCharsets.UTF_8)));
                }
                case STATE -> readState(in);
                case DIRTY -> {
                    var partition = partition(in);
                    var topicId = new Uuid(in.getLong(), in.getLong());
                    var log = logs.computeIfAbsent(partition, p -> new RememberedLog(topicId));
                    log.dirty = true;
                }
                case TRUNCATED -> change(in, (log, offset) -> log.truncated(offset));
                case LOG_START ->
                    change(in, (log, offset) -> {
                        log.logStartOffset = offset;
                        // The view still shows the old start.
                        log.dirty = true;
                    });
                case REMOVED -> logs.remove(partition(in));
                default -> {
                    // A later version's; its own changes cannot be understood, but the partition was announced
                    // as dirty.
                }
            }
        }

        private interface Change {
            void apply(RememberedLog log, long offset);
        }

        private void change(ByteBuffer in, Change change) {
            var log = logs.get(partition(in));
            long offset = in.getLong();
            if (log != null) {
                change.apply(log, offset);
            }
        }

        private void readState(ByteBuffer in) {
            var partition = partition(in);
            var log = new RememberedLog(new Uuid(in.getLong(), in.getLong()));
            log.view = new LogView(
                    in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getLong(), in.getLong(), in.getLong());
            log.highWatermark = in.getLong();
            log.activeSizeInBytes = in.getInt();
            log.durableUpTo = in.getLong();
            log.logStartOffset = in.getLong();
            log.dirty = in.get() != 0;
            log.foreign = in.get() != 0;
            logs.put(partition, log);
        }

        private static TopicPartition partition(ByteBuffer in) {
            var topic = new byte[in.getShort() & 0xFFFF];
            in.get(topic);
            return new TopicPartition(new String(topic, StandardCharsets.UTF_8), in.getInt());
        }
    }
}
