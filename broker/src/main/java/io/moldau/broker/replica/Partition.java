package io.moldau.broker.replica;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.OffsetAndEpoch;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.log.AbortedTransaction;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogSlice;
import io.moldau.log.LogView;
import io.moldau.log.PartitionLog;
import io.moldau.log.ReadOutcome;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.log.producer.VerificationGuard;
import io.moldau.log.storage.StorageException;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A replica of one partition on this node: its log, its role, and who waits for it.
///
/// Every mutation (role, append, truncation, high watermark) happens inside the mailbox, on whichever thread brings
/// it, mostly the event loop that read the request. Reads take no lock: they look at what the mailbox has
/// published, the high watermark first and the log's view after it, so that a view never is older than the high
/// watermark it is read under.
public final class Partition {

    /// What this replica is in one leader epoch.
    private sealed interface Role {
        int leaderEpoch();

        int leaderId();

        record Leader(LeaderState state, int leaderEpoch, int leaderId) implements Role {}

        record Follower(int leaderEpoch, int leaderId) implements Role {}
    }

    /// What all partitions of a node share.
    ///
    /// @param onStorageFailure told when the disk under a partition's log failed
    record Services(
            int localId,
            Time time,
            TailCache tails,
            FaultHandler faults,
            Consumer<StorageException> onStorageFailure,
            Replication replication,
            ReplicaMetrics metrics) {}

    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    private static final PartitionWatcher[] NO_WATCHERS = {};

    /// So many of the latest bytes may be in the tail cache.
    private static final int TAIL_MARK_BYTES = 128 * 1024;

    /// So many of the latest bytes are taken to be in the operating system's page cache.
    private static final int HOT_MARK_BYTES = 8 * 1024 * 1024;

    private final TopicIdPartition id;
    private final PartitionLog log;
    private final Services services;
    private final TopicTraffic traffic;
    private final Mailbox mailbox;
    private final PartitionTail tail;
    private final GroupCommit commits;

    private volatile Role role = new Role.Follower(-1, -1);
    private volatile TopicSettings settings;
    private volatile long highWatermark;

    /// Written inside the mailbox: from where on reads are worth a look at the tail cache, and are hot.
    private final AppendMarks tailMarks;

    private final AppendMarks hotMarks;

    /// Guarded by `watcherLock`, read without it.
    private volatile PartitionWatcher[] watchers = NO_WATCHERS;

    private final Object watcherLock = new Object();

    /// For the high watermark.
    private final WatermarkWaits waits = new WatermarkWaits();

    private final WatermarkWaits lowWaits = new WatermarkWaits();

    /// Owned by the mailbox.
    private final RefusedProducers refusedProducers = new RefusedProducers();

    /// Owned by the mailbox: steps of this follower that wait until what they wrote is durable.
    private final Deque<UnforcedStep> unforced = new ArrayDeque<>();

    private record UnforcedStep(FollowerTerm term, FollowerOutcome.Position position, FollowerCallback callback) {}

    private volatile boolean retired;

    Partition(TopicIdPartition id, PartitionLog log, TopicSettings settings, Services services) {
        this.id = id;
        this.log = log;
        this.settings = settings;
        this.services = services;
        this.traffic = services.metrics().topic(id.topic());
        this.mailbox = new Mailbox(services.faults());
        this.tail = services.tails().newTail();
        this.commits = new GroupCommit(() -> services.replication().flushers().apply(log.logDir()), this::force);
        LogView view = log.view();
        this.highWatermark = Math.clamp(log.highWatermark(), view.logStartOffset(), view.logEndOffset());
        this.tailMarks = new AppendMarks(TAIL_MARK_BYTES, view.logEndOffset());
        this.hotMarks = new AppendMarks(HOT_MARK_BYTES, view.logEndOffset());
    }

    public TopicPartition topicPartition() {
        return id.topicPartition();
    }

    public Uuid topicId() {
        return id.topicId();
    }

    public PartitionLog log() {
        return log;
    }

    public TopicSettings settings() {
        return settings;
    }

    /// Where what goes in and out of the topic is counted.
    public TopicTraffic traffic() {
        return traffic;
    }

    /// How many requests wait for the high watermark.
    public int waitCount() {
        return waits.size();
    }

    public boolean isLeader() {
        return role instanceof Role.Leader;
    }

    public int leaderEpoch() {
        return role.leaderEpoch();
    }

    /// The broker that leads, -1 if none does or this node does not know.
    public int leaderId() {
        return role.leaderId();
    }

    public long logStartOffset() {
        return log.view().logStartOffset();
    }

    public long logEndOffset() {
        return log.view().logEndOffset();
    }

    public long highWatermark() {
        return highWatermark;
    }

    public long lastStableOffset() {
        long committed = highWatermark;
        return log.view().lastStableOffset(committed);
    }

    // --- role ---

