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
    private static final Map<PlantedBug, Long> QUICK = Map.ofEntries(
            Map.entry(PlantedBug.FORGET_PARTITION_EPOCH, 163L),
            Map.entry(PlantedBug.SKIP_BROKER_EPOCH, 265L),
            Map.entry(PlantedBug.IGNORE_LEADER_EPOCH, 10L),
            Map.entry(PlantedBug.ACK_WITH_STALE_ISR, 16L),
            Map.entry(PlantedBug.NO_FSYNC, 14L),
            Map.entry(PlantedBug.DEDUPE_WINDOW_OF_ONE, 7L),
            Map.entry(PlantedBug.GENERATION_REUSED, 7L),
            Map.entry(PlantedBug.COMMIT_OF_OLD_GENERATION, 7L),
            Map.entry(PlantedBug.LATE_END_TXN, 18L),
            Map.entry(PlantedBug.MARKER_LOST_ON_MOVE, 15L),
            Map.entry(PlantedBug.LAST_STABLE_OFFSET_OFF_BY_ONE, 1L),
            Map.entry(PlantedBug.FENCING_SKIPPED, 2L),
            Map.entry(PlantedBug.COMPACTION_TAKES_NEWEST, 11L),
            Map.entry(PlantedBug.MARKER_LOST_BY_COMPACTION, 25L));

    @TempDir
    Path scratch;

    @ParameterizedTest
    @EnumSource(PlantedBug.class)
    void isFound(PlantedBug bug) throws Exception {
        var loader = new PlantedClassLoader(bug);
        LongFunction<@Nullable String> run = run(loader);
        String found = run.apply(QUICK.getOrDefault(bug, 0L));
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
