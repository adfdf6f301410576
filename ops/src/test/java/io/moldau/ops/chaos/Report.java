package io.moldau.ops.chaos;

import io.moldau.ops.chaos.check.Findings;
import io.moldau.ops.chaos.cluster.Subject;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/// The line that every run prints, and its verdict.
///
/// @param failed calls that a client's user saw fail, after the client's own retries
public record Report(
        Subject subject, RunSettings settings, List<Round> rounds, Findings findings, long failed, List<String> failures) {

    public boolean clean() {
        return findings.clean() && failed == 0;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "CHAOS %s %s: seed %d, partitions %d, rounds %d, %s, failed calls %d; longest gap in acknowledgements:"
                        + " median %.2f s, worst %.2f s; of the whole cluster: median %.2f s, worst %.2f s;"
                        + " while coming back: median %.2f s, worst %.2f s",
                settings.scenario(),
                subject,
                settings.seed(),
                settings.partitions(),
                rounds.size(),
                findings,
                failed,
                median(it -> it.fault().partition().seconds()),
                worst(it -> it.fault().partition().seconds()),
                median(it -> it.fault().cluster().seconds()),
                worst(it -> it.fault().cluster().seconds()),
                median(it -> it.after().partition().seconds()),
                worst(it -> it.after().partition().seconds()));
    }

    double median(ToDoubleFunction<Round> figure) {
        var sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    double worst(ToDoubleFunction<Round> figure) {
        return rounds.stream().mapToDouble(figure).max().orElse(0);
    }

    /// What is wrong, for the message of a failure.
    public String problems() {
        return String.join("\n", findings.examples()) + "\n" + String.join("\n", failures);
    }
}
