package io.moldau.broker.coordinator.runtime;

import io.moldau.broker.transaction.TransactionEnd;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Deadline;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// One term of one shard: loads it, runs its operations one at a time, writes its records, tells who waits, unloads it.
///
/// Everything but `status` is owned by the mailbox; while loading, the shard is the loading thread's. At most one
/// append is under way. What operations decide meanwhile collects in the next batch, so under load many share one.
final class ShardRunner<S extends CoordinatorShard> {

    private static final Logger LOG = LoggerFactory.getLogger(ShardRunner.class);

    /// Where the term is. Each step is taken once, and closing is possible from everywhere.
    enum Status {
        LOADING,
        ACTIVE,
        FAILED,
        CLOSED
    }

    private final TopicPartition partition;
    private final int leaderEpoch;
    private final S shard;
    private final CoordinatorRuntime.Services services;
    private final ShardMailbox mailbox;
    private final ShardTimers timers;

    private volatile Status status = Status.LOADING;

    private final List<Function<S, CoordinatorResult>> afterLoading = new ArrayList<>();
    private long nextSequence = Timeline.COMMITTED + 1;
    private @Nullable WriteBatch open;
    private final ArrayDeque<WriteBatch> toAppend = new ArrayDeque<>();
    private @Nullable WriteBatch appending;
    private final ArrayDeque<WriteBatch> uncommitted = new ArrayDeque<>();

    ShardRunner(
            TopicPartition partition,
            int leaderEpoch,
            S shard,
            Function<S, CoordinatorResult> first,
            CoordinatorRuntime.Services services) {
        this.afterLoading.add(first);
        this.partition = partition;
        this.leaderEpoch = leaderEpoch;
        this.shard = shard;
        this.services = services;
        this.mailbox = new ShardMailbox(this::write, services.faults());
        this.timers = new ShardTimers(services.timer(), services.time(), this::onTimerFired);
    }

    TopicPartition partition() {
        return partition;
    }

    int leaderEpoch() {
        return leaderEpoch;
    }

    Status status() {
        return status;
    }

    // ---- operations ----

    /// Runs the operation inside the shard, on this thread if nobody is inside.
    ///
    /// @param refused is told why the shard does not serve
    void submit(Function<S, CoordinatorResult> operation, Consumer<Errors> refused) {
        submitRound(refused, () -> {
            begin();
            carryOut(operation.apply(shard));
        });
    }

    /// The same for an operation whose records belong to a transaction: they go to the log in a batch of their own.
    /// At once if possible, because the log may refuse them, and then fails what was planned after them.
    void submit(Transaction transaction, Function<S, CoordinatorResult> operation, Consumer<Errors> refused) {
        submitRound(refused, () -> {
            seal();
            open = newBatch(
                    new BatchBuilder()
                            .compression(services.compression())
                            .producer(transaction.producerId(), transaction.producerEpoch(), RecordBatch.NO_SEQUENCE)
                            .transactional(true),
                    transaction);
            begin();
            carryOut(operation.apply(shard));
            seal();
            write();
        });
    }

    /// Writes the end of a transaction, and applies it as of then.
    ///
    /// @param done told how it ended: NONE once the marker is committed
    void endTransaction(TransactionEnd end, Consumer<Errors> done) {
        submitRound(done, () -> {
            seal();
            var marker = new ControlRecord.EndTransaction(end.committed(), end.coordinatorEpoch());
            var batch = newBatch(
                    ControlRecord.endTransaction(
                            end.producerId(),
                            end.producerEpoch(),
                            services.time().milliseconds(),
                            marker),
                    new Transaction(
                            end.producerId(),
                            end.producerEpoch(),
                            TransactionTerms.ofMarker(end.transactionVersion())));
            shard.timeline().writeAt(batch.sequence());
            shard.replayEndTransaction(end.producerId(), end.producerEpoch(), end.committed());
            batch.await(List.of(Completion.answer(done::accept, Errors.NONE, error -> error)));
            toAppend.addLast(batch);
            write();
        });
    }

