package io.moldau.broker.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.transaction.TransactionEnd;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.RecordBatches;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The life of a shard in the runtime: loading, writing, failing, timing out, moving.
class CoordinatorRuntimeTest {

    private final MockTime time = new MockTime();
    private final HashedWheelTimer timer = new HashedWheelTimer(time.nanoseconds(), () -> {});
    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();
    private final MemoryCoordinatorLog log = new MemoryCoordinatorLog(1);
    private final List<CounterShard> shards = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final CoordinatorRuntime<CounterShard> runtime = new CoordinatorRuntime<>(
            "topic",
            partition -> {
                shards.add(new CounterShard());
                return shards.getLast();
            },
            new CoordinatorRuntime.Services(
                    log,
                    CounterShard::decode,
                    time,
                    timer,
                    background::add,
                    faults,
                    CoordinatorMetrics.NONE,
                    Compression.NONE,
                    2_000,
                    300,
                    5_000));

    private CounterShard shard() {
        return shards.getLast();
    }

    private void runBackground() {
        Runnable task;
        while ((task = background.poll()) != null) {
            task.run();
        }
    }

    private void advance(long ms) {
        time.advanceMillis(ms);
        timer.advanceTo(time.nanoseconds());
        runBackground();
    }

    private void add(String name) {
        runtime.submit(0, shard -> shard.add(name, answers::add), error -> answers.add(error.name()));
    }

    @BeforeEach
    void load() {
        runtime.elected(0, 1, shard -> CoordinatorResult.NOTHING);
        runBackground();
        assertThat(runtime.isActive(0)).isTrue();
    }

    @AfterEach
    void noFaults() {
        assertThat(faults.faults()).isEmpty();
    }

    @Test
    void anOperationIsAnsweredOnTheCallersThreadOnceItIsCommitted() {
        add("a");
        add("a");

        assertThat(answers).containsExactly("a1", "a2");
        assertThat(log.batches()).isEqualTo(2);
    }

    @Test
    void aPartitionLedElsewhereIsRefused() {
        runtime.submit(9, shard -> shard.add("a", answers::add), error -> answers.add(error.name()));
        assertThat(answers).containsExactly("NOT_COORDINATOR");
    }

