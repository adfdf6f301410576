package io.moldau.log.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.AbortedTransaction;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.PartitionLog;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.dir.LogDirState;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.Record;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// A disk that runs full and has space again, at every byte, with a model of what was acknowledged beside it.
class FullDiskTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final MarkSettings MARKS = new MarkSettings(6_000, 3_000, 4_000);

    private final MockTime time = new MockTime();

    @Test
    void theReserveIsGivenUpForWhatTheNodeMustWriteAndComesBack() {
        var storage = new SimulatedStorage(time, new Random(1));
        var fixture = new LogFixture(storage, DIRECTORY, time);
        var space = fixture.log().space();
        storage.capacity(100_000);
        assertThat(space.look(MARKS, 0).reserveHeld()).isTrue();
        assertThat(space.refusal("topic")).isNull();
        fixture.append(fixture.batch(1));

        storage.capacity(storage.totalBytes(DIRECTORY) - storage.usableBytes(DIRECTORY) + 20);
        var refused = assertThatAppend(fixture);
        assertThat(refused).contains("/data", "full", "topic-0");
        assertThat(space.refusal("topic")).contains("/data", "full", "retention");
        assertThat(space.timesFull()).isEqualTo(1);
        assertThat(storage.usableBytes(DIRECTORY)).isGreaterThanOrEqualTo(4_000);
        // Not a client's, so it is written.
        assertThat(fixture.log().appendAsLeader(fixture.batch(5), 3, AppendOrigin.COORDINATOR, time.milliseconds()))
                .isInstanceOf(AppendOutcome.Appended.class);
        assertThat(space.look(MARKS, 500).level()).isEqualTo(SpaceLevel.FULL);

        storage.capacity(100_000);
        assertThat(space.look(MARKS, 900).level()).isEqualTo(SpaceLevel.FULL);
        assertThat(space.look(MARKS, 2_000).level()).isEqualTo(SpaceLevel.AMPLE);
        assertThat(space.state().reserveHeld()).isTrue();
        assertThat(fixture.append(fixture.batch(5))).isInstanceOf(AppendOutcome.Appended.class);
        assertThat(fixture.dirs().directories()).allMatch(LogDirState.Online.class::isInstance);
    }

    private static String assertThatAppend(LogFixture fixture) {
        try {
            return "accepted: " + fixture.append(fixture.batch(50));
        } catch (ApiException e) {
            assertThat(e.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
            return e.getMessage();
        }
    }

    @Test
    void aTopicOverItsBudgetIsRefusedWhereSpaceIsShort() {
        var storage = new SimulatedStorage(time, new Random(1));
        storage.capacity(100_000);
        var fixture = new LogFixture(storage, DIRECTORY, time);
        var space = fixture.log().space();
        space.overBudget(java.util.Set.of("large"));
        space.look(MARKS, 0);
        assertThat(space.refusal("large")).isNull();
        storage.capacity(storage.totalBytes(DIRECTORY) - storage.usableBytes(DIRECTORY) + 5_000);
        assertThat(space.look(MARKS, 1).level()).isEqualTo(SpaceLevel.SHORT);
        assertThat(space.refusal("large")).contains("moldau.storage.budget.bytes", "large");
        assertThat(space.refusal("small")).isNull();
    }

    @Test
    void deletedRecordsFreeTheirSpaceAtOnceWhereThereIsLittle() {
        var storage = new SimulatedStorage(time, new Random(1));
        var fixture = new LogFixture(storage, DIRECTORY, time);
        storage.capacity(20_000);
        var log = fixture.log();
        log.space().look(MARKS, time.milliseconds());
        while (log.space().refusal("topic") == null) {
            fixture.append(fixture.batch(20));
            log.space().look(MARKS, time.milliseconds());
        }
        log.setHighWatermark(log.logEndOffset());
        log.advanceLogStartOffset(log.logEndOffset());
        fixture.dirs().runMaintenance(time.milliseconds());
        assertThat(log.space().look(MARKS, time.milliseconds()).level()).isEqualTo(SpaceLevel.AMPLE);
        assertThat(fixture.append(fixture.batch(20))).isInstanceOf(AppendOutcome.Appended.class);
        assertThat(fixture.dirs().directories()).allMatch(LogDirState.Online.class::isInstance);
    }

    @Seeds(count = 150)
    void nothingAcknowledgedIsLostAndNothingGoesOffline(long seed) {
        new History(seed).run();
    }

    private final class History {
        private final Random random;
        private final SimulatedStorage storage;
        private final LogFixture fixture;
        private final List<Model> models = new ArrayList<>();

        History(long seed) {
            random = new Random(seed);
            storage = new SimulatedStorage(time, new Random(seed));
            fixture = new LogFixture(storage, DIRECTORY, time)
                    .config(new LogConfig.Builder()
                            .segmentBytes(3_000)
                            .indexIntervalBytes(200)
                            .fileDeleteDelayMs(1_000)
                            .retentionBytes(random.nextBoolean() ? 8_000 : -1)
                            .build());
            for (int i = 0; i < 3; i++) {
                models.add(new Model(new TopicIdPartition(new Uuid(7, 11 + i), new TopicPartition("topic", i))));
            }
        }

        void run() {
            storage.capacity(40_000);
            fixture.log().space().look(MARKS, time.milliseconds());
            for (int i = 0; i < 200; i++) {
                step(models.get(random.nextInt(models.size())));
                assertThat(fixture.dirs().directories()).allMatch(LogDirState.Online.class::isInstance);
            }
            storage.capacity(Long.MAX_VALUE);
            models.forEach(Model::check);
            fixture.dirs().runMaintenance(time.milliseconds());
            storage.killProcess();
            fixture.reopen();
            for (var model : models) {
                model.check();
                assertThat(model.append(100)).isTrue();
                model.check();
            }
        }

        private void step(Model model) {
            switch (random.nextInt(14)) {
                case 0, 1, 2, 3 -> model.append(1 + random.nextInt(400));
                case 4, 5 -> model.appendInTransaction();
                case 6, 7 -> model.endTransaction(random.nextInt(3) > 0);
                case 8 -> room(random.nextInt(300));
                case 9 -> room(random.nextInt(12_000));
                case 10 -> model.deleteRecords();
                case 11 -> model.truncate();
                default -> {
                    time.advanceMillis(300);
                    fixture.log().space().look(MARKS, time.milliseconds());
                    fixture.dirs().runMaintenance(time.milliseconds());
                }
            }
        }

        /// Others leave so much of the disk.
        private void room(int bytes) {
            storage.capacity(storage.totalBytes(DIRECTORY) - storage.usableBytes(DIRECTORY) + bytes);
        }

        /// One partition and what it should hold.
        private final class Model {
            private final TopicIdPartition partition;
            private final TreeMap<Long, String> values = new TreeMap<>();
            private final List<AbortedTransaction> aborted = new ArrayList<>();
            private long producer = 8;
            private int sequence;
            private long openFrom = -1;
            private int counter;

            Model(TopicIdPartition partition) {
                this.partition = partition;
            }

            private PartitionLog log() {
                return fixture.log(partition);
            }

            /// Whether it was done; if not, because of the disk, nothing has changed.
            private <T> boolean attempt(Supplier<T> what, java.util.function.Consumer<T> then) {
                T result;
                try {
                    result = what.get();
                } catch (ApiException e) {
                    assertThat(e.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
                    return false;
                }
                then.accept(result);
                return true;
            }

            private boolean write(ByteBuffer batch, AppendOrigin origin, List<String> written) {
                return attempt(() -> log().appendAsLeader(batch, 3, origin, time.milliseconds()), outcome -> {
                    assertThat(outcome).isInstanceOf(AppendOutcome.Appended.class);
                    long offset = ((AppendOutcome.Appended) outcome).baseOffset();
                    for (var value : written) {
                        values.put(offset++, value);
                    }
                    log().setHighWatermark(log().logEndOffset());
                });
            }

            boolean append(int size) {
                var builder = new BatchBuilder();
                var written = new ArrayList<String>();
                for (int i = 0; i < 1 + random.nextInt(3); i++) {
                    written.add("value-" + counter++ + "-" + "x".repeat(size));
                    builder.append(time.milliseconds(), null, written.getLast().getBytes(StandardCharsets.UTF_8));
                }
                return write(builder.build(), AppendOrigin.CLIENT, written);
            }

            void appendInTransaction() {
                if (openFrom < 0 || openFrom < log().logStartOffset()) {
                    // Retention may have taken what the log knows of the one before.
                    producer++;
                    sequence = 0;
                    openFrom = -1;
                }
                var value = "transactional-" + counter++;
                var batch = new BatchBuilder()
                        .producer(producer, (short) 0, sequence)
                        .transactional(true)
                        .append(time.milliseconds(), null, value.getBytes(StandardCharsets.UTF_8))
                        .build();
                long offset = log().logEndOffset();
                if (write(batch, AppendOrigin.CLIENT, List.of(value))) {
                    sequence++;
                    openFrom = openFrom < 0 ? offset : openFrom;
                }
            }

            void endTransaction(boolean abort) {
                if (openFrom < log().logStartOffset()) {
                    return;
                }
                var marker = ControlRecord.endTransactionBatch(
                        producer, (short) 0, time.milliseconds(), new ControlRecord.EndTransaction(!abort, 1));
                if (write(marker, AppendOrigin.TRANSACTION_MARKER, List.of("marker"))) {
                    if (abort) {
                        aborted.add(new AbortedTransaction(producer, openFrom));
                    }
                    openFrom = -1;
                }
            }

            void deleteRecords() {
                long end = openFrom < 0 ? log().logEndOffset() : openFrom;
                long start = log().logStartOffset();
                if (end > start) {
                    long to = start + random.nextLong(end - start + 1);
                    attempt(
                            () -> {
                                log().advanceLogStartOffset(to);
                                return to;
                            },
                            offset -> {});
                }
            }

            void truncate() {
                if (openFrom >= 0
                        || values.isEmpty()
                        || !"value".equals(values.lastEntry().getValue().split("-")[0])) {
                    return;
                }
                long last = values.lastKey();
                attempt(
                        () -> {
                            log().truncateTo(last);
                            return last;
                        },
                        offset -> values.tailMap(log().logEndOffset(), true).clear());
            }

            void check() {
                var log = log();
                log.setHighWatermark(log.logEndOffset());
                values.headMap(log.logStartOffset()).clear();
                var found = new TreeMap<Long, String>();
                for (Record record : LogFixture.records(log)) {
                    found.put(record.offset(), text(record));
                }
                assertThat(found.keySet()).isEqualTo(values.keySet());
                values.forEach((offset, value) -> {
                    if (!value.equals("marker")) {
                        assertThat(found.get(offset)).isEqualTo(value);
                    }
                });
                assertThat(log.logEndOffset())
                        .isEqualTo(values.isEmpty() ? log.logStartOffset() : values.lastKey() + 1);
                long from = log.logStartOffset();
                assertThat(log.abortedTransactions(from, Long.MAX_VALUE))
                        .containsAll(aborted.stream()
                                .filter(it -> it.firstOffset() >= from)
                                .toList());
                if (openFrom < 0 || openFrom >= from) {
                    assertThat(log.lastStableOffset()).isEqualTo(openFrom < 0 ? log.highWatermark() : openFrom);
                }
            }

            private static String text(Record record) {
                return StandardCharsets.UTF_8
                        .decode(Objects.requireNonNull(record.value()).duplicate())
                        .toString();
            }
        }
    }
}