    /// This node leads in the registration's leader epoch.
    void becomeLeader(PartitionRegistration registration, TopicSettings topicSettings) {
        mailbox.submit(() -> {
            if (registration.leaderEpoch() < role.leaderEpoch()) {
                return;
            }
            settings = topicSettings;
            long now = services.time().nanoseconds();
            if (role instanceof Role.Leader(LeaderState state, int epoch, int leader)
                    && epoch == registration.leaderEpoch()) {
                raise(state.onRegistration(
                        registration.partitionEpoch(), registration.replicas(), registration.isr(), now));
                raise(state.onMinInsyncReplicas(topicSettings.minInsyncReplicas()));
                raise(state.onDurable(durableEnd()));
                proposeExpansion(state);
            } else {
                log.beginEpoch(registration.leaderEpoch());
                var state = new LeaderState(
                        services.localId(),
                        registration.leaderEpoch(),
                        registration.partitionEpoch(),
                        registration.replicas(),
                        registration.isr(),
                        topicSettings.minInsyncReplicas(),
                        log.view().logEndOffset(),
                        durableEnd(),
                        highWatermark,
                        now);
                role = new Role.Leader(state, registration.leaderEpoch(), services.localId());
                raise(state.highWatermark());
            }
            forceIfWanted();
            changed(0);
            completeWaits();
            completeLowWaits();
        });
    }

    /// Another node leads, or nobody.
    void becomeFollower(PartitionRegistration registration, TopicSettings topicSettings) {
        mailbox.submit(() -> {
            if (registration.leaderEpoch() < role.leaderEpoch()) {
                return;
            }
            settings = topicSettings;
            if (role instanceof Role.Follower(int epoch, int leader)
                    && epoch == registration.leaderEpoch()
                    && leader == registration.leader()) {
                return;
            }
            follow(registration.leaderEpoch(), registration.leader(), Errors.NOT_LEADER_OR_FOLLOWER);
        });
    }

    /// The partition leaves this node; what still holds this object is told that it does not lead.
    ///
    /// @param reason what those are told who wait for a watermark
    void retire(Errors reason) {
        retired = true;
        mailbox.submit(() -> follow(role.leaderEpoch(), PartitionRegistration.NO_LEADER, reason));
    }

    /// Inside the mailbox.
    private void follow(int leaderEpoch, int leader, Errors reason) {
        role = new Role.Follower(leaderEpoch, leader);
        tail.clear();
        failWaits(reason);
        changed(0);
    }

    void updateSettings(TopicSettings topicSettings) {
        mailbox.submit(() -> {
            settings = topicSettings;
            log.updateConfig(topicSettings.log());
            if (role instanceof Role.Leader(LeaderState state, int epoch, int leader)) {
                raise(state.onMinInsyncReplicas(topicSettings.minInsyncReplicas()), true);
                raise(state.onDurable(durableEnd()), true);
            }
            forceIfWanted();
        });
    }

    // --- append ---

    /// Appends batches of one producer request or coordinator write. The bytes are stamped in place and must not be
    /// changed afterwards; they are lent until the callback runs.
    public void appendAsLeader(BufferRecords records, AppendTerms terms, AppendCallback callback) {
        if (mailbox.tryEnter()) {
            AppendOutcome outcome;
            try {
                outcome = append(records.buffer(), terms);
            } finally {
                mailbox.exit();
            }
            afterAppend(outcome, records.sizeInBytes());
            callback.appended(outcome);
            return;
        }
        records.retain();
        mailbox.submit(() -> {
            try {
                int size = records.sizeInBytes();
                AppendOutcome outcome = append(records.buffer(), terms);
                afterAppend(outcome, size);
                callback.appended(outcome);
            } finally {
                // Not before the callback, which may retain them for another try.
                records.release();
            }
        });
    }

    /// An append that waited for something, with its turn.
    ///
    /// @param records lent until the callback runs
    public record QueuedAppend(BufferRecords records, AppendTerms terms, AppendCallback callback) {}

    /// Appends what `next` gives, one after the other and with nothing of others in between, until it gives null.
    public void appendQueued(Supplier<@Nullable QueuedAppend> next) {
        mailbox.submit(() -> {
            for (QueuedAppend it = next.get(); it != null; it = next.get()) {
                int size = it.records().sizeInBytes();
                AppendOutcome outcome = append(it.records().buffer(), it.terms());
                afterAppend(outcome, size);
                try {
                    it.callback().appended(outcome);
                } catch (RuntimeException e) {
                    // Those behind it have waited too.
                    services.faults().handle("answering an append to " + topicPartition(), e);
                }
            }
        });
    }

    /// Records of the producer were refused before they came here, for a reason that passes: see [RefusedProducers].
    public void producerRefused(long producerId, Errors error) {
        mailbox.submit(() ->
                refusedProducers.refused(producerId, error, services.time().nanoseconds()));
    }

