package io.moldau.broker.replica;

import io.moldau.common.FaultHandler;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/// Runs the tasks of one owner, mostly a partition, one at a time and in the order they were brought,
/// without a thread of
/// its own.
///
/// A thread that finds nobody inside goes in and runs its task at once; one that finds somebody leaves its task and
/// goes on, and whoever is inside runs it before leaving. So nobody ever parks for a partition. A thread inside
/// must not enter a second mailbox, wait, or force a file to disk on an event loop.
public final class Mailbox {

    private final AtomicBoolean inside = new AtomicBoolean();
    private final Queue<Runnable> left = new ConcurrentLinkedQueue<>();
    private final FaultHandler faults;

    public Mailbox(FaultHandler faults) {
        this.faults = faults;
    }

    /// Goes in if nobody is inside; tasks that were left earlier have then been run. Must be paired with [#exit].
    boolean tryEnter() {
        if (!inside.compareAndSet(false, true)) {
            return false;
        }
        runLeft();
        return true;
    }

    /// Runs what others have left meanwhile and goes out.
    void exit() {
        while (true) {
            runLeft();
            inside.set(false);
            // Something may have been left between the last look and going out, by a thread that found us inside.
            if (left.isEmpty() || !inside.compareAndSet(false, true)) {
                return;
            }
        }
    }

    /// Runs the task here and now, or leaves it to the thread that is inside.
    public void submit(Runnable task) {
        if (tryEnter()) {
            run(task);
            exit();
            return;
        }
        left.add(task);
        if (tryEnter()) {
            exit();
        }
    }

    /// Runs the task here and now if nobody is inside; false, and nothing done, if somebody is.
    boolean trySubmit(Runnable task) {
        if (!tryEnter()) {
            return false;
        }
        run(task);
        exit();
        return true;
    }

    private void runLeft() {
        Runnable task;
        while ((task = left.poll()) != null) {
            run(task);
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            faults.handle("a task of a partition", e);
        }
    }
}