    private void submitRound(Consumer<Errors> refused, Runnable round) {
        // Answered here so that nothing is queued behind a load.
        var now = status;
        if (now != Status.ACTIVE) {
            refused.accept(refusal(now));
            return;
        }
        mailbox.submit(() -> {
            var inside = status;
            if (inside != Status.ACTIVE) {
                refused.accept(refusal(inside));
                return;
            }
            round.run();
        });
    }

    /// Nothing is added any more to the batch that is open.
    private void seal() {
        if (open != null) {
            if (!open.isEmpty()) {
                toAppend.addLast(open);
            }
            open = null;
        }
    }

    /// Runs the operation now, or when the shard has been loaded; never, if it is not to serve again.
    void submitWhenActive(Function<S, CoordinatorResult> operation) {
        mailbox.submit(() -> {
            switch (status) {
                case LOADING -> afterLoading.add(operation);
                case ACTIVE -> {
                    begin();
                    carryOut(operation.apply(shard));
                }
                case FAILED, CLOSED -> {}
            }
        });
    }

    private static Errors refusal(Status status) {
        return status == Status.LOADING ? Errors.COORDINATOR_LOAD_IN_PROGRESS : Errors.NOT_COORDINATOR;
    }

    /// What the shard changes from here on belongs to the open batch.
    private WriteBatch begin() {
        if (open == null) {
            open = newBatch(new BatchBuilder().compression(services.compression()), null);
        }
        shard.timeline().writeAt(open.sequence());
        return open;
    }

    private WriteBatch newBatch(BatchBuilder builder, @Nullable Transaction transaction) {
        return new WriteBatch(
                nextSequence++,
                builder,
                transaction,
                services.time().nanoseconds(),
                () -> mailbox.submit(this::onLateOutcome));
    }

    private void carryOut(CoordinatorResult result) {
        for (var effect : result.effects()) {
            switch (effect) {
                case Effect.Answer<?> answer -> deliver(answer);
                case Effect.Schedule(TimerEvent event, long delayMs) -> {
                    if (status == Status.ACTIVE) {
                        timers.schedule(event, delayMs);
                    }
                }
                case Effect.Cancel(Object key) -> timers.cancel(key);
            }
        }
        if (status != Status.ACTIVE) {
            fail(result.completions(), Errors.NOT_COORDINATOR);
            return;
        }
        if (!result.records().isEmpty() && !enqueue(result)) {
            fail(result.completions(), Errors.MESSAGE_TOO_LARGE);
            return;
        }
        if (!result.completions().isEmpty()) {
            var last = lastPending();
            if (last == null) {
                commit(result.completions());
            } else {
                last.await(result.completions());
            }
        }
    }

    /// The caller's reply is not ours: if it throws, that is a fault of the caller's and the shard goes on.
    private void deliver(Effect.Answer<?> answer) {
        try {
            answer.deliver();
        } catch (RuntimeException fault) {
            services.faults().handle("answering a request of a coordinator", fault);
        }
    }

