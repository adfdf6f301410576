package io.moldau.ops.chaos.load;

import io.moldau.ops.clients.ClientTools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/// librdkafka in a process of its own, idempotent and acks=all. It prints what it was told; one thread here reads that.
public final class LibrdkafkaLoad implements Load {

    private static final long FINISH_SECONDS = 180;

    private final LoadPlan plan;
    private final History history;
    private final Process process;
    private final Thread reader;

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
        var builder = new ProcessBuilder(List.of(
                        python,
                        ClientTools.script("py/chaos_load.py").toString(),
                        plan.bootstrap(),
                        plan.topic(),
                        Integer.toString(plan.partitions()),
                        Integer.toString(plan.producer()),
                        Integer.toString(plan.perSecond()),
                        Integer.toString(plan.valueSize())))
                .redirectErrorStream(true);
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = Thread.ofPlatform()
                .daemon()
                .name("librdkafka-" + plan.producer())
                .start(this::read);
    }

    private void read() {
        boolean ended = false;
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                ended |= line.equals("end");
                take(line);
            }
        } catch (IOException e) {
            history.failure("producer " + plan.producer() + ": " + e);
        }
        if (!ended && !closed) {
            history.failure("producer " + plan.producer() + " (librdkafka) ended early");
        }
    }

    private volatile boolean closed;

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
            case "end" -> {}
            case "fatal" -> history.failure("librdkafka: " + line);
            default -> System.out.println("chaos: librdkafka says " + line);
        }
    }

    @Override
    public void finish() throws InterruptedException, IOException {
        process.getOutputStream().close();
        if (!process.waitFor(FINISH_SECONDS, TimeUnit.SECONDS)) {
            history.failure("producer " + plan.producer() + " (librdkafka) did not finish");
            process.destroyForcibly().waitFor();
        }
        reader.join(TimeUnit.SECONDS.toMillis(10));
    }

    @Override
    public void close() {
        closed = true;
        process.destroyForcibly();
    }
}
