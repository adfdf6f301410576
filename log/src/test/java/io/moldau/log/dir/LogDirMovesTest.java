package io.moldau.log.dir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.AppendOutcome;
import io.moldau.log.FutureLog;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.LogMetrics;
import io.moldau.log.LogSlice;
import io.moldau.log.PartitionLog;
import io.moldau.log.ReadOutcome;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.log.storage.StorageException;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.Record;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Moves between log directories: that what was written is there afterwards, and once, whatever
/// happens on the way.
class LogDirMovesTest {

    private static final Path FIRST = Path.of("/first");
    private static final Path SECOND = Path.of("/second");
    private static final TopicIdPartition PARTITION =
            new TopicIdPartition(new Uuid(1, 2), new TopicPartition("topic", 0));
    private static final CleanerConfig CLEANER = new CleanerConfig(1 << 16, 0.9, 1 << 15);

    private final MockTime time = new MockTime();

    /// A node's directories on one simulated machine.
    private final class Machine {
        final SimulatedStorage storage;
        LogConfig config = LogConfig.DEFAULTS;
        LogDirs dirs;

        Machine(long seed) {
            storage = new SimulatedStorage(time, new Random(seed));
            dirs = open(FIRST, SECOND);
        }

        LogDirs open(Path... directories) {
            try {
                return LogDirs.open(
                        List.of(directories), storage, time, LogDirsConfig.defaults(new Random(1)), LogMetrics.NONE);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        PartitionLog log() {
            return dirs.getOrCreate(PARTITION, config);
        }

        AppendOutcome append(ByteBuffer batch, AppendOrigin origin, int epoch) {
            return log().appendAsLeader(batch, epoch, origin, time.milliseconds());
        }

        void append(String value) {
            append(batch("key", value), AppendOrigin.CLIENT, 1);
        }

        FutureLog begin(Path target) {
            return Objects.requireNonNull(dirs.moves().begin(log(), target));
        }

        void finish(FutureLog move) {
            for (int i = 0; i < 1000; i++) {
                step(move);
                move.prepare();
                if (dirs.moves().finish(move)) {
                    return;
                }
            }
            throw new AssertionError("The move does not come to an end: lag " + move.offsetLag());
        }

        List<Path> directoriesOf(String suffix) {
            return List.of(FIRST, SECOND).stream()
                    .flatMap(dir -> storage.list(dir).stream().map(dir::resolve))
                    .filter(path -> path.getFileName().toString().startsWith("topic-0")
                            && path.getFileName().toString().endsWith(suffix))
                    .toList();
        }
    }

    private static int step(FutureLog move) {
        return move.step(1 << 12, ByteBuffer.allocate(1 << 10));
    }

    private ByteBuffer batch(String key, String value) {
        return new BatchBuilder()
                .append(
                        time.milliseconds(),
                        key.getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8))
                .build();
    }

    private static List<String> values(PartitionLog log) {
        return LogFixture.records(log).stream().map(LogDirMovesTest::value).toList();
    }

