package io.moldau.log.clean;

import io.moldau.log.AbortedTransaction;
import io.moldau.log.LogFixture;
import io.moldau.log.PartitionLog;
import io.moldau.log.recovery.ControlBatches;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// Reads a log as a consumer with `isolation.level=read_committed` does: the fetched bytes, and the list of aborted
/// transactions beside them.
final class CommittedReader {

    /// A record as the application sees it.
    record Seen(long offset, @Nullable String key, @Nullable String value) {}

    private CommittedReader() {}

    static List<Seen> read(PartitionLog log) {
        long from = log.view().logStartOffset();
        long upTo = log.lastStableOffset();
        return from >= upTo
                ? List.of()
                : filter(LogFixture.bytes(log, from, upTo), log.abortedTransactions(from, upTo), from);
    }

    static List<Seen> filter(ByteBuffer bytes, List<AbortedTransaction> abortedTransactions, long from) {
        var ahead = new PriorityQueue<>(Comparator.comparingLong(AbortedTransaction::firstOffset));
        ahead.addAll(abortedTransactions);
        var aborted = new HashSet<Long>();
        var seen = new ArrayList<Seen>();
        for (var batch : RecordBatches.toList(bytes)) {
            if (!batch.isCrcValid()) {
                throw new AssertionError("A batch was served with a wrong checksum: " + batch);
            }
            for (var next = ahead.peek();
                    next != null && next.firstOffset() <= batch.lastOffset();
                    next = ahead.peek()) {
                aborted.add(next.producerId());
                ahead.remove();
            }
            if (batch.isControl()) {
                var marker = ControlBatches.marker(batch);
                if (marker != null && !marker.commit()) {
                    aborted.remove(batch.producerId());
                }
            } else if (!batch.isTransactional() || !aborted.contains(batch.producerId())) {
                addRecords(batch, from, seen);
            }
        }
        return seen;
    }

    private static void addRecords(RecordBatch batch, long from, List<Seen> seen) {
        for (var record : batch.records(DecompressionLimits.DEFAULT)) {
            if (record.offset() >= from) {
                seen.add(new Seen(record.offset(), text(record.key()), text(record.value())));
            }
        }
    }

    static @Nullable String text(@Nullable ByteBuffer bytes) {
        return bytes == null
                ? null
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
}
