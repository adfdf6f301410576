package io.moldau.log.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.AppendOutcome;
import io.moldau.log.LogFixture;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.log.producer.VerificationGuard;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.ControlRecord.EndTransaction;
import io.moldau.wire.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/// Random producers, transactions, markers and truncations in a log of the reference and in one of
/// ours, which is also opened again now and then: every batch is taken by both or refused by both
/// for the same reason, and both remember the same of every producer and every transaction.
class ProducerRulesParityTest {

    private static final int STEPS = 400;

    @TempDir
    Path directory;

    @Seeds(count = 20)
    void bothJudgeAlike(long seed) throws IOException {
        try (var twins = new Twins(directory, new Random(seed))) {
            for (int i = 0; i < STEPS; i++) {
                twins.step();
            }
            assertThat(twins.counts.keySet()).contains("NONE", "duplicate", "asked", "OUT_OF_ORDER_SEQUENCE_NUMBER");
        }
    }

    /// A question to the transaction coordinator that is open.
    private record Asked(
            ByteBuffer batch,
            TransactionTerms terms,
            VerificationGuard ours,
            org.apache.kafka.storage.internals.log.VerificationGuard theirs) {}

    private static final class Twins implements AutoCloseable {
        private final MockTime time = new MockTime(Time.SYSTEM.milliseconds(), 0);
        private final Random random;
        private final LogFixture ours;
        private final UnifiedLog theirs;
        private final KafkaScheduler scheduler = new KafkaScheduler(1);
        private final BrokerTopicStats stats = new BrokerTopicStats();
        private final List<Asked> asked = new ArrayList<>();
        private final List<ByteBuffer> sent = new ArrayList<>();
        private final List<Long> ends = new ArrayList<>();
        private final Map<Long, Integer> nextSequence = new HashMap<>();
        private final int[] epochs = {0, 0, Short.MAX_VALUE - 2};
        final Map<String, Integer> counts = new HashMap<>();

        Twins(Path directory, Random random) throws IOException {
            this.random = random;
            scheduler.startup();
            ours = new LogFixture(new NioLogStorage(), Files.createDirectory(directory.resolve("ours")), time);
            var config = new org.apache.kafka.storage.internals.log.LogConfig(Map.of());
            theirs = UnifiedLog.create(
                    Files.createDirectories(directory.resolve("theirs/topic-0")).toFile(),
                    config,
                    0,
                    0,
                    scheduler,
                    stats,
                    Time.SYSTEM,
                    60_000,
                    new ProducerStateManagerConfig(86_400_000, true),
                    600_000,
                    new LogDirFailureChannel(1),
                    true,
                    Optional.empty());
            ends.add(0L);
        }

        void step() throws IOException {
            int dice = random.nextInt(100);
            if (dice < 60) {
                data();
            } else if (dice < 68) {
                marker();
            } else if (dice < 98) {
                if (!asked.isEmpty()) {
                    answered(asked.remove(random.nextInt(asked.size())));
                }
            } else {
                while (!asked.isEmpty()) {
                    answered(asked.removeFirst());
                }
                if (nobodyIsAskedAbout()) {
                    if (random.nextBoolean()) {
                        truncate();
                    } else {
                        restart();
                    }
                }
            }
            long end = ours.log().logEndOffset();
            assertThat(end).isEqualTo(theirs.logEndOffset());
            if (random.nextInt(3) > 0) {
                ours.log().setHighWatermark(end);
                theirs.updateHighWatermark(end);
            }
            assertThat(ours.log().lastStableOffset()).isEqualTo(theirs.lastStableOffset());
            assertThat(producersOfOurs()).containsExactlyInAnyOrderElementsOf(producersOfTheirs());
            assertThat(ours.log().abortedTransactions(0, end).stream()
                            .map(it -> it.producerId() + "@" + it.firstOffset()))
                    .containsExactlyElementsOf(theirs.collectAbortedTransactions(0, end).stream()
                            .map(it -> it.producerId() + "@" + it.firstOffset())
                            .toList());
        }

        private List<String> producersOfOurs() {
            return ours.log().activeProducers().stream()
                    .map(it -> it.producerId() + " " + it.producerEpoch() + " " + it.lastSequence() + " "
                            + it.lastTimestamp() + " " + it.coordinatorEpoch() + " "
                            + it.currentTransactionStartOffset())
                    .toList();
        }

