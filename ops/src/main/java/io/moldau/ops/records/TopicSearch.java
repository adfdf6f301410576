package io.moldau.ops.records;

import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.ops.records.RecordPage.Bounds;
import io.moldau.ops.records.RecordPage.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Looks for records in all partitions of a topic, one after the other; together they may cost what one search may.
public final class TopicSearch {

    /// Of so many partitions at most.
    public static final int MOST_PARTITIONS = 200;

    /// Each may look at so many records at least.
    private static final int FEWEST_RECORDS = 1_000;

    /// What was found, and where it was looked.
    ///
    /// @param complete whether every record was looked at, or the limit was reached
    /// @param leftOff how many partitions there are besides, in which nobody looked
    public record Answer(
            String topic,
            boolean complete,
            int scannedRecords,
            Bounds bounds,
            List<Searched> searched,
            int leftOff,
            List<Hit> hits) {}

    /// One partition.
    ///
    /// @param stopped as in [RecordPage]; `unreadable` if nobody let us read it; `left` if it was not its
    ///     turn any more
    /// @param why empty unless it is unreadable
    public record Searched(
            int partition,
            String stopped,
            int scannedRecords,
            @Nullable Long nextOffset,
            String why) {}

    /// A record and its partition.
    public record Hit(int partition, Found record) {}

    private TopicSearch() {}

    /// @param sources by partition, in the order they are searched; null for one without a leader
    /// @param leftOff how many partitions are not among them
    public static Answer run(
            String topic, Map<Integer, @Nullable RecordSource> sources, int leftOff, RecordQuery query, Time time) {
        long deadline = time.nanoseconds() + TimeUnit.SECONDS.toNanos(RecordSearch.BOUNDS.seconds());
        Bounds bounds = new Bounds(
                Math.max(FEWEST_RECORDS, RecordSearch.BOUNDS.records() / Math.max(1, sources.size())),
                Math.max(1, RecordSearch.BOUNDS.bytes() / Math.max(1, sources.size())),
                RecordSearch.BOUNDS.seconds());
        List<Searched> searched = new ArrayList<>();
        List<Hit> hits = new ArrayList<>();
        int scanned = 0;
        for (var entry : sources.entrySet()) {
            int partition = entry.getKey();
            RecordSource source = entry.getValue();
            int room = query.limit() - hits.size();
            if (source == null) {
                searched.add(new Searched(partition, "unreadable", 0, null, "it has no leader"));
            } else if (room == 0 || time.nanoseconds() - deadline >= 0) {
                searched.add(new Searched(partition, "left", 0, null, ""));
            } else {
                try {
                    RecordPage page = new RecordSearch(
                                    source, new RecordQuery(query.start(), query.key(), room), time, bounds)
                            .run(new TopicPartition(topic, partition), -1);
                    page.records().forEach(record -> hits.add(new Hit(partition, record)));
                    scanned += page.scannedRecords();
                    searched.add(new Searched(partition, page.stopped(), page.scannedRecords(), page.nextOffset(), ""));
                } catch (SourceException e) {
                    searched.add(new Searched(partition, "unreadable", 0, null, String.valueOf(e.getMessage())));
                }
            }
        }
        boolean complete = hits.size() >= query.limit()
                || leftOff == 0
                        && searched.stream().allMatch(one -> one.stopped().equals("end"));
        return new Answer(
                topic, complete, scanned, RecordSearch.BOUNDS, List.copyOf(searched), leftOff, List.copyOf(hits));
    }
}
