package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.TextTable;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Where a group stands in a partition and where it is to stand.
///
/// @param from null if it has committed nothing
/// @param end of the partition
record OffsetMove(TopicPartition partition, @Nullable Long from, long to, long end) {

    /// Moves to what is wanted, or to the nearest offset there is. Partitions whose ends are not known
    /// are left out.
    static List<OffsetMove> plan(
            Map<TopicPartition, Long> committed,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends,
            Map<TopicPartition, Long> wanted) {
        return wanted.keySet().stream()
                .filter(partition -> starts.containsKey(partition) && ends.containsKey(partition))
                .sorted(Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition))
                .map(partition -> {
                    long end = Objects.requireNonNull(ends.get(partition));
                    long start = Math.min(end, Objects.requireNonNull(starts.get(partition)));
                    long to = Math.clamp(Objects.requireNonNull(wanted.get(partition)), start, end);
                    return new OffsetMove(partition, committed.get(partition), to, end);
                })
                .toList();
    }

    static String table(List<OffsetMove> moves) {
        var table = new TextTable("TOPIC", "PARTITION", "FROM", "TO", "LAG AFTERWARDS");
        for (OffsetMove move : moves) {
            Long from = move.from();
            table.row(
                    move.partition().topic(),
                    move.partition().partition(),
                    from == null ? "-" : from,
                    move.to(),
                    move.end() - move.to());
        }
        return table.toString();
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("topic", partition.topic());
        json.put("partition", partition.partition());
        Long before = from;
        if (before != null) {
            json.put("from", before);
        }
        json.put("to", to);
        return json;
    }
}
