package io.moldau.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SparseIndexTest {

    private static final Path FILE = Path.of("/data/index");

    private final SimulatedStorage storage = new SimulatedStorage(new MockTime(), new Random(1));

    /// Beside a sorted map, while entries move to the file and out of memory.
    @Seeds(count = 40)
    void agreesWithASortedMap(long seed) throws IOException {
        var random = new Random(seed);
        storage.createDirectories(Path.of("/data"));
        boolean times = random.nextBoolean();
        var tested = times ? SparseIndex.ofTimes(storage, FILE) : SparseIndex.ofOffsets(storage, FILE);
        var naive = new TreeMap<Long, Integer>();
        long key = times ? 1_700_000_000_000L : 0;
        int value = 0;
        for (int step = 0; step < 3000; step++) {
            switch (random.nextInt(60)) {
                case 0 -> tested.write();
                case 1 -> {
                    tested.write();
                    tested.releaseMemory();
                }
                case 2 -> {
                    tested.write();
                    tested.close();
                    tested = times ? SparseIndex.ofTimes(storage, FILE) : SparseIndex.ofOffsets(storage, FILE);
                    assertThat(tested.load(Integer.MAX_VALUE)).isTrue();
                }
                case 3 -> {
                    int bound = value - random.nextInt(200);
                    tested.truncateToValuesBelow(bound);
                    naive.values().removeIf(v -> v >= bound);
                    value = naive.isEmpty() ? 0 : naive.lastEntry().getValue();
                    key = naive.isEmpty() ? key : naive.lastKey();
                }
                default -> {
                    key += 1 + random.nextInt(5);
                    value += 1 + random.nextInt(5);
                    tested.append(key, value);
                    naive.put(key, value);
                }
            }
            assertThat(tested.count()).isEqualTo(naive.size());
            assertThat(tested.lastKey()).isEqualTo(naive.isEmpty() ? -1 : naive.lastKey());
            long asked = key - random.nextInt(3000);
            var floor = naive.floorEntry(asked);
            assertThat(tested.floor(asked, -7)).isEqualTo(floor == null ? -7 : floor.getValue());
        }
    }

    @Test
    void refusesFilesThatCannotBeRight() throws IOException {
        storage.createDirectories(Path.of("/data"));
        var index = SparseIndex.ofOffsets(storage, FILE);
        assertThat(index.load(100)).isFalse();
        storage.overwrite(FILE, new byte[0]);
        assertThat(index.load(100)).isTrue();
        storage.overwrite(FILE, new byte[9]);
        assertThat(index.load(100)).isFalse();
        storage.overwrite(FILE, new byte[16]);
        assertThat(index.load(100)).isFalse();
        storage.overwrite(FILE, new byte[] {0, 0, 0, 1, 0, 0, 0, 101});
        assertThat(index.load(100)).isFalse();
        assertThat(index.load(101)).isTrue();
        assertThat(index.floor(5, 0)).isEqualTo(101);
    }
}
