package io.moldau.broker.coordinator.transaction;

import io.moldau.broker.coordinator.runtime.Completion;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.CoordinatorShard;
import io.moldau.broker.coordinator.runtime.Effect;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.broker.coordinator.runtime.Timeline;
import io.moldau.broker.coordinator.runtime.TimelineMap;
import io.moldau.broker.coordinator.runtime.TimerEvent;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogKey;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogValue;
import io.moldau.common.Errors;
import io.moldau.common.Invariant;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.DescribeTransactionsResponseData;
import io.moldau.wire.message.DescribeTransactionsResponseData.TopicData;
import io.moldau.wire.message.ListTransactionsResponseData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// The transactional ids that fall on one partition of `__transaction_state`: who may write under them, and how their
/// transactions end (KIP-98, KIP-360, KIP-890).
///
/// A pure state machine: each method takes a request and the time, and returns records, answers and timers. What is
/// known of an id changes by replaying its record alone, and nobody is told of a change before it is committed; until
/// then other requests for the id are told CONCURRENT_TRANSACTIONS. Owned by whoever calls it, one call at a time: the
/// [io.moldau.broker.coordinator.runtime].
///
/// An end is decided by a record in a prepared state. From then on nothing can change it: the markers go out, again
/// and again, by this shard or by the one that loads its log, until every partition has its own. Then the transaction
/// is complete.
public final class TransactionShard implements CoordinatorShard {

    /// What goes out of a shard besides answers.
    ///
    /// @param markers takes care that every partition gets its marker
    /// @param producerIds fetches a producer id and goes on with what needs it
    /// @param unloaded told when the shard will send no more: its number and coordinator epoch
    record Outlets(Reply<EndMarkers> markers, Reply<IdWanted> producerIds, Reply<Term> unloaded) {}

    /// One leadership of one shard.
    record Term(int shard, int coordinatorEpoch) {}

    /// Something that can only be decided with a producer id nobody has had.
    ///
    /// @param then run in the shard, with the id
    record IdWanted(int shard, Resumption then, Refusal refused) {}

    @FunctionalInterface
    interface Resumption {
        CoordinatorResult with(TransactionShard shard, long producerId, long nowMs);
    }

    @FunctionalInterface
    interface Refusal {
        void because(Errors error);
    }

    /// The producer that a client takes itself to be.
    record ProducerIdAndEpoch(long producerId, short epoch) {}

    /// What a client, or another broker, asks for by its producer.
    record ProducerRequest(String transactionalId, long producerId, short producerEpoch) {}

    /// @param producerId, producerEpoch to write with from now on; -1 with an error
    record ProducerAnswer(Errors error, long producerId, short producerEpoch) {
        static ProducerAnswer failed(Errors error) {
            return new ProducerAnswer(error, TransactionState.NO_PRODUCER_ID, TransactionState.NO_EPOCH);
        }

        static ProducerAnswer of(TransactionState state) {
            return new ProducerAnswer(Errors.NONE, state.producerId(), state.producerEpoch());
        }
    }

    private static final long NO_ID = TransactionState.NO_PRODUCER_ID;
    private static final long COMPLETION_RETRY_MS = 100;

    private final int number;
    private final TransactionCoordinatorConfig config;
    private final IntSupplier transactionVersion;
    private final Outlets outlets;
    private final TransactionMetrics metrics;

    private final Timeline timeline = new Timeline();
    private final TimelineMap<String, TransactionState> transactions = new TimelineMap<>(timeline);

    /// The epoch of each producer before it was initialized as going on from that, so that a retry is known. Soft, as
    /// in Kafka: after a move of the coordinator such a retry is fenced.
    private final Map<String, Short> lastEpochs = new HashMap<>();

    private int coordinatorEpoch = -1;

    /// @param transactionVersion the finalized level of `transaction.version`
    TransactionShard(
            int number,
            TransactionCoordinatorConfig config,
            IntSupplier transactionVersion,
            Outlets outlets,
            TransactionMetrics metrics) {
        this.number = number;
        this.config = config;
        this.transactionVersion = transactionVersion;
        this.outlets = outlets;
        this.metrics = metrics;
    }

