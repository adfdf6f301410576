package io.moldau.ops.cli;

import io.moldau.common.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The threads of a part of a bench, and what they have found so far. Owned by the command's thread.
final class BenchThreads {

    private static final long BETWEEN_NOTES_MS = 1000;

    private final String mode;
    private final BenchPlan plan;
    private final BenchWork work;
    private final ToolContext context;
    private final boolean withLatency;
    private final long beganNanos;
    private final CountDownLatch running;

    private BenchThreads(
            String mode,
            BenchPlan plan,
            BenchWork work,
            ToolContext context,
            boolean withLatency,
            BooleanSupplier stop) {
        this.mode = mode;
        this.plan = plan;
        this.work = work;
        this.context = context;
        this.withLatency = withLatency;
        Time time = context.time();
        this.beganNanos = time.nanoseconds();
        int count = work.tallies().size();
        this.running = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int index = i;
            Thread.ofPlatform().daemon().name("moldau-bench-" + mode + "-" + i).start(() -> {
                try {
                    work.work(index, beganNanos, stop);
                } catch (RuntimeException e) {
                    work.tallies().get(index).failed(1, e);
                } finally {
                    running.countDown();
                }
            });
        }
    }

    static BenchThreads start(
            String mode,
            BenchPlan plan,
            BenchWork work,
            ToolContext context,
            boolean withLatency,
            BooleanSupplier stop) {
        return new BenchThreads(mode, plan, work, context, withLatency, stop);
    }

    /// Waits until all are done, and says meanwhile how it goes.
    void awaitTold() throws InterruptedException {
        while (!running.await(BETWEEN_NOTES_MS, TimeUnit.MILLISECONDS)) {
            tell();
        }
    }

    void tell() {
        double seconds = (context.time().nanoseconds() - measuredFrom()) / 1e9;
        context.note(
                seconds <= 0
                        ? String.format(Locale.ROOT, "%s: warming up, %.0f s more", mode, -seconds)
                        : sum().text(mode, seconds, withLatency));
    }

    /// @return whether all are done
    boolean await(long ms) throws InterruptedException {
        return running.await(ms, TimeUnit.MILLISECONDS);
    }

    long measuredFrom() {
        return beganNanos + plan.warmUp().toNanos();
    }

    /// @param fromNanos when what they did began to be measured
    BenchResult result(long fromNanos) {
        return sum().result(mode, fromNanos, withLatency);
    }

    private BenchTally.Sum sum() {
        var sum = new BenchTally.Sum();
        work.tallies().forEach(tally -> tally.addTo(sum));
        return sum;
    }

    /// What went wrong first in each of the threads.
    List<Exception> failures() {
        List<Exception> failures = new ArrayList<>();
        for (BenchTally tally : work.tallies()) {
            Exception failure = tally.firstFailure();
            if (failure != null) {
                failures.add(failure);
            }
        }
        return failures;
    }
}
