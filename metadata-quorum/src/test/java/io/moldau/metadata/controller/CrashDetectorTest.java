package io.moldau.metadata.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.metadata.controller.CrashDetector.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CrashDetectorTest {

    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SESSION = 9000 * MS;
    /// Clocks of machines may be negative and may pass zero.
    private static final long START = -20 * MS;

    private final CrashDetector detector = new CrashDetector(SESSION);

    private Probe only(long now) {
        List<Probe> due = detector.due(now);
        assertThat(due).hasSize(1);
        return due.getFirst();
    }

    @Test
    void aSuspectIsProbedAtOnceAndFencedWhenItsProcessIsGone() {
        detector.suspect(1, 101, START);
        Probe probe = only(START);
        assertThat(probe.brokerId()).isEqualTo(1);
        assertThat(probe.brokerEpoch()).isEqualTo(101);
        assertThat(detector.due(START)).isEmpty();
        assertThat(detector.probed(probe, true, START + MS)).isTrue();
        assertThat(detector.nextDeadlineNanos()).isNull();
    }

    @Test
    void aProcessWhoseSocketsStillStandIsProbedAgainAtGrowingIntervalsUntilItsSessionEnds() {
        detector.suspect(1, 101, START);
        var intervals = new ArrayList<Long>();
        long now = START;
        long last = START;
        List<Probe> due = detector.due(now);
        while (!due.isEmpty()) {
            assertThat(detector.probed(due.getFirst(), false, now)).isFalse();
            Long next = detector.nextDeadlineNanos();
            assertThat(next).isNotNull();
            now = next;
            due = detector.due(now);
            intervals.add((now - last) / MS);
            last = now;
        }
        assertThat(intervals).startsWith(50L, 100L, 200L, 400L, 500L, 500L);
        assertThat(now - START).isBetween(SESSION, SESSION + 500 * MS);
        assertThat(detector.nextDeadlineNanos()).isNull();
    }

    @Test
    void aHeartbeatEndsSuspicionAndWhatAProbeSaysThen() {
        detector.suspect(1, 101, START);
        Probe probe = only(START);
        detector.heard(1, 101);
        assertThat(detector.probed(probe, true, START + MS)).isFalse();
        assertThat(detector.due(START + SESSION)).isEmpty();
    }

    @Test
    void aLateHeartbeatOfAnEarlierRegistrationProvesNothing() {
        detector.suspect(1, 102, START);
        detector.heard(1, 101);
        assertThat(detector.probed(only(START), true, START)).isTrue();
    }

    @Test
    void theNewsOfAnEarlierRegistrationsConnectionIsOld() {
        detector.suspect(1, 102, START);
        Probe probe = only(START);
        detector.suspect(1, 101, START);
        assertThat(detector.probed(probe, true, START)).isTrue();
    }

    @Test
    void aLookThatBeganBeforeTheNewsDoesNotCount() {
        detector.suspect(1, 101, START);
        Probe before = only(START);
        detector.heard(1, 101);
        detector.suspect(1, 101, START + MS);
        Probe after = only(START + MS);
        assertThat(detector.probed(before, true, START + 2 * MS)).isFalse();
        assertThat(detector.probed(after, true, START + 2 * MS)).isTrue();
    }

    @Test
    void fewProbesRunAtATimeAndTheOthersFollow() {
        for (int id = 0; id < 100; id++) {
            detector.suspect(id, 100 + id, START);
        }
        var fenced = new ArrayList<Integer>();
        int rounds = 0;
        while (fenced.size() < 100) {
            List<Probe> due = detector.due(START);
            assertThat(due).hasSizeLessThanOrEqualTo(CrashDetector.MAX_PROBES).isNotEmpty();
            assertThat(detector.due(START)).isEmpty();
            for (Probe probe : due) {
                if (detector.probed(probe, true, START)) {
                    fenced.add(probe.brokerId());
                }
            }
            rounds++;
        }
        assertThat(fenced).doesNotHaveDuplicates();
        assertThat(rounds).isEqualTo(4);
    }

    @Test
    void afterAllIsForgottenProbesUnderWayStillCountAsSuch() {
        for (int id = 0; id < CrashDetector.MAX_PROBES; id++) {
            detector.suspect(id, 1, START);
        }
        List<Probe> old = detector.due(START);
        detector.clear();
        detector.suspect(1, 1, START);
        assertThat(detector.due(START)).isEmpty();
        assertThat(detector.nextDeadlineNanos()).isNull();
        assertThat(detector.probed(old.getFirst(), true, START)).isFalse();
        assertThat(detector.due(START)).hasSize(1);
    }
}
