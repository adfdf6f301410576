package io.moldau.metadata.quorum.ratis;

import io.moldau.common.time.Repeats;
import io.moldau.common.time.Time;
import java.io.IOException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings one follower up to the leader's log.
///
/// One piece of work is open at a time: entries, or a piece of a snapshot. Heartbeats go beside it, at most one of
/// them open too, so a follower whose disk is slow still hears from its leader, and the leader from it. (The appender
/// that comes with Ratis waits for each answer on its thread and sends nothing meanwhile.) More entries in flight
/// would gain nothing: the controller has one batch in flight, and a follower that has to catch up gets 4 MB at once.
///
/// Everything but [#notifyLogAppender] happens on the appender's own thread; answers are queued for it.
final class TransportLogAppender extends LogAppenderBase {

    private static final Logger LOG = LoggerFactory.getLogger(TransportLogAppender.class);

    /// How long entries rest after so many failures in a row: a restarted follower is found soon, and one that is gone
    /// for days costs little. Heartbeats go on regardless.
    private static final int[] REST_MS = {1, 1, 2, 5, 10, 20, 50};

    private static final int LONG_REST_AFTER = 50;
    private static final int LONG_REST_MS = 400;

    private final TransportRpc rpc;
    private final Time time;
    private final AtomicLong callIds = new AtomicLong();
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    /// Has a permit when there may be something to do.
    private final Semaphore signal = new Semaphore(0);

    // The appender's thread only.
    private boolean workOpen;
    private boolean heartbeatOpen;
    private int failures;
    private long restUntilNanos = Long.MIN_VALUE;
    private long commitTold = -1;
    private final Repeats repeats = new Repeats();
    private long lastCaughtUpMs = -1;
    private volatile TransportRpc.Progress progress = new TransportRpc.Progress(-1, -1, -1);

    TransportLogAppender(
            RaftServer.Division server, LeaderState leader, FollowerInfo follower, TransportRpc rpc, Time time) {
        super(server, leader, follower);
        this.rpc = rpc;
        this.time = time;
    }

    /// Called by any thread. Ratis' own signal can be missed between a look at the log and the wait for it.
    @Override
    public void notifyLogAppender() {
        if (signal.availablePermits() == 0) {
            signal.release();
        }
    }

    TransportRpc.Progress progress() {
        return progress;
    }

    @Override
    public boolean hasPendingDataRequests() {
        return workOpen;
    }

    @Override
    public long getCallId() {
        return callIds.get();
    }

    @Override
    public Comparator<Long> getCallIdComparator() {
        return Comparator.naturalOrder();
    }

    @Override
    public void run() throws InterruptedException, IOException {
        rpc.register(this);
        try {
            while (isRunning()) {
                for (Runnable answer; (answer = answers.poll()) != null; ) {
                    answer.run();
                }
                if (!workOpen && !resting()) {
                    work();
                }
                if (!heartbeatOpen && (getHeartbeatWaitTimeMs() <= 0 || hasCommitToTell())) {
                    append(newAppendEntriesRequest(callIds.getAndIncrement(), true));
                }
                getLeaderState().checkHealth(getFollower());
                if (signal.tryAcquire(waitMs(), TimeUnit.MILLISECONDS)) {
                    signal.drainPermits();
                }
            }
        } finally {
            rpc.unregister(this);
        }
    }

    private boolean resting() {
        return failures > 0 && time.nanoseconds() - restUntilNanos < 0;
    }

    private long waitMs() {
        long wait = Math.max(1, heartbeatOpen ? getServer().properties().minRpcTimeoutMs() : getHeartbeatWaitTimeMs());
        if (!workOpen && failures > 0 && hasAppendEntries()) {
            wait = Math.min(wait, Math.max(1, TimeUnit.NANOSECONDS.toMillis(restUntilNanos - time.nanoseconds())));
        }
        return wait;
    }

    /// A follower that has all entries learns from an extra message how far they are committed, instead of a quarter
    /// of the election timeout later: brokers may follow the log there.
    private boolean hasCommitToTell() {
        return !workOpen && !resting() && !hasAppendEntries() && getRaftLog().getLastCommittedIndex() > commitTold;
    }

    private void work() throws RaftLogIOException {
        SnapshotInfo snapshot = shouldSendAppendEntries() ? shouldInstallSnapshot() : null;
        if (snapshot != null) {
            LOG.info("sending the metadata snapshot at {} to {}", snapshot.getTermIndex(), getFollowerId());
            // One process at most leads in a term, so nobody else ever gave a transfer this name.
            String transfer = getServer().getInfo().getCurrentTerm() + "-"
                    + getServer().getId() + "-" + callIds.getAndIncrement();
            next(snapshot, newInstallSnapshotRequests(transfer, snapshot).iterator());
        } else if (hasAppendEntries()) {
            @Nullable AppendEntriesRequestProto request = newAppendEntriesRequest(callIds.getAndIncrement(), false);
            if (request != null && (request.getEntriesCount() > 0 || !heartbeatOpen)) {
                append(request);
            }
        }
    }

    // ---- Entries and heartbeats.

