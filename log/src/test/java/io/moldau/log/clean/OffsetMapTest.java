package io.moldau.log.clean;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OffsetMapTest {

    private static ByteBuffer key(int number) {
        return ByteBuffer.allocate(9)
                .put((byte) 7)
                .putInt(number)
                .putInt(-number)
                .flip();
    }

    @Seeds(count = 20)
    void remembersTheNewestOffsetOfEachKey(long seed) {
        var random = new Random(seed);
        var map = new OffsetMap(1 << 20, 0.9);
        var twin = new HashMap<Integer, Long>();
        int keys = 1 + random.nextInt(20_000);
        for (long offset = 0; offset < 40_000; offset += 1 + random.nextInt(3)) {
            int number = random.nextInt(keys);
            assertThat(map.put(key(number), offset)).isTrue();
            twin.put(number, offset);
        }
        assertThat(map.size()).isEqualTo(twin.size());
        for (int number = 0; number < keys + 100; number++) {
            assertThat(map.get(key(number))).isEqualTo(twin.getOrDefault(number, -1L));
        }
    }

    @Test
    void takesNoNewKeyWhenItIsFullAndStillNotesTheOnesItHas() {
        var map = new OffsetMap(100 * OffsetMap.BYTES_PER_SLOT, 0.5);
        for (int i = 0; i < 50; i++) {
            assertThat(map.put(key(i), i)).isTrue();
        }
        assertThat(map.put(key(50), 50)).isFalse();
        assertThat(map.get(key(50))).isEqualTo(-1);
        assertThat(map.put(key(7), 51)).isTrue();
        assertThat(map.get(key(7))).isEqualTo(51);
        assertThat(map.utilization()).isEqualTo(0.5);
    }

    @Test
    void takesAtLeastOneKeyHoweverLittleMemoryThereIs() {
        var map = new OffsetMap(0, 0);
        assertThat(map.put(key(1), 0)).isTrue();
        assertThat(map.put(key(2), 1)).isFalse();
        assertThat(map.get(key(1))).isZero();
    }
}
