package io.moldau.ops.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/// Writes `OFFSET LINE`, and goes on behind the last offset that is in the file, whatever the group has committed.
public final class LineSinkTask extends SinkTask {

    private Path file = Path.of("");

    @Override
    public void start(Map<String, String> properties) {
        file = Path.of(Objects.requireNonNull(properties.get("file")));
    }

    @Override
    public void open(Collection<TopicPartition> partitions) {
        try {
            long next = 0;
            for (var line : Files.readAllLines(file)) {
                next = Long.parseLong(line.split(" ", 2)[0]) + 1;
            }
            for (var partition : partitions) {
                context.offset(partition, next);
            }
        } catch (IOException e) {
            throw new ConnectException(e);
        }
    }

    @Override
    public void put(Collection<SinkRecord> records) {
        var lines = new ArrayList<String>();
        records.forEach(it -> lines.add(it.kafkaOffset() + " " + it.value()));
        try {
            Files.write(file, lines, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new ConnectException(e);
        }
    }

    @Override
    public void stop() {}

    @Override
    public String version() {
        return "1";
    }
}
