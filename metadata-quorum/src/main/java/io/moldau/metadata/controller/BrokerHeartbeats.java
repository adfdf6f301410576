package io.moldau.metadata.controller;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// When each broker was last heard of, and how far it has followed the log. Kept only by the active controller and
/// only
/// in memory: a new one gives every broker a full session, since it cannot know what the old one heard.
///
/// Pure: the time comes with each call. Owned by the controller's thread.
public final class BrokerHeartbeats {

    private final long sessionNanos;
    private final Map<Integer, Session> sessions = new HashMap<>();

    private record Session(
            long epoch, long lastHeardNanos, long appliedIndex, long registrationIndex, long shutdownIndex) {}

    public BrokerHeartbeats(long sessionNanos) {
        this.sessionNanos = sessionNanos;
    }

    /// A broker registered by an entry at or below `registrationIndex`; its session starts now.
    public void register(int brokerId, long epoch, long registrationIndex, long nowNanos) {
        sessions.put(brokerId, new Session(epoch, nowNanos, -1, registrationIndex, Long.MAX_VALUE));
    }

    /// Whether the broker has a session, ended or not.
    public boolean knows(int brokerId) {
        return sessions.containsKey(brokerId);
    }

    public void remove(int brokerId) {
        sessions.remove(brokerId);
    }

    public void clear() {
        sessions.clear();
    }

    /// A heartbeat came. One of another epoch than the session's is ignored.
    public void touch(int brokerId, long epoch, long appliedIndex, long nowNanos) {
        Session session = sessions.get(brokerId);
        if (session != null && session.epoch() == epoch) {
            sessions.put(
                    brokerId,
                    new Session(
                            epoch,
                            nowNanos,
                            Math.max(appliedIndex, session.appliedIndex()),
                            session.registrationIndex(),
                            session.shutdownIndex()));
        }
    }

    /// Leaderships of a broker that wants to stop were moved by entries at or below `index`. What
    /// was said first counts: later entries are none of its concern, and in a busy cluster nobody
    /// would ever have seen the last one.
    public void shuttingDown(int brokerId, long index) {
        Session session = sessions.get(brokerId);
        if (session != null && session.shutdownIndex() == Long.MAX_VALUE) {
            sessions.put(
                    brokerId,
                    new Session(
                            session.epoch(),
                            session.lastHeardNanos(),
                            session.appliedIndex(),
                            session.registrationIndex(),
                            index));
        }
    }

    /// Whether the broker was heard of within the session time-out.
    public boolean hasValidSession(int brokerId, long epoch, long nowNanos) {
        Session session = sessions.get(brokerId);
        return session != null && session.epoch() == epoch && nowNanos - session.lastHeardNanos() < sessionNanos;
    }

    /// Whether the broker has applied its own registration.
    public boolean isCaughtUp(int brokerId) {
        Session session = sessions.get(brokerId);
        return session != null && session.appliedIndex() >= session.registrationIndex();
    }

    /// Whether every one of `others` has applied that this broker's leaderships are gone.
    public boolean shutdownIsSeenBy(int brokerId, Iterable<Integer> others) {
        Session session = sessions.get(brokerId);
        if (session == null) {
            return false;
        }
        for (int other : others) {
            Session follower = sessions.get(other);
            if (other != brokerId && (follower == null || follower.appliedIndex() < session.shutdownIndex())) {
                return false;
            }
        }
        return true;
    }

    /// The brokers whose session has ended.
    public List<Expired> expired(long nowNanos) {
        var expired = new ArrayList<Expired>();
        sessions.forEach((id, session) -> {
            if (nowNanos - session.lastHeardNanos() >= sessionNanos) {
                expired.add(new Expired(id, session.epoch()));
            }
        });
        return expired;
    }

    /// A session that has ended.
    public record Expired(int brokerId, long brokerEpoch) {}

    /// When the next session ends if nothing more is heard, or null without brokers.
    public @Nullable Long nextDeadlineNanos() {
        Long next = null;
        for (Session session : sessions.values()) {
            long deadline = session.lastHeardNanos() + sessionNanos;
            if (next == null || deadline - next < 0) {
                next = deadline;
            }
        }
        return next;
    }
}
