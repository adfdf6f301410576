package io.moldau.log.clean;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.clean.SegmentGroups.Group;
import io.moldau.log.clean.SegmentGroups.Segment;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentGroupsTest {

    @Test
    void takesAsManySmallNeighboursAsFitIntoOneSegment() {
        var segments = List.of(
                new Segment(0, 10, 40, 8),
                new Segment(10, 20, 60, 8),
                new Segment(20, 30, 1, 8),
                new Segment(30, 40, 500, 8),
                new Segment(40, 50, 1, 8));
        assertThat(new SegmentGroups(100, 1_000).of(segments))
                .containsExactly(new Group(0, 2), new Group(2, 3), new Group(3, 4), new Group(4, 5));
        assertThat(new SegmentGroups(10_000, 16).of(segments))
                .containsExactly(new Group(0, 2), new Group(2, 4), new Group(4, 5));
    }

    @Test
    void offsetsStayWithinReachOfTheFirst() {
        long far = Integer.MAX_VALUE;
        var segments =
                List.of(new Segment(5, 10, 1, 0), new Segment(10, 5 + far, 1, 0), new Segment(5 + far, 6 + far, 1, 0));
        assertThat(new SegmentGroups(100, 100).of(segments)).containsExactly(new Group(0, 2), new Group(2, 3));
    }
}