    /// Puts the records into the open batch, or a fresh one where they don't fit, and replays them.
    ///
    /// @return false if they fit into no batch
    private boolean enqueue(CoordinatorResult result) {
        int limit = services.maxBatchBytes();
        var keys = new ArrayList<byte[]>(result.records().size());
        var values = new ArrayList<byte @Nullable []>(result.records().size());
        int bound = 0;
        for (var record : result.records()) {
            var key = record.encodedKey();
            var value = record.encodedValue();
            int size = BatchBuilder.recordSizeBound(key.length, value == null ? 0 : value.length);
            if (size + RecordBatch.HEADER_SIZE > limit) {
                return false;
            }
            bound = Math.addExact(bound, size);
            keys.add(key);
            values.add(value);
        }
        if (bound + RecordBatch.HEADER_SIZE > limit && !result.splittable()) {
            return false;
        }
        var batch = begin();
        var transaction = batch.transaction();
        if (!result.splittable() && batch.sizeInBytes() + bound > limit) {
            batch = nextBatch();
        }
        long timestamp = services.time().milliseconds();
        for (int i = 0; i < keys.size(); i++) {
            var value = values.get(i);
            int size = BatchBuilder.recordSizeBound(keys.get(i).length, value == null ? 0 : value.length);
            if (batch.sizeInBytes() + size > limit) {
                batch = nextBatch();
            }
            batch.append(timestamp, keys.get(i), value);
            if (result.replay()) {
                shard.replay(
                        transaction == null ? RecordBatch.NO_PRODUCER_ID : transaction.producerId(),
                        transaction == null ? RecordBatch.NO_PRODUCER_EPOCH : transaction.producerEpoch(),
                        result.records().get(i));
            }
        }
        return true;
    }

    private WriteBatch nextBatch() {
        if (open != null && !open.isEmpty()) {
            seal();
        }
        return begin();
    }

    /// The batch after which everything decided so far is committed, or null if it is already.
    private @Nullable WriteBatch lastPending() {
        if (open != null && !open.isEmpty()) {
            return open;
        }
        if (!toAppend.isEmpty()) {
            return toAppend.getLast();
        }
        return appending != null ? appending : uncommitted.peekLast();
    }

    // ---- writing ----

    /// The end of a round: what its operations decided goes to the log.
    private void write() {
        while (appending == null && status == Status.ACTIVE) {
            var batch = toAppend.pollFirst();
            if (batch == null) {
                if (open == null || open.isEmpty()) {
                    return;
                }
                batch = open;
                open = null;
            }
            appending = batch;
            var transaction = batch.transaction();
            services.log()
                    .append(
                            partition,
                            leaderEpoch,
                            batch.build(),
                            transaction == null ? TransactionTerms.NONE : transaction.terms(),
                            batch);
            var outcome = batch.pollOutcome();
            if (outcome == null) {
                limitWait(batch);
            } else {
                onOutcome(batch, outcome);
            }
        }
    }

    private void onLateOutcome() {
        var batch = appending;
        if (batch != null) {
            var outcome = batch.pollOutcome();
            if (outcome != null) {
                onOutcome(batch, outcome);
            }
        }
    }

    private void onOutcome(WriteBatch batch, WriteBatch.Outcome outcome) {
        appending = null;
        switch (outcome) {
            case WriteBatch.Outcome.Appended(long lastOffset, long highWatermark) -> {
                batch.appendedUpTo(lastOffset);
                services.metrics().batchAppended(partition, batch.recordCount(), batch.sizeInBytes());
                uncommitted.addLast(batch);
                if (highWatermark > lastOffset) {
                    onCommitted(highWatermark);
                } else {
                    limitWait(batch);
                    services.log()
                            .whenCommitted(
                                    partition,
                                    leaderEpoch,
                                    lastOffset + 1,
                                    () -> mailbox.submit(() -> onCommitted(lastOffset + 1)));
                }
            }
            case WriteBatch.Outcome.Rejected(Errors error, String message) -> {
                LOG.atLevel(batch.transaction() == null ? Level.WARN : Level.INFO)
                        .log(
                                "Appending {} records of a coordinator failed: partition={} leaderEpoch={} error={} {}",
                                batch.recordCount(),
                                partition,
                                leaderEpoch,
                                error,
                                message);
                onRejected(batch, error);
            }
            case WriteBatch.Outcome.Awaited() -> throw new IllegalStateException("not an outcome");
        }
    }

