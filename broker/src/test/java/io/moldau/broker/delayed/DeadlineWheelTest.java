package io.moldau.broker.delayed;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeadlineWheelTest {

    private static final long TICK = 10;

    @Test
    void firesAtTheFirstTickAtOrAfterTheDeadline() {
        var wheel = new DeadlineWheel(1000, TICK, 64);
        var fired = new ArrayList<String>();
        wheel.add(1015, () -> fired.add("a"));

        assertThat(wheel.nextNanos()).isEqualTo(1020);
        wheel.advanceTo(1019);
        assertThat(fired).isEmpty();
        wheel.advanceTo(1020);
        assertThat(fired).containsExactly("a");
        assertThat(wheel.size()).isZero();
        assertThat(wheel.nextNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aTaskMayAddAndCancelWhileItRuns() {
        var wheel = new DeadlineWheel(0, TICK, 64);
        var fired = new ArrayList<String>();
        var cancelled = new Deadlines.Deadline[1];
        wheel.add(10, () -> {
            fired.add("first");
            wheel.add(10, () -> fired.add("late"));
            cancelled[0].cancel();
        });
        cancelled[0] = wheel.add(640 + 10, () -> fired.add("never"));

        wheel.advanceTo(10);
        assertThat(fired).containsExactly("first");
        wheel.advanceTo(20);
        assertThat(fired).containsExactly("first", "late");
        wheel.advanceTo(10_000);
        assertThat(fired).containsExactly("first", "late");
    }

    @Test
    void ofTwoThatAreDueTogetherOneMayCancelTheOther() {
        var wheel = new DeadlineWheel(0, TICK, 64);
        var fired = new ArrayList<String>();
        var both = new Deadlines.Deadline[2];
        both[0] = wheel.add(10, () -> {
            fired.add("one");
            both[1].cancel();
        });
        both[1] = wheel.add(10, () -> {
            fired.add("one");
            both[0].cancel();
        });
        wheel.advanceTo(10);
        assertThat(fired).containsExactly("one");
        assertThat(wheel.size()).isZero();
    }

    @Test
    void aFarDeadlineIsNotLookedAtEveryTurn() {
        var wheel = new DeadlineWheel(0, TICK, 64);
        var fired = new ArrayList<String>();
        wheel.add(60_000, () -> fired.add("a minute"));
        int wakeUps = 0;
        while (fired.isEmpty()) {
            wheel.advanceTo(wheel.nextNanos());
            wakeUps++;
        }
        assertThat(wakeUps).isLessThanOrEqualTo(2);
    }

    private static final class Naive {
        final int name;
        final long deadline;
        boolean cancelled;

        Naive(int name, long deadline) {
            this.name = name;
            this.deadline = deadline;
        }
    }

    @Seeds(count = 50)
    void firesWhatAListWouldFire(long seed) {
        var random = new Random(seed);
        long origin = Long.MAX_VALUE - 500_000 + random.nextInt(400_000); // readings overflow on the way
        long now = origin;
        var wheel = new DeadlineWheel(origin, TICK, 64);
        List<Naive> naive = new ArrayList<>();
        List<Deadlines.Deadline> handles = new ArrayList<>();
        List<Integer> fired = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    int name = naive.size();
                    long deadline = now + random.nextInt(random.nextInt(5) == 0 ? 300_000 : 2000);
                    naive.add(new Naive(name, deadline));
                    handles.add(wheel.add(deadline, () -> fired.add(name)));
                }
                case 2 -> {
                    if (!handles.isEmpty()) {
                        int victim = random.nextInt(handles.size());
                        handles.get(victim).cancel();
                        naive.get(victim).cancelled = true;
                    }
                }
                default -> {
                    now += random.nextInt(random.nextInt(20) == 0 ? 50_000 : 300);
                    wheel.advanceTo(now);
                    for (Naive it : naive) {
                        long tick = origin + Math.ceilDiv(it.deadline - origin, TICK) * TICK;
                        if (!it.cancelled && tick - now <= 0) {
                            it.cancelled = true;
                            expected.add(it.name);
                        }
                    }
                    assertThat(fired).containsExactlyInAnyOrderElementsOf(expected);
                    long nowFinal = now;
                    long earliest = naive.stream()
                            .filter(it -> !it.cancelled)
                            .mapToLong(it -> it.deadline - nowFinal)
                            .min()
                            .orElse(Long.MAX_VALUE);
                    if (earliest != Long.MAX_VALUE) {
                        assertThat(wheel.nextNanos() - now).isLessThan(earliest + 2 * TICK);
                    }
                }
            }
        }
        assertThat(fired).isNotEmpty();
    }
}
