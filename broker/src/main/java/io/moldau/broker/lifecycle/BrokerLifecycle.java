package io.moldau.broker.lifecycle;

import io.moldau.common.Errors;
import java.util.ArrayList;
import java.util.List;

/// A broker's standing with the controller: registers, keeps its registration alive by heartbeats, asks to be unfenced
/// once it has caught up with the metadata, and asks to leave when it stops.
///
/// Pure and single-threaded: [BrokerRegistrar] feeds it events with the time they happened and carries out the effects.
/// At most one message to the controller is outstanding. Times are nanoseconds of the node's monotonic clock.
final class BrokerLifecycle {

    /// Where the broker stands. Kafka's `BrokerState`, less the states that only its start-up code has.
    enum State {
        /// Not known to the controller (or not any more).
        REGISTERING,
        /// Known, and fenced until it has caught up.
        FENCED,
        /// Serves.
        RUNNING,
        /// Waits for the controller to move its leaders away.
        LEAVING,
        /// Needs nothing from the controller any more.
        DONE
    }

    /// What the shell has to do.
    sealed interface Effect {
        /// Send a registration.
        record Register() implements Effect {}

        /// Send a heartbeat.
        record Heartbeat(long brokerEpoch, long metadataOffset, boolean wantFence, boolean wantShutDown)
                implements Effect {}

        /// Call [#onTick] at this time, in place of any earlier wish.
        record WakeAt(long nanos) implements Effect {}

        /// The broker may serve: tell whoever waits for the start.
        record Ready() implements Effect {}

        /// The controller has fenced a broker that was serving; it keeps trying to come back.
        record Fenced() implements Effect {}

        /// The broker may stop.
        record ShutDown() implements Effect {}

        /// The cluster will not have this broker; the message is for the operator.
        record Refused(String message) implements Effect {}
    }

    /// @param heartbeatNanos between two heartbeats (`broker.heartbeat.interval.ms`)
    /// @param sessionNanos after which the controller has fenced us (`broker.session.timeout.ms`)
    /// @param registrationNanos for the first registration (`initial.broker.registration.timeout.ms`)
    /// @param retryNanos after a failed message
    /// @param silenceNanos a broker that wants to leave and has had no answer for so long leaves
    ///     without: a quorum that has a majority finds a leader sooner, and one that has none would
    ///     be waited for in vain
    record Timing(long heartbeatNanos, long sessionNanos, long registrationNanos, long retryNanos, long silenceNanos) {}

    private final Timing timing;
    private State state = State.REGISTERING;
    private long brokerEpoch = -1;
    private long metadataOffset = -1;
    private boolean outstanding;
    private boolean leaving;
    private boolean everReady;
    /// There is something to tell that the heartbeat which is outstanding does not say: the next
    /// one should not wait.
    private boolean stale;

    private final long registrationDeadline;
    /// Until when the controller's permission to stop is waited for; after that it has fenced us anyway.
    private long leaveDeadline;

    private long silenceDeadline;

    BrokerLifecycle(Timing timing, long nowNanos) {
        this.timing = timing;
        this.registrationDeadline = nowNanos + timing.registrationNanos();
    }

    State state() {
        return state;
    }

    /// Of the current registration, -1 if there is none.
    long brokerEpoch() {
        return brokerEpoch;
    }

    List<Effect> start() {
        outstanding = true;
        return List.of(new Effect.Register());
    }

    List<Effect> onRegistered(long epoch) {
        outstanding = false;
        brokerEpoch = epoch;
        if (state == State.DONE) {
            return List.of();
        }
        state = leaving ? State.LEAVING : State.FENCED;
        return List.of(heartbeat());
    }

    /// The registration was refused or got no answer.
    List<Effect> onRegistrationFailed(Errors error, String message, long nowNanos) {
        outstanding = false;
        if (state == State.DONE) {
            return List.of();
        }
        if (leaving) {
            return done();
        }
        return switch (error) {
            // Nothing that waiting would change.
            case INCONSISTENT_CLUSTER_ID, UNSUPPORTED_VERSION, INVALID_REGISTRATION, BROKER_ID_NOT_REGISTERED ->
                refused("The controller refuses to register this broker (" + error + "): " + message);
            // Mostly the session of this node's previous run, which ends by itself.
            case DUPLICATE_BROKER_REGISTRATION ->
                nowNanos - registrationDeadline >= 0 && !everReady
                        ? refused("Another broker with this node.id is registered and alive: " + message
                                + ". Give each node a node.id of its own.")
                        : retry(nowNanos);
            default ->
                nowNanos - registrationDeadline >= 0 && !everReady
                        ? refused("The broker could not register within initial.broker.registration.timeout.ms ("
                                + error + "): " + message
                                + ". Check controller.quorum.voters and that the controllers run.")
                        : retry(nowNanos);
        };
    }

