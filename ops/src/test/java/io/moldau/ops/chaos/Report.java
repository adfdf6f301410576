package io.moldau.ops.chaos;

import io.moldau.ops.chaos.check.Findings;
import io.moldau.ops.chaos.cluster.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/// The line that every run prints, and its verdict.
///
/// @param failed calls that a client's user saw fail, after the client's own retries
public record Report(
        Subject subject,
        RunSettings settings,
        List<Round> rounds,
        Findings findings,
        long failed,
        List<String> failures) {

    public boolean clean() {
        return findings.clean() && failed == 0;
    }

    @Override
    public String toString() {
        return "CHAOS %s %s: seed %d, partitions %d, rounds %d, %s, failed calls %d; longest gap in acknowledgements: %s"
                .formatted(
                        settings.scenario(),
                        subject,
                        settings.seed(),
                        settings.partitions(),
                        rounds.size(),
                        findings,
                        failed,
                        figures());
    }

    /// Of one partition, by kind of client; of the whole cluster; and while the node came back.
    private String figures() {
        var parts = new ArrayList<String>();
        parts.add(figure("all clients", it -> it.fault().partition().seconds()));
        parts.add(figure("Java", it -> it.fault().of(settings.javaNumbers()).seconds()));
        if (settings.librdkafkaProducers() > 0) {
            parts.add(figure(
                    "librdkafka",
                    it -> it.fault().of(settings.librdkafkaNumbers()).seconds()));
        }
        parts.add(figure("whole cluster", it -> it.fault().cluster().seconds()));
        parts.add(figure("coming back", it -> it.after().partition().seconds()));
        return String.join(", ", parts);
    }

    private String figure(String of, ToDoubleFunction<Round> figure) {
        return String.format(Locale.ROOT, "%s median %.2f s, worst %.2f s", of, median(figure), worst(figure));
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
