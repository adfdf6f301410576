package io.moldau.metadata.controller;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which brokers may have crashed, when to probe them, and when to believe it.
///
/// A broker comes under suspicion when the connection its heartbeats came over has ended, or when a new controller has
/// not heard of it yet. It is then probed ([LivenessProbe]) at once and again at growing intervals, since the sockets
/// of
/// a dying process do not all close in the same instant. Suspicion ends with a heartbeat of the same registration, with
/// a probe that shows the process gone, or after a session, when the time-out decides anyway. A hung process keeps its
/// connections and never gets here.
///
/// Pure: the time comes with each call, and probes are carried out by the caller. Owned by the controller's thread. It
/// holds at most one suspicion for each broker.
public final class CrashDetector {

    /// Probes under way at a time; other suspects wait.
    static final int MAX_PROBES = 32;

    static final long FIRST_INTERVAL_NANOS = 50_000_000L;
    static final long LONGEST_INTERVAL_NANOS = 500_000_000L;

    /// One look at one broker.
    ///
    /// @param id tells it from earlier ones at the same broker
    public record Probe(long id, int brokerId, long brokerEpoch) {}

    private static final class Suspect {
        private final int brokerId;
        private final long brokerEpoch;
        private final long giveUpNanos;
        private long nextProbeNanos;
        private long intervalNanos = FIRST_INTERVAL_NANOS;
        /// The probe that is under way, or -1.
        private long probeId = -1;

        Suspect(int brokerId, long brokerEpoch, long nowNanos, long giveUpNanos) {
            this.brokerId = brokerId;
            this.brokerEpoch = brokerEpoch;
            this.nextProbeNanos = nowNanos;
            this.giveUpNanos = giveUpNanos;
        }
    }

    private final long sessionNanos;
    private final Map<Integer, Suspect> suspects = new HashMap<>();
    private long probes;
    private int underWay;

    public CrashDetector(long sessionNanos) {
        this.sessionNanos = sessionNanos;
    }

    /// There is reason to look whether the process of this registration is still there.
    public void suspect(int brokerId, long brokerEpoch, long nowNanos) {
        Suspect known = suspects.get(brokerId);
        if (known != null && known.brokerEpoch > brokerEpoch) {
            return;
        }
        // A look that is under way began before this: what it saw may be older than the news.
        suspects.put(brokerId, new Suspect(brokerId, brokerEpoch, nowNanos, nowNanos + sessionNanos));
    }

    /// The process of this registration is there: it has just been heard of.
    public void heard(int brokerId, long brokerEpoch) {
        Suspect suspect = suspects.get(brokerId);
        if (suspect != null && suspect.brokerEpoch <= brokerEpoch) {
            suspects.remove(brokerId);
        }
    }

    /// The broker is fenced, gone, or another process has registered.
    public void forget(int brokerId) {
        suspects.remove(brokerId);
    }

    public void clear() {
        suspects.clear();
    }

    /// The probes to begin now. Each has to be reported by [#probed].
    public List<Probe> due(long nowNanos) {
        var due = new ArrayList<Probe>();
        suspects.values().removeIf(suspect -> nowNanos - suspect.giveUpNanos >= 0);
        for (Suspect suspect : suspects.values()) {
            if (underWay == MAX_PROBES) {
                break;
            }
            if (suspect.probeId < 0 && nowNanos - suspect.nextProbeNanos >= 0) {
                suspect.probeId = probes++;
                underWay++;
                due.add(new Probe(suspect.probeId, suspect.brokerId, suspect.brokerEpoch));
            }
        }
        return due;
    }

    /// A probe has ended.
    ///
    /// @return whether the broker has to be fenced, if its registration is still the one that was probed
    public boolean probed(Probe probe, boolean gone, long nowNanos) {
        underWay--;
        Suspect suspect = suspects.get(probe.brokerId());
        if (suspect == null || suspect.probeId != probe.id()) {
            return false; // heard of since, or suspected anew
        }
        if (gone) {
            suspects.remove(probe.brokerId());
            return true;
        }
        suspect.probeId = -1;
        suspect.nextProbeNanos = nowNanos + suspect.intervalNanos;
        suspect.intervalNanos = Math.min(2 * suspect.intervalNanos, LONGEST_INTERVAL_NANOS);
        return false;
    }

    /// When [#due] has something to say if nothing else happens, or null. While the most probes are under way that is
    /// when one of them ends.
    public @Nullable Long nextDeadlineNanos() {
        if (underWay == MAX_PROBES) {
            return null;
        }
        Long next = null;
        for (Suspect suspect : suspects.values()) {
            if (suspect.probeId < 0 && (next == null || suspect.nextProbeNanos - next < 0)) {
                next = suspect.nextProbeNanos;
            }
        }
        return next;
    }
}
