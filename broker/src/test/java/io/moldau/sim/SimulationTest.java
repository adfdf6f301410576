package io.moldau.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whole clusters in trouble. `-Dmoldau.seeds=20000` runs so many instead of the few of a build;
/// `-Dmoldau.seed=N` replays one, with `-Dmoldau.trace=true` event by event.
class SimulationTest {

    private static final long SEEDS = 180;

    /// Each seed runs on one thread; so many of them at a time.
    private static final int THREADS = 2;

    @TempDir
    Path scratch;

    private SimulatedCluster cluster(long seed) {
        return new SimulatedCluster(seed, scratch, Boolean.getBoolean("moldau.trace") ? System.out::println : null);
    }

    @Test
    void everySeedHolds() throws Exception {
        Long one = Long.getLong("moldau.seed");
        if (one != null) {
            cluster(one).run();
            return;
        }
        var next = new AtomicLong();
        long end = Long.getLong("moldau.seeds", SEEDS);
        Map<Long, String> failed = new TreeMap<>();
        try (var threads = Executors.newFixedThreadPool(THREADS)) {
            List<Callable<Map<Long, String>>> runs = IntStream.range(0, THREADS)
                    .<Callable<Map<Long, String>>>mapToObj(thread -> () -> failures(next, end))
                    .toList();
            for (Future<Map<Long, String>> run : threads.invokeAll(runs)) {
                failed.putAll(run.get());
            }
        }
        assertThat(failed).isEmpty();
    }

    /// Runs seeds until none is left, and tells what went wrong with which.
    private Map<Long, String> failures(AtomicLong next, long end) {
        Map<Long, String> failed = new TreeMap<>();
        for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
            try {
                cluster(seed).run();
            } catch (SimulationFailure failure) {
                String message = String.valueOf(failure.getMessage());
                // The whole story of each thread's first one is enough.
                failed.put(
                        seed,
                        failed.isEmpty() ? message : message.lines().findFirst().orElse(message));
            }
        }
        return failed;
    }

    @Seeds(count = 3)
    void theSameSeedIsTheSameRun(long seed) {
        SimulatedCluster first = cluster(seed);
        first.run();
        SimulatedCluster second = cluster(seed);
        second.run();
        assertThat(second.hash()).isEqualTo(first.hash());
        assertThat(second.scheduler().steps()).isEqualTo(first.scheduler().steps());
    }
}
