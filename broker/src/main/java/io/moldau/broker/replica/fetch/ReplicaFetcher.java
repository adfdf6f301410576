package io.moldau.broker.replica.fetch;

import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.replica.Durability;
import io.moldau.broker.replica.FollowerCallback;
import io.moldau.broker.replica.FollowerOutcome;
import io.moldau.broker.replica.FollowerTerm;
import io.moldau.broker.replica.Mailbox;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.fetch.FetcherState.BackOff;
import io.moldau.broker.replica.fetch.FetcherState.Effect;
import io.moldau.broker.replica.fetch.FetcherState.Phase;
import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.common.time.TimerTask;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchRequestData.FetchPartition;
import io.moldau.wire.message.FetchRequestData.FetchTopic;
import io.moldau.wire.message.FetchRequestData.ForgottenTopic;
import io.moldau.wire.message.FetchRequestData.ReplicaState;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FetchResponseData.FetchableTopicResponse;
import io.moldau.wire.message.FetchResponseData.PartitionData;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.HeapRecords;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Copies partitions from one leader over one connection, in one fetch session (KIP-227).
///
/// Has no thread: it works in a mailbox, on the event loop that brings an answer, on the thread that publishes
/// metadata, or on a background thread after a pause. What [FetcherState] decides for a partition it has
/// carried out by
/// the [Partition]; only cutting a log, which waits for the disk, goes to a background thread. A fetch names those
/// partitions only that are elsewhere than the leader was told last. When there is something to tell while a fetch
/// waits at the leader, a second one is sent behind it, which makes the leader answer the first.
final class ReplicaFetcher {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicaFetcher.class);

    private static final int MOST_IN_FLIGHT = 2;

    private static final long SHORTEST_THROTTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /// The throttle may be another by then, or gone.
    private static final long LONGEST_THROTTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /// How long those that are forced already are held up by others that are not.
    private static final long LONGEST_FORCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /// What all fetchers of a node share.
    ///
    /// @param brokerEpoch of this node's registration, -1 if it has none
    /// @param background threads that may wait for the disk
    record Services(
            int localId,
            LongSupplier brokerEpoch,
            LeaderEndpoints endpoints,
            HungUpBrokers hungUp,
            FetcherSettings settings,
            Time time,
            Timer timer,
            Executor background,
            FaultHandler faults) {}

    private record Key(Uuid topicId, int partition) {}

    /// One partition. Owned by the mailbox.
    private static final class Followed {
        private final Key key;
        private final Partition partition;
        private final FollowerTerm term;

        /// Null until the partition has said where its log ends.
        private @Nullable FetcherState state;

        /// What the leader was told last, and by which request; null if the session does not hold the partition.
        private @Nullable FetcherState told;

        private long toldBy;

        /// Where the log began when the leader was told last.
        private long toldStart;

        /// Whether what the leader has deleted is being deleted here.
        private boolean followingStart;

        /// Whether it had everything that is committed when the leader answered last.
        private boolean caughtUp;

        /// Waits for the throttle.
        private boolean heldBack;

        Followed(Key key, Partition partition, FollowerTerm term) {
            this.key = key;
            this.partition = partition;
            this.term = term;
        }

        /// Its state if it fetches, else null.
        @Nullable
        FetcherState fetching() {
            return state != null && state.phase() == Phase.FETCHING && !heldBack ? state : null;
        }

        /// Whether it fetches from elsewhere than the leader was told, or its log begins elsewhere.
        boolean isNews() {
            FetcherState now = fetching();
            return now != null && (!now.equals(told) || partition.logStartOffset() != toldStart);
        }
    }

    /// A fetch that has been sent.
    private record Sent(long number, LeaderEndpoint endpoint, boolean full) {}

    private final int leaderId;
    private final Services services;
    private final BackOff backOff;
    private final Mailbox mailbox;

    // All below is owned by the mailbox.
    private final Map<Key, Followed> followed = new LinkedHashMap<>();

    /// Those in another state than the leader knows, perhaps.
    private final Set<Followed> touched = new LinkedHashSet<>();

    private final Set<Followed> backingOff = new LinkedHashSet<>();

    /// Those that wait for the throttle.
    private final Set<Followed> heldBack = new LinkedHashSet<>();

    private long throttleOpensNanos;

    /// In the session, and to be taken out of it.
    private final Set<Key> toForget = new LinkedHashSet<>();

    private final Deque<Sent> inFlight = new ArrayDeque<>();
    private @Nullable Endpoint address;
    private @Nullable LeaderEndpoint endpoint;
    private int sessionId;
    private int sessionEpoch;
    private long toldBrokerEpoch = -1;
    private boolean answered;
    private long requests;
    private int appending;
    /// How many of them are being forced to the disk.
    private int forcing;
    /// Until then nothing is fetched meanwhile.
    private long forcingNanos;
    private int connectFailures;
    private long connectNanos;
    private @Nullable TimerTask wakeUp;
    private long wakeUpNanos;
    private boolean closed;

    ReplicaFetcher(int leaderId, Services services) {
        this.leaderId = leaderId;
        this.services = services;
        this.backOff = services.settings().backOff();
        this.mailbox = new Mailbox(services.faults());
        this.connectNanos = services.time().nanoseconds();
    }

    // --- from the thread that publishes metadata ---

    /// Where the leader listens; null while that is not known. Whatever is known of the leader is news: a
    /// pause after
    /// failures ends.
    void reachAt(@Nullable Endpoint newAddress) {
        mailbox.submit(() -> {
            if (newAddress == null || !newAddress.equals(address)) {
                disconnect();
                address = newAddress;
            }
            connectFailures = 0;
            connectNanos = services.time().nanoseconds();
            go();
        });
    }

    /// Follows the partition in that leader epoch, from wherever its log ends.
    void follow(Partition partition, int leaderEpoch) {
        mailbox.submit(() -> {
            var key = new Key(partition.topicId(), partition.topicPartition().partition());
            Followed before = followed.get(key);
            if (before != null && before.partition == partition && before.term.leaderEpoch() == leaderEpoch) {
                return;
            }
            if (before != null) {
                remove(before);
            }
            var now = new Followed(key, partition, new FollowerTerm(leaderId, leaderEpoch));
            followed.put(key, now);
            partition.positionAsFollower(
                    now.term,
                    outcome -> mailbox.submit(() -> {
                        if (followed.get(key) == now
                                && outcome instanceof FollowerOutcome.Position(long end, int epoch)) {
                            enter(now, FetcherState.begin(leaderEpoch, end, epoch));
                            go();
                        }
                    }));
        });
    }

    /// Follows the partition no longer.
    void leave(Uuid topicId, int partition) {
        mailbox.submit(() -> {
            Followed gone = followed.remove(new Key(topicId, partition));
            if (gone != null) {
                remove(gone);
            }
        });
    }

    void close() {
        mailbox.submit(() -> {
            closed = true;
            disconnect();
            followed.clear();
            touched.clear();
            backingOff.clear();
            heldBack.clear();
            if (wakeUp != null) {
                wakeUp.cancel();
                wakeUp = null;
            }
        });
    }

    // --- inside the mailbox ---

    private void remove(Followed gone) {
        touched.remove(gone);
        backingOff.remove(gone);
        heldBack.remove(gone);
        if (gone.told != null) {
            toForget.add(gone.key);
        }
    }

    private void enter(Followed it, FetcherState state) {
        it.state = state;
        touched.add(it);
        if (state.phase() == Phase.BACKING_OFF) {
            backingOff.add(it);
        } else {
            backingOff.remove(it);
        }
        if (state.phase() == Phase.FAILED) {
            LOG.error(
                    "Following stopped, the log failed partition={} leader={}",
                    it.partition.topicPartition(),
                    leaderId);
        }
    }

    /// Fetches, if there is a reason to and nothing forbids it.
    private void go() {
        Endpoint where = address;
        if (closed || where == null || appending > 0) {
            return;
        }
        long now = services.time().nanoseconds();
        if (now - connectNanos < 0) {
            wakeAt(connectNanos);
            return;
        }
        if (forcing > 0 && now - forcingNanos < 0 && !hasOthersToFetch()) {
            wakeAt(forcingNanos);
            return;
        }
        endBackOffs(now);
        endThrottling(now);
        boolean mayWaitBehind = sessionId != 0 && inFlight.size() < MOST_IN_FLIGHT && hasNews();
        if (inFlight.isEmpty() ? fetchesAny() : mayWaitBehind) {
            send(where);
        }
    }

    /// Whether partitions are followed whose records count as soon as they are replicated. Where there
    /// are none, the next fetch goes when the logs have been forced: it asks for all of them together.
    private boolean hasOthersToFetch() {
        for (Followed it : followed.values()) {
            if (it.fetching() != null && it.partition.settings().durability() == Durability.REPLICATED) {
                return true;
            }
        }
        return false;
    }

    private void endBackOffs(long now) {
        long next = Long.MAX_VALUE;
        boolean any = false;
        for (Iterator<Followed> left = backingOff.iterator(); left.hasNext(); ) {
            Followed it = left.next();
            FetcherState before = it.state;
            FetcherState after = before == null ? null : before.onTime(now);
            if (after == null || after.phase() != Phase.BACKING_OFF) {
                left.remove();
                it.state = after;
                touched.add(it);
            } else {
                next = any && next - after.retryNanos() < 0 ? next : after.retryNanos();
                any = true;
            }
        }
        if (any) {
            wakeAt(next);
        }
    }

    private void endThrottling(long now) {
        if (heldBack.isEmpty()) {
            return;
        }
        if (now - throttleOpensNanos < 0) {
            wakeAt(throttleOpensNanos);
            return;
        }
        for (Followed it : heldBack) {
            it.heldBack = false;
            touched.add(it);
        }
        heldBack.clear();
    }

    /// A replica that is behind and over the throttle is not asked for (KIP-73).
    private void holdBack(Followed it) {
        if (it.fetching() != null && !it.caughtUp && it.partition.isFetchThrottled()) {
            it.heldBack = true;
            heldBack.add(it);
            long now = services.time().nanoseconds();
            throttleOpensNanos = now
                    + Math.clamp(
                            it.partition.throttleOpensNanos() - now, SHORTEST_THROTTLE_NANOS, LONGEST_THROTTLE_NANOS);
        }
    }

    private void wakeAt(long nanos) {
        if (wakeUp != null) {
            if (wakeUpNanos - nanos <= 0) {
                return;
            }
            wakeUp.cancel();
        }
        wakeUpNanos = nanos;
        wakeUp = services.timer()
                .schedule(
                        nanos,
                        () -> services.background()
                                .execute(() -> mailbox.submit(() -> {
                                    wakeUp = null;
                                    go();
                                })));
    }

    private boolean fetchesAny() {
        for (Followed it : followed.values()) {
            if (it.fetching() != null) {
                return true;
            }
        }
        return false;
    }

    private boolean hasNews() {
        for (Followed it : touched) {
            if (it.isNews()) {
                return true;
            }
        }
        return false;
    }

    private void send(Endpoint where) {
        LeaderEndpoint to = endpoint;
        if (to == null) {
            to = services.endpoints().connect(leaderId, where.host(), where.port());
            endpoint = to;
        }
        long brokerEpoch = services.brokerEpoch().getAsLong();
        if (brokerEpoch != toldBrokerEpoch) {
            // The leader knows each position by the registration it came under, and takes nobody into the ISR by an
            // older one: what it was told has to be said again, also of partitions where nothing happens.
            toldBrokerEpoch = brokerEpoch;
            endSession();
        }
        boolean full = sessionId == 0;
        FetcherSettings settings = services.settings();
        var request = new FetchRequestData()
                .setReplicaState(
                        new ReplicaState().setReplicaId(services.localId()).setReplicaEpoch(brokerEpoch))
                // The first answer makes the session; until then nothing can be told behind a fetch that waits.
                .setMaxWaitMs(full && !answered ? 0 : settings.waitMaxMs())
                .setMinBytes(settings.minBytes())
                .setMaxBytes(settings.responseMaxBytes())
                .setSessionId(sessionId)
                .setSessionEpoch(sessionEpoch);
        long number = ++requests;
        Map<Uuid, FetchTopic> topics = new HashMap<>();
        Map<Uuid, ForgottenTopic> forgotten = new HashMap<>();
        for (Followed it : full ? followed.values() : touched) {
            holdBack(it);
            FetcherState state = it.fetching();
            if (state != null) {
                if (full || it.isNews()) {
                    it.toldStart = it.partition.logStartOffset();
                    add(request, topics, it, state);
                    it.told = state;
                    it.toldBy = number;
                    toForget.remove(it.key);
                }
            } else if (it.told != null) {
                it.told = null;
                toForget.add(it.key);
            }
        }
        touched.clear();
        if (!full) {
            for (Key key : toForget) {
                forget(request, forgotten, key);
            }
        }
        toForget.clear();
        if (sessionId != 0) {
            sessionEpoch = sessionEpoch == Integer.MAX_VALUE ? 1 : sessionEpoch + 1;
        }
        var sent = new Sent(number, to, full);
        inFlight.addLast(sent);
        endThrottling(services.time().nanoseconds());
        to.fetch(request, settings.timeoutMs())
                .whenComplete((answer, failure) -> mailbox.submit(() -> onAnswer(sent, answer, failure)));
    }

    private void add(FetchRequestData request, Map<Uuid, FetchTopic> topics, Followed it, FetcherState state) {
        topics.computeIfAbsent(it.key.topicId(), id -> {
                    var topic = new FetchTopic().setTopicId(id);
                    request.topics().add(topic);
                    return topic;
                })
                .partitions()
                .add(new FetchPartition()
                        .setPartition(it.key.partition())
                        .setCurrentLeaderEpoch(state.leaderEpoch())
                        .setFetchOffset(state.fetchOffset())
                        .setLastFetchedEpoch(state.lastFetchedEpoch())
                        .setLogStartOffset(it.toldStart)
                        .setPartitionMaxBytes(services.settings().maxBytes()));
    }

    private static void forget(FetchRequestData request, Map<Uuid, ForgottenTopic> topics, Key key) {
        topics.computeIfAbsent(key.topicId(), id -> {
                    var topic = new ForgottenTopic().setTopicId(id).setPartitions(new ArrayList<>());
                    request.forgottenTopicsData().add(topic);
                    return topic;
                })
                .partitions()
                .add(key.partition());
    }

    private void onAnswer(Sent sent, LeaderEndpoint.@Nullable Answer answer, @Nullable Throwable failure) {
        try {
            if (sent.endpoint() != endpoint || closed) {
                return;
            }
            inFlight.remove(sent);
            if (answer == null) {
                noAnswer(failure);
                return;
            }
            FetchResponseData response = answer.response();
            Errors error = Errors.forCode(response.errorCode());
            switch (error) {
                case NONE -> {
                    answered = true;
                    services.hungUp().answered(leaderId);
                    connectFailures = 0;
                    if (sent.full()) {
                        sessionId = response.sessionId();
                        sessionEpoch = sessionId == 0 ? 0 : 1;
                    }
                    takeOver(sent, response);
                }
                case FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR -> {
                    if (sessionId != 0) {
                        LOG.debug("Fetch session ended leader={} error={}", leaderId, error);
                        endSession();
                    }
                }
                default -> noAnswer(new ApiException(error));
            }
        } finally {
            if (answer != null) {
                answer.close();
            }
            go();
        }
    }

    private void takeOver(Sent sent, FetchResponseData response) {
        for (FetchableTopicResponse topic : response.responses()) {
            for (PartitionData data : topic.partitions()) {
                Followed it = followed.get(new Key(topic.topicId(), data.partitionIndex()));
                FetcherState asked = it == null ? null : it.fetching();
                // An answer to a question that was asked anew meanwhile is worth nothing.
                if (it != null && asked != null && it.toldBy <= sent.number() && asked.equals(it.told)) {
                    take(it, asked, data);
                }
            }
        }
    }

    private void take(Followed it, FetcherState asked, PartitionData data) {
        LeaderAnswer answer = answer(data);
        if (answer instanceof LeaderAnswer.Failed(Errors error)) {
            LOG.debug(
                    "Fetch refused partition={} leader={} leaderEpoch={} error={}",
                    it.partition.topicPartition(),
                    leaderId,
                    asked.leaderEpoch(),
                    error);
        }
        FetcherState.Step step = asked.on(
                answer,
                it.partition.log().leaderEpochs(),
                backOff,
                services.time().nanoseconds());
        enter(it, step.next());
        switch (step.effect()) {
            case null -> {}
            case Effect.Append(long highWatermark, long logStartOffset) -> {
                BufferRecords records =
                        data.records() instanceof BufferRecords inMemory ? inMemory : HeapRecords.empty();
                int size = records.sizeInBytes();
                appending++;
                it.partition.appendAsFollower(
                        it.term,
                        asked.fetchOffset(),
                        records,
                        highWatermark,
                        new Appending(it, asked, size, highWatermark, logStartOffset));
            }
            case Effect.TruncateTo(long offset) -> {
                LOG.info(
                        "Cutting the log partition={} offset={} logEnd={} leader={} leaderEpoch={}",
                        it.partition.topicPartition(),
                        offset,
                        asked.fetchOffset(),
                        leaderId,
                        asked.leaderEpoch());
                services.background()
                        .execute(() -> it.partition.truncateAsFollower(
                                it.term, offset, outcome -> mailbox.submit(() -> applied(it, asked, 0, outcome))));
            }
            case Effect.StartAgainAt(long offset) ->
                services.background()
                        .execute(() -> it.partition.startAgainAsFollower(
                                it.term, offset, outcome -> mailbox.submit(() -> applied(it, asked, 0, outcome))));
        }
    }

    /// What the leader sent is being appended, and then perhaps forced. Owned by the mailbox.
    private final class Appending implements FollowerCallback {
        private final Followed it;
        private final FetcherState asked;
        private final int size;
        private final long highWatermark;
        private final long logStartOffset;
        private boolean isForcing;

        Appending(Followed it, FetcherState asked, int size, long highWatermark, long logStartOffset) {
            this.it = it;
            this.asked = asked;
            this.size = size;
            this.highWatermark = highWatermark;
            this.logStartOffset = logStartOffset;
        }

        @Override
        public void forcing() {
            mailbox.submit(() -> {
                if (!isForcing) {
                    isForcing = true;
                    appending--;
                    forcing++;
                    forcingNanos = services.time().nanoseconds() + LONGEST_FORCE_NANOS;
                    go();
                }
            });
        }

        @Override
        public void done(FollowerOutcome outcome) {
            mailbox.submit(() -> {
                if (isForcing) {
                    forcing--;
                } else {
                    appending--;
                }
                it.caughtUp = outcome instanceof FollowerOutcome.Position(long end, int epoch) && end >= highWatermark;
                followStart(it, logStartOffset);
                applied(it, asked, size, outcome);
            });
        }
    }

    /// The leader has deleted more than this replica: deletes it too, and tells the leader so. One
    /// deletion at a time; every answer says anew where the leader's log begins.
    private void followStart(Followed it, long leaderStartOffset) {
        if (leaderStartOffset <= it.partition.logStartOffset() || it.followingStart) {
            return;
        }
        it.followingStart = true;
        services.background().execute(() -> {
            it.partition.followLogStart(it.term, leaderStartOffset);
            mailbox.submit(() -> {
                it.followingStart = false;
                if (followed.get(it.key) == it) {
                    touched.add(it);
                    go();
                }
            });
        });
    }

    private static LeaderAnswer answer(PartitionData data) {
        Errors error = Errors.forCode(data.errorCode());
        return switch (error) {
            case NONE ->
                data.divergingEpoch().epoch() >= 0
                        ? new LeaderAnswer.Diverging(
                                data.divergingEpoch().epoch(),
                                data.divergingEpoch().endOffset())
                        : new LeaderAnswer.Batches(data.highWatermark(), data.logStartOffset());
            case OFFSET_OUT_OF_RANGE -> new LeaderAnswer.OutOfRange(data.logStartOffset());
            default -> new LeaderAnswer.Failed(error);
        };
    }

    /// @param size bytes that were to be appended
    private void applied(Followed it, FetcherState asked, int size, FollowerOutcome outcome) {
        FetcherState state = it.state;
        if (followed.get(it.key) == it && state != null) {
            FollowerOutcome seen = outcome;
            if (outcome instanceof FollowerOutcome.Failed(Errors error, String message)) {
                LOG.warn(
                        "Following failed partition={} leader={} error={} {}",
                        it.partition.topicPartition(),
                        leaderId,
                        error,
                        message);
            } else if (size > 0
                    && outcome instanceof FollowerOutcome.Position(long end, int epoch)
                    && end == asked.fetchOffset()) {
                // Bytes, and not one whole batch among them that this epoch may hold: asking at once gives the same.
                seen = new FollowerOutcome.Failed(Errors.CORRUPT_MESSAGE, "no batch could be appended");
            }
            enter(it, state.applied(seen, backOff, services.time().nanoseconds()));
        }
        go();
    }

    private void noAnswer(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        connectFailures++;
        connectNanos = services.time().nanoseconds() + backOff.afterFailures(connectFailures);
        if (answered && cause instanceof ApiException broken && broken.error() == Errors.NETWORK_EXCEPTION) {
            services.hungUp().hungUp(leaderId);
        }
        if (connectFailures == 1) {
            LOG.info(
                    "No answer from a leader leader={} address={} reason={}", leaderId, address, String.valueOf(cause));
        }
        disconnect();
    }

    private void disconnect() {
        LeaderEndpoint old = endpoint;
        endpoint = null;
        inFlight.clear();
        answered = false;
        endSession();
        if (old != null) {
            old.close();
        }
    }

    private void endSession() {
        sessionId = 0;
        sessionEpoch = 0;
        toForget.clear();
        for (Followed it : followed.values()) {
            it.told = null;
            touched.add(it);
        }
    }
}