    @Override
    public Timeline timeline() {
        return timeline;
    }

    // ---- producers ----

    /// Gives a producer its id and epoch, and fences those before it.
    ///
    /// @param expected what the producer was, if it is to go on
    CoordinatorResult initProducer(
            String transactionalId,
            int timeoutMs,
            @Nullable ProducerIdAndEpoch expected,
            Reply<ProducerAnswer> reply,
            long nowMs) {
        return initProducer(transactionalId, timeoutMs, expected, NO_ID, reply, nowMs);
    }

    private CoordinatorResult initProducer(
            String id,
            int timeoutMs,
            @Nullable ProducerIdAndEpoch expected,
            long freshId,
            Reply<ProducerAnswer> reply,
            long nowMs) {
        if (isOnItsWay(id)) {
            return refused(reply, Errors.CONCURRENT_TRANSACTIONS);
        }
        var state = transactions.get(id);
        var wanted = new IdWanted(
                number,
                (shard, producerId, now) -> shard.initProducer(id, timeoutMs, expected, producerId, reply, now),
                error -> reply.complete(ProducerAnswer.failed(error)));
        if (state == null) {
            if (transactions.size() >= config.maxTransactionalIds()) {
                return refused(reply, Errors.COORDINATOR_NOT_AVAILABLE);
            }
            return freshId == NO_ID
                    ? fetchId(wanted)
                    : initialize(id, TransactionState.first(freshId, timeoutMs, nowMs), null, reply);
        }
        if (expected != null && !mayBe(expected, state)) {
            return refused(reply, Errors.PRODUCER_FENCED);
        }
        return switch (state.status()) {
            case EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT -> {
                if (expected != null && expected.epoch() != state.producerEpoch()) {
                    // Either a retry of what has been done, or somebody else has taken over.
                    yield expected.epoch() == lastEpoch(id, state)
                            ? initialize(
                                    id, state.initialized(state.producerEpoch(), timeoutMs, nowMs), expected, reply)
                            : refused(reply, Errors.PRODUCER_FENCED);
                }
                if (state.isExhausted()) {
                    yield freshId == NO_ID
                            ? fetchId(wanted)
                            : initialize(id, state.rotated(freshId, timeoutMs, nowMs), expected, reply);
                }
                yield initialize(
                        id, state.initialized((short) (state.producerEpoch() + 1), timeoutMs, nowMs), expected, reply);
            }
            // The open transaction is aborted first. The client tries again, so the epoch that this costs is never a
            // client's.
            case ONGOING -> {
                var out = new CoordinatorResult.Builder();
                fence(
                        id,
                        state,
                        freshId,
                        wanted,
                        error -> reply.complete(ProducerAnswer.failed(afterFence(error))),
                        nowMs,
                        out);
                yield out.build();
            }
            case PREPARE_COMMIT, PREPARE_ABORT, DEAD, PREPARE_EPOCH_FENCE -> throw outOfPlace(state);
        };
    }

    /// Whether the id is between two states in which something can be asked of it: a change is not
    /// committed yet, or an end is decided that the partitions do not all know of. Who asks is to ask
    /// again, whoever that is: it may be the producer of the state to come.
    private boolean isOnItsWay(String id) {
        var state = transactions.get(id);
        return transactions.isUncommitted(id) || state != null && state.status().isPrepared();
    }

    private Errors afterFence(Errors error) {
        if (error != Errors.NONE) {
            return error;
        }
        metrics.takenOver();
        return Errors.CONCURRENT_TRANSACTIONS;
    }

    /// A producer may go on if its id is the present one, or was until its epochs were used up: it may not know that it
    /// has been given another. Its epoch is looked at later.
    private static boolean mayBe(ProducerIdAndEpoch expected, TransactionState state) {
        return expected.producerId() == state.producerId()
                || expected.producerId() == state.previousProducerId()
                        && TransactionState.isExhausted(expected.epoch());
    }

