package io.moldau.broker.coordinator.group.assignor;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RangeAssignorTest {

    private final RangeAssignor range = new RangeAssignor();

    @Test
    void firstMembersGetOneMore() {
        var it = new AssignorCase(List.of());
        var topic = it.topic(7);
        var second = it.join(Set.of(topic), "b");
        var first = it.join(Set.of(topic), "a");
        var last = it.join(Set.of(topic));

        assertThat(range.assign(it.spec(), it))
                .isEqualTo(Map.of(
                        first, Map.of(topic, Set.of(0, 1, 2)),
                        second, Map.of(topic, Set.of(3, 4)),
                        last, Map.of(topic, Set.of(5, 6))));
    }

    @Test
    void topicsOfOneSizeAreDividedAlike() {
        var it = new AssignorCase(List.of());
        var orders = it.topic(8);
        var payments = it.topic(8);
        for (int member = 0; member < 3; member++) {
            it.join(Set.of(orders, payments));
        }

        range.assign(it.spec(), it)
                .values()
                .forEach(topics -> assertThat(topics.get(orders)).isEqualTo(topics.get(payments)));
    }

    @Test
    void moreMembersThanPartitionsAndNoMembers() {
        var it = new AssignorCase(List.of());
        var topic = it.topic(1);
        assertThat(range.assign(it.spec(), it)).isEmpty();
        it.join(Set.of(topic));
        it.join(Set.of(topic));
        var assignment = range.assign(it.spec(), it);
        it.checkValid(assignment);
        assertThat(AssignorCase.loads(assignment)).containsExactly(0, 1);
    }

    @Seeds(count = 300)
    void sameAsTheReference(long seed) {
        var random = new SplittableRandom(seed);
        boolean alike = random.nextBoolean();
        var it = AssignorCase.random(random, 5, 12, 8, alike, random.nextBoolean());
        for (int round = 0; round < 5; round++) {
            var ours = range.assign(it.spec(), it);
            it.checkValid(ours);
            assertThat(ours).isEqualTo(it.ask(new org.apache.kafka.coordinator.group.assignor.RangeAssignor()));
            it.adopt(ours);
            it.change(random, alike);
        }
    }
}
