package io.moldau.broker.request;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// The few threads that may wait for the disk, so that event loops never do: cold reads, look-ups by time,
/// deletions.
///
/// They start when there is something to do and end when there is nothing for a while. Tasks that wait are bounded
/// by the open requests of the node, each of which leaves one at most.
public final class DiskThreads implements Executor, AutoCloseable {

    private static final long KEEP_SECONDS = 10;

    private final ThreadPoolExecutor threads;

    public DiskThreads(String name, int count) {
        var numbers = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                count, count, KEEP_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    var thread = new Thread(task, name + "-" + numbers.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /// @throws RejectedExecutionException after [#close]
    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /// Waits for the tasks under way, for a moment; the others are dropped.
    @Override
    public void close() {
        threads.shutdown();
        threads.getQueue().clear();
        boolean interrupted = false;
        try {
            if (!threads.awaitTermination(KEEP_SECONDS, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            interrupted = true;
            threads.shutdownNow();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