    /// The epoch before the present one of the producer that has the present one, if that went on from it.
    private int lastEpoch(String id, TransactionState state) {
        var last = lastEpochs.get(id);
        if (last != null) {
            return last;
        }
        // A transaction of version 2 counts up by itself when it ends, and its producer may not have heard of it.
        boolean ended = state.bumpsEpochs() && state.status() != TransactionStatus.EMPTY;
        if (!ended) {
            return TransactionState.NO_EPOCH;
        }
        return state.producerId() == state.previousProducerId() ? state.producerEpoch() - 1 : Short.MAX_VALUE - 1;
    }

    private CoordinatorResult initialize(
            String id, TransactionState next, @Nullable ProducerIdAndEpoch expected, Reply<ProducerAnswer> reply) {
        return write(
                id,
                next,
                out -> {
                    if (expected == null) {
                        lastEpochs.remove(id);
                    } else {
                        lastEpochs.put(id, expected.epoch());
                    }
                    metrics.producerInitialized();
                },
                error -> reply.complete(error == Errors.NONE ? ProducerAnswer.of(next) : ProducerAnswer.failed(error)));
    }

    // ---- partitions ----

    /// Makes the partitions part of the producer's transaction, which begins if it is not open.
    ///
    /// @param version of the client: 0, or 2 if the broker adds them for it
    CoordinatorResult addPartitions(
            ProducerRequest producer, Set<TopicPartition> added, short version, Reply<Errors> reply, long nowMs) {
        var id = producer.transactionalId();
        if (isOnItsWay(id)) {
            return answered(reply, Errors.CONCURRENT_TRANSACTIONS);
        }
        var state = transactions.get(id);
        var refusal = refusal(producer, state);
        if (refusal != Errors.NONE || state == null) {
            return answered(reply, refusal);
        }
        return switch (state.status()) {
            case ONGOING ->
                state.partitions().containsAll(added)
                        ? answered(reply, Errors.NONE)
                        : write(id, state.with(added, version, nowMs), out -> {}, reply);
            case EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT -> {
                var next = state.with(added, version, nowMs);
                yield write(id, next, out -> out.schedule(timeoutOf(id, next), next.timeoutMs()), reply);
            }
            case PREPARE_COMMIT, PREPARE_ABORT, DEAD, PREPARE_EPOCH_FENCE -> throw outOfPlace(state);
        };
    }

    private static Errors refusal(ProducerRequest producer, @Nullable TransactionState state) {
        if (state == null || state.producerId() != producer.producerId()) {
            return Errors.INVALID_PRODUCER_ID_MAPPING;
        }
        return state.producerEpoch() == producer.producerEpoch() ? Errors.NONE : Errors.PRODUCER_FENCED;
    }

    /// Whether each of the partitions is in the producer's open transaction. What is still to be committed does not
    /// count: the partition itself has the last word (KIP-890).
    Map<TopicPartition, Errors> verify(ProducerRequest producer, Set<TopicPartition> partitions) {
        var state = transactions.committed(producer.transactionalId());
        var refusal = refusal(producer, state);
        var all = refusal == Errors.NONE && state != null && state.status().isPrepared()
                ? Errors.CONCURRENT_TRANSACTIONS
                : refusal;
        var errors = new HashMap<TopicPartition, Errors>();
        for (var partition : partitions) {
            boolean there = state != null && state.partitions().contains(partition);
            errors.put(partition, all != Errors.NONE ? all : there ? Errors.NONE : Errors.TRANSACTION_ABORTABLE);
        }
        return errors;
    }

    // ---- ends ----

    /// Commits or aborts. The answer comes when that is decided for good; the markers follow.
    ///
    /// @param version of the client: 0, or 2 if its epoch is counted up by this
    CoordinatorResult endTransaction(
            ProducerRequest producer, boolean commit, short version, Reply<ProducerAnswer> reply, long nowMs) {
        return version >= TransactionState.EPOCH_BUMP_VERSION
                ? endInEpoch(producer, commit, version, NO_ID, reply, nowMs)
                : endClassic(producer, commit, reply, nowMs);
    }

