package io.moldau.log.dir;

import io.moldau.common.TopicPartition;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One of a log directory's files with an offset for each partition, as text: a version, a count, then a line of
/// topic, partition and offset each. Kept for Kafka, which reads them when it opens the directory; Moldau only
/// reads those that Kafka wrote.
final class OffsetCheckpoint {

    static final String RECOVERY_POINT = "recovery-point-offset-checkpoint";
    static final String LOG_START = "log-start-offset-checkpoint";
    static final String HIGH_WATERMARK = "replication-offset-checkpoint";

    private static final Logger LOG = LoggerFactory.getLogger(OffsetCheckpoint.class);

    private OffsetCheckpoint() {}

    static void write(LogStorage storage, Path file, Map<TopicPartition, Long> offsets) throws IOException {
        var text = new StringBuilder("0\n").append(offsets.size()).append('\n');
        offsets.forEach((partition, offset) -> text.append(partition.topic())
                .append(' ')
                .append(partition.partition())
                .append(' ')
                .append(offset)
                .append('\n'));
        storage.replace(file, text.toString().getBytes(StandardCharsets.UTF_8), true);
    }

    /// What a file says; nothing if it is missing or damaged.
    static Map<TopicPartition, Long> read(LogStorage storage, Path file) throws IOException {
        if (!storage.exists(file)) {
            return Map.of();
        }
        var lines = new String(storage.readAll(file), StandardCharsets.UTF_8)
                .lines()
                .toList();
        try {
            if (lines.size() < 2
                    || Integer.parseInt(lines.get(0)) != 0
                    || Integer.parseInt(lines.get(1)) != lines.size() - 2) {
                throw new NumberFormatException("wrong version or count");
            }
            var offsets = new HashMap<TopicPartition, Long>();
            for (var line : lines.subList(2, lines.size())) {
                var words = line.split(" ", -1);
                if (words.length != 3) {
                    throw new NumberFormatException("a line has " + words.length + " words");
                }
                offsets.put(new TopicPartition(words[0], Integer.parseInt(words[1])), Long.parseLong(words[2]));
            }
            return offsets;
        } catch (NumberFormatException e) {
            LOG.warn("Ignoring damaged checkpoint file={} reason={}", file, e.getMessage());
            return Map.of();
        }
    }
}
