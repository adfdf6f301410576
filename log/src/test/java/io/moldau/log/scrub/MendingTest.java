package io.moldau.log.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.log.LogFixture;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.Random;

class MendingTest {

    private static final long WEEK_MS = 604_800_000L;

    private final CleaningPace pace = CleaningPace.UNBOUNDED;

    /// Another replica, with all that was written.
    private static SoundRecords replica(DamagedLog damaged) {
        return (log, offset, upTo) -> {
            var batch = damaged.written.get(offset);
            return batch == null
                    ? null
                    : ByteBuffer.allocate(batch.remaining())
                            .put(batch.duplicate())
                            .flip();
        };
    }

    @Seeds(count = 150)
    void whatAScrubFindsIsMendedFromAnotherReplica(long seed) {
        var random = new Random(seed);
        var damaged = DamagedLog.contiguous(random);
        damaged.restart().open();
        int flips = random.nextInt(3) + 1;
        for (int i = 0; i < flips; i++) {
            damaged.flip();
        }
        var scrubber = damaged.fixture.dirs().scrubber();
        assertThat(scrubber.scrubNext(pace, WEEK_MS)).isTrue();
        assertThat(scrubber.scrubNext(pace, WEEK_MS)).isFalse();
        assertThat(damaged.log().damages()).isNotEmpty();
        while (scrubber.mendNext(replica(damaged), pace)) {}
        assertThat(damaged.log().damages()).isEmpty();
        assertThat(damaged.refused()).isEmpty();

        // Also for the next start, and whoever reads all of it again.
        damaged.restart();
        assertThat(damaged.refused()).isEmpty();
        damaged.time.advanceMillis(WEEK_MS);
        assertThat(damaged.fixture.dirs().scrubber().scrubNext(pace, WEEK_MS)).isTrue();
        assertThat(damaged.log().damages()).isEmpty();
        assertThat(LogFixture.batches(damaged.log())).hasSize(damaged.written.size());
    }

    @Seeds(count = 60)
    void aCrashWhileASegmentIsReplacedLeavesOneOfTheTwo(long seed) {
        var random = new Random(seed);
        var damaged = DamagedLog.contiguous(random);
        damaged.restart().open();
        damaged.flip();
        damaged.fixture.dirs().scrubber().scrubNext(pace, WEEK_MS);
        if (damaged.log().damages().getFirst().segment() == damaged.log().view().activeSegmentBaseOffset()) {
            // A torn end is another story: the next start cuts it.
            return;
        }
        var file = SegmentFiles.path(
                damaged.log().directory(), damaged.log().damages().getFirst().segment(), SegmentFiles.LOG);
        damaged.log().flush();
        damaged.storage.crashAt(random.nextInt(25) + 1);
        damaged.fixture.dirs().scrubber().mendNext(replica(damaged), pace);
        if (random.nextBoolean()) {
            damaged.storage.killProcess();
        } else {
            damaged.storage.cutPower(io.moldau.log.storage.SimulatedStorage.Unforced.RANDOM);
        }
        damaged.fixture.reopen();
        try {
            damaged.log().open();
        } catch (ApiException refusal) {
            // The old one is there, and what was flipped leads to another end than the next one's beginning.
            assertThat(refusal.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
            assertThat(refusal.getMessage()).contains(file.toString());
            return;
        }
        damaged.log().setHighWatermark(damaged.log().logEndOffset());
        assertThat(damaged.refused()).hasSizeLessThan(5);
        while (damaged.fixture.dirs().scrubber().mendNext(replica(damaged), pace)) {}
        assertThat(damaged.refused()).isEmpty();
    }

    @Seeds(count = 40)
    void withoutAnotherReplicaTheRestIsServed(long seed) {
        var damaged = DamagedLog.contiguous(new Random(seed));
        damaged.restart().open();
        damaged.flip();
        var scrubber = damaged.fixture.dirs().scrubber();
        scrubber.scrubNext(pace, WEEK_MS);
        assertThat(scrubber.mendNext(SoundRecords.NONE, pace)).isTrue();
        assertThat(damaged.log().damages()).allMatch(Damage::hopeless);
        assertThat(damaged.refused()).hasSizeBetween(1, 4);
        // Not at once again, but later.
        assertThat(scrubber.mendNext(replica(damaged), pace)).isFalse();
        damaged.time.advanceMillis(60_000);
        assertThat(scrubber.mendNext(replica(damaged), pace)).isTrue();
        assertThat(damaged.refused()).isEmpty();
    }
}