    /// By state alone: the next transaction has the same epoch, so a delayed request may end the wrong one.
    private CoordinatorResult endClassic(
            ProducerRequest producer, boolean commit, Reply<ProducerAnswer> reply, long nowMs) {
        var id = producer.transactionalId();
        var state = transactions.committed(id);
        var refusal = refusal(producer, state);
        if (refusal != Errors.NONE || state == null) {
            return refused(reply, refusal);
        }
        if (isOnItsWay(id)) {
            return refused(reply, Errors.CONCURRENT_TRANSACTIONS);
        }
        return switch (state.status()) {
            case ONGOING -> end(id, state.prepared(commit, (short) 0, NO_ID, nowMs), reply);
            case COMPLETE_COMMIT ->
                commit ? answered(reply, ProducerAnswer.of(state)) : refused(reply, Errors.INVALID_TXN_STATE);
            case COMPLETE_ABORT ->
                commit ? refused(reply, Errors.INVALID_TXN_STATE) : answered(reply, ProducerAnswer.of(state));
            case EMPTY -> refused(reply, Errors.INVALID_TXN_STATE);
            case PREPARE_COMMIT, PREPARE_ABORT, DEAD, PREPARE_EPOCH_FENCE -> throw outOfPlace(state);
        };
    }

    /// By epoch (KIP-890): each transaction has its own, so a retry is told from a request for the next one.
    private CoordinatorResult endInEpoch(
            ProducerRequest producer,
            boolean commit,
            short version,
            long freshId,
            Reply<ProducerAnswer> reply,
            long nowMs) {
        var id = producer.transactionalId();
        if (isOnItsWay(id)) {
            return refused(reply, Errors.CONCURRENT_TRANSACTIONS);
        }
        var state = transactions.get(id);
        if (state == null) {
            return refused(reply, Errors.INVALID_PRODUCER_ID_MAPPING);
        }
        boolean sameEpoch = producer.producerEpoch() == state.producerEpoch();
        boolean retryAfterRotation = producer.producerId() == state.previousProducerId()
                && producer.producerEpoch() == Short.MAX_VALUE - 1
                && state.producerEpoch() == 0;
        boolean retryAfterBump = producer.producerEpoch() + 1 == state.producerEpoch();
        boolean isRetry = retryAfterBump || retryAfterRotation;
        if (producer.producerId() != state.producerId() && !retryAfterRotation) {
            return refused(reply, Errors.INVALID_PRODUCER_ID_MAPPING);
        }
        if (!sameEpoch && !(isRetry && isComplete(state))) {
            return refused(reply, Errors.PRODUCER_FENCED);
        }
        // Null where there is something to end. An abort of nothing is how a client makes sure that nothing is open.
        var answer = switch (state.status()) {
            case ONGOING -> null;
            case EMPTY -> commit ? Errors.INVALID_TXN_STATE : null;
            case COMPLETE_COMMIT -> isRetry == commit ? (commit ? Errors.NONE : null) : Errors.INVALID_TXN_STATE;
            case COMPLETE_ABORT -> commit ? Errors.INVALID_TXN_STATE : isRetry ? Errors.NONE : null;
            case PREPARE_COMMIT, PREPARE_ABORT, DEAD, PREPARE_EPOCH_FENCE -> throw outOfPlace(state);
        };
        if (answer == Errors.NONE) {
            return answered(reply, ProducerAnswer.of(state));
        }
        if (answer != null) {
            return refused(reply, answer);
        }
        if (state.isExhausted() && freshId == NO_ID) {
            return fetchId(new IdWanted(
                    number,
                    (shard, producerId, now) -> shard.endInEpoch(producer, commit, version, producerId, reply, now),
                    error -> reply.complete(ProducerAnswer.failed(error))));
        }
        return end(id, state.prepared(commit, version, state.isExhausted() ? freshId : NO_ID, nowMs), reply);
    }

