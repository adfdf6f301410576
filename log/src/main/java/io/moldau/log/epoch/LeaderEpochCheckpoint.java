package io.moldau.log.epoch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Optional;

/// The text of a partition's `leader-epoch-checkpoint` file:
///
/// ```
/// 0                  version
/// 2                  number of lines that follow
/// 3 0                epoch, offset where it began
/// 5 170
/// ```
public final class LeaderEpochCheckpoint {

    public static final String FILE_NAME = "leader-epoch-checkpoint";

    private LeaderEpochCheckpoint() {}

    public static byte[] format(LeaderEpochHistory history) {
        var entries = history.entries();
        var text = new StringBuilder("0\n").append(entries.size()).append('\n');
        for (var entry : entries) {
            text.append(entry.epoch()).append(' ').append(entry.startOffset()).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /// The history in a file's content, or nothing if the content is damaged.
    public static Optional<LeaderEpochHistory> parse(byte[] content) {
        var lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        try {
            if (lines.size() < 2
                    || Integer.parseInt(lines.get(0).strip()) != 0
                    || Integer.parseInt(lines.get(1).strip()) != lines.size() - 2) {
                return Optional.empty();
            }
            var entries = new ArrayList<LeaderEpochHistory.Entry>(lines.size() - 2);
            int previousEpoch = -1;
            long previousStart = -1;
            for (var line : lines.subList(2, lines.size())) {
                var space = line.indexOf(' ');
                if (space < 0) {
                    return Optional.empty();
                }
                int epoch = Integer.parseInt(line.substring(0, space));
                long start = Long.parseLong(line.substring(space + 1).strip());
                if (epoch <= previousEpoch || start <= previousStart) {
                    return Optional.empty();
                }
                entries.add(new LeaderEpochHistory.Entry(epoch, start));
                previousEpoch = epoch;
                previousStart = start;
            }
            return Optional.of(LeaderEpochHistory.of(entries));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
