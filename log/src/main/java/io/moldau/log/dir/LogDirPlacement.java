package io.moldau.log.dir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Which log directory a new replica gets. Pure.
final class LogDirPlacement {

    /// A directory that works.
    ///
    /// @param replicas that are in it, or are on their way there
    /// @param usableBytes of its volume; 0 where nobody asked
    /// @param cordoned whether it is to get no more (KIP-1066)
    record Candidate(Path path, long replicas, long usableBytes, boolean cordoned) {}

    private LogDirPlacement() {}

    /// The directory with the fewest replicas, or with the most free bytes for each: where many
    /// replicas are made at once none has grown yet, so bytes alone would put all into one. Of
    /// equals the first. A cordoned directory only if there is no other: the controller has given
    /// this node the replica before it heard, and it has to be somewhere.
    static Optional<Path> choose(List<Candidate> candidates, boolean byFreeBytes) {
        boolean allCordoned = candidates.stream().allMatch(Candidate::cordoned);
        Candidate best = null;
        for (var candidate : candidates) {
            if ((allCordoned || !candidate.cordoned()) && (best == null || isBetter(candidate, best, byFreeBytes))) {
                best = candidate;
            }
        }
        return Optional.ofNullable(best).map(Candidate::path);
    }

    private static boolean isBetter(Candidate one, Candidate other, boolean byFreeBytes) {
        return byFreeBytes ? bytesForEach(one) > bytesForEach(other) : one.replicas() < other.replicas();
    }

    private static double bytesForEach(Candidate candidate) {
        return (double) candidate.usableBytes() / (candidate.replicas() + 1);
    }
}