    private static String value(Record record) {
        var bytes = record.value();
        return bytes == null
                ? ""
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    @Test
    void aLogThatIsWrittenToMoves() throws Exception {
        var machine = new Machine(1);
        machine.config = LogConfig.DEFAULTS.toBuilder().segmentBytes(2_000).build();
        for (int i = 0; i < 100; i++) {
            machine.append("before " + i);
        }
        assertThat(machine.log().logDir()).isEqualTo(FIRST);
        var move = machine.begin(SECOND);
        assertThat(move.directory().toString()).matches("/second/topic-0\\.[0-9a-f]{32}-future");
        while (move.offsetLag() > 50) {
            step(move);
        }
        assertThat(move.sizeInBytes())
                .isPositive()
                .isLessThan(machine.log().view().sizeInBytes());
        for (int i = 0; i < 50; i++) {
            machine.append("meanwhile " + i);
            step(move);
        }
        machine.finish(move);

        assertThat(machine.log().logDir()).isEqualTo(SECOND);
        assertThat(machine.directoriesOf("topic-0")).containsExactly(SECOND.resolve("topic-0"));
        assertThat(machine.directoriesOf("-future")).isEmpty();
        machine.append("after");
        assertThat(values(machine.log())).hasSize(151).endsWith("meanwhile 49", "after");
        machine.dirs.runMaintenance(time.milliseconds() + machine.config.fileDeleteDelayMs());
        assertThat(machine.directoriesOf("-delete")).isEmpty();

        machine.dirs.close();
        machine.dirs = machine.open(FIRST, SECOND);
        assertThat(machine.log().logDir()).isEqualTo(SECOND);
        assertThat(values(machine.log())).hasSize(151).endsWith("after");

        machine.finish(machine.begin(FIRST));
        machine.append("back");
        assertThat(machine.log().logDir()).isEqualTo(FIRST);
        assertThat(values(machine.log())).hasSize(152).endsWith("back");
    }

    @Test
    void aLogThatNeverHadARecordMoves() {
        var machine = new Machine(1);
        machine.finish(machine.begin(SECOND));
        machine.append("one");
        assertThat(values(machine.log())).containsExactly("one");
        assertThat(machine.directoriesOf("topic-0")).containsExactly(SECOND.resolve("topic-0"));
    }

    @Test
    void whoReadsWhileItMovesGoesOnReading() throws Exception {
        var machine = new Machine(1);
        for (int i = 0; i < 10; i++) {
            machine.append("value " + i);
        }
        var reading = machine.log().read(0, 1 << 20, 10, true);
        machine.finish(machine.begin(SECOND));
        machine.dirs.runMaintenance(time.milliseconds() + machine.config.fileDeleteDelayMs());
        if (!(reading instanceof ReadOutcome.Slice(LogSlice slice))) {
            throw new AssertionError(String.valueOf(reading));
        }
        var buffer = ByteBuffer.allocate(slice.sizeInBytes());
        slice.read(buffer);
        slice.release();
        assertThat(buffer.flip()).isEqualTo(LogFixture.bytes(machine.log(), 0, 10));
    }

    @Test
    void aMoveToAnotherDirectoryOrBackGivesUpTheFirst() throws Exception {
        var machine = new Machine(1);
        machine.append("one");
        var move = machine.begin(SECOND);
        step(move);
        assertThat(machine.begin(SECOND)).isSameAs(move);
        assertThat(machine.dirs.moves().begin(machine.log(), FIRST)).isNull();
        assertThat(machine.directoriesOf("-future")).isEmpty();
        assertThat(step(move)).isEqualTo(-1);
        machine.finish(machine.begin(SECOND));
        assertThat(values(machine.log())).containsExactly("one");
    }

    @Test
    void aMoveThatWasBegunIsGoneOnWithAfterACrash() throws Exception {
        var machine = new Machine(1);
        machine.append("one");
        machine.dirs.flushAll();
        machine.begin(SECOND);
        machine.storage.cutPower(SimulatedStorage.Unforced.LOST);
        machine.dirs = machine.open(FIRST, SECOND);
        machine.finish(machine.dirs.moves().of(PARTITION.topicPartition()));
        assertThat(machine.log().logDir()).isEqualTo(SECOND);
        assertThat(values(machine.log())).containsExactly("one");
    }

    @Test
    void aPartitionThatIsDeletedTakesItsCopyWithIt() throws Exception {
        var machine = new Machine(1);
        machine.append("one");
        var move = machine.begin(SECOND);
        step(move);
        machine.dirs.delete(PARTITION.topicPartition());
        assertThat(step(move)).isEqualTo(-1);
        machine.dirs.runMaintenance(time.milliseconds() + machine.config.fileDeleteDelayMs());
        assertThat(machine.storage.list(FIRST)).noneMatch(name -> name.startsWith("topic-0"));
        assertThat(machine.storage.list(SECOND)).noneMatch(name -> name.startsWith("topic-0"));
    }

    @Test
    void aDamagedBatchIsNotCopied() throws Exception {
        var machine = new Machine(1);
        machine.append("one");
        var move = machine.begin(SECOND);
        var file = FIRST.resolve("topic-0/00000000000000000000.log");
        machine.storage.flipBit(file, 8 * 65);
        assertThatThrownBy(() -> step(move)).isInstanceOf(ApiException.class).hasMessageContaining(file.toString());
        assertThat(machine.dirs.directories()).allMatch(LogDirState.Online.class::isInstance);
    }

    @Test
    void aDiskThatFailsUnderTheCopyLeavesTheLogAlone() throws Exception {
        var machine = new Machine(1);
        machine.append("one");
        var move = machine.begin(SECOND);
        machine.storage.failWrites(1);
        assertThatThrownBy(() -> step(move)).isInstanceOf(StorageException.class);
        machine.storage.failWrites(0);
        machine.dirs.moves().abandon(move);
        assertThat(machine.dirs.directories().get(0)).isInstanceOf(LogDirState.Online.class);
        assertThat(machine.dirs.directories().get(1)).isInstanceOf(LogDirState.Offline.class);
        machine.append("two");
        assertThat(values(machine.log())).containsExactly("one", "two");
    }

    @Test
    void whatWasLeftBehindOnADiskThatWasAwayIsNotTakenForTheLog() throws Exception {
        var machine = new Machine(1);
        machine.append("one");
        machine.dirs.flushAll();
        var move = machine.begin(SECOND);
        step(move);
        move.prepare();
        // The last thing that happens to the first directory fails, so that the log is in both.
        var vacated = move.swap();
        assertThat(vacated).isNotNull();
        machine.append("two");
        machine.storage.killProcess();

        machine.dirs = machine.open(SECOND);
        machine.append("three");
        machine.storage.killProcess();
        machine.dirs = machine.open(FIRST, SECOND);
        assertThat(values(machine.log())).containsExactly("one", "two", "three");
        assertThat(machine.directoriesOf("topic-0")).containsExactly(SECOND.resolve("topic-0"));
    }

    @Test
    void aCopyOfALogInADirectoryThatDoesNotWorkWaits() throws Exception {
        var machine = new Machine(1);
        machine.append("one");
        var move = machine.begin(SECOND);
        step(move);
        machine.storage.killProcess();
        var lock = machine.storage.lock(FIRST.resolve(".lock"));
        machine.dirs = machine.open(FIRST, SECOND);
        assertThat(machine.dirs.moves().isOrphanIn(PARTITION.topicPartition(), SECOND))
                .isTrue();
        assertThat(machine.dirs.moves().isOrphanIn(new TopicPartition("topic", 1), SECOND))
                .isFalse();
        lock.close();
        machine.storage.killProcess();
        machine.dirs = machine.open(FIRST, SECOND);
        assertThat(machine.dirs.moves().isOrphanIn(PARTITION.topicPartition(), SECOND))
                .isFalse();
        machine.finish(Objects.requireNonNull(machine.dirs.moves().of(PARTITION.topicPartition())));
        assertThat(values(machine.log())).containsExactly("one");
    }

    // ---- crashes

    private enum Crash {
        KILL,
        POWER_LOST,
        POWER_RANDOM
    }

    /// Every change of the disk during a move is once the last one before a crash.
    @Seeds(count = 3)
    void aCrashAnywhereLeavesOneLogWithEverything(long seed) throws Exception {
        for (var crash : Crash.values()) {
            int points = 0;
            for (int at = 1; crashes(seed, crash, at); at++) {
                points++;
            }
            assertThat(points).as("points of " + crash).isGreaterThan(30);
        }
    }

    /// @return whether the move was long enough to crash there
    private boolean crashes(long seed, Crash crash, int at) {
        var machine = new Machine(seed * 1_000 + at);
        machine.config = LogConfig.DEFAULTS.toBuilder().segmentBytes(600).build();
        for (int i = 0; i < 12; i++) {
            machine.append("value " + i);
        }
        machine.dirs.flushAll();
        machine.append("value 12");
        machine.dirs.checkpoint();
        machine.storage.crashAt(at);
        try {
            var move = machine.begin(SECOND);
            step(move);
            machine.append("value 13");
            machine.finish(move);
            machine.append("value 14");
            machine.dirs.runMaintenance(time.milliseconds() + machine.config.fileDeleteDelayMs());
        } catch (StorageException e) {
            // Of the process that is gone.
        }
        boolean crashed = machine.storage.hasCrashed();
        switch (crash) {
            case KILL -> machine.storage.killProcess();
            case POWER_LOST -> machine.storage.cutPower(SimulatedStorage.Unforced.LOST);
            case POWER_RANDOM -> machine.storage.cutPower(SimulatedStorage.Unforced.RANDOM);
        }

        machine.dirs = machine.open(FIRST, SECOND);
        var found = values(machine.log());
        var all = IntStream.range(0, 15).mapToObj(i -> "value " + i).toList();
        int least = crash == Crash.KILL ? 13 : 12;
        assertThat(found).as("after %s at %s", crash, at).hasSizeGreaterThanOrEqualTo(least);
        assertThat(found).isEqualTo(all.subList(0, found.size()));
        machine.append("more");
        var move = machine.dirs.moves().of(PARTITION.topicPartition());
        if (move != null) {
            machine.finish(move);
        } else if (machine.log().logDir().equals(FIRST)) {
            machine.finish(machine.begin(SECOND));
        }
        machine.append("and more");
        machine.dirs.runMaintenance(time.milliseconds() + machine.config.fileDeleteDelayMs());
        assertThat(values(machine.log())).hasSize(found.size() + 2).endsWith("more", "and more");
        assertThat(machine.directoriesOf("")).containsExactly(SECOND.resolve("topic-0"));
        machine.dirs.close();
        machine.dirs = machine.open(FIRST, SECOND);
        assertThat(values(machine.log())).hasSize(found.size() + 2);
        return crashed;
    }

    // ---- a twin that stays

    /// Two logs are given the same life; one of them moves all the time.
    @Seeds(count = 100)
    void aLogThatMovesIsTheSameAsOneThatStays(long seed) throws Exception {
        var random = new Random(seed);
        var config = LogConfig.DEFAULTS.toBuilder()
                .segmentBytes(1_000 + random.nextInt(2_000))
                .indexIntervalBytes(random.nextInt(500))
                .compact(random.nextBoolean())
                .minCleanableDirtyRatio(0.01)
                .retentionBytes(random.nextBoolean() ? 6_000 : -1)
                .build();
        var moving = new Machine(seed);
        var twin = new Machine(seed);
        moving.config = config;
        twin.config = config;
        FutureLog move = null;
        int moves = 0;
        int epoch = 1;
        var sequences = new int[4];
        for (int i = 0; i < 300; i++) {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4, 5 -> {
                    var batch = batch("key " + random.nextInt(20), "value " + i + "x".repeat(random.nextInt(300)));
                    both(moving, twin, batch, AppendOrigin.CLIENT, epoch);
                }
                case 6, 7 -> {
                    int producer = random.nextInt(4);
                    var batch = new BatchBuilder()
                            .producer(producer, (short) 0, sequences[producer])
                            .transactional(producer > 1)
                            .append(time.milliseconds(), new byte[] {(byte) producer}, new byte[random.nextInt(50)])
                            .build();
                    if (both(moving, twin, batch, AppendOrigin.CLIENT, epoch) instanceof AppendOutcome.Appended) {
                        sequences[producer]++;
                    }
                }
                case 8 -> {
                    var marker = ControlRecord.endTransactionBatch(
                            2 + random.nextInt(2),
                            (short) 0,
                            time.milliseconds(),
                            new ControlRecord.EndTransaction(random.nextBoolean(), 1));
                    both(moving, twin, marker, AppendOrigin.TRANSACTION_MARKER, epoch);
                }
                case 9 -> {
                    epoch++;
                    moving.log().beginEpoch(epoch);
                    twin.log().beginEpoch(epoch);
                }
                case 10 -> {
                    long mark = random.nextLong(
                            moving.log().highWatermark(), moving.log().logEndOffset() + 1);
                    moving.log().setHighWatermark(mark);
                    twin.log().setHighWatermark(mark);
                }
                case 11 -> {
                    // Not where records were compacted away: the end would lie in a gap.
                    if (random.nextInt(4) == 0 && !config.compact()) {
                        long to = random.nextLong(
                                moving.log().logStartOffset(), moving.log().logEndOffset() + 1);
                        moving.log().truncateTo(to);
                        twin.log().truncateTo(to);
                        // The two have different snapshots, and so see different transactions wait
                        // for it.
                        moving.log().setHighWatermark(moving.log().logEndOffset());
                        twin.log().setHighWatermark(twin.log().logEndOffset());
                        // What was cut may have held the last of a producer.
                        Arrays.setAll(sequences, producer -> next(moving.log(), producer));
                    }
                }
                case 12 -> {
                    moving.log().roll();
                    twin.log().roll();
                }
                case 13 -> {
                    moving.dirs.runRetention(time.milliseconds());
                    twin.dirs.runRetention(time.milliseconds());
                    // What is let go of is not copied; a restart would find it where the log
                    // stayed.
                    moving.log().deleteDoomedFiles(time.milliseconds());
                    twin.log().deleteDoomedFiles(time.milliseconds());
                }
                case 14 -> {
                    moving.dirs.cleaner().cleanNext(CLEANER, CleaningPace.UNBOUNDED);
                    twin.dirs.cleaner().cleanNext(CLEANER, CleaningPace.UNBOUNDED);
                }
                case 15 -> {
                    moving.dirs.flushAll();
                    twin.dirs.flushAll();
                    moving.dirs.runMaintenance(time.milliseconds());
                    twin.dirs.runMaintenance(time.milliseconds());
                    time.advanceMillis(20_000);
                }
                case 16 -> {
                    if (random.nextInt(6) == 0) {
                        restart(moving, twin);
                        move = moving.dirs.moves().of(PARTITION.topicPartition());
                    }
                }
                default -> {
                    if (move == null) {
                        move = moving.begin(moving.log().logDir().equals(FIRST) ? SECOND : FIRST);
                    }
                    step(move);
                    if (random.nextInt(3) == 0) {
                        move.prepare();
                    }
                    if (random.nextInt(3) == 0 && moving.dirs.moves().finish(move)) {
                        moves++;
                        move = null;
                    }
                }
            }
            assertThat(moving.log().view()).isEqualTo(twin.log().view());
        }
        if (move != null) {
            moving.finish(move);
        }
        same(moving.log(), twin.log());
        restart(moving, twin);
        same(moving.log(), twin.log());
        assertThat(moves).as("moves of seed " + seed).isPositive();
    }

