package io.moldau.ops.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;

/// Counts the lines it has read. Connect's thread.
public final class LineSourceTask extends SourceTask {

    private static final int MOST = 7;
    private static final String LINE = "line";

    private Path file = Path.of("");
    private String topic = "";
    private long next;
    private final CountDownLatch stopped = new CountDownLatch(1);

    @Override
    public void start(Map<String, String> properties) {
        file = Path.of(Objects.requireNonNull(properties.get("file")));
        topic = Objects.requireNonNull(properties.get("topic"));
        var read = context.offsetStorageReader().offset(partition());
        next = read == null ? 0 : ((Number) Objects.requireNonNull(read.get(LINE))).longValue();
    }

    private Map<String, String> partition() {
        return Map.of("file", file.toString());
    }

    @Override
    public @Nullable List<SourceRecord> poll() throws InterruptedException {
        var records = new ArrayList<SourceRecord>();
        try (var lines = Files.lines(file)) {
            lines.skip(next)
                    .limit(MOST)
                    .forEach(line -> records.add(
                            new SourceRecord(partition(), Map.of(LINE, ++next), topic, 0, Schema.STRING_SCHEMA, line)));
        } catch (IOException e) {
            throw new RetriableException(e);
        }
        if (records.isEmpty()) {
            // Nothing yet. The file tells nobody when it grows.
            var _ = stopped.await(100, TimeUnit.MILLISECONDS);
            return null;
        }
        return records;
    }

    @Override
    public void stop() {
        stopped.countDown();
    }

    @Override
    public String version() {
        return "1";
    }
}
