package io.moldau.log.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.retention.RetentionPolicy.Verdict;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetentionPolicyTest {

    private static final long NOW = 1_000_000;
    private static final long AHEAD = 3_600;

    private record Segment(long endOffset, int sizeInBytes, long newestMs, long modifiedMs)
            implements RetentionPolicy.Segment {}

    private static Segment segment(int number, long newestMs) {
        return new Segment(10L * (number + 1), 100, newestMs, newestMs);
    }

    private static Verdict judge(RetentionPolicy policy, long logStart, long highWatermark, Segment... segments)
            throws IOException {
        return policy.judge(List.of(segments), logStart, highWatermark, NOW);
    }

    private static RetentionPolicy byAge(long retentionMs) {
        return new RetentionPolicy(retentionMs, -1, true, AHEAD);
    }

    @Test
    void whatIsOldGoesUpToTheFirstThatIsNot() throws IOException {
        assertThat(judge(
                        byAge(1_000),
                        0,
                        40,
                        segment(0, NOW - 1_001),
                        segment(1, NOW - 1_000),
                        segment(2, NOW - 5_000),
                        segment(3, NOW)))
                .isEqualTo(new Verdict(1, -1));
    }

    @Test
    void nothingAtOrBehindTheHighWatermarkGoes() throws IOException {
        assertThat(judge(byAge(1), 0, 19, segment(0, 1), segment(1, 1), segment(2, 1)))
                .isEqualTo(new Verdict(1, -1));
        assertThat(judge(byAge(1), 0, 30, segment(0, 1), segment(1, 1), segment(2, 1)))
                .isEqualTo(new Verdict(3, -1));
    }

    @Test
    void sizeLeavesAtLeastAsMuchAsIsWanted() throws IOException {
        var policy = new RetentionPolicy(-1, 250, true, AHEAD);
        assertThat(judge(policy, 0, 50, segment(0, 1), segment(1, 1), segment(2, 1), segment(3, 1), segment(4, 1)))
                .isEqualTo(new Verdict(2, -1));
        var compacted = new RetentionPolicy(1, 250, false, AHEAD);
        assertThat(judge(compacted, 0, 50, segment(0, 1), segment(1, 1), segment(2, 1), segment(3, 1)))
                .isEqualTo(new Verdict(0, -1));
    }

    @Test
    void whatLiesBelowTheLogStartGoesButNotTheActiveSegment() throws IOException {
        var compacted = new RetentionPolicy(-1, -1, false, AHEAD);
        assertThat(judge(compacted, 15, 30, segment(0, NOW), segment(1, NOW), segment(2, NOW)))
                .isEqualTo(new Verdict(1, -1));
        assertThat(judge(compacted, 30, 30, segment(0, NOW), segment(1, NOW), segment(2, NOW)))
                .isEqualTo(new Verdict(2, -1));
    }

    @Test
    void withoutTimestampsAFileIsAsOldAsItsLastChange() throws IOException {
        assertThat(judge(byAge(1_000), 0, 20, new Segment(10, 100, -1, NOW - 1_001), new Segment(20, 100, -1, NOW)))
                .isEqualTo(new Verdict(1, -1));
    }

    @Test
    void aTimeThatTheTopicWouldRefuseIsNotBelieved() throws IOException {
        var wrongClock = new Segment(10, 100, NOW + AHEAD + 1, NOW - 1_001);
        assertThat(judge(byAge(1_000), 0, 20, wrongClock, segment(1, NOW))).isEqualTo(new Verdict(1, -1));
        var justWritten = new Segment(10, 100, NOW + AHEAD + 1, NOW - 1_000);
        assertThat(judge(byAge(1_000), 0, 20, justWritten, segment(1, NOW))).isEqualTo(new Verdict(0, -1));
    }

    @Test
    void aTimeAheadThatTheTopicAllowsKeepsItsSegmentAndIsTold() throws IOException {
        var early = new Segment(20, 100, NOW + AHEAD, NOW - 1_001);
        assertThat(judge(byAge(1_000), 0, 30, segment(0, 1), early, segment(2, 1)))
                .isEqualTo(new Verdict(1, 1));
        var everything = new RetentionPolicy(1_000, -1, true, Long.MAX_VALUE);
        var far = new Segment(10, 100, Long.MAX_VALUE / 2, NOW - 1_001);
        assertThat(judge(everything, 0, 20, far, segment(1, NOW))).isEqualTo(new Verdict(0, 0));
        // Size does not ask for times.
        assertThat(judge(new RetentionPolicy(1_000, 100, true, Long.MAX_VALUE), 0, 20, far, segment(1, NOW)))
                .isEqualTo(new Verdict(1, -1));
    }
}
