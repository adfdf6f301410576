package io.moldau.log.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.AbortedTransaction;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.ControlRecord.EndTransaction;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.Cleaner;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogToClean;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.apache.kafka.storage.internals.utils.Throttler;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// Two logs with the same history, one compacted by this project and one by the reference's cleaner, at the same times
/// and up to the same offsets: the same records are left, with the same delete horizons. A transaction's marker may
/// stay
/// longer than the reference's, never shorter: this project keeps the header of each compacted segment's last batch,
/// and
/// a marker as long as any header of its transaction.
class CompactionParityTest {

    private static final int DELETE_RETENTION_MS = 5_000;
    private static final int PRODUCERS = 3;

    @TempDir
    Path directory;

    private final KafkaScheduler scheduler = new KafkaScheduler(1);
    private final BrokerTopicStats stats = new BrokerTopicStats();

    @BeforeEach
    void start() {
        scheduler.startup();
    }

    @AfterEach
    void stop() throws Exception {
        scheduler.shutdown();
        stats.close();
    }

    /// What both must agree on. Batches without records are left out: when the last trace of a producer or of an
    /// offset may go is for each implementation to know.
    private record Survivor(
            long offset,
            @Nullable String key,
            @Nullable String value,
            long timestamp,
            long producerId,
            int sequence,
            boolean control,
            boolean transactional,
            long deleteHorizonMs) {}

    private final class Twins {
        final Random random;
        // The reference's producers expire by the wall clock.
        final MockTime time = new MockTime(Time.SYSTEM.milliseconds(), 0);
        final LogFixture ours;
        final UnifiedLog theirs;
        final Map<Long, Integer> sequences = new HashMap<>();
        final Map<Long, Boolean> open = new HashMap<>();
        long theirsCleanedUpTo;
        int cleanings;

        Twins(long seed) throws Exception {
            random = new Random(seed);
            int segmentBytes = 2_000 + random.nextInt(100_000);
            ours = new LogFixture(new NioLogStorage(), directory.resolve("ours"), time)
                    .config(LogConfig.DEFAULTS.toBuilder()
                            .segmentBytes(segmentBytes)
                            .compact(true)
                            .delete(false)
                            .minCleanableDirtyRatio(0)
                            .deleteRetentionMs(DELETE_RETENTION_MS)
                            .build());
            var partition = Files.createDirectories(directory.resolve("theirs").resolve("topic-0"));
            theirs = UnifiedLog.create(
                    partition.toFile(),
                    new org.apache.kafka.storage.internals.log.LogConfig(Map.of(
                            "internal.segment.bytes", segmentBytes,
                            "cleanup.policy", "compact",
                            "delete.retention.ms", DELETE_RETENTION_MS)),
                    0L,
                    0L,
                    scheduler,
                    stats,
                    Time.SYSTEM,
                    900_000,
                    new ProducerStateManagerConfig(86_400_000, false),
                    600_000,
                    new LogDirFailureChannel(10),
                    true,
                    Optional.empty());
        }

        void append(ByteBuffer batch, AppendOrigin origin) {
            var copy = ByteBuffer.allocate(batch.remaining())
                    .put(batch.duplicate())
                    .flip();
            assertThat(ours.log().appendAsLeader(batch, LogFixture.EPOCH, origin, time.milliseconds()))
                    .isInstanceOf(AppendOutcome.Appended.class);
            theirs.appendAsLeader(
                    MemoryRecords.readableRecords(copy),
                    LogFixture.EPOCH,
                    origin == AppendOrigin.CLIENT
                            ? org.apache.kafka.storage.internals.log.AppendOrigin.CLIENT
                            : org.apache.kafka.storage.internals.log.AppendOrigin.COORDINATOR,
                    RequestLocal.noCaching(),
                    VerificationGuard.SENTINEL,
                    (short) 1);
            assertThat(theirs.logEndOffset()).isEqualTo(ours.log().logEndOffset());
        }

        void write() {
            boolean transactional = random.nextInt(3) > 0;
            boolean idempotent = transactional || random.nextBoolean();
            long producerId = idempotent ? (transactional ? 1 : 11) + random.nextInt(PRODUCERS) : -1;
            var builder = new BatchBuilder().compression(Compression.values()[random.nextInt(5)]);
            int count = 1 + random.nextInt(4);
            if (idempotent) {
                builder.producer(producerId, (short) 0, sequences.merge(producerId, count, Integer::sum) - count)
                        .transactional(transactional);
            }
            for (int i = 0; i < count; i++) {
                builder.append(
                        time.milliseconds() + i,
                        bytes("key-" + random.nextInt(12)),
                        random.nextInt(4) == 0 ? null : bytes("value-" + random.nextInt(1_000)));
            }
            append(builder.build(), AppendOrigin.CLIENT);
            if (transactional) {
                open.put(producerId, true);
            }
        }

        void end(long producerId) {
            append(
                    ControlRecord.endTransactionBatch(
                            producerId, (short) 0, time.milliseconds(), new EndTransaction(random.nextBoolean(), 5)),
                    AppendOrigin.TRANSACTION_MARKER);
            open.remove(producerId);
        }