    private static boolean isComplete(TransactionState state) {
        return state.status() == TransactionStatus.COMPLETE_COMMIT
                || state.status() == TransactionStatus.COMPLETE_ABORT;
    }

    private CoordinatorResult end(String id, TransactionState prepared, Reply<ProducerAnswer> reply) {
        // What the producer goes on with, whenever the markers are written.
        var after = prepared.completed(prepared.updateMs());
        return write(
                id,
                prepared,
                out -> decided(id, prepared, out),
                error ->
                        reply.complete(error == Errors.NONE ? ProducerAnswer.of(after) : ProducerAnswer.failed(error)));
    }

    /// Aborts what is open and leaves its producer behind.
    private void fence(
            String id,
            TransactionState state,
            long freshId,
            IdWanted wanted,
            Reply<Errors> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        short version = (short) transactionVersion.getAsInt();
        boolean rotates = version >= TransactionState.EPOCH_BUMP_VERSION && state.isExhausted();
        if (rotates && freshId == NO_ID) {
            out.answer(outlets.producerIds(), wanted);
            return;
        }
        var prepared = state.fenced(version, rotates ? freshId : NO_ID, nowMs);
        write(id, prepared, after -> decided(id, prepared, after), reply, out);
    }

    private void decided(String id, TransactionState prepared, CoordinatorResult.Builder out) {
        metrics.ended(prepared.status() == TransactionStatus.PREPARE_COMMIT);
        if (prepared.bumpsEpochs()) {
            lastEpochs.remove(id);
        }
        out.cancel(new TransactionTimer.TimeoutOf(id)).answer(outlets.markers(), markers(id, prepared));
    }

    private EndMarkers markers(String id, TransactionState prepared) {
        return new EndMarkers(
                number,
                coordinatorEpoch,
                id,
                prepared.producerId(),
                prepared.producerEpoch(),
                prepared.status() == TransactionStatus.PREPARE_COMMIT,
                prepared.clientVersion(),
                prepared.partitions());
    }

    /// Every partition has its marker.
    CoordinatorResult completed(EndMarkers markers, long nowMs) {
        var id = markers.transactionalId();
        var state = transactions.get(id);
        if (state == null
                || transactions.isUncommitted(id)
                || !state.status().isPrepared()
                || !markers(id, state).equals(markers)) {
            return CoordinatorResult.NOTHING; // Known already, or of an earlier term.
        }
        var written = new Written(
                out -> {},
                error -> {},
                out -> out.schedule(new TransactionTimer.Completion(markers), COMPLETION_RETRY_MS));
        return new CoordinatorResult.Builder()
                .write(TransactionRecords.state(id, state.completed(nowMs), transactionVersion.getAsInt()))
                .then(written)
                .build();
    }

    // ---- time ----

    private static TransactionTimer.Timeout timeoutOf(String id, TransactionState open) {
        return new TransactionTimer.Timeout(id, open.producerId(), open.producerEpoch(), open.startMs());
    }

    @Override
    public CoordinatorResult onTimer(TimerEvent event, long nowMs) {
        if (!(event instanceof TransactionTimer timer)) {
            throw Invariant.unreachable("a transaction shard does not know the timer " + event);
        }
        return switch (timer) {
            case TransactionTimer.Timeout timeout -> onTimeout(timeout, NO_ID, nowMs);
            case TransactionTimer.Completion(EndMarkers markers) -> completed(markers, nowMs);
            case TransactionTimer.Expiration() -> expire(nowMs);
        };
    }

    private CoordinatorResult onTimeout(TransactionTimer.Timeout timeout, long freshId, long nowMs) {
        var id = timeout.transactionalId();
        var state = transactions.get(id);
        // Until it is known how the transaction ends: what is under way, or is begun here, may fail.
        var out = new CoordinatorResult.Builder().schedule(timeout, config.abortRetryIntervalMs());
        if (!transactions.isUncommitted(id)) {
            if (state == null
                    || state.status() != TransactionStatus.ONGOING
                    || !timeoutOf(id, state).equals(timeout)) {
                return CoordinatorResult.NOTHING;
            }
            var wanted = new IdWanted(
                    number, (shard, producerId, now) -> shard.onTimeout(timeout, producerId, now), error -> {});
            fence(
                    id,
                    state,
                    freshId,
                    wanted,
                    error -> {
                        if (error == Errors.NONE) {
                            metrics.timedOut();
                        }
                    },
                    nowMs,
                    out);
        }
        return out.build();
    }