    private void onCommitted(long highWatermark) {
        for (var batch = uncommitted.peekFirst();
                batch != null && batch.lastOffset() < highWatermark;
                batch = uncommitted.peekFirst()) {
            uncommitted.removeFirst();
            batch.cancelTimeout();
            shard.timeline().commitUpTo(batch.sequence());
            services.metrics().batchCommitted(partition, services.time().nanoseconds() - batch.plannedNanos());
            commit(batch.takeCompletions());
        }
    }

    private void commit(List<Completion> completions) {
        for (var completion : completions) {
            begin();
            carryOut(completion.onCommitted(services.time().milliseconds()));
        }
    }

    private void fail(List<Completion> completions, Errors error) {
        for (var completion : completions) {
            if (status == Status.ACTIVE) {
                begin();
            }
            carryOut(completion.onFailed(error, services.time().milliseconds()));
        }
    }

    /// The batch is not in the log. What was planned after it was planned on what it would have changed, so all of that
    /// is undone and fails too.
    private void onRejected(WriteBatch rejected, Errors error) {
        var failed = new ArrayList<WriteBatch>();
        failed.add(rejected);
        failed.addAll(toAppend);
        toAppend.clear();
        if (open != null) {
            failed.add(open);
            open = null;
        }
        shard.timeline().revertTo(rejected.sequence() - 1);
        for (var batch : failed) {
            batch.cancelTimeout();
            // What is wrong with a transaction is no news to others.
            var told = batch == rejected || rejected.transaction() == null ? error : Errors.NOT_ENOUGH_REPLICAS;
            services.metrics().batchFailed(partition, told, batch.operations());
            fail(batch.takeCompletions(), told);
        }
    }

    /// Whoever waits for the batch is told when it takes too long; the batch itself may still be committed.
    private void limitWait(WriteBatch batch) {
        if (batch.hasTimeout()) {
            return;
        }
        var deadline = Deadline.afterMillis(services.time().nanoseconds(), services.writeTimeoutMs());
        batch.expireBy(services.timer()
                .schedule(
                        deadline,
                        () -> services.executor()
                                .execute(() -> mailbox.submit(
                                        () -> fail(batch.takeCompletions(), Errors.REQUEST_TIMED_OUT)))));
    }

    // ---- timers ----

    private void onTimerFired(Object key) {
        // The node's timer must not run shards.
        services.executor()
                .execute(() -> mailbox.submit(() -> {
                    if (status != Status.ACTIVE) {
                        return;
                    }
                    var event = timers.takeDue(key);
                    if (event != null) {
                        begin();
                        carryOut(shard.onTimer(event, services.time().milliseconds()));
                    }
                }));
    }

    // ---- loading ----

    /// Replays the log and starts to serve. Blocks for the disk; runs on a thread of the runtime's executor.
    void load() {
        long startedNanos = services.time().nanoseconds();
        try {
            if (services.log().range(partition, leaderEpoch) == null) {
                // The partition itself may learn of its new role a moment later than we do.
                var deadline = Deadline.afterMillis(startedNanos, ROLE_RETRY_MS);
                services.timer().schedule(deadline, () -> services.executor().execute(this::loadUnlessClosed));
                return;
            }
            long end = replayLog();
            if (status != Status.LOADING) {
                return;
            }
            // Records above the high watermark could still be lost with this leader, so nobody is shown them before.
            services.log()
                    .whenCommitted(partition, leaderEpoch, end, () -> mailbox.submit(() -> activate(startedNanos)));
        } catch (RuntimeException failure) {
            mailbox.submit(() -> {
                if (status == Status.LOADING) {
                    status = Status.FAILED;
                    LOG.error(
                            "Loading a coordinator failed: partition={} leaderEpoch={}",
                            partition,
                            leaderEpoch,
                            failure);
                    services.metrics().shardFailedToLoad(partition);
                }
            });
        }
    }

    private void loadUnlessClosed() {
        if (status == Status.LOADING) {
            load();
        }
    }

    private static final long ROLE_RETRY_MS = 10;

    private long replayed;

