package io.moldau.broker.coordinator.group.assignor;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UniformAssignorTest {

    private final UniformAssignor uniform = new UniformAssignor();
    private final org.apache.kafka.coordinator.group.assignor.UniformAssignor reference =
            new org.apache.kafka.coordinator.group.assignor.UniformAssignor();

    @Test
    void oneJoinsAndOneLeaves() {
        var it = new AssignorCase(List.of());
        var topics = Set.of(it.topic(40), it.topic(60));
        for (int member = 0; member < 10; member++) {
            it.join(topics);
        }
        it.adopt(uniform.assign(it.spec(), it));

        it.join(topics);
        var joined = uniform.assign(it.spec(), it);
        it.checkValid(joined);
        assertThat(AssignorCase.loads(joined)).containsOnly(9, 10);
        assertThat(it.moved(joined)).isEqualTo(9);

        it.adopt(joined);
        it.leave(it.members().keySet().iterator().next());
        var left = uniform.assign(it.spec(), it);
        it.checkValid(left);
        assertThat(AssignorCase.loads(left)).containsOnly(10);
        assertThat(it.moved(left)).isZero();
    }

    @Test
    void topicsAreSpread() {
        var it = new AssignorCase(List.of());
        var topics = Set.of(it.topic(10), it.topic(10));
        for (int member = 0; member < 5; member++) {
            it.join(topics);
        }
        uniform.assign(it.spec(), it)
                .values()
                .forEach(owned ->
                        owned.values().forEach(numbers -> assertThat(numbers).hasSize(2)));
    }

    @Test
    void racksAreKeptToWhereThatCostsNothing() {
        var it = new AssignorCase(List.of("a", "b", "c"));
        var topic = it.topic(30);
        for (int member = 0; member < 6; member++) {
            it.join(Set.of(topic));
        }
        var assignment = uniform.assign(it.spec(), it);
        it.checkValid(assignment);
        assertThat(AssignorCase.loads(assignment)).containsOnly(5);
        assertThat(it.inRack(assignment)).isEqualTo(30);
    }

    @Test
    void whatCannotBeTrueDoesNoHarm() {
        var it = new AssignorCase(List.of());
        var topic = it.topic(4);
        var one = it.join(Set.of(topic));
        var two = it.join(Set.of(topic, new Uuid(9, 9)));
        // Both claim partition 0; there is no partition 9, nor a topic 7.
        it.adopt(Map.of(
                one, Map.of(topic, Set.of(0, 1, 9)),
                two, Map.of(topic, Set.of(0, 2), new Uuid(7, 7), Set.of(1))));

        var assignment = uniform.assign(it.spec(), it);

        it.checkValid(assignment);
        assertThat(assignment.get(one)).isEqualTo(Map.of(topic, Set.of(0, 1)));
    }

    @Seeds(count = 400)
    void balancedValidAndNoMoveTooMany(long seed) {
        var random = new SplittableRandom(seed);
        boolean alike = random.nextBoolean();
        var it = AssignorCase.random(random, 3, 4, 4, alike, random.nextBoolean());
        for (int round = 0; round < 6; round++) {
            var assignment = uniform.assign(it.spec(), it);
            it.checkValid(assignment);
            assertThat(assignment).as("same for the same input").isEqualTo(uniform.assign(it.spec(), it));
            assertThat(new Best(AssignorCase.unevenness(assignment), it.moved(assignment)))
                    .isEqualTo(naively(it));
            it.adopt(assignment);
            it.change(random, alike);
        }
    }

    @Seeds(count = 150)
    void notWorseThanTheReference(long seed) {
        var random = new SplittableRandom(seed);
        boolean alike = random.nextBoolean();
        var it = AssignorCase.random(random, 8, 30, 12, alike, random.nextBoolean());
        for (int round = 0; round < 8; round++) {
            var ours = uniform.assign(it.spec(), it);
            it.checkValid(ours);
            var theirs = it.ask(reference);
            it.checkValid(theirs);
            if (AssignorCase.unevenness(ours) == AssignorCase.unevenness(theirs)) {
                assertThat(AssignorCase.loads(ours)).isEqualTo(AssignorCase.loads(theirs));
                assertThat(it.moved(ours)).isLessThanOrEqualTo(it.moved(theirs));
            } else {
                assertThat(AssignorCase.unevenness(ours)).isLessThan(AssignorCase.unevenness(theirs));
                assertThat(alike).isFalse();
            }
            it.adopt(ours);
            it.change(random, alike);
        }
    }

    /// Generous for a busy machine; what it takes on a quiet one is a fraction of it.
    @Test
    @Timeout(20)
    void aThousandMembersAndTenThousandPartitions() {
        for (boolean alike : new boolean[] {true, false}) {
            var random = new SplittableRandom(7);
            var it = new AssignorCase(List.of("a", "b", "c"));
            for (int topic = 0; topic < 100; topic++) {
                it.topic(100);
            }
            for (int member = 0; member < 1_000; member++) {
                it.join(alike ? Set.copyOf(it.topics()) : some(it, random));
            }
            for (int round = 0; round < 4; round++) {
                var assignment = uniform.assign(it.spec(), it);
                it.checkValid(assignment);
                assertThat(AssignorCase.loads(assignment).getLast()
                                - AssignorCase.loads(assignment).getFirst())
                        .isLessThanOrEqualTo(1);
                it.adopt(assignment);
                it.join(alike ? Set.copyOf(it.topics()) : some(it, random));
            }
        }
    }

    /// Members in a row, each sharing one topic with the next; all partitions are in the first one's topics.
    @Test
    @Timeout(20)
    void whereOnlyLongChainsOfExchangesHelp() {
        var it = new AssignorCase(List.of());
        it.topic(9_000);
        for (int topic = 1; topic <= 300; topic++) {
            it.topic(2);
        }
        for (int member = 0; member < 300; member++) {
            it.join(Set.of(it.topics().get(member), it.topics().get(member + 1)));
        }
        var before = uniform.assign(it.spec(), it);
        it.checkValid(before);
        it.adopt(before);
        var again = uniform.assign(it.spec(), it);
        assertThat(it.moved(again)).isZero();
    }

    @Test
    @Timeout(20)
    void aThousandJoinOne() {
        var it = new AssignorCase(List.of());
        for (int topic = 0; topic < 100; topic++) {
            it.topic(100);
        }
        it.join(Set.copyOf(it.topics()));
        it.adopt(uniform.assign(it.spec(), it));
        var random = new SplittableRandom(3);
        for (int member = 1; member < 1_000; member++) {
            it.join(some(it, random));
        }
        var assignment = uniform.assign(it.spec(), it);
        it.checkValid(assignment);
        assertThat(AssignorCase.loads(assignment)).containsOnly(10);
        assertThat(it.moved(assignment)).isEqualTo(9_990);
    }

    private static Set<Uuid> some(AssignorCase it, SplittableRandom random) {
        return it.topics().stream().filter(topic -> random.nextInt(2) == 0).collect(Collectors.toSet());
    }

    private record Best(long unevenness, int moved) {}

    /// Tries every way to hand out every topic, counting partitions only: which of its own a member keeps is free.
    private static Best naively(AssignorCase it) {
        var ids = List.copyOf(it.members().keySet());
        var states = new HashMap<List<Integer>, Integer>();
        states.put(ids.stream().map(ignored -> 0).toList(), 0);
        for (var topic : it.topics()) {
            var takers = ids.stream()
                    .filter(id -> it.members().get(id).topics().contains(topic))
                    .toList();
            if (takers.isEmpty()) {
                continue;
            }
            var next = new HashMap<List<Integer>, Integer>();
            for (var shares : sharesOf(it.partitionCount(topic), takers.size())) {
                int moved = 0;
                for (int index = 0; index < takers.size(); index++) {
                    var owned = it.members().get(takers.get(index)).assigned().getOrDefault(topic, Set.of());
                    moved += Math.max(0, owned.size() - shares.get(index));
                }
                for (var state : states.entrySet()) {
                    var loads = new ArrayList<>(state.getKey());
                    for (int index = 0; index < takers.size(); index++) {
                        int member = ids.indexOf(takers.get(index));
                        loads.set(member, loads.get(member) + shares.get(index));
                    }
                    next.merge(loads, state.getValue() + moved, Math::min);
                }
            }
            states = next;
        }
        return states.entrySet().stream()
                .map(state -> new Best(
                        state.getKey().stream()
                                .mapToLong(load -> (long) load * load)
                                .sum(),
                        state.getValue()))
                .min(Comparator.comparingLong(Best::unevenness).thenComparingInt(Best::moved))
                .orElseThrow();
    }

    private static List<List<Integer>> sharesOf(int partitions, int members) {
        if (members == 1) {
            return List.of(List.of(partitions));
        }
        var result = new ArrayList<List<Integer>>();
        for (int first = 0; first <= partitions; first++) {
            for (var rest : sharesOf(partitions - first, members - 1)) {
                var shares = new ArrayList<Integer>();
                shares.add(first);
                shares.addAll(rest);
                result.add(shares);
            }
        }
        return result;
    }
}
