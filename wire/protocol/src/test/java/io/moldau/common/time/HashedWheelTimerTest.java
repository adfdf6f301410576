package io.moldau.common.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.testing.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HashedWheelTimerTest {

    /// The same timer as one thinks of it: a list.
    private static final class NaiveTimer {

        private record Entry(int id, long deadlineNanos) {}

        private final List<Entry> entries = new ArrayList<>();

        List<Integer> advanceTo(long nowNanos) {
            List<Entry> due = entries.stream()
                    .filter(entry -> nowNanos - entry.deadlineNanos >= 0)
                    .sorted(Comparator.comparingLong((Entry entry) -> entry.deadlineNanos - nowNanos)
                            .thenComparingInt(Entry::id))
                    .toList();
            entries.removeAll(due);
            return due.stream().map(Entry::id).toList();
        }

        boolean cancel(int id) {
            return entries.removeIf(entry -> entry.id == id);
        }

        OptionalLong nextDeadline(long nowNanos) {
            return entries.stream().mapToLong(entry -> entry.deadlineNanos - nowNanos).min().stream()
                    .map(left -> left + nowNanos)
                    .findFirst();
        }
    }

    @Seeds(count = 100)
    void doesWhatAListDoes(long seed) {
        var random = new Random(seed);
        // Often so close to the largest long that readings wrap on the way.
        long now = random.nextBoolean() ? random.nextLong() : Long.MAX_VALUE - random.nextInt(50_000);
        long tick = 1L + random.nextInt(100);
        var earlier = new AtomicInteger();
        var timer = new HashedWheelTimer(now, tick, 1 << random.nextInt(7), earlier::incrementAndGet);
        var naive = new NaiveTimer();
        var tasks = new ArrayList<TimerTask>();
        var ran = new ArrayList<Integer>();
        OptionalLong sleepsUntil = OptionalLong.empty();
        int farthest = 1 + random.nextInt(20_000);

        for (int step = 0; step < 400; step++) {
            boolean advanced = false;
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    long deadline = now + random.nextInt(-50, farthest);
                    int id = tasks.size();
                    int woken = earlier.get();
                    tasks.add(timer.schedule(deadline, () -> ran.add(id)));
                    naive.entries.add(new NaiveTimer.Entry(id, deadline));
                    if (sleepsUntil.isEmpty() || deadline - sleepsUntil.getAsLong() < 0) {
                        assertThat(earlier.get()).as("the driver was woken").isEqualTo(woken + 1);
                        sleepsUntil = OptionalLong.of(deadline);
                    }
                }
                case 2 -> {
                    if (!tasks.isEmpty()) {
                        int id = random.nextInt(tasks.size());
                        assertThat(tasks.get(id).cancel()).isEqualTo(naive.cancel(id));
                    }
                }
                default -> {
                    now += random.nextInt(4) == 0 ? random.nextInt(2 * farthest) : random.nextInt(1 + farthest / 50);
                    ran.clear();
                    advanced = true;
                    int count = timer.advanceTo(now);
                    assertThat(ran).isEqualTo(naive.advanceTo(now)).hasSize(count);
                }
            }
            assertThat(timer.size()).isEqualTo(naive.entries.size());
            if (advanced || random.nextBoolean()) {
                sleepsUntil = timer.nextDeadlineNanos();
                assertThat(sleepsUntil).isEqualTo(naive.nextDeadline(now));
            }
        }
    }

    @Test
    void anActionMaySchedule() {
        var timer = new HashedWheelTimer(0, 10, 8, () -> {});
        var ran = new ArrayList<String>();
        timer.schedule(100, () -> {
            ran.add("first");
            timer.schedule(50, () -> ran.add("late already"));
            timer.schedule(1_000, () -> ran.add("second"));
        });

        assertThat(timer.advanceTo(99)).isZero();
        assertThat(timer.advanceTo(100)).isOne();
        assertThat(timer.nextDeadlineNanos()).hasValue(50);
        assertThat(timer.advanceTo(100)).isOne();
        assertThat(timer.advanceTo(5_000)).isOne();
        assertThat(ran).containsExactly("first", "late already", "second");
        assertThat(timer.nextDeadlineNanos()).isEmpty();
    }

    @Test
    void anExpiredTaskCannotBeCancelled() {
        var timer = new HashedWheelTimer(0, 10, 8, () -> {});
        TimerTask task = timer.schedule(5, () -> {});
        timer.advanceTo(5);
        assertThat(task.cancel()).isFalse();
    }

    @Test
    void timeDoesNotGoBack() {
        var timer = new HashedWheelTimer(0, 10, 8, () -> {});
        var ran = new AtomicInteger();
        timer.advanceTo(1_000);
        timer.schedule(500, ran::incrementAndGet);
        assertThat(timer.advanceTo(10)).isOne();
    }

    @Test
    void refusesWheelsThatCannotTurn() {
        assertThatThrownBy(() -> new HashedWheelTimer(0, 10, 12, () -> {}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HashedWheelTimer(0, 0, 8, () -> {})).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesADeadlineThatCannotBeTold() {
        var timer = new HashedWheelTimer(0, 10, 8, () -> {});
        assertThatThrownBy(() -> timer.schedule(Long.MAX_VALUE, () -> {})).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Timeout(60)
    void threadsScheduleAndCancelWhileTheWheelTurns() throws Exception {
        int threads = 3;
        int tasksEach = 20_000;
        var now = new AtomicLong();
        var timer = new HashedWheelTimer(0, 10, 16, () -> {});
        var runs = new AtomicIntegerArray(threads * tasksEach);
        var cancelled = new AtomicIntegerArray(threads * tasksEach);
        var early = new AtomicInteger();
        var scheduling = new CountDownLatch(threads);

        try (var executor = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                int first = thread * tasksEach;
                var random = new Random(thread);
                executor.execute(() -> {
                    var recent = new ArrayDeque<Map.Entry<Integer, TimerTask>>();
                    for (int id = first; id < first + tasksEach; id++) {
                        int task = id;
                        long deadline = now.get() + random.nextInt(2_000);
                        recent.add(Map.entry(task, timer.schedule(deadline, () -> {
                            runs.incrementAndGet(task);
                            if (now.get() < deadline) {
                                early.incrementAndGet();
                            }
                        })));
                        if (recent.size() > 5) {
                            var oldest = recent.remove();
                            if (random.nextBoolean() && oldest.getValue().cancel()) {
                                cancelled.incrementAndGet(oldest.getKey());
                            }
                        }
                    }
                    scheduling.countDown();
                });
            }
            while (scheduling.getCount() > 0) {
                timer.advanceTo(now.addAndGet(7));
            }
        }
        timer.advanceTo(now.addAndGet(2_000));

        assertThat(timer.size()).isZero();
        assertThat(early).hasValue(0);
        int ran = 0;
        for (int id = 0; id < threads * tasksEach; id++) {
            assertThat(runs.get(id) + cancelled.get(id)).as("task %s", id).isOne();
            ran += runs.get(id);
        }
        assertThat(ran).isPositive().isLessThan(threads * tasksEach);
    }
}
