package io.moldau.broker.replica;

import static io.moldau.broker.replica.RefusedProducers.KEPT_NANOS;
import static io.moldau.broker.replica.RefusedProducers.MOST;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import org.junit.jupiter.api.Test;

class RefusedProducersTest {

    private final RefusedProducers producers = new RefusedProducers();

    @Test
    void aRefusalIsKnownForAWhileAndOfItsProducerOnly() {
        producers.refused(7, Errors.NOT_ENOUGH_REPLICAS, 100);
        assertThat(producers.lately(7, 100 + KEPT_NANOS - 1)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(producers.lately(8, 100)).isEqualTo(Errors.NONE);
        assertThat(producers.lately(7, 100 + KEPT_NANOS)).isEqualTo(Errors.NONE);
    }

    @Test
    void theLastReasonCountsAndItsTime() {
        producers.refused(7, Errors.NOT_ENOUGH_REPLICAS, 0);
        producers.refused(7, Errors.NOT_LEADER_OR_FOLLOWER, KEPT_NANOS - 1);
        assertThat(producers.lately(7, KEPT_NANOS + 1)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void theOldestGiveWay() {
        for (int i = 0; i <= MOST; i++) {
            producers.refused(i, Errors.NOT_ENOUGH_REPLICAS, i);
        }
        assertThat(producers.lately(0, MOST)).isEqualTo(Errors.NONE);
        assertThat(producers.lately(1, MOST)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(producers.lately(MOST, MOST)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
    }
}