    /// What a move writes down the one that stays would have written down later: the high
    /// watermark, what is durable.
    private static void restart(Machine moving, Machine twin) {
        for (var machine : List.of(moving, twin)) {
            machine.dirs.checkpoint();
            machine.storage.killProcess();
            machine.dirs = machine.open(FIRST, SECOND);
            machine.log().open();
            machine.dirs.flushAll();
        }
    }

    private static int next(PartitionLog log, int producer) {
        return log.activeProducers().stream()
                .filter(it -> it.producerId() == producer)
                .mapToInt(it -> it.lastSequence() + 1)
                .findFirst()
                .orElse(0);
    }

    private static AppendOutcome both(Machine moving, Machine twin, ByteBuffer batch, AppendOrigin origin, int epoch) {
        var copy = ByteBuffer.wrap(Arrays.copyOfRange(batch.array(), batch.position(), batch.limit()));
        var outcome = moving.append(batch, origin, epoch);
        assertThat(twin.append(copy, origin, epoch)).isEqualTo(outcome);
        return outcome;
    }

    private static void same(PartitionLog moved, PartitionLog stayed) {
        var view = stayed.view();
        assertThat(moved.view()).isEqualTo(view);
        assertThat(LogFixture.bytes(moved, view.logStartOffset(), view.logEndOffset()))
                .isEqualTo(LogFixture.bytes(stayed, view.logStartOffset(), view.logEndOffset()));
        assertThat(moved.leaderEpochs()).isEqualTo(stayed.leaderEpochs());
        assertThat(moved.abortedTransactions(view.logStartOffset(), view.logEndOffset()))
                .isEqualTo(stayed.abortedTransactions(view.logStartOffset(), view.logEndOffset()));
        assertThat(moved.activeProducers()).containsExactlyInAnyOrderElementsOf(stayed.activeProducers());
        assertThat(moved.cleanedUpTo()).isEqualTo(stayed.cleanedUpTo());
        assertThat(moved.highWatermark()).isEqualTo(stayed.highWatermark());
        for (long offset = view.logStartOffset(); offset < view.logEndOffset(); offset += 7) {
            assertThat(moved.epochForOffset(offset)).isEqualTo(stayed.epochForOffset(offset));
            assertThat(moved.timestampAt(offset, view.logEndOffset()))
                    .isEqualTo(stayed.timestampAt(offset, view.logEndOffset()));
        }
    }
}
