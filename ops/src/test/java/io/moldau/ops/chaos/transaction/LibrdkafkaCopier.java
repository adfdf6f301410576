package io.moldau.ops.chaos.transaction;

import io.moldau.ops.chaos.load.ScriptProcess;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/// librdkafka in a process of its own.
final class LibrdkafkaCopier implements Copier {

    private final CopyPlan plan;
    private final CopyCounts counts;
    private final ScriptProcess process;

    LibrdkafkaCopier(String python, CopyPlan plan, CopyCounts counts) {
        this.plan = plan;
        this.counts = counts;
        process = new ScriptProcess(
                python,
                "transactional_copy.py",
                List.of(
                        plan.bootstrap(),
                        plan.from(),
                        plan.to(),
                        plan.transactionalId(),
                        plan.group(),
                        plan.partitions().stream().map(it -> it.toString()).collect(Collectors.joining(",")),
                        Long.toString(plan.seed()),
                        Integer.toString(CopyPlan.TIMEOUT_MS),
                        Integer.toString(CopyPlan.MOST_RECORDS),
                        Integer.toString(CopyPlan.ABORTED_PERCENT),
                        Integer.toString(CopyPlan.ASLEEP_PERCENT),
                        Integer.toString(CopyPlan.ASLEEP_MOST_MS),
                        Integer.toString(CopyPlan.FENCED_MOST_MS)),
                this::take,
                why -> counts.failed("librdkafka: " + why));
    }

    /// `c BEGAN NOW RECORDS`, times in nanoseconds of the monotonic clock, which is Java's; `a`,
    /// `f` and `e WHY`. Lines that begin with `%` are the library's own.
    private void take(String line) {
        var words = line.split(" ", 2);
        switch (words[0]) {
            case "c" -> {
                var numbers = words[1].split(" ", 3);
                counts.committed(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Integer.parseInt(numbers[2]));
            }
            case "a" -> counts.aborted();
            case "f" -> counts.fenced();
            case "e" -> counts.failed("librdkafka: " + words[1]);
            default -> {
                // It tells of fatal errors itself; the script does that too.
                if (!line.startsWith("%")) {
                    counts.failed("librdkafka: " + line);
                }
            }
        }
    }

    @Override
    public void finish() throws InterruptedException, IOException {
        if (!process.finish()) {
            throw new AssertionError("the librdkafka copier of " + plan.transactionalId() + " did not come back");
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
