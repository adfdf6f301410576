package io.moldau.broker.api.data;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The sessions of all clients, at most so many (`max.incremental.fetch.session.cache.slots`).
///
/// When all slots are taken a new session gets one only from a session that has not been used for two minutes, or
/// has existed for as long and is worth less: a client's beside a follower's, a small one beside a larger one. Else
/// the client goes on without a session. Guarded by its own monitor, which is taken before a session's.
public final class FetchSessions {

    private static final long EVICTABLE_AFTER_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final int slots;
    private final RandomGenerator random;
    private final Map<Integer, FetchSession> sessions = new HashMap<>();
    private long evictions;

    public FetchSessions(int slots, RandomGenerator random) {
        this.slots = slots;
        this.random = random;
    }

    synchronized @Nullable FetchSession get(int id) {
        return sessions.get(id);
    }

    /// Gives the session an id if there is room for it.
    boolean admit(FetchSession session, long nowNanos) {
        FetchSession evicted = null;
        synchronized (this) {
            if (sessions.size() >= slots) {
                evicted = evictable(session, nowNanos);
                if (evicted == null) {
                    return false;
                }
                sessions.remove(evicted.id());
                evictions++;
            }
            int id;
            do {
                id = random.nextInt(1, Integer.MAX_VALUE);
            } while (sessions.containsKey(id));
            session.admit(id);
            session.used(nowNanos);
            sessions.put(id, session);
        }
        if (evicted != null) {
            evicted.close();
        }
        return true;
    }

    private @Nullable FetchSession evictable(FetchSession candidate, long nowNanos) {
        FetchSession stale = null;
        FetchSession least = null;
        for (FetchSession session : sessions.values()) {
            if (nowNanos - session.lastUsedNanos() > EVICTABLE_AFTER_NANOS
                    && (stale == null || session.lastUsedNanos() - stale.lastUsedNanos() < 0)) {
                stale = session;
            }
            if (nowNanos - session.createdNanos() > EVICTABLE_AFTER_NANOS
                    && (least == null || compareWorth(session, least) < 0)) {
                least = session;
            }
        }
        if (stale != null) {
            return stale;
        }
        return least != null && compareWorth(least, candidate) < 0 ? least : null;
    }

    private static int compareWorth(FetchSession a, FetchSession b) {
        int byPrivilege = Boolean.compare(a.privileged(), b.privileged());
        return byPrivilege != 0 ? byPrivilege : Integer.compare(a.size(), b.size());
    }

    /// The client, or this side, is done with the session.
    void remove(int id) {
        FetchSession removed;
        synchronized (this) {
            removed = sessions.remove(id);
        }
        if (removed != null) {
            removed.close();
        }
    }

    public synchronized int size() {
        return sessions.size();
    }

    public synchronized long evictions() {
        return evictions;
    }
}
