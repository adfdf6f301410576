package io.moldau.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/// Whole clusters in trouble. `-Dmoldau.seeds=20000` runs so many instead of the few of a build; `-Dmoldau.seed=N`
/// replays one, with `-Dmoldau.trace=true` event by event.
class SimulationTest {

    @TempDir
    Path scratch;

    private SimulatedCluster cluster(long seed) {
        return new SimulatedCluster(seed, scratch, Boolean.getBoolean("moldau.trace") ? System.out::println : null);
    }

    @Seeds(count = 60)
    void everySeedHolds(long seed) {
        cluster(seed).run();
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