        void roll() throws Exception {
            ours.log().roll();
            theirs.roll(Optional.of(theirs.logEndOffset()));
        }

        /// Both up to the same offset; ours decides where that is.
        void clean() throws Exception {
            long end = ours.log().logEndOffset();
            ours.log().setHighWatermark(end);
            theirs.updateHighWatermark(end);
            assertThat(theirs.lastStableOffset()).isEqualTo(ours.log().lastStableOffset());
            long before = ours.log().cleanedUpTo();
            boolean was = ours.dirs().cleaner().cleanNext(CLEANER, CleaningPace.UNBOUNDED);
            assertThat(ours.dirs().cleaner().uncleanable()).isEmpty();
            if (!was) {
                return;
            }
            long upTo = ours.log().cleanedUpTo();
            assertThat(upTo).isGreaterThan(before);
            var cleaner = new Cleaner(
                    0,
                    new SkimpyOffsetMap(1 << 20),
                    64 << 10,
                    1 << 20,
                    0.9,
                    new Throttler(Double.MAX_VALUE, 300, "throttled", "bytes", Time.SYSTEM),
                    Time.SYSTEM,
                    partition -> {});
            var cleaned = cleaner.doClean(new LogToClean(theirs, theirsCleanedUpTo, upTo, false), time.milliseconds());
            assertThat(cleaned.getKey()).isEqualTo(upTo);
            theirsCleanedUpTo = upTo;
            cleanings++;
        }

        void compare() throws Exception {
            var mine = new ArrayList<Survivor>();
            LogFixture.batches(ours.log()).forEach(batch -> survivors(batch, mine));
            var reference = new ArrayList<Survivor>();
            for (var segment : theirs.logSegments()) {
                var buffer = ByteBuffer.allocate(segment.log().sizeInBytes());
                segment.log().readInto(buffer, 0);
                RecordBatches.toList(buffer).forEach(batch -> survivors(batch, reference));
            }
            assertThat(data(mine)).isEqualTo(data(reference));
            assertThat(markers(mine).keySet()).containsAll(markers(reference).keySet());
            markers(reference).forEach((offset, marker) -> {
                var own = Objects.requireNonNull(markers(mine).get(offset));
                assertThat(own.deleteHorizonMs() == marker.deleteHorizonMs()
                                || own.deleteHorizonMs() < 0
                                || own.deleteHorizonMs() > marker.deleteHorizonMs())
                        .as("%s, and with the reference %s", own, marker)
                        .isTrue();
            });
            long end = theirs.lastStableOffset();
            assertThat(told(ours.log().abortedTransactions(0, end)))
                    .containsAll(told(theirs.collectAbortedTransactions(0, end).stream()
                            .map(it -> new AbortedTransaction(it.producerId(), it.firstOffset()))
                            .toList()));
        }
    }

    private static final CleanerConfig CLEANER = new CleanerConfig(1 << 20, 0.9, 64 << 10);

    private static List<String> told(List<AbortedTransaction> transactions) {
        return transactions.stream()
                .map(it -> it.producerId() + "@" + it.firstOffset())
                .sorted()
                .toList();
    }

    private static List<Survivor> data(List<Survivor> survivors) {
        return survivors.stream().filter(it -> !it.control()).toList();
    }

    private static Map<Long, Survivor> markers(List<Survivor> survivors) {
        return survivors.stream()
                .filter(Survivor::control)
                .collect(Collectors.toMap(Survivor::offset, Function.identity()));
    }

    private static void survivors(RecordBatch batch, List<Survivor> into) {
        assertThat(batch.isCrcValid()).isTrue();
        for (var record : batch.records(DecompressionLimits.DEFAULT)) {
            into.add(new Survivor(
                    record.offset(),
                    batch.isControl() ? null : text(record.key()),
                    batch.isControl() ? null : text(record.value()),
                    record.timestamp(),
                    batch.producerId(),
                    batch.baseSequence(),
                    batch.isControl(),
                    batch.isTransactional(),
                    batch.hasDeleteHorizon() ? batch.baseTimestamp() : -1));
        }
    }

    private static @Nullable String text(@Nullable ByteBuffer bytes) {
        return bytes == null
                ? null
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Seeds(count = 25)
    void theReferenceKeepsTheSameRecords(long seed) throws Exception {
        var twins = new Twins(seed);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 12 + twins.random.nextInt(30); i++) {
                twins.write();
                for (var producerId : List.copyOf(twins.open.keySet())) {
                    if (twins.random.nextInt(3) == 0) {
                        twins.end(producerId);
                    }
                }
                if (twins.random.nextInt(6) == 0) {
                    twins.roll();
                }
                twins.time.advanceMillis(twins.random.nextInt(50));
            }
            if (twins.random.nextInt(3) > 0) {
                List.copyOf(twins.open.keySet()).forEach(twins::end);
            }
            twins.roll();
            twins.clean();
            twins.compare();
            twins.time.advanceMillis(twins.random.nextInt(2 * DELETE_RETENTION_MS));
        }
        assertThat(twins.cleanings).isPositive();
        twins.ours.dirs().close();
        twins.theirs.close();
    }
}
