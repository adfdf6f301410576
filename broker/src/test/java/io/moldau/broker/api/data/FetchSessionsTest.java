package io.moldau.broker.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FetchSessionsTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final FetchSessions sessions = new FetchSessions(2, new Random(1));

    private static FetchSession session(int partitions, boolean privileged, long nowNanos) {
        var session = new FetchSession(false, privileged, nowNanos);
        for (int i = 0; i < partitions; i++) {
            session.put(new FetchedPartition.Key(Uuid.ZERO, "t", i));
        }
        return session;
    }

    @Test
    void idsAreUniqueAndEpochsBeginAtOne() {
        FetchSession a = session(1, false, 0);
        FetchSession b = session(1, false, 0);
        assertThat(sessions.admit(a, 0)).isTrue();
        assertThat(sessions.admit(b, 0)).isTrue();
        assertThat(a.id()).isPositive().isNotEqualTo(b.id());
        assertThat(a.epoch()).isEqualTo(1);
        assertThat(sessions.get(a.id())).isSameAs(a);
    }

    @Test
    void aYoungSessionInUseIsNotEvicted() {
        sessions.admit(session(1, false, 0), 0);
        sessions.admit(session(1, false, 0), 0);
        assertThat(sessions.admit(session(100, true, MINUTE), MINUTE)).isFalse();
        assertThat(sessions.evictions()).isZero();
    }

    @Test
    void theLongestUnusedGoesFirst() {
        FetchSession used = session(1, false, 0);
        FetchSession unused = session(1, false, 0);
        sessions.admit(used, 0);
        sessions.admit(unused, 0);
        used.used(2 * MINUTE);
        assertThat(sessions.admit(session(1, false, 3 * MINUTE), 3 * MINUTE)).isTrue();
        assertThat(sessions.get(unused.id())).isNull();
        assertThat(unused.isClosed()).isTrue();
        assertThat(sessions.get(used.id())).isSameAs(used);
        assertThat(sessions.evictions()).isEqualTo(1);
    }

    @Test
    void anOldSmallSessionGivesWayToALargerOneAndAClientsToAFollowers() {
        FetchSession small = session(2, false, 0);
        FetchSession follower = session(1, true, 0);
        sessions.admit(small, 0);
        sessions.admit(follower, 0);
        small.used(3 * MINUTE);
        follower.used(3 * MINUTE);
        assertThat(sessions.admit(session(2, false, 3 * MINUTE), 3 * MINUTE)).isFalse();
        FetchSession larger = session(3, false, 3 * MINUTE);
        assertThat(sessions.admit(larger, 3 * MINUTE)).isTrue();
        assertThat(small.isClosed()).isTrue();

        larger.used(6 * MINUTE);
        follower.used(6 * MINUTE);
        assertThat(sessions.admit(session(1, true, 6 * MINUTE), 6 * MINUTE)).isTrue();
        assertThat(larger.isClosed()).isTrue();
        assertThat(follower.isClosed()).isFalse();
    }

    @Test
    void whatChangedIsCollectedOnceAndInOrder() {
        FetchSession session = session(3, false, 0);
        while (session.dequeue() != null) {
            // a new entry is worth a first look
        }
        FetchedPartition a = session.put(new FetchedPartition.Key(Uuid.ZERO, "t", 0));
        FetchedPartition b = session.put(new FetchedPartition.Key(Uuid.ZERO, "t", 1));
        while (session.dequeue() != null) {
            // likewise
        }
        b.partitionChanged(10);
        a.partitionChanged(10);
        b.partitionChanged(10);
        assertThat(session.hasChanges()).isTrue();
        session.collectChanges();
        assertThat(session.hasChanges()).isFalse();
        assertThat(session.dequeue()).isSameAs(b);
        assertThat(session.dequeue()).isSameAs(a);
        assertThat(session.dequeue()).isNull();

        a.partitionChanged(10);
        session.remove(a.key);
        session.collectChanges();
        assertThat(session.dequeue()).as("forgotten meanwhile").isNull();
    }

    @Test
    void epochsWrapToOne() {
        FetchSession session = session(1, false, 0);
        sessions.admit(session, 0);
        session.advanceEpoch();
        assertThat(session.epoch()).isEqualTo(2);
    }
}
