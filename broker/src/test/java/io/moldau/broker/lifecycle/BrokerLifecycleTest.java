package io.moldau.broker.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.lifecycle.BrokerLifecycle.Effect;
import io.moldau.broker.lifecycle.BrokerLifecycle.State;
import io.moldau.common.Errors;
import org.junit.jupiter.api.Test;

class BrokerLifecycleTest {

    private static final long HEARTBEAT = 2_000;
    private static final long SESSION = 9_000;
    private static final long REGISTRATION = 60_000;
    private static final long RETRY = 100;
    private static final long SILENCE = 2_000;

    private final BrokerLifecycle lifecycle =
            new BrokerLifecycle(new BrokerLifecycle.Timing(HEARTBEAT, SESSION, REGISTRATION, RETRY, SILENCE), 0);

    private void run(long brokerEpoch) {
        lifecycle.start();
        lifecycle.onRegistered(brokerEpoch);
        lifecycle.onHeartbeat(false, false, 0);
        assertThat(lifecycle.state()).isEqualTo(State.RUNNING);
    }

    @Test
    void aBrokerRegistersThenAsksToBeUnfencedUntilItIs() {
        assertThat(lifecycle.start()).containsExactly(new Effect.Register());
        assertThat(lifecycle.onRegistered(7)).containsExactly(new Effect.Heartbeat(7, -1, false, false));
        assertThat(lifecycle.onHeartbeat(true, false, 10)).containsExactly(new Effect.WakeAt(10 + RETRY));
        assertThat(lifecycle.onMetadata(5, false)).containsExactly(new Effect.Heartbeat(7, 5, false, false));
        assertThat(lifecycle.onHeartbeat(false, false, 20))
                .containsExactly(new Effect.Ready(), new Effect.WakeAt(20 + HEARTBEAT));
        assertThat(lifecycle.state()).isEqualTo(State.RUNNING);
        assertThat(lifecycle.brokerEpoch()).isEqualTo(7);
    }

    @Test
    void metadataThatComesWhileAHeartbeatIsOutstandingIsToldRightAfterIt() {
        lifecycle.start();
        lifecycle.onRegistered(7);
        assertThat(lifecycle.onMetadata(5, false)).isEmpty();
        assertThat(lifecycle.onHeartbeat(true, false, 10)).containsExactly(new Effect.Heartbeat(7, 5, false, false));
    }

    @Test
    void aRunningBrokerDoesNotAnswerMetadataWithHeartbeats() {
        run(7);
        assertThat(lifecycle.onMetadata(6, false)).isEmpty();
        assertThat(lifecycle.onTick(HEARTBEAT)).containsExactly(new Effect.Heartbeat(7, 6, false, false));
        assertThat(lifecycle.onTick(HEARTBEAT + 1)).as("one at a time").isEmpty();
    }

    @Test
    void aFailedDirectoryIsToldAtOnce() {
        run(7);
        assertThat(lifecycle.onDirectoriesChanged()).containsExactly(new Effect.Heartbeat(7, -1, false, false));
        // One more while that is outstanding: it may not be in it.
        assertThat(lifecycle.onDirectoriesChanged()).isEmpty();
        assertThat(lifecycle.onHeartbeat(false, false, 10)).containsExactly(new Effect.Heartbeat(7, -1, false, false));
        assertThat(lifecycle.onHeartbeat(false, false, 20)).containsExactly(new Effect.WakeAt(20 + HEARTBEAT));
    }

    @Test
    void aFencedBrokerComesBack() {
        run(7);
        lifecycle.onTick(HEARTBEAT);
        assertThat(lifecycle.onHeartbeat(true, false, 5_000))
                .containsExactly(new Effect.Fenced(), new Effect.WakeAt(5_000 + RETRY));
        lifecycle.onTick(5_100);
        assertThat(lifecycle.onHeartbeat(false, false, 5_200)).startsWith(new Effect.Ready());
    }

    @Test
    void aBrokerWhoseEpochIsStaleRegistersAgain() {
        run(7);
        lifecycle.onTick(HEARTBEAT);
        assertThat(lifecycle.onHeartbeatFailed(Errors.STALE_BROKER_EPOCH, 5_000))
                .containsExactly(new Effect.Fenced(), new Effect.Register());
        assertThat(lifecycle.brokerEpoch()).isEqualTo(-1);
        assertThat(lifecycle.onRegistered(9)).hasSize(1);
        assertThat(lifecycle.brokerEpoch()).isEqualTo(9);
    }

    @Test
    void aHeartbeatThatGotNoAnswerIsSentAgain() {
        run(7);
        lifecycle.onTick(HEARTBEAT);
        assertThat(lifecycle.onHeartbeatFailed(Errors.NOT_CONTROLLER, 3_000))
                .containsExactly(new Effect.WakeAt(3_000 + RETRY));
        assertThat(lifecycle.onTick(3_100)).hasSize(1);
    }

