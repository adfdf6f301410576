package io.moldau.broker.coordinator.runtime;

import io.moldau.common.FaultHandler;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/// Runs the tasks of one shard one at a time, in the order they were brought, without a thread of its own.
///
/// The thread that finds nobody inside runs its task at once, and then whatever others bring meanwhile; nobody waits.
/// When no task is left and before it goes out, it runs the shard's end-of-round action, so that all tasks of one round
/// share one write.
final class ShardMailbox {

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean inside = new AtomicBoolean();
    private final Runnable endOfRound;
    private final FaultHandler faults;

    ShardMailbox(Runnable endOfRound, FaultHandler faults) {
        this.endOfRound = endOfRound;
        this.faults = faults;
    }

    void submit(Runnable task) {
        tasks.add(task);
        // Whoever is inside looks again after going out, so a task is never left behind.
        while (!tasks.isEmpty() && inside.compareAndSet(false, true)) {
            try {
                runRounds();
            } finally {
                inside.set(false);
            }
        }
    }

    private void runRounds() {
        Runnable task;
        while ((task = tasks.poll()) != null) {
            do {
                run(task);
            } while ((task = tasks.poll()) != null);
            run(endOfRound);
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error fault) {
            faults.handle("running a task of a coordinator shard", fault);
        }
    }
}
