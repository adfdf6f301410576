package io.moldau.broker.replica;

import io.moldau.broker.delayed.OffsetWaits;
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
import io.moldau.log.storage.StorageException;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.RecordBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
            Consumer<StorageException> onStorageFailure) {}

    private static final PartitionWatcher[] NO_WATCHERS = {};

    /// So many of the latest bytes may be in the tail cache.
    private static final int TAIL_MARK_BYTES = 128 * 1024;

    /// So many of the latest bytes are taken to be in the operating system's page cache.
    private static final int HOT_MARK_BYTES = 8 * 1024 * 1024;

    private final TopicIdPartition id;
    private final PartitionLog log;
    private final Services services;
    private final Mailbox mailbox;
    private final PartitionTail tail;

    private volatile Role role = new Role.Follower(-1, -1);
    private volatile TopicSettings settings;
    private volatile long highWatermark;

    /// Written inside the mailbox: from where on reads are worth a look at the tail cache, and are hot.
    private final AppendMarks tailMarks;

    private final AppendMarks hotMarks;

    /// Guarded by `watcherLock`, read without it.
    private volatile PartitionWatcher[] watchers = NO_WATCHERS;

    private final Object watcherLock = new Object();

    /// Guarded by itself; `waitCount` mirrors its size for a look without the lock.
    private final OffsetWaits<HighWatermarkWait> waits = new OffsetWaits<>();

    private volatile int waitCount;

    Partition(TopicIdPartition id, PartitionLog log, TopicSettings settings, Services services) {
        this.id = id;
        this.log = log;
        this.settings = settings;
        this.services = services;
        this.mailbox = new Mailbox(services.faults());
        this.tail = services.tails().newTail();
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
            settings = topicSettings;
            long now = services.time().nanoseconds();
            if (role instanceof Role.Leader(LeaderState state, int epoch, int leader)
                    && epoch == registration.leaderEpoch()) {
                raise(state.onRegistration(
                        registration.partitionEpoch(), registration.replicas(), registration.isr(), now));
            } else {
                log.beginEpoch(registration.leaderEpoch());
                var state = new LeaderState(
                        services.localId(),
                        registration.leaderEpoch(),
                        registration.partitionEpoch(),
                        registration.replicas(),
                        registration.isr(),
                        log.view().logEndOffset(),
                        highWatermark,
                        now);
                role = new Role.Leader(state, registration.leaderEpoch(), services.localId());
                raise(state.highWatermark());
            }
            changed(0);
            completeWaits();
        });
    }

    /// Another node leads, or nobody.
    void becomeFollower(PartitionRegistration registration, TopicSettings topicSettings) {
        mailbox.submit(() -> {
            settings = topicSettings;
            follow(registration.leaderEpoch(), registration.leader());
        });
    }

    /// The partition leaves this node; what still holds this object is told that it does not lead.
    void retire() {
        mailbox.submit(() -> follow(role.leaderEpoch(), -1));
    }

    /// Inside the mailbox.
    private void follow(int leaderEpoch, int leader) {
        role = new Role.Follower(leaderEpoch, leader);
        tail.clear();
        failWaits();
        changed(0);
    }

    void updateSettings(TopicSettings topicSettings) {
        mailbox.submit(() -> {
            settings = topicSettings;
            log.updateConfig(topicSettings.log());
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
            AppendOutcome outcome;
            int size = records.sizeInBytes();
            try {
                outcome = append(records.buffer(), terms);
            } finally {
                records.release();
            }
            afterAppend(outcome, size);
            callback.appended(outcome);
        });
    }

    private void afterAppend(AppendOutcome outcome, int bytes) {
        if (outcome instanceof AppendOutcome.Appended) {
            changed(bytes);
            completeWaits();
        }
    }

    /// Inside the mailbox.
    private AppendOutcome append(ByteBuffer batches, AppendTerms terms) {
        if (!(role instanceof Role.Leader(LeaderState state, int epoch, int leader))) {
            return rejected(Errors.NOT_LEADER_OR_FOLLOWER, "this broker does not lead " + topicPartition());
        }
        if (terms.expectedLeaderEpoch() != AppendTerms.ANY_EPOCH && terms.expectedLeaderEpoch() != epoch) {
            return rejected(
                    Errors.NOT_LEADER_OR_FOLLOWER,
                    topicPartition() + " is led in epoch " + epoch + " now, not in " + terms.expectedLeaderEpoch());
        }
        if (terms.allInSync() && !state.hasInSync(settings.minInsyncReplicas())) {
            return rejected(
                    Errors.NOT_ENOUGH_REPLICAS,
                    topicPartition() + " has " + state.isr().size() + " replicas in sync, min.insync.replicas wants "
                            + settings.minInsyncReplicas());
        }
        AppendOutcome outcome;
        try {
            outcome = log.appendAsLeader(
                    batches, epoch, terms.origin(), services.time().milliseconds());
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
            raise(state.onLocalAppend(appended.lastOffset() + 1));
        }
        return outcome;
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

    // --- followers ---

    /// A follower asked for what comes at `offset`: it has everything below. False if it has no replica of this.
    public boolean followerFetched(int brokerId, long offset) {
        if (!(role instanceof Role.Leader(LeaderState state, int epoch, int leader)) || !state.isFollower(brokerId)) {
            return false;
        }
        mailbox.submit(() -> {
            if (role instanceof Role.Leader(LeaderState now, int sameEpoch, int self)
                    && now == state
                    && now.isFollower(brokerId)) {
                long before = highWatermark;
                raise(now.onFollowerFetch(brokerId, offset, services.time().nanoseconds()));
                if (highWatermark != before) {
                    changed(0);
                    completeWaits();
                }
            }
        });
        return true;
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
    public PartitionRead read(
            long offset,
            int maxBytes,
            boolean atLeastOne,
            FetchIsolation isolation,
            int currentLeaderEpoch,
            int lastFetchedEpoch) {
        Role now = role;
        Errors refused = checkLeader(now, currentLeaderEpoch);
        if (refused != Errors.NONE) {
            return new PartitionRead.Failed(refused, now.leaderId(), now.leaderEpoch());
        }
        try {
            return readAsLeader(offset, maxBytes, atLeastOne, isolation, lastFetchedEpoch);
        } catch (StorageException e) {
            services.onStorageFailure().accept(e);
            return new PartitionRead.Failed(Errors.KAFKA_STORAGE_ERROR, now.leaderId(), now.leaderEpoch());
        } catch (ApiException e) {
            return new PartitionRead.Failed(e.error(), now.leaderId(), now.leaderEpoch());
        }
    }

    private PartitionRead readAsLeader(
            long offset, int maxBytes, boolean atLeastOne, FetchIsolation isolation, int lastFetchedEpoch) {
        long committed = highWatermark;
        LogView view = log.view();
        long stable = view.lastStableOffset(committed);
        if (offset < view.logStartOffset() || offset > view.logEndOffset()) {
            return new PartitionRead.OutOfRange(view.logStartOffset(), view.logEndOffset());
        }
        if (lastFetchedEpoch >= 0) {
            OffsetAndEpoch end = log.endOffsetForEpoch(lastFetchedEpoch);
            if (end.offset() < 0 || end.leaderEpoch() < 0) {
                return new PartitionRead.OutOfRange(view.logStartOffset(), view.logEndOffset());
            }
            if (end.leaderEpoch() < lastFetchedEpoch || end.offset() < offset) {
                return new PartitionRead.Diverging(end.leaderEpoch(), end.offset(), committed, view.logStartOffset());
            }
        }
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
    /// @return the log start now
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
        return log.view().logStartOffset();
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
    /// later. A wait has no deadline of its own: whoever gives up calls [#cancel].
    public HighWatermarkWait whenHighWatermarkReaches(long offset, HighWatermarkWait.Listener listener) {
        var wait = new HighWatermarkWait(offset, listener);
        if (highWatermark >= offset) {
            wait.end(Errors.NONE);
            return wait;
        }
        synchronized (waits) {
            waits.add(wait);
            waitCount = waits.size();
        }
        // It may have risen, or the leadership ended, before anybody could see this wait.
        completeWaits();
        if (!isLeader()) {
            failWaits();
        }
        return wait;
    }

    /// False if the wait has ended already, or is about to.
    public boolean cancel(HighWatermarkWait wait) {
        synchronized (waits) {
            boolean removed = waits.remove(wait);
            waitCount = waits.size();
            return removed;
        }
    }

    private void completeWaits() {
        if (waitCount > 0) {
            endWaits(highWatermark, Errors.NONE);
        }
    }

    private void failWaits() {
        completeWaits();
        if (waitCount > 0) {
            endWaits(Long.MAX_VALUE, Errors.NOT_LEADER_OR_FOLLOWER);
        }
    }

    private void endWaits(long position, Errors outcome) {
        List<HighWatermarkWait> ended = new ArrayList<>();
        synchronized (waits) {
            HighWatermarkWait wait;
            while ((wait = waits.poll(position)) != null) {
                ended.add(wait);
            }
            waitCount = waits.size();
        }
        for (HighWatermarkWait wait : ended) {
            wait.end(outcome);
        }
    }

    @Override
    public String toString() {
        return topicPartition() + " (" + role + ", highWatermark " + highWatermark + ")";
    }
}