    private CoordinatorResult expire(long nowMs) {
        var out = new CoordinatorResult.Builder().splittable();
        for (var entry : transactions.entries()) {
            var state = entry.getValue();
            if (state.status().isIdle()
                    && !transactions.isUncommitted(entry.getKey())
                    && state.updateMs() <= nowMs - config.expirationMs()) {
                out.write(TransactionRecords.tombstone(entry.getKey()));
                metrics.expired();
            }
        }
        return out.schedule(new TransactionTimer.Expiration(), config.expirationCheckIntervalMs())
                .build();
    }

    // ---- writing ----

    private CoordinatorResult write(
            String id, TransactionState next, Consumer<CoordinatorResult.Builder> committed, Reply<Errors> reply) {
        var out = new CoordinatorResult.Builder();
        write(id, next, committed, reply, out);
        return out.build();
    }

    /// @param committed what follows from it
    /// @param reply told NONE when the state is committed
    private void write(
            String id,
            TransactionState next,
            Consumer<CoordinatorResult.Builder> committed,
            Reply<Errors> reply,
            CoordinatorResult.Builder out) {
        // Known late, it may be past already.
        Consumer<CoordinatorResult.Builder> follow = after -> {
            var current = transactions.committed(id);
            if (current != null && current.isStep(next)) {
                committed.accept(after);
            }
        };
        out.write(TransactionRecords.state(id, next, transactionVersion.getAsInt()))
                .then(new Written(follow, reply, lost -> {}));
    }

    /// Waits for a record. Who asked for it is told when that takes too long, yet what follows from it follows whenever
    /// it is committed.
    private static final class Written implements Completion {
        private final Consumer<CoordinatorResult.Builder> committed;
        private final Reply<Errors> reply;
        private final Consumer<CoordinatorResult.Builder> lost;
        private boolean told;

        /// @param lost what follows when the record is not in the log and will not be
        Written(
                Consumer<CoordinatorResult.Builder> committed,
                Reply<Errors> reply,
                Consumer<CoordinatorResult.Builder> lost) {
            this.committed = committed;
            this.reply = reply;
            this.lost = lost;
        }

        @Override
        public CoordinatorResult onCommitted(long nowMs) {
            var out = new CoordinatorResult.Builder();
            tell(Errors.NONE, out);
            committed.accept(out);
            return out.build();
        }

        @Override
        public CoordinatorResult onFailed(Errors error, long nowMs) {
            var out = new CoordinatorResult.Builder();
            tell(storeError(error), out);
            if (error == Errors.REQUEST_TIMED_OUT) {
                out.then(this);
            } else {
                lost.accept(out);
            }
            return out.build();
        }

        private void tell(Errors error, CoordinatorResult.Builder out) {
            if (!told) {
                told = true;
                out.answer(reply, error);
            }
        }
    }

    /// What clients of the coordinator are told when the log refuses a record.
    private static Errors storeError(Errors error) {
        return switch (error) {
            case UNKNOWN_TOPIC_OR_PARTITION, NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT ->
                Errors.COORDINATOR_NOT_AVAILABLE;
            case NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR -> Errors.NOT_COORDINATOR;
            case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE -> Errors.UNKNOWN_SERVER_ERROR;
            default -> error;
        };
    }

    private CoordinatorResult fetchId(IdWanted wanted) {
        return answered(outlets.producerIds(), wanted);
    }

    private static CoordinatorResult refused(Reply<ProducerAnswer> reply, Errors error) {
        return answered(reply, ProducerAnswer.failed(error));
    }

    private static <T> CoordinatorResult answered(Reply<T> reply, T answer) {
        return CoordinatorResult.of(new Effect.Answer<>(reply, answer));
    }

