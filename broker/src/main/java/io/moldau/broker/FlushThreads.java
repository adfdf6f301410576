package io.moldau.broker;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// The threads that force records to the disk where `moldau.durability` wants that: some for each
/// log directory, so that a slow disk holds up its own partitions only. They end when there is
/// nothing to do. What waits for them is bounded by the number of partitions.
final class FlushThreads implements Function<Path, Executor>, AutoCloseable {

    private final int threads;
    private final Map<Path, ThreadPoolExecutor> byDirectory = new ConcurrentHashMap<>();

    /// @param threads for one directory
    FlushThreads(int threads) {
        this.threads = threads;
    }

    @Override
    public Executor apply(Path directory) {
        return byDirectory.computeIfAbsent(directory, path -> newThreads());
    }

    private ThreadPoolExecutor newThreads() {
        var executor = new ThreadPoolExecutor(
                threads,
                threads,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name("moldau-flush-", 0).daemon(true).factory(),
                // Whoever asks after the end is told nothing more.
                new ThreadPoolExecutor.DiscardPolicy());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /// Waits for what is being forced.
    @Override
    public void close() throws InterruptedException {
        byDirectory.values().forEach(ThreadPoolExecutor::shutdown);
        for (ThreadPoolExecutor executor : byDirectory.values()) {
            // Not interrupted where a disk hangs: that would close files that others read.
            executor.awaitTermination(5, TimeUnit.SECONDS);
        }
    }
}