    @Test
    void registrationIsRetriedUntilItsTimeIsUp() {
        lifecycle.start();
        assertThat(lifecycle.onRegistrationFailed(Errors.NOT_CONTROLLER, "no leader", 10))
                .containsExactly(new Effect.WakeAt(10 + RETRY));
        assertThat(lifecycle.onTick(110)).containsExactly(new Effect.Register());
        assertThat(lifecycle.onRegistrationFailed(Errors.NOT_CONTROLLER, "no leader", REGISTRATION))
                .singleElement()
                .isInstanceOfSatisfying(
                        Effect.Refused.class,
                        refused -> assertThat(refused.message()).contains("initial.broker.registration.timeout.ms"));
    }

    @Test
    void aBrokerOfAnotherClusterIsRefusedAtOnce() {
        lifecycle.start();
        assertThat(lifecycle.onRegistrationFailed(Errors.INCONSISTENT_CLUSTER_ID, "cluster A, not B", 10))
                .singleElement()
                .isInstanceOfSatisfying(
                        Effect.Refused.class,
                        refused -> assertThat(refused.message()).contains("cluster A, not B"));
        assertThat(lifecycle.state()).isEqualTo(State.DONE);
    }

    @Test
    void leavingAsksTheControllerAndWaitsForItsPermission() {
        run(7);
        assertThat(lifecycle.beginShutdown(true, 3_000))
                .containsExactly(new Effect.Heartbeat(7, -1, false, true), new Effect.WakeAt(3_000 + SILENCE));
        assertThat(lifecycle.onHeartbeat(false, false, 3_010)).as("not yet").isNotEmpty();
        lifecycle.onTick(3_110);
        assertThat(lifecycle.onHeartbeat(false, true, 3_120)).containsExactly(new Effect.ShutDown());
        assertThat(lifecycle.state()).isEqualTo(State.DONE);
    }

    @Test
    void leavingEndsWithTheSessionAtTheLatest() {
        run(7);
        lifecycle.beginShutdown(true, 3_000);
        long now = 3_000;
        for (; now < 3_000 + SESSION; now += SILENCE / 2) {
            assertThat(lifecycle.onHeartbeat(false, false, now))
                    .as("at %d", now)
                    .isNotEmpty();
            assertThat(lifecycle.onTick(now + 1)).as("at %d", now).contains(new Effect.Heartbeat(7, -1, false, true));
        }
        assertThat(lifecycle.onTick(now)).containsExactly(new Effect.ShutDown());
        assertThat(lifecycle.onHeartbeat(false, false, 20_000)).isEmpty();
    }

    @Test
    void aControllerThatIsNotHeardOfIsNotWaitedFor() {
        run(7);
        lifecycle.beginShutdown(true, 3_000);
        lifecycle.onHeartbeat(false, false, 3_500);
        lifecycle.onTick(3_600);
        assertThat(lifecycle.onHeartbeatFailed(Errors.NOT_CONTROLLER, 5_000)).containsExactly(new Effect.WakeAt(5_100));
        assertThat(lifecycle.onTick(5_100))
                .containsExactly(new Effect.Heartbeat(7, -1, false, true), new Effect.WakeAt(3_500 + SILENCE));
        assertThat(lifecycle.onTick(3_500 + SILENCE)).containsExactly(new Effect.ShutDown());
    }

    @Test
    void theWishToLeaveFollowsAnOutstandingHeartbeatAtOnce() {
        run(7);
        lifecycle.onTick(HEARTBEAT);
        assertThat(lifecycle.beginShutdown(true, 3_000)).containsExactly(new Effect.WakeAt(3_000 + SILENCE));
        assertThat(lifecycle.onHeartbeat(false, false, 3_010)).contains(new Effect.Heartbeat(7, -1, false, true));
    }

    @Test
    void aRunningBrokerTellsAtOnceWhatItHasSeenWhileAnotherOneLeaves() {
        run(7);
        assertThat(lifecycle.onMetadata(6, true)).containsExactly(new Effect.Heartbeat(7, 6, false, false));
        assertThat(lifecycle.onMetadata(7, true)).as("one at a time").isEmpty();
        assertThat(lifecycle.onHeartbeat(false, false, 20)).containsExactly(new Effect.Heartbeat(7, 7, false, false));
        assertThat(lifecycle.onHeartbeat(false, false, 30)).containsExactly(new Effect.WakeAt(30 + HEARTBEAT));
    }

    @Test
    void withoutControlledShutdownItLeavesAtOnce() {
        run(7);
        assertThat(lifecycle.beginShutdown(false, 3_000)).containsExactly(new Effect.ShutDown());
    }
}
