package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ThrottledReplicasTest {

    @Test
    void pairsOfThisBrokerCount() {
        var throttled = ThrottledReplicas.of(List.of("0:1", "3:12", "4:2", "7:1"), 1);
        assertThat(throttled.contains(0)).isTrue();
        assertThat(throttled.contains(7)).isTrue();
        assertThat(throttled.contains(3)).isFalse();
        assertThat(throttled.contains(4)).isFalse();
    }

    @Test
    void aStarIsEveryPartition() {
        assertThat(ThrottledReplicas.of(List.of("*"), 5).contains(99)).isTrue();
        assertThat(ThrottledReplicas.of(List.of(), 5).contains(0)).isFalse();
    }
}
