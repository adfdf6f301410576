package io.moldau.broker.api.data;

import io.moldau.broker.delayed.Deadlines.Deadline;
import io.moldau.broker.replica.FetchIsolation;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRead;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.RecordParts;
import io.moldau.broker.request.RequestContext;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FetchResponseData.EpochEndOffset;
import io.moldau.wire.message.FetchResponseData.FetchableTopicResponse;
import io.moldau.wire.message.FetchResponseData.LeaderIdAndEpoch;
import io.moldau.wire.message.FetchResponseData.NodeEndpoint;
import io.moldau.wire.message.FetchResponseData.PartitionData;
import io.moldau.wire.protocol.RecordBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One fetch until it is answered: looks at the partitions that may have something, answers when that is enough or
/// the time is over, and waits for changes else.
///
/// It is RUNNING on one thread at a time, an event loop or a reader; WAITING, whoever sees enough changes or the
/// end of the wait takes it back to RUNNING by one compare-and-set. Changes that come while it runs are on the
/// session's list, which it looks at once more after it has begun to wait.
final class PendingFetch implements Runnable {

    /// What all fetches of a node share.
    ///
    /// @param readers threads that may wait for the disk
    /// @param readReplicas which replica a consumer should rather read from
    record Services(
            PartitionRegistry partitions, Executor readers, FileReads files, Time time, ReadReplicas readReplicas) {}

