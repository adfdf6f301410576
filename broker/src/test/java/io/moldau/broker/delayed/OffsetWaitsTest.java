package io.moldau.broker.delayed;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class OffsetWaitsTest {

    private static final class Named extends OffsetWaits.Wait<Named> {
        final int name;

        Named(int name, long offset) {
            super(offset);
            this.name = name;
        }
    }

    @Seeds(count = 50)
    void completesWhatASortedListWouldComplete(long seed) {
        var random = new Random(seed);
        var waits = new OffsetWaits<Named>();
        List<Named> naive = new ArrayList<>();
        int names = 0;
        for (int step = 0; step < 300; step++) {
            switch (random.nextInt(3)) {
                case 0 -> {
                    var wait = new Named(names++, random.nextInt(100));
                    waits.add(wait);
                    int at = naive.size();
                    while (at > 0 && naive.get(at - 1).offset() > wait.offset()) {
                        at--;
                    }
                    naive.add(at, wait);
                }
                case 1 -> {
                    if (!naive.isEmpty()) {
                        Named victim = naive.remove(random.nextInt(naive.size()));
                        assertThat(waits.remove(victim)).isTrue();
                        assertThat(waits.remove(victim)).isFalse();
                    }
                }
                default -> {
                    long position = random.nextInt(60);
                    Named reached;
                    while ((reached = waits.poll(position)) != null) {
                        assertThat(reached.name).isEqualTo(naive.removeFirst().name);
                    }
                    assertThat(naive).allMatch(it -> it.offset() > position);
                }
            }
            assertThat(waits.size()).isEqualTo(naive.size());
        }
    }
}
