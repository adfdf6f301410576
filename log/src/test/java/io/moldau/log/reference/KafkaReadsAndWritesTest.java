package io.moldau.log.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.AbortedTransaction;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.recovery.CleanShutdownMarker;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.ControlRecord.EndTransaction;
import io.moldau.wire.record.RecordBatch;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.apache.kafka.tools.DumpLogSegments;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaReadsAndWritesTest {

    @TempDir
    Path directory;

    private Path partition;
    // The reference's producers expire by the wall clock.
    private final MockTime time = new MockTime(Time.SYSTEM.milliseconds(), 0);
    private final LogConfig config = LogConfig.DEFAULTS.toBuilder()
            .segmentBytes(15_000)
            .indexIntervalBytes(500)
            .build();
    private KafkaScheduler scheduler;
    private BrokerTopicStats stats;

    @BeforeEach
    void start() {
        partition = directory.resolve("topic-0");
        scheduler = new KafkaScheduler(1);
        scheduler.startup();
        stats = new BrokerTopicStats();
    }

    @AfterEach
    void stop() throws Exception {
        scheduler.shutdown();
        stats.close();
    }

    /// A log with every kind of thing in it, over several segments.
    private LogFixture ours() {
        var fixture = new LogFixture(new NioLogStorage(), directory, time).config(config);
        var codecs = Compression.values();
        for (int i = 0; i < 120; i++) {
            fixture.append(fixture.batch(1 + i % 50, codecs[i % codecs.length]));
            fixture.append(fixture.producerBatch(100 + i % 7, 0, (i / 7) * 3, 3));
            fixture.append(fixture.producerBatch(200, 0, i * 2, 2, true));
            if (i % 10 == 9) {
                end(fixture, 200, i % 20 == 9);
            }
            time.advanceMillis(13);
        }
        fixture.log().setHighWatermark(fixture.log().view().logEndOffset());
        return fixture;
    }

    private void end(LogFixture fixture, long producerId, boolean commit) {
        var marker = ControlRecord.endTransactionBatch(
                producerId, (short) 0, time.milliseconds(), new EndTransaction(commit, 5));
        var outcome = fixture.log()
                .appendAsLeader(marker, LogFixture.EPOCH, AppendOrigin.TRANSACTION_MARKER, time.milliseconds());
        assertThat(outcome).isInstanceOf(AppendOutcome.Appended.class);
    }

    private List<Path> files(String suffix) throws Exception {
        try (Stream<Path> all = Files.list(partition)) {
            return all.filter(f -> f.toString().endsWith(suffix)).sorted().toList();
        }
    }

    private static String dump(String... arguments) throws Exception {
        var original = System.out;
        var captured = new ByteArrayOutputStream();
        System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            DumpLogSegments.main(arguments);
        } finally {
            System.setOut(original);
        }
        return captured.toString(StandardCharsets.UTF_8);
    }

    private static void assertNoComplaint(Path file, String output) {
        var complaints = output.lines()
                .filter(line -> {
                    var lower = line.toLowerCase(java.util.Locale.ROOT);
                    return lower.contains("mismatch")
                            || lower.contains("corrupt")
                            || lower.contains("isvalid: false")
                            || lower.contains("out of order")
                            || lower.contains("failed")
                            || lower.contains("exception")
                            || lower.contains("ignoring");
                })
                .toList();
        assertThat(complaints).as(file.toString()).isEmpty();
    }

    @Test
    void theDumpToolFindsNothingWrong() throws Exception {
        var fixture = ours();
        long end = fixture.log().view().logEndOffset();
        fixture.dirs().close();

        assertThat(files(".log")).hasSizeGreaterThan(3);
        for (var file : files(".log")) {
            var output = dump("--deep-iteration", "--print-data-log", "--files", file.toString());
            assertNoComplaint(file, output);
        }
        assertThat(dump("--files", files(".log").getLast().toString())).contains("lastOffset: " + (end - 1));
        for (var file : files("index")) {
            if (!file.toString().endsWith(".txnindex")) {
                var checked = dump("--index-sanity-check", "--files", file.toString());
                assertThat(checked).contains("passed sanity check");
                assertNoComplaint(file, checked);
                assertNoComplaint(file, dump("--verify-index-only", "--files", file.toString()));
            }
            var whole = dump("--files", file.toString());
            assertNoComplaint(file, whole);
        }
        assertThat(files(".txnindex")).isNotEmpty();
        assertThat(dump("--files", files(".txnindex").getFirst().toString())).contains("version: 0 producerId: 200");
        for (var file : files(".snapshot")) {
            var output = dump("--files", file.toString());
            assertNoComplaint(file, output);
            assertThat(output).contains("producerId: 100 producerEpoch: 0");
        }
    }

    /// A compacted log with tombstones, transactions of both kinds and idempotent producers.
    private LogFixture compacted() {
        var fixture = new LogFixture(new NioLogStorage(), directory, time)
                .config(config.toBuilder()
                        .segmentBytes(3_000)
                        .compact(true)
                        .delete(false)
                        .minCleanableDirtyRatio(0.01)
                        .fileDeleteDelayMs(0)
                        .build());
        var codecs = Compression.values();
        for (int i = 0; i < 400; i++) {
            boolean transactional = i % 3 == 0;
            var batch = new BatchBuilder()
                    .compression(codecs[i % codecs.length])
                    .producer(200 + i % 3, (short) 0, 2 * (i / 3))
                    .transactional(transactional);
            for (int j = 0; j < 2; j++) {
                var key = "key-" + (i * 7 + j) % (i < 300 ? 50 : 20);
                batch.append(
                        time.milliseconds(),
                        key.getBytes(StandardCharsets.UTF_8),
                        i % 11 == 0 ? null : ("value-" + i).getBytes(StandardCharsets.UTF_8));
            }
            fixture.append(batch.build());
            if (i % 30 == 27) {
                end(fixture, 200, i % 60 == 27);
            }
            if (i % 100 == 99) {
                clean(fixture);
            }
            time.advanceMillis(13);
        }
        end(fixture, 200, true);
        fixture.log().roll();
        clean(fixture);
        return fixture;
    }

    private static void clean(LogFixture fixture) {
        fixture.log().setHighWatermark(fixture.log().logEndOffset());
        assertThat(fixture.dirs().cleaner().cleanNext(CleanerConfig.DEFAULTS, CleaningPace.UNBOUNDED))
                .isTrue();
        assertThat(fixture.dirs().cleaner().uncleanable()).isEmpty();
    }

    @Test
    void kafkaReadsWhatWeCompacted() throws Exception {
        var fixture = compacted();
        var view = fixture.log().view();
        var bytes = LogFixture.bytes(fixture.log(), 0, view.logEndOffset());
        var aborted = fixture.log().abortedTransactions(0, view.logEndOffset());
        fixture.dirs().close(42);
        for (var file : files(".log")) {
            var output = dump("--deep-iteration", "--print-data-log", "--files", file.toString());
            assertThat(output.contains("baseOffset")).isEqualTo(Files.size(file) > 0);
            assertNoComplaint(file, output);
        }
        for (var file : files("index")) {
            assertNoComplaint(file, dump("--files", file.toString()));
        }
        assertThat(Files.readString(directory.resolve("cleaner-offset-checkpoint")))
                .isEqualTo("0\n1\ntopic 0 " + view.activeSegmentBaseOffset() + "\n");

        var log = reference(true, view.logEndOffset());
        assertThat(read(log, view.logEndOffset())).isEqualTo(bytes);
        log.updateHighWatermark(view.logEndOffset());
        assertThat(log.collectAbortedTransactions(0, view.logEndOffset()).stream()
                        .map(t -> new AbortedTransaction(t.producerId(), t.firstOffset())))
                .containsExactlyElementsOf(aborted);
        log.close();
    }

    private UnifiedLog reference(boolean clean, long recoveryPoint) throws Exception {
        var settings = new org.apache.kafka.storage.internals.log.LogConfig(
                Map.of("internal.segment.bytes", 15_000, "index.interval.bytes", 500));
        return UnifiedLog.create(
                partition.toFile(),
                settings,
                0L,
                recoveryPoint,
                scheduler,
                stats,
                Time.SYSTEM,
                900_000,
                new ProducerStateManagerConfig(86_400_000, false),
                600_000,
                new LogDirFailureChannel(10),
                clean,
                Optional.empty());
    }

    private static ByteBuffer read(UnifiedLog log, long end) throws Exception {
        var bytes = new ByteArrayOutputStream();
        long offset = log.logStartOffset();
        while (offset < end) {
            Records records = log.read(offset, 1 << 20, FetchIsolation.LOG_END, true).records;
            var buffer = ByteBuffer.allocate(records.sizeInBytes());
            ((FileRecords) records).readInto(buffer, 0);
            bytes.write(buffer.array(), 0, buffer.limit());
            offset = RecordBatch.at(lastBatch(buffer)).nextOffset();
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    private static ByteBuffer lastBatch(ByteBuffer buffer) {
        var last = buffer;
        var batches = new io.moldau.wire.record.RecordBatches(buffer);
        while (batches.next()) {
            last = batches.batch().slice();
        }
        return last;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void kafkaOpensWhatWeWrote(boolean clean) throws Exception {
        var fixture = ours();
        var view = fixture.log().view();
        var bytes = LogFixture.bytes(fixture.log(), 0, view.logEndOffset());
        var producers = fixture.log().activeProducers();
        var epochs = fixture.log().leaderEpochs();
        if (clean) {
            fixture.dirs().close(42);
            assertThat(new CleanShutdownFileHandler(directory.toString()).read())
                    .hasValue(42L);
        } else {
            fixture.dirs().abandon();
        }

        var log = reference(clean, clean ? view.logEndOffset() : 0);
        assertThat(log.logEndOffset()).isEqualTo(view.logEndOffset());
        assertThat(log.topicId()).contains(new org.apache.kafka.common.Uuid(7, 11));
        assertThat(read(log, view.logEndOffset())).isEqualTo(bytes);
        assertThat(log.latestEpoch()).contains(epochs.latestEpoch());
        var theirs = new ArrayList<String>();
        for (var producer : log.activeProducers()) {
            theirs.add(producer.producerId() + "/" + producer.producerEpoch() + "/" + producer.lastSequence() + "/"
                    + producer.coordinatorEpoch() + "/" + producer.currentTxnStartOffset());
        }
        assertThat(theirs)
                .containsExactlyInAnyOrderElementsOf(producers.stream()
                        .map(p -> p.producerId() + "/" + p.producerEpoch() + "/" + p.lastSequence() + "/"
                                + p.coordinatorEpoch() + "/" + p.currentTransactionStartOffset())
                        .toList());
        log.updateHighWatermark(view.logEndOffset());
        assertThat(log.lastStableOffset()).isEqualTo(view.logEndOffset());
        var fetched = log.read(0, 1 << 20, FetchIsolation.TXN_COMMITTED, true);
        assertThat(fetched.abortedTransactions.orElseThrow()).isNotEmpty();
        log.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void weOpenWhatKafkaWrote(boolean clean) throws Exception {
        Files.createDirectories(partition);
        var log = reference(true, 0);
        var maker = new LogFixture(new NioLogStorage(), directory.resolve("elsewhere"), time);
        for (int i = 0; i < 150; i++) {
            append(log, maker.batch(1 + i % 40, Compression.values()[i % 5]), AppendOriginOf.CLIENT);
            append(log, maker.producerBatch(100, 0, i * 3, 3), AppendOriginOf.CLIENT);
            append(log, maker.producerBatch(200, 0, i * 2, 2, true), AppendOriginOf.CLIENT);
            if (i % 10 == 4) {
                append(
                        log,
                        ControlRecord.endTransactionBatch(
                                200, (short) 0, time.milliseconds(), new EndTransaction(i % 20 == 4, 5)),
                        AppendOriginOf.COORDINATOR);
            }
        }
        maker.dirs().close();
        long end = log.logEndOffset();
        var bytes = read(log, end);
        log.updateHighWatermark(end);
        long unstable = log.firstUnstableOffset().orElseThrow();
        if (clean) {
            log.close();
            new CleanShutdownFileHandler(directory.toString()).write(9);
        } else {
            log.flush(false);
        }

        var fixture = new LogFixture(new NioLogStorage(), directory, time).config(config);
        if (clean) {
            assertThat(fixture.dirs().previousBrokerEpoch()).isEqualTo(9);
        }
        var ours = fixture.dirs().get(LogFixture.PARTITION.topicPartition());
        assertThat(ours).isNotNull();
        assertThat(ours.view().logEndOffset()).isEqualTo(end);
        assertThat(LogFixture.bytes(ours, 0, end)).isEqualTo(bytes);
        assertThat(ours.view().latestEpoch()).isEqualTo(3);
        ours.setHighWatermark(end);
        assertThat(ours.lastStableOffset()).isEqualTo(unstable);
        assertThat(ours.abortedTransactions(0, end)).hasSize(7).allMatch(t -> t.producerId() == 200);
        assertThat(ours.abortedTransactions(0, 1)).doesNotContain(new AbortedTransaction(200, end));
        assertThat(ours.activeProducers())
                .anySatisfy(p -> assertThat(p.lastSequence()).isEqualTo(449));
        assertThat(fixture.append(maker.producerBatch(100, 0, 447, 3))).isInstanceOf(AppendOutcome.Duplicate.class);
        assertThat(fixture.append(maker.producerBatch(100, 0, 450, 3))).isInstanceOf(AppendOutcome.Appended.class);
        fixture.dirs().close();
        for (var file : files("index")) {
            assertNoComplaint(file, dump("--files", file.toString()));
        }
        if (!clean) {
            log.close();
        }
    }

    private enum AppendOriginOf {
        CLIENT,
        COORDINATOR
    }

    private static void append(UnifiedLog log, ByteBuffer batch, AppendOriginOf origin) throws Exception {
        log.appendAsLeader(
                MemoryRecords.readableRecords(batch),
                3,
                org.apache.kafka.storage.internals.log.AppendOrigin.valueOf(origin.name()),
                RequestLocal.noCaching(),
                VerificationGuard.SENTINEL,
                (short) 1);
    }

    @Test
    void weNoticeThatKafkaUsedTheDirectoryMeanwhile() throws Exception {
        var fixture = ours();
        long end = fixture.log().view().logEndOffset();
        fixture.dirs().close(1);

        Files.delete(directory.resolve(CleanShutdownMarker.FILE_NAME));
        var log = reference(true, end);
        append(log, fixture.batch(4), AppendOriginOf.CLIENT);
        log.close();
        new CleanShutdownFileHandler(directory.toString()).write(2);
        Files.setLastModifiedTime(
                directory.resolve(CleanShutdownMarker.FILE_NAME),
                java.nio.file.attribute.FileTime.fromMillis(time.milliseconds() + 5_000));

        assertThat(fixture.reopen().view().logEndOffset()).isEqualTo(end + 4);
        assertThat(fixture.dirs().previousBrokerEpoch()).isEqualTo(2);
        fixture.dirs().close();
    }
}