    /// Says that the transaction coordinator is going to be asked about a transaction of the producer.
    ///
    /// @param sequence the first one of the batch that is to come, -1 if it has none
    /// @return null if it need not be asked: the transaction is open here
    /// @throws ApiException with the error for the client
    public @Nullable VerificationGuard beginVerification(
            long producerId, short epoch, int sequence, TransactionTerms transaction) {
        if (!isLeader()) {
            throw new ApiException(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        try {
            return log.beginVerification(
                    producerId, epoch, sequence, transaction, services.time().milliseconds());
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
            throw new ApiException(Errors.KAFKA_STORAGE_ERROR);
        }
    }

    private void afterAppend(AppendOutcome outcome, int bytes) {
        if (outcome instanceof AppendOutcome.Appended appended) {
            traffic.produced(bytes, appended.lastOffset() - appended.baseOffset() + 1);
            changed(bytes);
            completeWaits();
        } else if (outcome instanceof AppendOutcome.Rejected) {
            traffic.produceFailed();
        }
    }

    /// Inside the mailbox. A gap after refused records is refused as they were, see [RefusedProducers].
    private AppendOutcome append(ByteBuffer batches, AppendTerms terms) {
        AppendOutcome outcome = appendIfAllowed(batches, terms);
        if (!(outcome instanceof AppendOutcome.Rejected refused)) {
            return outcome;
        }
        switch (refused.error()) {
            case NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS, KAFKA_STORAGE_ERROR -> {
                long producerId = producerId(batches);
                if (producerId != RecordBatch.NO_PRODUCER_ID) {
                    refusedProducers.refused(
                            producerId, refused.error(), services.time().nanoseconds());
                }
            }
            case OUT_OF_ORDER_SEQUENCE_NUMBER -> {
                Errors lately = refusedProducers.lately(
                        producerId(batches), services.time().nanoseconds());
                if (lately != Errors.NONE) {
                    return rejected(lately, "records before these were refused: send them again first");
                }
            }
            default -> {}
        }
        return outcome;
    }

    /// Of bytes that nobody has checked yet.
    private static long producerId(ByteBuffer batches) {
        int first = batches.position();
        return batches.remaining() >= RecordBatch.HEADER_SIZE
                        && batches.get(first + RecordBatch.MAGIC_OFFSET) == RecordBatch.MAGIC_V2
                ? batches.getLong(first + RecordBatch.PRODUCER_ID_OFFSET)
                : RecordBatch.NO_PRODUCER_ID;
    }

    private AppendOutcome appendIfAllowed(ByteBuffer batches, AppendTerms terms) {
        if (!(role instanceof Role.Leader(LeaderState state, int epoch, int leader))) {
            return rejected(Errors.NOT_LEADER_OR_FOLLOWER, "this broker does not lead " + topicPartition());
        }
        if (terms.expectedLeaderEpoch() != AppendTerms.ANY_EPOCH && terms.expectedLeaderEpoch() != epoch) {
            return rejected(
                    Errors.NOT_LEADER_OR_FOLLOWER,
                    topicPartition() + " is led in epoch " + epoch + " now, not in " + terms.expectedLeaderEpoch());
        }
        if (terms.allInSync() && !state.hasEnoughInSync()) {
            return rejected(
                    Errors.NOT_ENOUGH_REPLICAS,
                    topicPartition() + " has " + state.isr().size() + " replicas in sync, min.insync.replicas wants "
                            + state.neededInSync());
        }
        if (terms.origin().isClient()) {
            String noSpace = log.space().refusal(id.topic());
            if (noSpace != null) {
                return rejected(Errors.KAFKA_STORAGE_ERROR, noSpace);
            }
        }
        AppendOutcome outcome;
        try {
            outcome = log.appendAsLeader(
                    batches,
                    epoch,
                    terms.origin(),
                    terms.transaction(),
                    services.time().milliseconds());
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
            return rejected(Errors.KAFKA_STORAGE_ERROR, "the log directory of " + topicPartition() + " failed");
        } catch (ApiException e) {
            return rejected(e.error(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            services.faults().handle("append to " + topicPartition(), e);
            return rejected(Errors.UNKNOWN_SERVER_ERROR, "append to " + topicPartition() + " failed: " + e);
        }
        if (outcome instanceof AppendOutcome.Appended appended) {
            ByteBuffer stored = appended.rewritten() != null ? appended.rewritten() : batches;
            tailMarks.appended(appended.baseOffset(), stored.remaining());
            hotMarks.appended(appended.baseOffset(), stored.remaining());
            tail.appended(stored, appended.baseOffset());
            raise(state.onLocalAppend(
                    appended.lastOffset() + 1,
                    state.hasFollowers() ? services.time().nanoseconds() : 0));
            forceIfWanted();
        }
        return outcome;
    }

    // --- durability ---

    private boolean mustForce() {
        return settings.durability() == Durability.FLUSHED;
    }

    /// Up to where this replica counts.
    private long durableEnd() {
        return mustForce() ? log.flushedUpTo() : LeaderState.NEED_NOT_BE_FORCED;
    }

    private void forceIfWanted() {
        if (mustForce() && log.flushedUpTo() < log.view().logEndOffset()) {
            commits.request();
        }
    }

    /// On a thread that may wait for the disk.
    private void force() {
        boolean done = false;
        try {
            log.flushRecords();
            done = true;
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
        } catch (RuntimeException e) {
            services.faults().handle("forcing " + topicPartition(), e);
        } finally {
            boolean forced = done;
            mailbox.submit(() -> forced(forced));
        }
    }

    /// Inside the mailbox.
    private void forced(boolean done) {
        if (done && role instanceof Role.Leader(LeaderState state, int epoch, int leader)) {
            raise(state.onDurable(durableEnd()), true);
        }
        for (int left = unforced.size(); left > 0; left--) {
            UnforcedStep step = unforced.removeFirst();
            if (!follows(step.term())) {
                step.callback().done(new FollowerOutcome.Superseded());
            } else if (done) {
                tell(step.term(), step.position(), step.callback());
            } else {
                step.callback().done(storageFailed());
            }
        }
    }

    /// Inside the mailbox: tells what became of a step, but of records that have to be durable only when
    /// they are. The leader takes a fetch from behind them for a word about them.
    private void tell(FollowerTerm term, FollowerOutcome outcome, FollowerCallback callback) {
        if (outcome instanceof FollowerOutcome.Position position
                && mustForce()
                && log.flushedUpTo() < position.logEndOffset()) {
            unforced.addLast(new UnforcedStep(term, position, callback));
            callback.forcing();
            commits.request();
        } else {
            callback.done(outcome);
        }
    }

    private boolean follows(FollowerTerm term) {
        return role instanceof Role.Follower(int epoch, int leader)
                && epoch == term.leaderEpoch()
                && leader == term.leaderId();
    }

    private FollowerOutcome storageFailed() {
        return new FollowerOutcome.Failed(
                Errors.KAFKA_STORAGE_ERROR, "the log directory of " + topicPartition() + " failed");
    }

    private static AppendOutcome rejected(Errors error, String message) {
        return new AppendOutcome.Rejected(error, message, List.of());
    }

    /// Inside the mailbox: the high watermark rises, never falls.
    private void raise(long to) {
        if (to > highWatermark) {
            highWatermark = to;
            log.setHighWatermark(to);
        }
    }

    /// Inside the mailbox: [#raise(long)], and whoever waits for it is told if it rose.
    private void raise(long to, boolean tell) {
        long before = highWatermark;
        raise(to);
        if (tell && highWatermark != before) {
            changed(0);
            completeWaits();
        }
    }

    // --- as the leader of followers ---

    /// What a follower says of itself in a fetch.
    ///
    /// @param offset it asks for what comes from here on: it has everything below
    /// @param startOffset where its log begins
    public record FollowerFetch(
            int brokerId,
            long brokerEpoch,
            long offset,
            long startOffset,
            int currentLeaderEpoch,
            int lastFetchedEpoch) {}

    /// A follower fetches: its position is noted, if its log agrees with this one up to there, and
    /// the high watermark follows. Reads up to the end of the log.
    public PartitionRead readAsFollower(FollowerFetch fetch, int maxBytes, boolean atLeastOne) {
        Role now = role;
        Errors refused = checkLeader(now, fetch.currentLeaderEpoch());
        if (refused == Errors.NONE) {
            refused = now instanceof Role.Leader leader
                    ? checkFollower(leader.state(), fetch)
                    : Errors.NOT_LEADER_OR_FOLLOWER;
        }
        if (refused != Errors.NONE) {
            return new PartitionRead.Failed(refused, now.leaderId(), now.leaderEpoch());
        }
        try {
            PartitionRead parted = checkPosition(fetch.offset(), fetch.lastFetchedEpoch(), log.view());
            if (parted != null) {
                return parted;
            }
            LeaderState state = ((Role.Leader) now).state();
            noteFollower(state, fetch);
            return readThrottled(state, fetch, maxBytes, atLeastOne);
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
            return new PartitionRead.Failed(Errors.KAFKA_STORAGE_ERROR, now.leaderId(), now.leaderEpoch());
        } catch (ApiException e) {
            return new PartitionRead.Failed(e.error(), now.leaderId(), now.leaderEpoch());
        }
    }

    /// KIP-73: what is sent for throttled replicas counts, and only those who are not in sync have to wait.
    private PartitionRead readThrottled(LeaderState state, FollowerFetch fetch, int maxBytes, boolean atLeastOne) {
        boolean throttled =
                settings.throttledLeaders().contains(topicPartition().partition());
        if (!throttled) {
            return readHere(fetch.offset(), maxBytes, atLeastOne, FetchIsolation.LOG_END);
        }
        ReplicationThrottle throttle = services.replication().leaderThrottle();
        if (!state.isInSync(fetch.brokerId()) && throttle.isExceeded()) {
            long committed = highWatermark;
            LogView view = log.view();
            return new PartitionRead.Data(
                    committed,
                    view.lastStableOffset(committed),
                    view.logStartOffset(),
                    view.logEndOffset(),
                    RecordParts.EMPTY,
                    null);
        }
        PartitionRead read = readHere(fetch.offset(), maxBytes, atLeastOne, FetchIsolation.LOG_END);
        if (read instanceof PartitionRead.Data data) {
            throttle.record(data.records().sizeInBytes());
        }
        return read;
    }

    private Errors checkFollower(LeaderState state, FollowerFetch fetch) {
        FollowerPosition known = state.follower(fetch.brokerId());
        if (known == null) {
            // A follower that knows this very leader epoch has heard of a reassignment before we did.
            return fetch.currentLeaderEpoch() >= 0 ? Errors.UNKNOWN_LEADER_EPOCH : Errors.NOT_LEADER_OR_FOLLOWER;
        }
        // KIP-903: a process that has been replaced must not speak for the one that came after it.
        if (fetch.brokerEpoch() >= 0
                && (fetch.brokerEpoch() < known.brokerEpoch()
                        || services.replication().eligibility().isStale(fetch.brokerId(), fetch.brokerEpoch()))) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        return Errors.NONE;
    }

    private void noteFollower(LeaderState state, FollowerFetch fetch) {
        mailbox.submit(() -> {
            if (!(role instanceof Role.Leader(LeaderState now, int epoch, int self))
                    || now != state
                    || !now.isFollower(fetch.brokerId())) {
                return;
            }
            Replication replication = services.replication();
            raise(
                    now.onFollowerFetch(
                            fetch.brokerId(),
                            fetch.offset(),
                            fetch.startOffset(),
                            fetch.brokerEpoch(),
                            services.time().nanoseconds(),
                            replication.maxLagNanos(),
                            replication.eligibility()),
                    true);
            completeLowWaits();
            propose(now.proposeExpansion(fetch.brokerId(), replication.eligibility()));
        });
    }

    /// Inside the mailbox.
    private void proposeExpansion(LeaderState state) {
        Replication replication = services.replication();
        propose(state.proposeAnyExpansion(
                services.time().nanoseconds(), replication.maxLagNanos(), replication.eligibility()));
    }

    /// Inside the mailbox.
    private void propose(LeaderState.@Nullable IsrProposal proposal) {
        if (proposal != null) {
            services.replication().isrProposals().propose(this, proposal);
        }
    }

    /// Time has passed, or brokers have changed: followers that lag too long are proposed to leave the ISR, and those
    /// that have caught up to join it.
    public void checkFollowers() {
        if (!(role instanceof Role.Leader(LeaderState known, int epoch, int leader)) || !known.hasFollowers()) {
            return;
        }
        mailbox.submit(() -> {
            if (role instanceof Role.Leader(LeaderState state, int now, int self)) {
                Replication replication = services.replication();
                long nanos = services.time().nanoseconds();
                raise(state.onTick(nanos, replication.maxLagNanos(), replication.eligibility()), true);
                completeLowWaits();
                propose(state.proposeShrink(nanos, replication.maxLagNanos()));
                proposeExpansion(state);
            }
        });
    }

    /// The controller took the proposal made in this leader epoch.
    public void isrAccepted(int leaderEpoch, int partitionEpoch, List<Integer> isr) {
        mailbox.submit(() -> {
            if (role instanceof Role.Leader(LeaderState state, int epoch, int leader) && epoch == leaderEpoch) {
                // What was just refused is not asked for again before something new is known.
                boolean withdrawn = state.isWithdrawing();
                raise(
                        state.onProposalAccepted(
                                partitionEpoch, isr, services.time().nanoseconds()),
                        true);
                if (!withdrawn) {
                    proposeExpansion(state);
                }
            }
        });
    }

    /// The controller has refused the proposal made in this leader epoch on this partition epoch.
    public void isrRejected(int leaderEpoch, int basePartitionEpoch) {
        mailbox.submit(() -> {
            if (role instanceof Role.Leader(LeaderState state, int epoch, int leader) && epoch == leaderEpoch) {
                LeaderState.IsrProposal withdrawal = state.withdraw(basePartitionEpoch);
                if (withdrawal != null) {
                    propose(withdrawal);
                } else {
                    raise(state.onProposalRejected(basePartitionEpoch), true);
                }
            }
        });
    }

    /// What this node knows of the partition as its leader; null if it does not lead. To look at, from any thread: a
    /// moment later it may be otherwise.
    public @Nullable LeaderState leaderState() {
        return role instanceof Role.Leader(LeaderState state, int epoch, int leader) ? state : null;
    }

    /// Whether this node leads and as many replicas are in sync as `min.insync.replicas` wants.
    public boolean hasEnoughInSync() {
        return role instanceof Role.Leader(LeaderState state, int epoch, int leader) && state.hasEnoughInSync();
    }

    /// Whether this node leads and does not know yet that all is committed what it had when it began to: its high
    /// watermark may be below what the leader before has told (KIP-207).
    public boolean highWatermarkLags() {
        return role instanceof Role.Leader(LeaderState state, int epoch, int leader)
                && highWatermark < state.epochStartOffset();
    }

    // --- as a follower ---

    /// Where this replica has to fetch from under that term.
    public void positionAsFollower(FollowerTerm term, FollowerCallback callback) {
        mailbox.submit(() -> tell(term, carryOut(term, () -> {}), callback));
    }

    /// Appends batches the leader of that term answered to a fetch at `fetchOffset`, as they are,
    /// and moves the high watermark to the leader's, as far as the log reaches.
    ///
    /// Does not append if the log does not end at `fetchOffset`. The bytes are lent until the callback runs.
    public void appendAsFollower(
            FollowerTerm term,
            long fetchOffset,
            BufferRecords records,
            long leaderHighWatermark,
            FollowerCallback callback) {
        if (isThrottledFollower()) {
            services.replication().followerThrottle().record(records.sizeInBytes());
        }
        records.retain();
        mailbox.submit(() -> {
            FollowerOutcome outcome;
            int size = records.sizeInBytes();
            try {
                outcome = carryOut(term, () -> {
                    if (log.view().logEndOffset() == fetchOffset && size > 0) {
                        appendFetched(records.buffer(), fetchOffset, term.leaderEpoch());
                    }
                    raise(Math.min(leaderHighWatermark, log.view().logEndOffset()), true);
                });
            } finally {
                records.release();
            }
            tell(term, outcome, callback);
        });
    }

    /// Whether this replica, which is behind, must not fetch now (KIP-73).
    public boolean isFetchThrottled() {
        return isThrottledFollower()
                && services.replication().followerThrottle().isExceeded();
    }

    /// When a replica that must not fetch now may again, unless others of this node fetch until then.
    public long throttleOpensNanos() {
        return services.replication().followerThrottle().openNanos();
    }

    private boolean isThrottledFollower() {
        return settings.throttledFollowers().contains(topicPartition().partition());
    }

    /// Inside the mailbox.
    private void appendFetched(ByteBuffer batches, long fetchOffset, int leaderEpoch) {
        int appended = log.appendAsFollower(batches, leaderEpoch);
        if (appended > 0) {
            tailMarks.appended(fetchOffset, appended);
            hotMarks.appended(fetchOffset, appended);
            traffic.replicatedIn(appended);
            // For consumers that read here (KIP-392), and for those who come when this replica leads.
            tail.appended(batches.duplicate().limit(batches.position() + appended), fetchOffset);
        }
    }

    /// Deletes what the leader of that term has deleted; does nothing where this replica does not
    /// follow it any more, or does not know yet that all of that is committed. Durable, so never on
    /// an event loop and not inside the mailbox.
    public void followLogStart(FollowerTerm term, long leaderStartOffset) {
        if (!follows(term)
                || leaderStartOffset > highWatermark
                || leaderStartOffset <= log.view().logStartOffset()) {
            return;
        }
        try {
            log.advanceLogStartOffset(leaderStartOffset);
            changed(0);
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
        } catch (ApiException e) {
            // The log was cut below the high watermark meanwhile; the next fetch tells again.
            LOG.debug("Log start stays partition={} reason={}", topicPartition(), e.getMessage());
        }
    }

    /// Cuts the log at `offset`, because the leader of that term has something else from there on. Waits for the
    /// disk.
    public void truncateAsFollower(FollowerTerm term, long offset, FollowerCallback callback) {
        stepThatWaits(term, callback, () -> {
            if (offset < highWatermark) {
                LOG.warn(
                        "Cutting below the high watermark partition={} offset={} highWatermark={} leader={} leaderEpoch={}",
                        topicPartition(),
                        offset,
                        highWatermark,
                        term.leaderId(),
                        term.leaderEpoch());
            }
            log.truncateTo(offset);
            afterCut();
        });
    }

    /// Throws everything away and begins at `offset`, because the leader of that term has nothing that this
    /// log could
    /// be continued with. Waits for the disk.
    public void startAgainAsFollower(FollowerTerm term, long offset, FollowerCallback callback) {
        stepThatWaits(term, callback, () -> {
            LOG.info(
                    "Starting the log again partition={} offset={} logStart={} logEnd={} leader={} leaderEpoch={}",
                    topicPartition(),
                    offset,
                    log.view().logStartOffset(),
                    log.view().logEndOffset(),
                    term.leaderId(),
                    term.leaderEpoch());
            log.truncateFullyAndStartAt(offset);
            afterCut();
        });
    }

    /// Inside the mailbox.
    private void afterCut() {
        highWatermark = log.highWatermark();
        tail.clear();
        changed(0);
    }

    /// On a thread that may wait for the disk, and on no other: whoever is inside the mailbox may
    /// be an event loop, so the step is not left to it.
    private void stepThatWaits(FollowerTerm term, FollowerCallback callback, Runnable what) {
        if (!mailbox.trySubmit(() -> tell(term, carryOut(term, what), callback))) {
            mailbox.submit(
                    () -> services.replication().background().execute(() -> stepThatWaits(term, callback, what)));
        }
    }

    /// Inside the mailbox.
    private FollowerOutcome carryOut(FollowerTerm term, Runnable what) {
        if (!follows(term)) {
            return new FollowerOutcome.Superseded();
        }
        try {
            what.run();
            LogView view = log.view();
            return new FollowerOutcome.Position(view.logEndOffset(), view.latestEpoch());
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
            return storageFailed();
        } catch (ApiException e) {
            return new FollowerOutcome.Failed(e.error(), String.valueOf(e.getMessage()));
        }
    }

    // --- read ---

    /// Whether bytes at this offset were appended so lately that reading them will not wait for the disk.
    public boolean isHot(long offset) {
        return offset >= hotMarks.from();
    }

    /// Reads batches from the one that holds `offset` on.
    ///
    /// @param maxBytes the batches together are not larger, except the first if `atLeastOne`
    /// @param currentLeaderEpoch what the reader believes; -1 if it does not say
    /// @param lastFetchedEpoch the leader epoch of the reader's last batch; -1 if it does not say
    /// @param onlyFromLeader a replica that follows refuses; else it serves what it knows to be committed (KIP-392)
    public PartitionRead read(
            long offset,
            int maxBytes,
            boolean atLeastOne,
            FetchIsolation isolation,
            int currentLeaderEpoch,
            int lastFetchedEpoch,
            boolean onlyFromLeader) {
        Role now = role;
        Errors refused = checkReader(now, currentLeaderEpoch, onlyFromLeader);
        if (refused != Errors.NONE) {
            return new PartitionRead.Failed(refused, now.leaderId(), now.leaderEpoch());
        }
        try {
            PartitionRead parted = checkPosition(offset, lastFetchedEpoch, log.view());
            return parted != null ? parted : readHere(offset, maxBytes, atLeastOne, isolation);
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
            return new PartitionRead.Failed(Errors.KAFKA_STORAGE_ERROR, now.leaderId(), now.leaderEpoch());
        } catch (ApiException e) {
            return new PartitionRead.Failed(e.error(), now.leaderId(), now.leaderEpoch());
        }
    }

    /// Null if a reader that has everything below `offset`, the last of it of `lastFetchedEpoch`, can go on here.
    private @Nullable PartitionRead checkPosition(long offset, int lastFetchedEpoch, LogView view) {
        if (offset < view.logStartOffset()) {
            return new PartitionRead.OutOfRange(view.logStartOffset(), view.logEndOffset());
        }
        if (lastFetchedEpoch >= 0) {
            OffsetAndEpoch end = log.endOffsetForEpoch(lastFetchedEpoch);
            if (end.offset() < 0 || end.leaderEpoch() < 0) {
                return new PartitionRead.OutOfRange(view.logStartOffset(), view.logEndOffset());
            }
            if (end.leaderEpoch() < lastFetchedEpoch || end.offset() < offset) {
                return new PartitionRead.Diverging(
                        end.leaderEpoch(), end.offset(), highWatermark, view.logStartOffset());
            }
        }
        return offset > view.logEndOffset()
                ? new PartitionRead.OutOfRange(view.logStartOffset(), view.logEndOffset())
                : null;
    }

    private PartitionRead readHere(long offset, int maxBytes, boolean atLeastOne, FetchIsolation isolation) {
        long committed = highWatermark;
        LogView view = log.view();
        long stable = view.lastStableOffset(committed);
        long upTo = switch (isolation) {
            case LOG_END -> view.logEndOffset();
            case HIGH_WATERMARK -> committed;
            case LAST_STABLE_OFFSET -> stable;
        };
        RecordBytes records = RecordParts.EMPTY;
        if (offset >= upTo) {
            tail.wanted();
        } else {
            records = readRecords(offset, maxBytes, upTo, atLeastOne);
            if (records == null) {
                LogView later = log.view();
                return new PartitionRead.OutOfRange(later.logStartOffset(), later.logEndOffset());
            }
        }
        List<AbortedTransaction> aborted = null;
        if (isolation == FetchIsolation.LAST_STABLE_OFFSET) {
            aborted = records.sizeInBytes() == 0 ? List.of() : log.abortedTransactions(offset, upTo);
        }
        return new PartitionRead.Data(committed, stable, view.logStartOffset(), upTo, records, aborted);
    }

    /// Null if the offset has just been deleted.
    private @Nullable RecordBytes readRecords(long offset, int maxBytes, long upTo, boolean atLeastOne) {
        if (offset >= tailMarks.from()) {
            RecordParts cached = tail.read(offset, maxBytes, upTo, atLeastOne);
            if (cached != null) {
                return cached;
            }
        }
        return switch (log.read(offset, maxBytes, upTo, atLeastOne)) {
            case ReadOutcome.Slice(LogSlice slice) -> slice;
            case ReadOutcome.OutOfRange ignored -> null;
        };
    }

    /// NONE if this node leads and the asking side's leader epoch is this one or not given.
    public Errors checkLeader(int currentLeaderEpoch) {
        return checkLeader(role, currentLeaderEpoch);
    }

    private Errors checkReader(Role role, int currentLeaderEpoch, boolean onlyFromLeader) {
        Errors asLeader = checkLeader(role, currentLeaderEpoch);
        return asLeader == Errors.NOT_LEADER_OR_FOLLOWER && !onlyFromLeader && !retired ? Errors.NONE : asLeader;
    }

    private static Errors checkLeader(Role role, int currentLeaderEpoch) {
        if (currentLeaderEpoch >= 0 && currentLeaderEpoch < role.leaderEpoch()) {
            return Errors.FENCED_LEADER_EPOCH;
        }
        if (currentLeaderEpoch >= 0 && currentLeaderEpoch > role.leaderEpoch()) {
            return Errors.UNKNOWN_LEADER_EPOCH;
        }
        return role instanceof Role.Leader ? Errors.NONE : Errors.NOT_LEADER_OR_FOLLOWER;
    }

    // --- delete records ---

    /// In place of an offset to delete up to: the high watermark.
    public static final long UP_TO_HIGH_WATERMARK = -1L;

    /// Moves the log start, durably, so never on an event loop and not inside the mailbox, where an event loop
    /// could come to do it. The log guards itself, and the high watermark does not fall while this node leads.
    ///
    /// @return the offset below which nothing is left here
    /// @throws ApiException with the error for the client
    public long deleteRecordsBefore(long offset) {
        if (!isLeader()) {
            throw new ApiException(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        long committed = highWatermark;
        long to = offset == UP_TO_HIGH_WATERMARK ? committed : offset;
        if (to < 0 || to > committed) {
            throw new ApiException(
                    Errors.OFFSET_OUT_OF_RANGE,
                    "offset " + offset + " of " + topicPartition() + " is above its high watermark " + committed);
        }
        try {
            if (to > log.view().logStartOffset()) {
                log.advanceLogStartOffset(to);
                changed(0);
            }
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
            throw new ApiException(Errors.KAFKA_STORAGE_ERROR);
        }
        return to;
    }

    /// Where the earliest log begins among the replicas whose brokers are up, as far as this leader
    /// knows; -1 if it does not lead, or one of them has not fetched from it yet (KIP-107).
    public long lowWatermark() {
        return role instanceof Role.Leader(LeaderState state, int epoch, int leader)
                ? state.lowWatermark(
                        log.view().logStartOffset(), services.replication().eligibility())
                : -1L;
    }

    // --- who waits ---

    /// The watcher is told of every change from now on.
    public void watch(PartitionWatcher watcher) {
        synchronized (watcherLock) {
            PartitionWatcher[] before = watchers;
            PartitionWatcher[] after = Arrays.copyOf(before, before.length + 1);
            after[before.length] = watcher;
            watchers = after;
        }
    }

    public void unwatch(PartitionWatcher watcher) {
        synchronized (watcherLock) {
            var left = new ArrayList<>(Arrays.asList(watchers));
            left.remove(watcher);
            watchers = left.toArray(NO_WATCHERS);
        }
    }

    /// Whether anybody watches.
    public boolean isWatched() {
        return watchers.length > 0;
    }

    private void changed(int bytes) {
        for (PartitionWatcher watcher : watchers) {
            watcher.partitionChanged(bytes);
        }
    }

    /// Tells the listener when the high watermark is at or above `offset`: at once on this thread if it is, else
    /// later.
    public WatermarkWait whenHighWatermarkReaches(long offset, WatermarkWait.Listener listener) {
        return waiting(waits.add(offset, listener));
    }

    /// The same for the low watermark, [#lowWatermark].
    public WatermarkWait whenLowWatermarkReaches(long offset, WatermarkWait.Listener listener) {
        return waiting(lowWaits.add(offset, listener));
    }

    /// It may have risen, or the leadership ended, before anybody could see this wait.
    private WatermarkWait waiting(WatermarkWait wait) {
        completeWaits();
        completeLowWaits();
        if (!isLeader()) {
            failWaits(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        return wait;
    }

    private void completeWaits() {
        waits.end(highWatermark, Errors.NONE);
    }

    private void completeLowWaits() {
        if (!lowWaits.isEmpty()) {
            lowWaits.end(lowWatermark(), Errors.NONE);
        }
    }

    private void failWaits(Errors reason) {
        completeWaits();
        waits.end(Long.MAX_VALUE, reason);
        lowWaits.end(Long.MAX_VALUE, reason);
    }

    @Override
    public String toString() {
        return topicPartition() + " (" + role + ", highWatermark " + highWatermark + ")";
    }
}