        private List<String> producersOfTheirs() {
            return theirs.activeProducers().stream()
                    .map(it -> it.producerId() + " " + it.producerEpoch() + " " + it.lastSequence() + " "
                            + it.lastTimestamp() + " " + it.coordinatorEpoch() + " " + it.currentTxnStartOffset())
                    .toList();
        }

        private static ByteBuffer copy(ByteBuffer batch) {
            return ByteBuffer.allocate(batch.remaining()).put(batch.duplicate()).flip();
        }

        // ---- data

        private void data() {
            ByteBuffer batch;
            if (!sent.isEmpty() && random.nextInt(4) == 0) {
                batch = copy(sent.get(Math.max(0, sent.size() - 1 - random.nextInt(9))));
            } else {
                batch = fresh();
                sent.add(copy(batch));
            }
            var header = RecordBatch.at(batch);
            if (!header.isTransactional()) {
                append(batch, TransactionTerms.NONE, null);
                return;
            }
            var terms = random.nextBoolean() ? TransactionTerms.VERIFIED : TransactionTerms.ADDED;
            var first = appendToOurs(batch, terms);
            if (!(first instanceof AppendOutcome.Unverified(VerificationGuard guard))) {
                // The reference asks about what it has already, too, and remembers the sequence of that.
                compare(
                        first,
                        batch,
                        terms,
                        first instanceof AppendOutcome.Duplicate
                                ? org.apache.kafka.storage.internals.log.VerificationGuard.SENTINEL
                                : null);
                return;
            }
            var theirGuard = theirs.maybeStartTransactionVerification(
                    header.producerId(),
                    header.baseSequence(),
                    header.producerEpoch(),
                    terms.check() == TransactionTerms.Check.ADDED);
            assertThat(theirGuard).isNotEqualTo(org.apache.kafka.storage.internals.log.VerificationGuard.SENTINEL);
            asked.add(new Asked(batch, terms, guard, theirGuard));
            count("asked");
        }

        private ByteBuffer fresh() {
            int producer = random.nextInt(epochs.length);
            int epoch = epochs[producer];
            if (random.nextInt(25) == 0) {
                epoch = Math.clamp(epoch + (random.nextBoolean() ? 1 : -1), 0, Short.MAX_VALUE);
                epochs[producer] = Math.max(epoch, epochs[producer]);
            }
            long key = producer * 100_000L + epoch;
            int start = random.nextInt(12) == 0 ? Integer.MAX_VALUE - 3 : 0;
            int sequence = nextSequence.getOrDefault(key, start);
            if (random.nextInt(12) == 0) {
                sequence = Math.max(0, sequence + random.nextInt(-4, 5));
            }
            int size = 1 + random.nextInt(3);
            boolean transactional = random.nextInt(10) != 0;
            var builder = new BatchBuilder()
                    .producer(producer, (short) epoch, sequence)
                    .transactional(transactional);
            long timestamp = time.milliseconds() - random.nextInt(1000);
            for (int i = 0; i < size; i++) {
                builder.append(timestamp, null, new byte[3]);
            }
            var batch = builder.build();
            if (random.nextInt(3) == 0) {
                noteSequence(RecordBatch.at(batch)); // As a producer that does not wait.
            }
            return batch;
        }

        private void noteSequence(RecordBatch batch) {
            long key = batch.producerId() * 100_000L + batch.producerEpoch();
            int last = batch.lastSequence();
            nextSequence.put(key, last == Integer.MAX_VALUE ? 0 : last + 1);
        }

        private void answered(Asked it) {
            append(it.batch(), it.terms().with(it.ours()), it.theirs());
        }

        private AppendOutcome appendToOurs(ByteBuffer batch, TransactionTerms terms) {
            return ours.log()
                    .appendAsLeader(copy(batch), LogFixture.EPOCH, AppendOrigin.CLIENT, terms, time.milliseconds());
        }

        private void append(
                ByteBuffer batch,
                TransactionTerms terms,
                org.apache.kafka.storage.internals.log.@Nullable VerificationGuard guard) {
            compare(appendToOurs(batch, terms), batch, terms, guard);
        }

