package io.moldau.ops.chaos.load;

import io.moldau.ops.clients.ClientTools;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/// librdkafka in a process of its own, idempotent and acks=all. It prints what it was told; one thread here reads that.
public final class LibrdkafkaLoad implements Load {

    private final LoadPlan plan;
    private final History history;
    private final ScriptProcess process;

    /// Empty where the library is not installed; in CI that is a failure.
    public static Optional<Load> start(LoadPlan plan, History history) {
        try {
            return Optional.of(new LibrdkafkaLoad(ClientTools.python("confluent_kafka"), plan, history));
        } catch (TestAbortedException e) {
            System.out.println("chaos: without librdkafka, " + e.getMessage());
            return Optional.empty();
        }
    }

    private LibrdkafkaLoad(String python, LoadPlan plan, History history) {
        this.plan = plan;
        this.history = history;
        process = new ScriptProcess(
                python,
                "chaos_load.py",
                List.of(
                        plan.bootstrap(),
                        plan.topic(),
                        Integer.toString(plan.partitions()),
                        Integer.toString(plan.producer()),
                        Integer.toString(plan.perSecond()),
                        Integer.toString(plan.valueSize())),
                this::take,
                why -> history.failure("producer " + plan.producer() + " (librdkafka): " + why));
    }

    /// `a PARTITION SEQUENCE OFFSET SENT ACKNOWLEDGED`, times in nanoseconds of the monotonic clock, which is Java's;
    /// `s PARTITION SEQUENCE` and `f PARTITION SEQUENCE WHY`.
    private void take(String line) {
        var words = line.split(" ", 6);
        switch (words[0]) {
            case "s" -> history.sent(plan.producer(), Integer.parseInt(words[1]), Long.parseLong(words[2]));
            case "a" ->
                history.acknowledged(
                        plan.producer(),
                        Integer.parseInt(words[1]),
                        Long.parseLong(words[2]),
                        Long.parseLong(words[3]),
                        Long.parseLong(words[4]),
                        Long.parseLong(words[5]));
            case "f" ->
                history.failed(
                        plan.producer(),
                        Integer.parseInt(words[1]),
                        Long.parseLong(words[2]),
                        line.substring(line.indexOf(words[2]) + words[2].length()));
            case "fatal" -> history.failure("librdkafka: " + line);
            default -> System.out.println("chaos: librdkafka says " + line);
        }
    }

    @Override
    public void finish() throws InterruptedException, IOException {
        if (!process.finish()) {
            history.failure("producer " + plan.producer() + " (librdkafka) did not finish");
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
