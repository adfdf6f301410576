package io.moldau.broker.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/// Compares with a twin that copies the whole map for every batch.
class TimelineMapTest {

    @Seeds(count = 100)
    void agreesWithWholeCopies(long seed) {
        var random = new SplittableRandom(seed);
        var timeline = new Timeline();
        var map = new TimelineMap<Integer, Integer>(timeline);
        // After the batch with sequence n: states.get(n - committed). The first is the committed state.
        List<Map<Integer, Integer>> states = new ArrayList<>(List.of(new HashMap<>()));
        long committed = 0;
        for (int step = 0; step < 300; step++) {
            long last = committed + states.size() - 1;
            switch (random.nextInt(10)) {
                case 0 -> {
                    long upTo = random.nextLong(committed, last + 1);
                    timeline.commitUpTo(upTo);
                    states = new ArrayList<>(states.subList((int) (upTo - committed), states.size()));
                    committed = upTo;
                }
                case 1 -> {
                    long to = random.nextLong(committed, last + 1);
                    timeline.revertTo(to);
                    states = new ArrayList<>(states.subList(0, (int) (to - committed) + 1));
                }
                default -> {
                    timeline.writeAt(last + 1);
                    var next = new HashMap<>(states.getLast());
                    for (int i = random.nextInt(4); i >= 0; i--) {
                        int key = random.nextInt(8);
                        if (random.nextInt(3) == 0) {
                            assertThat(map.remove(key)).isEqualTo(next.remove(key));
                        } else {
                            map.put(key, step);
                            next.put(key, step);
                        }
                    }
                    states.add(next);
                }
            }
            var latest = new HashMap<Integer, Integer>();
            map.forEach(latest::put);
            assertThat(latest).isEqualTo(states.getLast());
            assertThat(map.committedEntries().stream()
                            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
                    .isEqualTo(states.getFirst());
            for (int key = 0; key < 8; key++) {
                assertThat(map.committed(key)).isEqualTo(states.getFirst().get(key));
            }
        }
        timeline.commitUpTo(Long.MAX_VALUE);
        assertThat(timeline.pending()).isZero();
    }
}
