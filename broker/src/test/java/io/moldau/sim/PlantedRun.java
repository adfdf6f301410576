package io.moldau.sim;

import java.nio.file.Path;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Runs seeds inside a [PlantedClassLoader]: says what went wrong, null if nothing.
public final class PlantedRun implements LongFunction<@Nullable String> {

    private final Path scratch;

    public PlantedRun(Path scratch) {
        this.scratch = scratch;
    }

    @Override
    public @Nullable String apply(long seed) {
        try {
            new SimulatedCluster(seed, scratch, null).run();
            return null;
        } catch (SimulationFailure failure) {
            return String.valueOf(failure.getMessage());
        }
    }
}
