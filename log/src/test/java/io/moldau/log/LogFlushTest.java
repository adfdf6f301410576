package io.moldau.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.log.LogFlush.Extent;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.storage.ScratchBuffers;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.MockTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogFlushTest {

    private static final Path LOG_DIR = Path.of("/data");
    private static final Path DIRECTORY = LOG_DIR.resolve("topic-0");

    private final MockTime time = new MockTime();
    private final SimulatedStorage storage = new SimulatedStorage(time, new Random(1));
    private final LogFlush flush = new LogFlush(
            new LogEnvironment(
                    storage,
                    time,
                    LogMetrics.NONE,
                    new Random(1),
                    new ScratchBuffers(4096),
                    new ScratchBuffers(4096),
                    Long.MAX_VALUE,
                    () -> 1000),
            0);
    private LogSegment[] segments = {};

    @BeforeEach
    void makeASegment() throws IOException {
        storage.createDirectories(DIRECTORY);
        segments = new LogSegment[] {LogSegment.create(storage, DIRECTORY, 0, 0)};
        segments[0].write(ByteBuffer.allocate(100));
        segments[0].publish(100);
    }

    private LogFlush.Plan plan(Extent extent, long end) throws IOException {
        var view = new LogView(0, end, 0, 1, Long.MAX_VALUE, 100, 0);
        return Objects.requireNonNull(flush.plan(extent, view, segments, Long.MAX_VALUE));
    }

    private void force(LogFlush.Plan plan) throws IOException {
        try {
            flush.force(plan, DIRECTORY, LOG_DIR);
        } finally {
            plan.release();
        }
    }

    /// The system tells one of two that the bytes are lost, and the other that all is well.
    @Test
    void afterAFailureNoForceIsBelieved() throws IOException {
        var first = plan(Extent.RECORDS, 5);
        var second = plan(Extent.ALL, 7);
        storage.failForces(1);
        assertThatThrownBy(() -> force(first)).isInstanceOf(IOException.class);
        storage.failForces(0);
        assertThatThrownBy(() -> force(second))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("earlier force failed");
        assertThat(flush.flushedUpTo()).isZero();
    }

    @Test
    void twoAtATimeEachDoWhatWasNotDoneWhenTheyWerePlanned() throws IOException {
        flush.namesChanged();
        var first = plan(Extent.RECORDS, 5);
        var second = plan(Extent.RECORDS, 7);
        assertThat(second.names()).isEqualTo(first.names());
        force(second);
        assertThat(flush.done(second)).isTrue();
        assertThat(flush.flushedUpTo()).isEqualTo(7);
        force(first);
        assertThat(flush.done(first)).isTrue();
        assertThat(flush.flushedUpTo()).isEqualTo(7);
        assertThat(plan(Extent.RECORDS, 9).names()).isNegative();
    }

    @Test
    void whatWasForcedBeforeACutIsNotWhatStandsThereAfterIt() throws IOException {
        var before = plan(Extent.RECORDS, 5);
        force(before);
        flush.cut(2);
        assertThat(flush.done(before)).isFalse();
        assertThat(flush.flushedUpTo()).isZero();
    }

    @Test
    void aFileWrittenAgainMeanwhileIsForcedAgain() throws IOException {
        var path = DIRECTORY.resolve("leader-epoch-checkpoint");
        storage.replace(path, new byte[] {1}, false);
        flush.written(path);
        var first = plan(Extent.RECORDS, 5);
        storage.replace(path, new byte[] {2}, false);
        flush.written(path);
        force(first);
        flush.done(first);
        assertThat(plan(Extent.RECORDS, 5).files()).containsOnlyKeys(path);
    }

    /// Retention renames a snapshot without waiting for a flush that was planned before.
    @Test
    void aFileThatIsGoneByThenIsNotMissed() throws IOException {
        var path = DIRECTORY.resolve("00000000000000000005.snapshot");
        storage.replace(path, new byte[] {1}, false);
        flush.written(path);
        var plan = plan(Extent.ALL, 5);
        flush.gone(path);
        storage.rename(path, path.resolveSibling(path.getFileName() + ".deleted"));
        force(plan);
        assertThat(flush.done(plan)).isTrue();
        assertThat(flush.flushedUpTo()).isEqualTo(5);
    }

    @Test
    void aFailureOfTheDirectoryALogHasLeftIsNoneOfTheOneItIsIn() throws IOException {
        var old = plan(Extent.RECORDS, 5);
        flush.moved();
        storage.failForces(1);
        assertThatThrownBy(() -> force(old)).isInstanceOf(IOException.class);
        storage.failForces(0);
        var now = plan(Extent.RECORDS, 5);
        force(now);
        assertThat(flush.done(now)).isTrue();
    }
}