    /// What the client asked for, apart from the partitions.
    ///
    /// @param full answer for every partition, not only for those that have something new
    /// @param replicaId the follower that fetches, -1 for a client
    /// @param brokerEpoch of the follower's process, -1 if it does not say
    /// @param rack where the client is, empty if it does not say; null for a follower, and for a client
    ///     of a version that only reads from leaders (KIP-392)
    record Terms(
            int maxWaitMs,
            int minBytes,
            int maxBytes,
            FetchIsolation isolation,
            boolean full,
            int replicaId,
            long brokerEpoch,
            @Nullable String rack) {

        boolean isFollower() {
            return replicaId >= 0;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(PendingFetch.class);

    private static final int RUNNING = 0;
    private static final int WAITING = 1;
    private static final int DONE = 2;

    private static final short LEADER_HINT_VERSION = 16;

    /// What a look at one partition found.
    private record Found(FetchedPartition entry, PartitionRead read) {
        int bytes() {
            return read instanceof PartitionRead.Data data ? data.records().sizeInBytes() : 0;
        }

        /// Whether the client must know now.
        boolean isDecisive(boolean isFollower, boolean highWatermarkMatters) {
            return !(read instanceof PartitionRead.Data data)
                    || (highWatermarkMatters && data.highWatermark() > entry.sentHighWatermark)
                    // Whoever deleted records waits until every replica has.
                    || (isFollower
                            && data.logStartOffset() > Math.max(entry.followerStartOffset, entry.sentLogStartOffset));
        }

        /// Whether the next look would find something too, though nothing has changed by then.
        boolean isWorthAnotherLook() {
            return !(read instanceof PartitionRead.Data data) || data.upToOffset() > entry.fetchOffset;
        }

        /// Whether the client does not know it yet.
        boolean isNews() {
            return !(read instanceof PartitionRead.Data data)
                    || data.records().sizeInBytes() > 0
                    || data.highWatermark() != entry.sentHighWatermark
                    || data.logStartOffset() != entry.sentLogStartOffset;
        }

        void release() {
            if (read instanceof PartitionRead.Data data) {
                FileReads.release(data.records());
            }
        }
    }

    private final Services services;
    private final RequestContext context;
    private final FetchSession session;
    private final Terms terms;
    private final long deadlineNanos;
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private final AtomicLong missingBytes = new AtomicLong();

    /// Set on the event loop, read by whoever runs.
    private volatile boolean over;

    /// Owned by the event loop.
    private @Nullable Deadline deadline;

    PendingFetch(Services services, RequestContext context, FetchSession session, Terms terms) {
        this.services = services;
        this.context = context;
        this.session = session;
        this.terms = terms;
        this.deadlineNanos = context.receivedNanos() + terms.maxWaitMs() * 1_000_000L;
        this.over = terms.maxWaitMs() <= 0;
    }

    /// On the event loop.
    @Override
    public void run() {
        look(true);
    }

    /// From any thread: so many bytes more can be read, or (0) something else has changed.
    void changed(int bytes) {
        long missing = missingBytes.addAndGet(-bytes);
        if ((bytes == 0 || missing <= 0) && state.compareAndSet(WAITING, RUNNING)) {
            context.executor().execute(this);
        }
    }

    /// From any thread: there is no point in waiting any longer. On the connection's event loop the answer is made
    /// before this returns, if nothing else is just making it.
    void giveUp(boolean sameLoop) {
        over = true;
        if (sameLoop && context.inExecutor()) {
            end();
        } else {
            changed(0);
        }
    }

    /// On the event loop: the time is over, or the connection is gone.
    private void end() {
        over = true;
        if (state.compareAndSet(WAITING, RUNNING)) {
            look(true);
        }
    }

    /// Looks until there is an answer or nothing more to see. The caller has made the state RUNNING.
    private void look(boolean onEventLoop) {
        try {
            lookUntilSettled(onEventLoop);
        } catch (RuntimeException e) {
            // Nobody further up would answer the request.
            LOG.error("Fetch failed peer={} correlationId={}", context.clientAddress(), context.correlationId(), e);
            if (state.getAndSet(DONE) != DONE) {
                context.disconnect("fetch failed: " + e);
            }
        }
    }

    private void lookUntilSettled(boolean onEventLoop) {
        do {
            FetchResponseData response;
            synchronized (session) {
                boolean mayWaitForDisk = !onEventLoop;
                session.collectChanges();
                if (bindAll() && onEventLoop) {
                    if (!session.credit().spend()) {
                        services.readers().execute(() -> look(false));
                        return;
                    }
                    mayWaitForDisk = true;
                }
                response = collect(mayWaitForDisk);
                if (response == null && !session.isWatching()) {
                    session.startWatching();
                    bindAll();
                    response = collect(mayWaitForDisk); // once more, now that nothing goes unseen
                }
                if (response == null) {
                    session.setPending(this);
                } else if (session.pending() == this) {
                    session.setPending(null);
                }
            }
            if (response != null) {
                state.set(DONE);
                FetchResponseData answer = response;
                onEventLoop(() -> answer(answer));
                return;
            }
            state.set(WAITING);
            // What changed, or ended the wait, while this still ran could not take it back from WAITING.
        } while ((session.hasChanges() || over) && state.compareAndSet(WAITING, RUNNING));
        onEventLoop(this::arm);
    }

    private void onEventLoop(Runnable task) {
        if (context.inExecutor()) {
            task.run();
        } else {
            context.executor().execute(task);
        }
    }

    private void arm() {
        if (deadline == null && state.get() != DONE) {
            deadline = context.deadlines()
                    .after(deadlineNanos - context.deadlines().nowNanos(), this::end);
            context.whenDisconnected(this::end);
        }
    }

    private void answer(FetchResponseData response) {
        if (deadline != null) {
            deadline.cancel();
        }
        if (session.id() == FetchSession.NO_ID) {
            session.close();
        }
        context.respond(response);
    }

    // --- under the session's monitor ---

    /// Connects every queued entry with its replica. True if one of them would read what may not be in memory.
    private boolean bindAll() {
        boolean cold = false;
        for (FetchedPartition entry : session.queue()) {
            Partition partition = entry.partition;
            entry.bindError = Errors.NONE;
            try {
                String topic = session.usesTopicIds()
                        ? services.partitions().topicName(entry.key.topicId())
                        : entry.key.topic();
                partition = services.partitions().online(new TopicPartition(topic, entry.key.partition()));
                if (session.usesTopicIds() && !partition.topicId().equals(entry.key.topicId())) {
                    throw new ApiException(Errors.INCONSISTENT_TOPIC_ID);
                }
                entry.bind(partition, session.isWatching() && !session.isClosed());
                long end = terms.isFollower() ? partition.logEndOffset() : partition.highWatermark();
                cold |= entry.fetchOffset < end && !partition.isHot(entry.fetchOffset);
            } catch (ApiException e) {
                entry.bind(null, false);
                entry.bindError = e.error();
            }
        }
        return cold;
    }

    /// Reads the queued partitions. Null if the client is better served by waiting.
    private @Nullable FetchResponseData collect(boolean mayWaitForDisk) {
        List<Found> all = new ArrayList<>();
        long total = 0;
        boolean decisive = false;
        // A follower that serves consumers must not learn of what is committed half a second late.
        boolean highWatermarkMatters =
                terms.isFollower() && services.readReplicas().isOn();
        for (int left = session.queue().size(); left > 0; left--) {
            long budget = terms.maxBytes() - total;
            if (budget <= 0 && total > 0 && !terms.full()) {
                break; // the others are first in the queue next time
            }
            FetchedPartition entry = session.dequeue();
            if (entry == null) {
                break;
            }
            int maxBytes = (int) Math.max(0, Math.min(entry.maxBytes, budget));
            var found = new Found(entry, read(entry, maxBytes, total, mayWaitForDisk));
            all.add(found);
            total += found.bytes();
            decisive |= found.isDecisive(terms.isFollower(), highWatermarkMatters);
        }
        if (!over && !session.isClosed() && !decisive && total < terms.minBytes()) {
            for (Found found : all) {
                found.release();
                if (terms.full() || found.isNews() || found.isWorthAnotherLook()) {
                    session.enqueue(found.entry());
                }
            }
            missingBytes.set(terms.minBytes() - total);
            return null;
        }
        return respond(all);
    }

    private PartitionRead read(FetchedPartition entry, int maxBytes, long before, boolean mayWaitForDisk) {
        Partition partition = entry.partition;
        if (partition == null) {
            return new PartitionRead.Failed(entry.bindError, -1, -1);
        }
        long startNanos = mayWaitForDisk ? services.time().nanoseconds() : 0;
        PartitionRead read = terms.isFollower()
                ? partition.readAsFollower(
                        new Partition.FollowerFetch(
                                terms.replicaId(),
                                terms.brokerEpoch(),
                                entry.fetchOffset,
                                entry.followerStartOffset,
                                entry.currentLeaderEpoch,
                                entry.lastFetchedEpoch),
                        maxBytes,
                        before == 0)
                : readForClient(partition, entry, maxBytes, before == 0);
        if (!mayWaitForDisk || !(read instanceof PartitionRead.Data data) || data.records() instanceof RecordParts) {
            return read;
        }
        try {
            RecordBytes ready = services.files().ready(data.records(), before);
            session.credit().measured(ready.sizeInBytes(), services.time().nanoseconds() - startNanos);
            return new PartitionRead.Data(
                    data.highWatermark(),
                    data.lastStableOffset(),
                    data.logStartOffset(),
                    data.upToOffset(),
                    ready,
                    data.aborted());
        } catch (IOException e) {
            return new PartitionRead.Failed(Errors.KAFKA_STORAGE_ERROR, partition.leaderId(), partition.leaderEpoch());
        }
    }

    private PartitionRead readForClient(Partition partition, FetchedPartition entry, int maxBytes, boolean atLeastOne) {
        String rack = terms.rack();
        if (rack != null && !rack.isEmpty()) {
            int nearest = services.readReplicas().nearest(partition, rack, entry.fetchOffset, context.listenerName());
            if (nearest >= 0) {
                return new PartitionRead.Elsewhere(
                        nearest, partition.highWatermark(), partition.lastStableOffset(), partition.logStartOffset());
            }
        }
        return partition.read(
                entry.fetchOffset,
                maxBytes,
                atLeastOne,
                terms.isolation(),
                entry.currentLeaderEpoch,
                entry.lastFetchedEpoch,
                rack == null);
    }

    private FetchResponseData respond(List<Found> all) {
        var response = new FetchResponseData().setSessionId(session.id());
        FetchableTopicResponse topic = null;
        LeaderHints hints = null;
        for (Found found : all) {
            FetchedPartition entry = found.entry();
            if (found.isWorthAnotherLook()) {
                session.enqueue(entry);
            }
            if (!terms.full() && !found.isNews()) {
                continue;
            }
            if (topic == null
                    || !topic.topic().equals(entry.key.topic())
                    || !topic.topicId().equals(entry.key.topicId())) {
                topic = new FetchableTopicResponse().setTopic(entry.key.topic()).setTopicId(entry.key.topicId());
                response.responses().add(topic);
            }
            PartitionData data = data(found);
            topic.partitions().add(data);
            if (context.apiVersion() >= LEADER_HINT_VERSION
                    && (data.errorCode() == Errors.NOT_LEADER_OR_FOLLOWER.code()
                            || data.errorCode() == Errors.FENCED_LEADER_EPOCH.code())) {
                hints = hint(entry, data, hints);
            }
        }
        if (hints != null) {
            for (LeaderHints.Node node : hints.nodes()) {
                response.nodeEndpoints()
                        .add(new NodeEndpoint()
                                .setNodeId(node.id())
                                .setHost(node.host())
                                .setPort(node.port())
                                .setRack(node.rack()));
            }
        }
        return response;
    }

    private PartitionData data(Found found) {
        FetchedPartition entry = found.entry();
        var data = new PartitionData()
                .setPartitionIndex(entry.key.partition())
                .setHighWatermark(-1L)
                .setLastStableOffset(-1L)
                .setLogStartOffset(-1L)
                .setAbortedTransactions(null)
                .setRecords(RecordParts.EMPTY);
        switch (found.read()) {
            case PartitionRead.Data it -> {
                data.setHighWatermark(it.highWatermark())
                        .setLastStableOffset(it.lastStableOffset())
                        .setLogStartOffset(it.logStartOffset())
                        .setRecords(it.records());
                if (it.aborted() != null) {
                    var aborted = new ArrayList<FetchResponseData.AbortedTransaction>(
                            it.aborted().size());
                    it.aborted()
                            .forEach(transaction -> aborted.add(new FetchResponseData.AbortedTransaction()
                                    .setProducerId(transaction.producerId())
                                    .setFirstOffset(transaction.firstOffset())));
                    data.setAbortedTransactions(aborted);
                }
                entry.sentHighWatermark = it.highWatermark();
                entry.sentLogStartOffset = it.logStartOffset();
                countOut(entry.partition, it.records().sizeInBytes());
            }
            case PartitionRead.Diverging it -> {
                data.setHighWatermark(it.highWatermark())
                        .setLogStartOffset(it.logStartOffset())
                        .setDivergingEpoch(
                                new EpochEndOffset().setEpoch(it.epoch()).setEndOffset(it.endOffset()));
                entry.sentHighWatermark = -1L;
            }
            case PartitionRead.Elsewhere it -> {
                data.setHighWatermark(it.highWatermark())
                        .setLastStableOffset(it.lastStableOffset())
                        .setLogStartOffset(it.logStartOffset())
                        .setPreferredReadReplica(it.replicaId());
                entry.sentHighWatermark = -1L;
            }
            case PartitionRead.OutOfRange it -> {
                data.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
                if (terms.isFollower()) {
                    // Ours alone: the follower need not ask a second time where it can begin.
                    data.setLogStartOffset(it.logStartOffset());
                }
                entry.sentHighWatermark = -1L;
            }
            case PartitionRead.Failed it -> {
                data.setErrorCode(it.error().code());
                entry.sentHighWatermark = -1L;
                if (entry.partition != null && !terms.isFollower()) {
                    entry.partition.traffic().fetchFailed();
                }
            }
        }
        return data;
    }

    private void countOut(@Nullable Partition partition, int bytes) {
        if (partition == null || bytes == 0) {
            return;
        }
        if (terms.isFollower()) {
            partition.traffic().replicatedOut(bytes);
        } else {
            partition.traffic().fetched(bytes);
        }
    }

    private LeaderHints hint(FetchedPartition entry, PartitionData data, @Nullable LeaderHints hints) {
        var all = hints == null ? new LeaderHints(services.partitions().image(), context.listenerName()) : hints;
        PartitionRegistration registration =
                services.partitions().image().topics().partition(entry.key.topicId(), entry.key.partition());
        if (registration != null) {
            data.setCurrentLeader(new LeaderIdAndEpoch()
                    .setLeaderId(registration.leader())
                    .setLeaderEpoch(registration.leaderEpoch()));
            all.add(registration.leader());
        }
        return all;
    }
}