    /// @return the offset up to which the shard knows the log
    private long replayLog() {
        shard.timeline().writeAt(Timeline.COMMITTED);
        var range = services.log().range(partition, leaderEpoch);
        if (range == null) {
            throw new IllegalStateException("this node does not lead " + partition + " in epoch " + leaderEpoch);
        }
        long next = range.logStartOffset();
        while (status == Status.LOADING) {
            // Markers of transactions may still be added meanwhile, so the end is looked up again.
            if (next >= range.logEndOffset()) {
                range = services.log().range(partition, leaderEpoch);
                if (range == null || next >= range.logEndOffset()) {
                    return next;
                }
            }
            var chunk = services.log().read(partition, leaderEpoch, next, services.loadBufferBytes());
            if (!chunk.hasRemaining()) {
                return next;
            }
            long after = replay(chunk, next);
            if (after == next) {
                throw new IllegalStateException("no whole batch can be read at offset " + next);
            }
            next = after;
        }
        return next;
    }

    private long replay(ByteBuffer chunk, long from) {
        long next = from;
        var batches = new RecordBatches(chunk);
        // What was read may end inside a batch, which the next read then begins with.
        while (batches.tryNext() == RecordBatches.Step.BATCH) {
            var batch = batches.batch();
            next = batch.lastOffset() + 1;
            for (var record : batch.records(DecompressionLimits.DEFAULT)) {
                if (record.offset() < from) {
                    continue;
                }
                if (batch.isControl()) {
                    if (ControlRecord.parse(record) instanceof ControlRecord.EndTransaction end) {
                        shard.replayEndTransaction(batch.producerId(), batch.producerEpoch(), end.committed());
                    }
                    continue;
                }
                var key = record.key();
                if (key == null) {
                    throw new IllegalStateException("the record at offset " + record.offset() + " has no key");
                }
                var decoded = services.decoder().decode(key, record.value());
                if (decoded != null) {
                    shard.replay(
                            batch.isTransactional() ? batch.producerId() : RecordBatch.NO_PRODUCER_ID,
                            batch.producerEpoch(),
                            decoded);
                }
                replayed++;
            }
        }
        return next;
    }

    private void activate(long startedNanos) {
        if (status != Status.LOADING) {
            return;
        }
        status = Status.ACTIVE;
        long nanos = services.time().nanoseconds() - startedNanos;
        // An empty shard is no news: a new node has fifty of them.
        LOG.atLevel(replayed == 0 ? Level.DEBUG : Level.INFO)
                .log(
                        "Coordinator loaded: partition={} leaderEpoch={} records={} ms={}",
                        partition,
                        leaderEpoch,
                        replayed,
                        nanos / 1_000_000);
        services.metrics().shardLoaded(partition, replayed, nanos);
        begin();
        carryOut(shard.onLoaded(services.time().milliseconds()));
        for (var operation : afterLoading) {
            begin();
            carryOut(operation.apply(shard));
        }
        afterLoading.clear();
    }

    // ---- closing ----

    /// Ends the term: whoever waits is told that the coordinator is elsewhere.
    void close() {
        mailbox.submit(() -> {
            var before = status;
            if (before == Status.CLOSED) {
                return;
            }
            status = Status.CLOSED;
            timers.cancelAll();
            if (before != Status.ACTIVE) {
                return; // While it loads, the shard is the loading thread's, and nobody waits in it.
            }
            var pending = new ArrayList<WriteBatch>(uncommitted);
            if (appending != null) {
                pending.add(appending);
            }
            pending.addAll(toAppend);
            if (open != null) {
                pending.add(open);
            }
            uncommitted.clear();
            toAppend.clear();
            open = null;
            for (var batch : pending) {
                batch.cancelTimeout();
                fail(batch.takeCompletions(), Errors.NOT_COORDINATOR);
            }
            carryOut(shard.onUnloaded(Errors.NOT_COORDINATOR));
            services.metrics().shardUnloaded(partition);
        });
    }
}
