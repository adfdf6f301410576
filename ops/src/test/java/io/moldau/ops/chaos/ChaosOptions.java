package io.moldau.ops.chaos;

import io.moldau.ops.chaos.cluster.Subject;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.stream.Stream;

/// What a run is told by system properties.
final class ChaosOptions {

    /// For MethodSource.
    static final String SUBJECTS = "io.moldau.ops.chaos.ChaosOptions#subjects";

    static final boolean LONG = Boolean.getBoolean("moldau.long");

    private ChaosOptions() {}

    static Stream<Subject> subjects() {
        var name = System.getProperty("moldau.chaos.subject", "moldau").toUpperCase(Locale.ROOT);
        return name.equals("BOTH") ? Stream.of(Subject.values()) : Stream.of(Subject.valueOf(name));
    }

    /// Drawn when none is given; the report has it.
    static long seed() {
        var given = System.getProperty("moldau.seed", "");
        return given.isEmpty() ? new SecureRandom().nextInt(Integer.MAX_VALUE) : Long.parseLong(given);
    }

    static int rounds(int usual) {
        return Integer.getInteger("moldau.chaos.rounds", usual);
    }

    static int partitions(int usual) {
        return Integer.getInteger("moldau.chaos.partitions", usual);
    }
}
