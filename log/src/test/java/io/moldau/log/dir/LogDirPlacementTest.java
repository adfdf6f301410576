package io.moldau.log.dir;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.dir.LogDirPlacement.Candidate;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogDirPlacementTest {

    private static final Path A = Path.of("/a");
    private static final Path B = Path.of("/b");
    private static final Path C = Path.of("/c");

    @Test
    void theDirectoryWithTheFewestReplicas() {
        var candidates =
                List.of(new Candidate(A, 3, 0, false), new Candidate(B, 1, 0, false), new Candidate(C, 1, 0, false));
        assertThat(LogDirPlacement.choose(candidates, false)).contains(B);
        assertThat(LogDirPlacement.choose(List.of(), false)).isEmpty();
    }

    @Test
    void byFreeBytesALargerVolumeGetsMoreButNotAll() {
        int onLarge = 0;
        for (int i = 0; i < 100; i++) {
            var candidates =
                    List.of(new Candidate(A, i - onLarge, 1_000, false), new Candidate(B, onLarge, 4_000, false));
            if (LogDirPlacement.choose(candidates, true).orElseThrow().equals(B)) {
                onLarge++;
            }
        }
        assertThat(onLarge).isBetween(79, 81);
    }

    @Test
    void aCordonedDirectoryOnlyIfThereIsNoOther() {
        var one = new Candidate(A, 0, 9, true);
        assertThat(LogDirPlacement.choose(List.of(one, new Candidate(B, 7, 1, false)), false))
                .contains(B);
        assertThat(LogDirPlacement.choose(List.of(one, new Candidate(B, 7, 1, false)), true))
                .contains(B);
        assertThat(LogDirPlacement.choose(List.of(one, new Candidate(B, 7, 1, true)), false))
                .contains(A);
    }
}
