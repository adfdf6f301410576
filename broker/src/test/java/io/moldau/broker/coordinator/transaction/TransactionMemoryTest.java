package io.moldau.broker.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.runtime.Timeline;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What an idle transactional id costs.
class TransactionMemoryTest {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionMemoryTest.class);

    private static final int IDS = 100_000;

    @Test
    void anIdleIdIsSmall() {
        var shard = new TransactionShard(
                0,
                TransactionCoordinatorConfig.DEFAULTS,
                () -> 2,
                new TransactionShard.Outlets(markers -> {}, wanted -> {}, term -> {}),
                TransactionMetrics.NONE);
        var decoder = new TransactionRecordDecoder();
        shard.timeline().writeAt(Timeline.COMMITTED);
        long before = usedBytes();
        for (int i = 0; i < IDS; i++) {
            var state = TransactionHarness.stateOf(TransactionStatus.COMPLETE_COMMIT, 5, 2);
            var record = TransactionRecords.state("application-of-somebody-" + i, state, 2);
            shard.replay(
                    -1L,
                    (short) -1,
                    Objects.requireNonNull(decoder.decode(
                            ByteBuffer.wrap(record.encodedKey()),
                            ByteBuffer.wrap(Objects.requireNonNull(record.encodedValue())))));
        }
        long each = (usedBytes() - before) / IDS;
        assertThat(shard.census().ids()).isEqualTo(IDS);
        LOG.warn("an idle transactional id of 30 characters takes {} bytes", each);
        assertThat(each).isBetween(100L, 400L);
    }

    private static long usedBytes() {
        var runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