    /// Prepared states were answered before, the others are never written.
    private static RuntimeException outOfPlace(TransactionState state) {
        return Invariant.unreachable("a request was let through to a transaction in the state " + state.status());
    }

    // ---- log ----

    @Override
    public void replay(long producerId, short producerEpoch, CoordinatorRecord record) {
        if (!(record.key() instanceof TransactionLogKey key)) {
            throw Invariant.unreachable("a record of type " + record.type() + " was decoded for nothing");
        }
        if (record.value() instanceof TransactionLogValue value) {
            transactions.put(key.transactionalId(), TransactionRecords.state(value));
        } else {
            transactions.remove(key.transactionalId());
            lastEpochs.remove(key.transactionalId());
        }
    }

    /// Nobody writes transactions to this topic.
    @Override
    public void replayEndTransaction(long producerId, short producerEpoch, boolean committed) {}

    @Override
    public CoordinatorResult onLoaded(long nowMs) {
        return CoordinatorResult.of(
                new Effect.Schedule(new TransactionTimer.Expiration(), config.expirationCheckIntervalMs()));
    }

    /// The shard serves in this epoch. What its log leaves open is taken up: markers are sent, perhaps for another
    /// time, and time-outs go on from when their transactions began.
    CoordinatorResult takeUp(int leaderEpoch, long nowMs) {
        coordinatorEpoch = leaderEpoch;
        var out = new CoordinatorResult.Builder();
        transactions.forEach((id, state) -> {
            if (state.status().isPrepared()) {
                out.answer(outlets.markers(), markers(id, state));
            } else if (state.status() == TransactionStatus.ONGOING) {
                out.schedule(timeoutOf(id, state), Math.max(0, state.startMs() + state.timeoutMs() - nowMs));
            }
        });
        return out.build();
    }

    /// Who waits is told by what he waits for.
    @Override
    public CoordinatorResult onUnloaded(Errors error) {
        return answered(outlets.unloaded(), new Term(number, coordinatorEpoch));
    }

    // ---- administration ----

    DescribeTransactionsResponseData.TransactionState describe(String transactionalId) {
        var described = new DescribeTransactionsResponseData.TransactionState().setTransactionalId(transactionalId);
        var state = transactions.committed(transactionalId);
        if (state == null) {
            return described.setErrorCode(Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
        }
        var topics = new TreeMap<String, TopicData>();
        state.partitions().stream()
                .sorted()
                .forEach(
                        partition -> topics.computeIfAbsent(partition.topic(), topic -> new TopicData().setTopic(topic))
                                .partitions()
                                .add(partition.partition()));
        return described
                .setProducerId(state.producerId())
                .setProducerEpoch(state.producerEpoch())
                .setTransactionState(state.status().toString())
                .setTransactionTimeoutMs(state.timeoutMs())
                .setTransactionStartTimeMs(state.startMs())
                .setTopics(new ArrayList<>(topics.values()));
    }

    /// The committed ids that pass the filter.
    List<ListTransactionsResponseData.TransactionState> list(BiPredicate<String, TransactionState> filter) {
        return transactions.committedEntries().stream()
                .filter(entry -> filter.test(entry.getKey(), entry.getValue()))
                .map(entry -> new ListTransactionsResponseData.TransactionState()
                        .setTransactionalId(entry.getKey())
                        .setProducerId(entry.getValue().producerId())
                        .setTransactionState(entry.getValue().status().toString()))
                .toList();
    }

    // ---- lookups, for metrics and tests ----

    TransactionCensus census() {
        int open = 0;
        int ending = 0;
        for (var state : transactions.values()) {
            if (state.status() == TransactionStatus.ONGOING) {
                open++;
            } else if (state.status().isPrepared()) {
                ending++;
            }
        }
        return new TransactionCensus(transactions.size(), open, ending);
    }

    @Nullable
    TransactionState state(String transactionalId) {
        return transactions.get(transactionalId);
    }

    Set<String> ids() {
        return Set.copyOf(transactions.keys());
    }
}