        /// @param guard null if it is still to be got
        private void compare(
                AppendOutcome outcome,
                ByteBuffer batch,
                TransactionTerms terms,
                org.apache.kafka.storage.internals.log.@Nullable VerificationGuard guard) {
            var header = RecordBatch.at(batch);
            String told;
            try {
                var theirGuard = guard;
                if (theirGuard == null) {
                    theirGuard = terms.check() == TransactionTerms.Check.NONE
                            ? org.apache.kafka.storage.internals.log.VerificationGuard.SENTINEL
                            : theirs.maybeStartTransactionVerification(
                                    header.producerId(),
                                    header.baseSequence(),
                                    header.producerEpoch(),
                                    terms.check() == TransactionTerms.Check.ADDED);
                }
                var info = theirs.appendAsLeader(
                        MemoryRecords.readableRecords(copy(batch)),
                        LogFixture.EPOCH,
                        org.apache.kafka.storage.internals.log.AppendOrigin.CLIENT,
                        RequestLocal.noCaching(),
                        theirGuard,
                        (short) 0);
                told = info.firstOffset() + "-" + info.lastOffset();
            } catch (ApiException refused) {
                told = Errors.forException(refused).name();
            }
            same(outcome, told);
            if (outcome instanceof AppendOutcome.Appended) {
                noteSequence(header);
            }
        }

        // ---- markers

        private void marker() {
            int producer = random.nextInt(epochs.length);
            int version = random.nextBoolean() ? 2 : 0;
            int epoch = epochs[producer];
            if (random.nextInt(10) == 0) {
                epoch = Math.max(0, epoch - 1);
            } else if (version == 2 && epoch < Short.MAX_VALUE && random.nextInt(8) != 0) {
                epoch++;
                epochs[producer] = epoch;
            }
            int coordinatorEpoch = random.nextInt(8) == 0 ? random.nextInt(3) : 2;
            var marker = ControlRecord.endTransactionBatch(
                    producer,
                    (short) epoch,
                    time.milliseconds(),
                    new EndTransaction(random.nextBoolean(), coordinatorEpoch));
            var outcome = ours.log()
                    .appendAsLeader(
                            copy(marker),
                            LogFixture.EPOCH,
                            AppendOrigin.TRANSACTION_MARKER,
                            TransactionTerms.ofMarker(version),
                            time.milliseconds());
            String told;
            try {
                var info = theirs.appendAsLeader(
                        MemoryRecords.readableRecords(copy(marker)),
                        LogFixture.EPOCH,
                        org.apache.kafka.storage.internals.log.AppendOrigin.COORDINATOR,
                        RequestLocal.noCaching(),
                        org.apache.kafka.storage.internals.log.VerificationGuard.SENTINEL,
                        (short) version);
                told = info.firstOffset() + "-" + info.lastOffset();
            } catch (ApiException refused) {
                told = Errors.forException(refused).name();
            }
            same(outcome, told);
        }

        private void truncate() {
            long to = ends.get(Math.max(0, ends.size() - 1 - random.nextInt(8)));
            ours.log().truncateTo(to);
            theirs.truncateTo(to);
            ends.removeIf(end -> end > to);
            count("truncated");
        }

        /// Only ours: nothing of what it remembers may be lost. Which markers are not replicated yet is known in memory
        /// only, in both.
        private void restart() throws IOException {
            ours.log().setHighWatermark(theirs.logEndOffset());
            theirs.updateHighWatermark(theirs.logEndOffset());
            if (random.nextBoolean()) {
                ours.dirs().close();
            } else {
                ours.dirs().abandon();
            }
            ours.reopen().setHighWatermark(theirs.highWatermark());
            count("restarted");
        }

        /// The reference keeps what was asked about before it cut; here nothing of that counts afterwards.
        private boolean nobodyIsAskedAbout() {
            for (long producer = 0; producer < epochs.length; producer++) {
                if (!theirs.verificationGuard(producer)
                        .equals(org.apache.kafka.storage.internals.log.VerificationGuard.SENTINEL)) {
                    return false;
                }
            }
            return true;
        }

        private void same(AppendOutcome outcome, String told) {
            switch (outcome) {
                case AppendOutcome.Appended it -> {
                    assertThat(it.baseOffset() + "-" + it.lastOffset()).isEqualTo(told);
                    ends.add(it.lastOffset() + 1);
                    count("NONE");
                }
                case AppendOutcome.Duplicate it -> {
                    assertThat(it.baseOffset() + "-" + it.lastOffset()).isEqualTo(told);
                    count("duplicate");
                }
                case AppendOutcome.Rejected it -> {
                    assertThat(it.error().name()).as(it.message()).isEqualTo(told);
                    count(told);
                }
                case AppendOutcome.Unverified ignored -> throw new AssertionError("asked twice; theirs: " + told);
            }
        }

        private void count(String what) {
            counts.merge(what, 1, Integer::sum);
        }

        @Override
        public void close() throws IOException {
            theirs.close();
            stats.close();
            ours.dirs().close();
            try {
                scheduler.shutdown();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }
}
