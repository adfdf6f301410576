package io.moldau.broker.space;

import io.moldau.common.FaultHandler;
import io.moldau.common.time.Time;
import io.moldau.log.PartitionLog;
import io.moldau.log.space.DirectorySpace;
import io.moldau.log.space.MarkSettings;
import io.moldau.log.space.SpaceLevel;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Looks ten times a second how much room there is where logs and metadata are, and which topics have more than
/// their budget where there is little. Has a thread of its own, for others wait for the disk in their upkeep, and a
/// fast producer fills a small volume in less than a second.
public final class SpaceWatch implements AutoCloseable {

    private static final long INTERVAL_MS = 100;

    private final List<DirectorySpace> spaces;
    private final Supplier<Collection<PartitionLog>> logs;
    private final Supplier<MarkSettings> settings;
    private final Time time;
    private final FaultHandler faults;
    private final ScheduledExecutorService thread;

    /// @param spaces of every directory the node writes to
    /// @param logs all logs in them
    public SpaceWatch(
            List<DirectorySpace> spaces,
            Supplier<Collection<PartitionLog>> logs,
            Supplier<MarkSettings> settings,
            Time time,
            FaultHandler faults) {
        this.spaces = List.copyOf(spaces);
        this.logs = logs;
        this.settings = settings;
        this.time = time;
        this.faults = faults;
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("moldau-space-", 0).daemon(true).factory());
    }

    /// Looks once, and from now on by itself.
    public void start() {
        look();
        thread.scheduleWithFixedDelay(this::lookGuarded, INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    private void lookGuarded() {
        try {
            look();
        } catch (RuntimeException e) {
            faults.handle("a look at the free space", e);
        }
    }

    /// One look.
    void look() {
        MarkSettings now = settings.get();
        long nowMs = time.milliseconds();
        boolean anyShort = false;
        for (DirectorySpace space : spaces) {
            anyShort |= space.look(now, nowMs).level() != SpaceLevel.AMPLE;
        }
        if (anyShort) {
            Set<String> over = overBudget(logs.get());
            spaces.forEach(space -> space.overBudget(over));
        }
    }

    /// Topics whose logs here have more bytes together than their budget.
    static Set<String> overBudget(Collection<PartitionLog> logs) {
        Map<String, Long> sizes = new HashMap<>();
        Set<String> over = new HashSet<>();
        for (PartitionLog log : logs) {
            long budget = log.config().storageBudgetBytes();
            if (budget >= 0 && !log.isInDoubt()) {
                String topic = log.topicPartition().topic();
                if (sizes.merge(topic, log.view().sizeInBytes(), Long::sum) > budget) {
                    over.add(topic);
                }
            }
        }
        return over;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
