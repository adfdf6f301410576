package io.moldau.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The simulation is worth something only if it finds what it is there to find: each planted bug, within 2,000 seeds.
class PlantedBugsTest {

    private static final int MOST_SEEDS = 2_000;

    /// Seeds that found a bug lately are tried first.
    private static final Map<PlantedBug, Long> QUICK = Map.of(
            PlantedBug.FORGET_PARTITION_EPOCH, 69L,
            PlantedBug.SKIP_BROKER_EPOCH, 265L,
            PlantedBug.IGNORE_LEADER_EPOCH, 10L,
            PlantedBug.ACK_WITH_STALE_ISR, 15L,
            PlantedBug.NO_FSYNC, 13L,
            PlantedBug.DEDUPE_WINDOW_OF_ONE, 9L);

    @TempDir
    Path scratch;

    @ParameterizedTest
    @EnumSource(PlantedBug.class)
    void isFound(PlantedBug bug) throws Exception {
        var loader = new PlantedClassLoader(bug);
        LongFunction<@Nullable String> run = run(loader);
        String found = Boolean.getBoolean("moldau.search") ? null : run.apply(QUICK.getOrDefault(bug, 0L));
        long seed = Long.getLong("moldau.seed", 0);
        for (int tried = 0; found == null && tried < MOST_SEEDS; tried++) {
            found = run.apply(seed++);
        }
        assertThat(loader.notPlanted()).as("calls that were to be replaced").isEmpty();
        assertThat(found).as("%s was not found with %d seeds", bug, MOST_SEEDS).isNotNull();
        System.out.println(bug + " found by " + found.lines().findFirst().orElseThrow());
    }

    @SuppressWarnings("unchecked")
    private LongFunction<@Nullable String> run(PlantedClassLoader loader) throws ReflectiveOperationException {
        return (LongFunction<@Nullable String>) loader.loadClass("io.moldau.sim.PlantedRun")
                .getConstructor(Path.class)
                .newInstance(scratch);
    }
}