    List<Effect> onHeartbeat(boolean fenced, boolean shouldShutDown, long nowNanos) {
        outstanding = false;
        if (state == State.DONE) {
            return List.of();
        }
        if (leaving) {
            state = State.LEAVING;
            silenceDeadline = nowNanos + timing.silenceNanos();
            if (shouldShutDown || fenced) {
                return done();
            }
            return stale ? leave() : next(nowNanos);
        }
        List<Effect> effects = new ArrayList<>();
        if (!fenced && state != State.RUNNING) {
            state = State.RUNNING;
            everReady = true;
            effects.add(new Effect.Ready());
        } else if (fenced && state == State.RUNNING) {
            state = State.FENCED;
            effects.add(new Effect.Fenced());
        }
        if (stale) {
            effects.add(heartbeat());
        } else {
            effects.addAll(next(nowNanos));
        }
        return effects;
    }

    List<Effect> onHeartbeatFailed(Errors error, long nowNanos) {
        outstanding = false;
        if (state == State.DONE) {
            return List.of();
        }
        if (leavesWithout(nowNanos)) {
            return done();
        }
        if (error == Errors.STALE_BROKER_EPOCH || error == Errors.BROKER_ID_NOT_REGISTERED) {
            if (leaving) {
                return done();
            }
            boolean served = state == State.RUNNING;
            state = State.REGISTERING;
            brokerEpoch = -1;
            outstanding = true;
            return served ? List.of(new Effect.Fenced(), new Effect.Register()) : List.of(new Effect.Register());
        }
        return retry(nowNanos);
    }

    /// The broker has applied the metadata up to this offset. The controller is told at once by a
    /// fenced broker, and by every one while another one is leaving: that waits until all have seen
    /// it go.
    ///
    /// @param othersWait whether another broker is leaving
    List<Effect> onMetadata(long offset, boolean othersWait) {
        metadataOffset = offset;
        if (state != State.FENCED && !(state == State.RUNNING && othersWait)) {
            return List.of();
        }
        if (outstanding) {
            stale = true;
            return List.of();
        }
        return List.of(heartbeat());
    }

    /// A log directory failed, and the controller has to move its leaders, or others are cordoned
    /// than before. The shell puts it into every heartbeat from now on.
    List<Effect> onDirectoriesChanged() {
        if (state == State.DONE || brokerEpoch < 0) {
            return List.of();
        }
        if (outstanding) {
            stale = true;
            return List.of();
        }
        return List.of(heartbeat());
    }

    /// The node stops. Until [Effect.ShutDown] the broker goes on serving.
    List<Effect> beginShutdown(boolean controlled, long nowNanos) {
        leaving = true;
        leaveDeadline = nowNanos + timing.sessionNanos();
        silenceDeadline = nowNanos + timing.silenceNanos();
        if (!controlled || brokerEpoch < 0) {
            return done();
        }
        state = State.LEAVING;
        if (outstanding) {
            stale = true;
            return List.of(wakeAtTheLatest());
        }
        return leave();
    }

    private List<Effect> leave() {
        return List.of(heartbeat(), wakeAtTheLatest());
    }

    private Effect wakeAtTheLatest() {
        return new Effect.WakeAt(silenceDeadline - leaveDeadline < 0 ? silenceDeadline : leaveDeadline);
    }

    private boolean leavesWithout(long nowNanos) {
        return leaving && (nowNanos - leaveDeadline >= 0 || nowNanos - silenceDeadline >= 0);
    }

    List<Effect> onTick(long nowNanos) {
        if (state == State.DONE) {
            return List.of();
        }
        if (leavesWithout(nowNanos)) {
            return done();
        }
        if (outstanding) {
            return List.of();
        }
        if (brokerEpoch < 0) {
            outstanding = true;
            return List.of(new Effect.Register());
        }
        return leaving ? leave() : List.of(heartbeat());
    }

    private Effect heartbeat() {
        outstanding = true;
        stale = false;
        return new Effect.Heartbeat(brokerEpoch, metadataOffset, false, leaving);
    }

    private List<Effect> next(long nowNanos) {
        long interval = leaving || state == State.FENCED ? timing.retryNanos() : timing.heartbeatNanos();
        return List.of(new Effect.WakeAt(nowNanos + interval));
    }

    private List<Effect> retry(long nowNanos) {
        return List.of(new Effect.WakeAt(nowNanos + timing.retryNanos()));
    }

    private List<Effect> done() {
        state = State.DONE;
        return List.of(new Effect.ShutDown());
    }

    private List<Effect> refused(String message) {
        state = State.DONE;
        return List.of(new Effect.Refused(message));
    }
}