    private void append(AppendEntriesRequestProto request) {
        boolean heartbeat = request.getEntriesCount() == 0;
        if (heartbeat) {
            heartbeatOpen = true;
            resetHeartbeatTrigger();
        } else {
            workOpen = true;
        }
        commitTold = Math.max(commitTold, request.getLeaderCommit());
        Timestamp sent = Timestamp.currentTime();
        long sentMs = time.milliseconds();
        long end = getRaftLog().getNextIndex();
        getFollower().updateLastRpcSendTime(heartbeat);
        rpc.append(request)
                .whenComplete((reply, failure) -> answered(() -> {
                    appended(request, heartbeat, sent, reply, failure);
                    if (reply != null) {
                        heardOf(end, sentMs);
                    }
                }));
    }

    /// @param end of the leader's log when the message went out that the follower has answered now
    private void heardOf(long end, long sentMs) {
        long match = getFollower().getMatchIndex();
        if (match + 1 >= end) {
            lastCaughtUpMs = sentMs;
        }
        progress = new TransportRpc.Progress(match, time.milliseconds(), lastCaughtUpMs);
    }

    private void answered(Runnable answer) {
        answers.add(answer);
        notifyLogAppender();
    }

    private void appended(
            AppendEntriesRequestProto request,
            boolean heartbeat,
            Timestamp sent,
            @Nullable AppendEntriesReplyProto reply,
            @Nullable Throwable failure) {
        if (heartbeat) {
            heartbeatOpen = false;
        } else {
            workOpen = false;
        }
        if (reply == null) {
            failed(heartbeat ? "a heartbeat" : "entries", failure);
            return;
        }
        succeeded();
        getFollower().updateLastRespondedAppendEntriesSendTime(sent);
        getLeaderState().onFollowerCommitIndex(getFollower(), reply.getFollowerCommit());
        long before = request.hasPreviousLog() ? request.getPreviousLog().getIndex() : -1;
        switch (reply.getResult()) {
            case SUCCESS -> matches(heartbeat ? before + 1 : reply.getNextIndex());
            case NOT_LEADER -> onFollowerTerm(reply.getTerm());
            case INCONSISTENCY -> {
                // With entries on their way, their own answer says it better.
                if (!workOpen) {
                    // Ratis takes a heartbeat for a message without a position and goes on with the follower's last
                    // known match, which a follower that lost its log refuses for ever. With the position that the
                    // heartbeat had, the follower's word counts (RATIS-2523).
                    getFollower().setNextIndex(getNextIndexForInconsistency(before + 1, reply.getNextIndex()));
                }
            }
            case UNRECOGNIZED -> LOG.warn("{} answered an append in a way this release does not know", getFollowerId());
        }
        getLeaderState().onAppendEntriesReply(this, reply);
    }

    /// The follower has what the leader has below this index.
    private void matches(long nextIndex) {
        if (nextIndex > getFollower().getNextIndex()) {
            getFollower().updateMatchIndex(nextIndex - 1);
            getFollower().increaseNextIndex(nextIndex);
            getLeaderState().onFollowerSuccessAppendEntries(getFollower());
        }
    }

    private void succeeded() {
        failures = 0;
        getFollower().updateLastRpcResponseTime();
    }

    private void failed(String what, @Nullable Throwable failure) {
        failures++;
        int rest = failures > LONG_REST_AFTER ? LONG_REST_MS : REST_MS[Math.min(failures, REST_MS.length) - 1];
        restUntilNanos = time.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(rest);
        if (repeats.next(time.nanoseconds())) {
            LOG.warn(
                    "{} did not get {} ({} failures): {}",
                    getFollowerId(),
                    what,
                    repeats.count(),
                    String.valueOf(failure));
        }
    }

    // ---- Snapshots.

    private void next(SnapshotInfo snapshot, Iterator<InstallSnapshotRequestProto> rest) {
        workOpen = true;
        InstallSnapshotRequestProto piece = rest.next();
        getFollower().updateLastRpcSendTime(false);
        rpc.snapshot(piece).whenComplete((reply, failure) -> answered(() -> installed(snapshot, rest, reply, failure)));
    }

    private void installed(
            SnapshotInfo snapshot,
            Iterator<InstallSnapshotRequestProto> rest,
            @Nullable InstallSnapshotReplyProto reply,
            @Nullable Throwable failure) {
        workOpen = false;
        if (reply == null) {
            failed("a piece of a snapshot", failure);
            return;
        }
        succeeded();
        switch (reply.getResult()) {
            case SUCCESS, IN_PROGRESS -> {
                if (rest.hasNext()) {
                    next(snapshot, rest);
                } else {
                    installed(snapshot);
                }
            }
            // Its log reaches further than this snapshot.
            case ALREADY_INSTALLED, SNAPSHOT_INSTALLED -> installed(snapshot);
            case NOT_LEADER -> onFollowerTerm(reply.getTerm());
            default -> failed("a piece of a snapshot", new IOException("the answer was " + reply.getResult()));
        }
    }

    private void installed(SnapshotInfo snapshot) {
        getFollower().setSnapshotIndex(snapshot.getTermIndex().getIndex());
        getFollower().setAttemptedToInstallSnapshot();
        LOG.info("{} installed the metadata snapshot at {}", getFollowerId(), snapshot.getTermIndex());
    }
}
