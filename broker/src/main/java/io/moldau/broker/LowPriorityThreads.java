package io.moldau.broker;

import java.util.List;
import java.util.concurrent.TimeUnit;

/// Threads for work that can wait: of the lowest priority, and never interrupted, for that would
/// close the files they are reading, which others read too. They are told to end in another way.
final class LowPriorityThreads {

    private static final long STOP_SECONDS = 10;

    private LowPriorityThreads() {}

    static Thread start(String name, Runnable work) {
        return Thread.ofPlatform()
                .name(name)
                .daemon(true)
                .priority(Thread.MIN_PRIORITY)
                .start(work);
    }

    /// Waits for those that were told to end, for some seconds each.
    static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
        }
    }
}
