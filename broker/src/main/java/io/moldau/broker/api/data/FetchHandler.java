package io.moldau.broker.api.data;

import io.moldau.broker.replica.FetchIsolation;
import io.moldau.broker.replica.MemorySource;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.common.time.Time;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchRequestData.FetchPartition;
import io.moldau.wire.message.FetchRequestData.FetchTopic;
import io.moldau.wire.message.FetchRequestData.ForgottenTopic;
import io.moldau.wire.message.FetchResponseData;
import java.util.concurrent.Executor;

/// Fetch, versions 4 to 18. From version 7 on in sessions (KIP-227), from 12 on with the reader's last epoch
/// (KIP-595), from 13 on topics go by id, from 16 on a wrong broker names the right one (KIP-951).
///
/// Works out which session the request belongs to and what it changes there; [PendingFetch] does the rest.
public final class FetchHandler implements RequestHandler<FetchRequestData> {

    private static final short TOPIC_ID_VERSION = 13;
    private static final short REPLICA_STATE_VERSION = 15;
    private static final short RACK_VERSION = 11;
    private static final byte READ_COMMITTED = 1;

    private final FetchSessions sessions;
    private final PendingFetch.Services services;
    private final int maxBytes;

    /// @param readers threads that may wait for the disk
    /// @param maxBytes `fetch.max.bytes`: the most a response carries, a first batch that is larger excepted
    /// @param readReplicas which replica a consumer should rather read from
    public FetchHandler(
            PartitionRegistry partitions,
            FetchSessions sessions,
            Executor readers,
            MemorySource memory,
            Time time,
            int maxBytes,
            ReadReplicas readReplicas) {
        this.sessions = sessions;
        this.services = new PendingFetch.Services(partitions, readers, new FileReads(memory), time, readReplicas);
        this.maxBytes = maxBytes;
    }

    @Override
    public void handle(RequestContext context, FetchRequestData request) {
        if (request.sessionEpoch() == FetchSession.INITIAL_EPOCH
                || request.sessionEpoch() == FetchSession.FINAL_EPOCH) {
            fetchAnew(context, request);
        } else {
            fetchAgain(context, request);
        }
    }

    /// A request that names all its partitions; it ends the session it names and may begin a new one.
    private void fetchAnew(RequestContext context, FetchRequestData request) {
        if (request.sessionId() != FetchSession.NO_ID) {
            sessions.remove(request.sessionId());
        }
        FetchSession session = newSession(context, request);
        if (request.sessionEpoch() == FetchSession.INITIAL_EPOCH && session.size() > 0) {
            sessions.admit(session, services.time().nanoseconds());
        }
        start(context, request, session, true);
    }

    private FetchSession newSession(RequestContext context, FetchRequestData request) {
        var session = new FetchSession(
                usesTopicIds(context),
                replicaId(context, request) >= 0,
                services.time().nanoseconds());
        synchronized (session) {
            update(session, request);
        }
        return session;
    }

    /// A request that names what is different from the session's previous one.
    private void fetchAgain(RequestContext context, FetchRequestData request) {
        FetchSession session = sessions.get(request.sessionId());
        if (session == null) {
            refuse(context, Errors.FETCH_SESSION_ID_NOT_FOUND);
            return;
        }
        PendingFetch abandoned;
        synchronized (session) {
            abandoned = session.epoch() == request.sessionEpoch() ? session.pending() : null;
        }
        if (abandoned != null) {
            // The client has news, or asks again on another connection: what waits is answered with what there is.
            abandoned.giveUp(context.inExecutor());
        }
        Errors error;
        synchronized (session) {
            error = session.isClosed()
                    ? Errors.FETCH_SESSION_ID_NOT_FOUND
                    : session.epoch() != request.sessionEpoch()
                            ? Errors.INVALID_FETCH_SESSION_EPOCH
                            : session.usesTopicIds() != usesTopicIds(context)
                                    ? Errors.FETCH_SESSION_TOPIC_ID_ERROR
                                    : Errors.NONE;
            if (error == Errors.NONE) {
                update(session, request);
                session.advanceEpoch();
            }
        }
        if (error != Errors.NONE) {
            refuse(context, error);
            return;
        }
        if (session.size() == 0) {
            sessions.remove(request.sessionId());
            start(context, request, newSession(context, request), true);
            return;
        }
        session.used(services.time().nanoseconds());
        start(context, request, session, false);
    }

    private static void refuse(RequestContext context, Errors error) {
        context.respond(new FetchResponseData().setErrorCode(error.code()).setSessionId(FetchSession.NO_ID));
    }

    private static boolean usesTopicIds(RequestContext context) {
        return context.apiVersion() >= TOPIC_ID_VERSION;
    }

    private static long brokerEpoch(RequestContext context, FetchRequestData request) {
        return context.apiVersion() >= REPLICA_STATE_VERSION
                ? request.replicaState().replicaEpoch()
                : -1L;
    }

    private static int replicaId(RequestContext context, FetchRequestData request) {
        return context.apiVersion() >= REPLICA_STATE_VERSION
                ? request.replicaState().replicaId()
                : request.replicaId();
    }

    /// Under the session's monitor.
    private static void update(FetchSession session, FetchRequestData request) {
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition it : topic.partitions()) {
                FetchedPartition entry =
                        session.put(new FetchedPartition.Key(topic.topicId(), topic.topic(), it.partition()));
                entry.fetchOffset = it.fetchOffset();
                entry.followerStartOffset = it.logStartOffset();
                entry.maxBytes = it.partitionMaxBytes();
                entry.currentLeaderEpoch = it.currentLeaderEpoch();
                entry.lastFetchedEpoch = it.lastFetchedEpoch();
            }
        }
        for (ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                session.remove(new FetchedPartition.Key(topic.topicId(), topic.topic(), partition));
            }
        }
    }

    private void start(RequestContext context, FetchRequestData request, FetchSession session, boolean full) {
        int replicaId = replicaId(context, request);
        int most = Math.min(request.maxBytes(), maxBytes);
        FetchIsolation isolation = replicaId >= 0
                ? FetchIsolation.LOG_END
                : request.isolationLevel() == READ_COMMITTED
                        ? FetchIsolation.LAST_STABLE_OFFSET
                        : FetchIsolation.HIGH_WATERMARK;
        boolean nothing = session.size() == 0;
        new PendingFetch(
                        services,
                        context,
                        session,
                        new PendingFetch.Terms(
                                nothing ? 0 : request.maxWaitMs(),
                                Math.min(request.minBytes(), most),
                                most,
                                isolation,
                                full,
                                replicaId,
                                brokerEpoch(context, request),
                                replicaId < 0 && context.apiVersion() >= RACK_VERSION ? request.rackId() : null))
                .run();
    }
}