    @Test
    void whatWasWrittenIsThereAfterTheShardMoved() {
        for (int i = 0; i < 50; i++) {
            add("a");
            add("b" + i);
        }
        runtime.resigned(0);
        answers.clear();
        add("a");
        log.electedAt(2);
        runtime.elected(0, 2, shard -> CoordinatorResult.NOTHING);
        add("a");
        runBackground();
        add("a");

        assertThat(answers).containsExactly("NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "a51");
        assertThat(shard().latest("b49")).isEqualTo(1);
    }

    @Test
    void aShardWaitsForThePartitionToLearnOfItsRole() {
        runtime.elected(0, 2, shard -> CoordinatorResult.NOTHING);
        runBackground();
        add("a");
        advance(10);
        add("a");
        log.electedAt(2);
        advance(10);
        add("a");

        assertThat(answers).containsExactly("COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_LOAD_IN_PROGRESS", "a1");
    }

    @Test
    void whatConcernsAllShardsReachesThoseThatLoadToo() {
        runtime.submitToAll(shard -> shard.add("a", answers::add));
        log.electedAt(2);
        runtime.elected(0, 2, shard -> CoordinatorResult.NOTHING);
        runtime.submitToAll(shard -> shard.add("a", answers::add));
        assertThat(answers).containsExactly("a1");
        runBackground();

        assertThat(answers).containsExactly("a1", "a2");
    }

    @Test
    void anElectionThatIsKnownAlreadyChangesNothing() {
        add("a");
        runtime.elected(0, 1, shard -> CoordinatorResult.NOTHING);
        runtime.elected(0, 0, shard -> CoordinatorResult.NOTHING);

        assertThat(shards).hasSize(1);
        assertThat(runtime.isActive(0)).isTrue();
    }

    @Test
    void whatIsDecidedWhileAnAppendIsUnderWaySharesTheNext() {
        log.holdAppends();
        for (int i = 0; i < 10; i++) {
            add("a");
        }
        assertThat(answers).isEmpty();
        assertThat(shard().latest("a")).isEqualTo(10);
        assertThat(shard().committed("a")).isZero();
        log.releaseAppends();

        assertThat(answers).hasSize(10).contains("a1", "a10");
        assertThat(log.batches()).isEqualTo(2);
        assertThat(shard().committed("a")).isEqualTo(10);
    }

    @Test
    void answersWaitForTheHighWatermark() {
        log.holdCommits();
        add("a");
        add("b");
        assertThat(answers).isEmpty();
        assertThat(shard().committed("a")).isZero();
        log.releaseCommits();

        assertThat(answers).containsExactly("a1", "b1");
        assertThat(shard().committed("b")).isEqualTo(1);
    }

    @Test
    void anOperationWithoutRecordsWaitsForThoseBeforeIt() {
        log.holdCommits();
        add("a");
        runtime.submit(
                0,
                shard -> new CoordinatorResult.Builder()
                        .then(Completion.answer(answers::add, "read " + shard.latest("a"), Errors::name))
                        .build(),
                error -> answers.add(error.name()));
        assertThat(answers).isEmpty();
        log.releaseCommits();

        assertThat(answers).containsExactly("a1", "read 1");
    }

    @Test
    void aRefusedAppendIsUndoneWithAllThatWasPlannedOnIt() {
        add("a");
        log.holdAppends();
        log.refuseNextAppend(Errors.NOT_ENOUGH_REPLICAS);
        add("a");
        add("a");
        assertThat(shard().latest("a")).isEqualTo(3);
        log.releaseAppends();

        assertThat(answers).containsExactly("a1", "NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS");
        assertThat(shard().latest("a")).isEqualTo(1);
        add("a");
        assertThat(answers).endsWith("a2");
    }

    @Test
    void aRefusedAppendDoesNotUndoWhatWaitsForItsCommit() {
        log.holdCommits();
        add("a");
        log.refuseNextAppend(Errors.NOT_ENOUGH_REPLICAS);
        add("a");
        assertThat(shard().latest("a")).isEqualTo(1);
        log.releaseCommits();

        assertThat(answers).containsExactly("NOT_ENOUGH_REPLICAS", "a1");
    }

    @Test
    void aWaitThatIsTooLongEndsButTheWriteMayStillBeCommitted() {
        log.holdCommits();
        add("a");
        advance(4_999);
        assertThat(answers).isEmpty();
        advance(2);
        assertThat(answers).containsExactly("REQUEST_TIMED_OUT");
        log.releaseCommits();

        assertThat(answers).hasSize(1);
        assertThat(shard().committed("a")).isEqualTo(1);
    }

    @Test
    void anAppendThatTakesTooLongIsNotWaitedForEither() {
        log.holdAppends();
        add("a");
        add("b");
        advance(5_001);
        assertThat(answers).containsExactly("REQUEST_TIMED_OUT");
        log.releaseAppends();

        assertThat(answers).containsExactly("REQUEST_TIMED_OUT", "b1");
    }

    @Test
    void whoeverWaitsWhenTheShardMovesIsSentElsewhere() {
        log.holdCommits();
        add("a");
        shard().parked.add(answers::add);
        runtime.resigned(0);
        log.releaseCommits();

        assertThat(answers).containsExactly("NOT_COORDINATOR", "NOT_COORDINATOR");
    }

    @Test
    void anAppendThatEndsAfterTheShardMovedIsNobodysBusiness() {
        log.holdAppends();
        add("a");
        runtime.resigned(0);
        log.releaseAppends();
        advance(10_000);

        assertThat(answers).containsExactly("NOT_COORDINATOR");
    }

    @Test
    void timersFireInTheShardAndCanBePutOffAndTakenBack() {
        runtime.submit(
                0,
                shard -> new CoordinatorResult.Builder()
                        .schedule(new CounterShard.Tick("kept"), 100)
                        .schedule(new CounterShard.Tick("put off"), 100)
                        .schedule(new CounterShard.Tick("put off"), 200)
                        .schedule(new CounterShard.Tick("sooner"), 300)
                        .schedule(new CounterShard.Tick("sooner"), 50)
                        .schedule(new CounterShard.Tick("taken back"), 100)
                        .cancel("taken back")
                        .build(),
                error -> {});
        advance(60);
        assertThat(shard().ticks).containsExactly("sooner");
        advance(60);
        assertThat(shard().ticks).containsExactly("sooner", "kept");
        advance(70);
        assertThat(shard().ticks).containsExactly("sooner", "kept");
        advance(30);
        assertThat(shard().ticks).containsExactly("sooner", "kept", "put off");
        runtime.submit(
                0,
                shard -> new CoordinatorResult.Builder()
                        .schedule(new CounterShard.Tick("late"), 100)
                        .build(),
                error -> {});
        runtime.resigned(0);
        advance(1_000);
        assertThat(shard().ticks).doesNotContain("late");
    }

    @Test
    void recordsThatFitIntoNoBatchAreRefusedAndOthersShareAsManyAsTheyNeed() {
        runtime.submit(0, shard -> shard.add("big", 3_000, answers::add), error -> {});
        assertThat(answers).containsExactly("MESSAGE_TOO_LARGE");
        assertThat(shard().latest("big")).isZero();

        log.holdAppends();
        add("first");
        for (int i = 0; i < 5; i++) {
            runtime.submit(0, shard -> shard.add("c", 800, answers::add), error -> {});
        }
        log.releaseAppends();
        assertThat(answers).endsWith("c5");
        assertThat(log.batches()).isEqualTo(4);
    }

    @Test
    void aCleanUpIsSpreadOverBatches() {
        var out = new CoordinatorResult.Builder().splittable();
        for (int i = 0; i < 10; i++) {
            out.write(CounterShard.record("n" + i, 1, 800));
        }
        runtime.submit(
                0,
                shard -> out.then(Completion.answer(answers::add, "done", Errors::name))
                        .build(),
                error -> {});

        assertThat(answers).containsExactly("done");
        assertThat(log.batches()).isEqualTo(5);
        assertThat(shard().committed("n9")).isEqualTo(1);
    }

    @Test
    void markersOfTransactionsAndUnknownRecordsAreLoadedToo() {
        add("a");
        log.addBatch(new BatchBuilder()
                .append(1L, new byte[] {0, 77, 1, 2, 3}, new byte[] {9})
                .build());
        log.addBatch(ControlRecord.endTransactionBatch(5L, (short) 1, 1L, new ControlRecord.EndTransaction(true, 3)));
        log.electedAt(2);
        runtime.elected(0, 2, shard -> CoordinatorResult.NOTHING);
        runBackground();

        assertThat(shard().latest("a")).isEqualTo(1);
        assertThat(shard().transactions).containsExactly(true);
    }

    @Test
    void aShardWhoseLogCannotBeReadDoesNotServe() {
        log.addBatch(new BatchBuilder()
                .append(1L, new byte[] {0, 2, 0, 50}, new byte[] {9})
                .build());
        log.electedAt(2);
        runtime.elected(0, 2, shard -> CoordinatorResult.NOTHING);
        runBackground();
        add("a");

        assertThat(runtime.hasFailed(0)).isTrue();
        assertThat(answers).containsExactly("NOT_COORDINATOR");
    }

    @Test
    void manyThreadsGetEveryCountOnce() throws InterruptedException {
        var threads = Executors.newFixedThreadPool(4);
        var done = new CountDownLatch(4);
        var sum = new AtomicInteger();
        for (int t = 0; t < 4; t++) {
            threads.execute(() -> {
                for (int i = 0; i < 2_000; i++) {
                    runtime.submit(
                            0,
                            shard -> shard.add("a", answer -> sum.addAndGet(Integer.parseInt(answer.substring(1)))),
                            error -> {});
                }
                done.countDown();
            });
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        threads.shutdown();
        assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();

        assertThat(sum.get()).isEqualTo(8_000 * 8_001 / 2);
        assertThat(shard().committed("a")).isEqualTo(8_000);
        assertThat(log.logEndOffset()).isEqualTo(8_000);
    }

    // ---- transactions ----

    private static final Transaction TRANSACTION = new Transaction(7L, (short) 3, TransactionTerms.NONE);

    private void addIn(Transaction transaction, String name) {
        runtime.submit(0, transaction, shard -> shard.add(name, answers::add), error -> answers.add(error.name()));
    }

    private void end(boolean committed) {
        runtime.endTransaction(
                0, new TransactionEnd(7L, (short) 4, 1, committed, 2), error -> answers.add(error.name()));
    }

    @Test
    void recordsOfATransactionHaveABatchOfTheirOwn() {
        log.holdAppends();
        add("a");
        add("b");
        addIn(TRANSACTION, "c");
        addIn(TRANSACTION, "d");
        add("e");
        add("f");
        end(true);
        log.releaseAppends();

        assertThat(answers).containsExactly("a1", "b1", "c1", "d1", "e1", "f1", "NONE");
        var batches = log.read(new TopicPartition("topic", 0), 1, 0, 10_000);
        var seen = new ArrayList<String>();
        var reader = new RecordBatches(batches);
        while (reader.tryNext() == RecordBatches.Step.BATCH) {
            var batch = reader.batch();
            seen.add(batch.recordCount()
                    + (batch.isControl() ? "control" : "")
                    + (batch.isTransactional() ? " of " + batch.producerId() + "/" + batch.producerEpoch() : ""));
        }
        assertThat(seen).containsExactly("1", "1", "1 of 7/3", "1 of 7/3", "2", "1control of 7/4");
        assertThat(shard().producers).containsExactly(-1L, -1L, 7L, 7L, -1L, -1L);
        assertThat(shard().transactions).containsExactly(true);
    }

    @Test
    void anEndIsAppliedWhenItIsWrittenAndAnsweredWhenItIsCommitted() {
        log.holdCommits();
        end(false);
        assertThat(answers).isEmpty();
        assertThat(shard().transactions).containsExactly(false);
        log.releaseCommits();
        assertThat(answers).containsExactly("NONE");
    }

    @Test
    void aTransactionThatTheLogRefusesTakesNothingElseWithIt() {
        add("a");
        log.refuseNextAppend(Errors.INVALID_PRODUCER_EPOCH);
        addIn(TRANSACTION, "a");
        add("a");

        assertThat(answers).containsExactly("a1", "INVALID_PRODUCER_EPOCH", "a2");
    }

    @Test
    void whatWasPlannedOnARefusedTransactionIsTriedAgain() {
        log.holdAppends();
        addIn(TRANSACTION, "a");
        add("a");
        log.refuseNextAppend(Errors.INVALID_PRODUCER_EPOCH);
        log.releaseAppends();
        add("a");

        assertThat(answers).containsExactly("INVALID_PRODUCER_EPOCH", "NOT_ENOUGH_REPLICAS", "a1");
    }

    @Test
    void aTransactionFindsNoShardElsewhere() {
        runtime.submit(9, TRANSACTION, shard -> shard.add("a", answers::add), error -> answers.add(error.name()));
        runtime.endTransaction(9, new TransactionEnd(7L, (short) 4, 1, true, 2), error -> answers.add(error.name()));
        assertThat(answers).containsExactly("NOT_COORDINATOR", "NOT_COORDINATOR");
    }
}
