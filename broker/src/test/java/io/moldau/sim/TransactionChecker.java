package io.moldau.sim;

import io.moldau.common.TopicIdPartition;
import io.moldau.sim.Records.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A transaction is all or nothing, and what its producer said. Of each partition it takes what is committed there:
/// the records of one producer between two of its markers are those of one transaction, in their order and each once,
/// and end as its other records do and as its producer asked. The last stable offset is where the first open
/// transaction begins; who reads committed records gets all of those and no others. A producer that was fenced does
/// nothing more.
final class TransactionChecker {

    /// What a producer does in one transaction.
    static final class Transaction {
        private final int number;
        private final String id;
        /// How many records of each partition were acknowledged.
        private final Map<TopicIdPartition, Integer> acknowledged = new LinkedHashMap<>();
        private final Map<TopicIdPartition, Span> spans = new HashMap<>();
        private boolean offsetAcknowledged;
        private @Nullable Boolean asked;
        private @Nullable Boolean told;
        private @Nullable Boolean ended;

        private Transaction(int number, String id) {
            this.number = number;
            this.id = id;
        }

        int number() {
            return number;
        }

        @Override
        public String toString() {
            return "transaction " + number + " of " + id;
        }
    }

    /// Records of one producer in one partition, up to its marker.
    private static final class Span {
        private final long producerId;
        private final int first;
        private final Set<Integer> transactions = new LinkedHashSet<>();
        private int records;
        private int marker = -1;
        /// How it ends, once a marker was seen that counts.
        private @Nullable Boolean committed;

        private Span(long producerId, int first) {
            this.producerId = producerId;
            this.first = first;
        }

        /// Whether it is open for those who know the log up to an offset.
        boolean isOpenBelow(long end) {
            return first < end && (marker < 0 || marker >= end);
        }
    }

    private record Entry(long content, Kind kind, @Nullable Span span) {}

    /// What is committed in one partition.
    private static final class Log {
        private final List<Entry> entries = new ArrayList<>();
        private final Map<Long, Span> open = new HashMap<>();
        private final List<Span> spans = new ArrayList<>();
    }

    private record Place(TopicIdPartition partition, long offset, int leaderEpoch) {}

    /// A producer id's epoch that somebody was given.
    record Term(long producerId, int epoch) {}

    private final SimulatedCluster cluster;
    private final Map<Place, Records.Found> written = new HashMap<>();
    private final Map<TopicIdPartition, Log> logs = new HashMap<>();
    private final Map<Integer, Transaction> transactions = new HashMap<>();
    private final Map<String, Term> terms = new HashMap<>();
    private final Map<String, Term> newest = new HashMap<>();
    /// The transaction whose offset was found committed last, or that ended so.
    private final Map<String, Integer> offsets = new HashMap<>();

    TransactionChecker(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    private void fail(String message) {
        cluster.fail(message, null);
    }

    // ---- what producers know

    Transaction begin(String id) {
        var transaction = new Transaction(transactions.size() + 1, id);
        transactions.put(transaction.number, transaction);
        return transaction;
    }

    /// The newest epoch that is known of a producer of that id.
    @Nullable
    Term newest(String id) {
        return newest.get(id);
    }

    /// The producer of that id goes on in that epoch.
    void hasEpoch(String id, long producerId, int epoch) {
        Term before = newest.get(id);
        if (before == null || before.producerId() != producerId || before.epoch() < epoch) {
            newest.put(id, new Term(producerId, epoch));
        }
    }

    /// Somebody is the producer of that id now.
    ///
    /// @param then [#newest] when it asked
    void initialized(String id, long producerId, int epoch, @Nullable Term then) {
        if (then != null && then.producerId() == producerId && then.epoch() >= epoch) {
            fail("a producer of " + id + " was given epoch " + epoch + " when " + then + " was used already");
        }
        hasEpoch(id, producerId, epoch);
        Term before = terms.get(id);
        if (before == null || before.producerId() != producerId || before.epoch() < epoch) {
            terms.put(id, new Term(producerId, epoch));
        }
    }

    /// Whether another one is the producer of that id since.
    boolean isFenced(String id, long producerId, int epoch) {
        Term term = terms.get(id);
        return term != null && term.producerId() == producerId && term.epoch() > epoch;
    }

    /// Something that a producer asked was done.
    ///
    /// @param fenced [#isFenced] when it asked
    void done(String what, Transaction transaction, boolean fenced) {
        if (fenced) {
            fail(what + " of " + transaction + " was done for a producer that had been fenced");
        }
    }

    void acknowledged(Transaction transaction, TopicIdPartition partition, int count) {
        transaction.acknowledged.merge(partition, count, Integer::sum);
    }

    void offsetAcknowledged(Transaction transaction) {
        transaction.offsetAcknowledged = true;
    }

    void asks(Transaction transaction, boolean commit) {
        transaction.asked = commit;
    }

    /// A producer was told that its transaction has ended as it asked.
    void told(Transaction transaction, boolean committed) {
        transaction.told = committed;
        ended(transaction, committed, "its producer");
    }

    private void ended(Transaction transaction, boolean committed, Object where) {
        if (transaction.ended == null) {
            transaction.ended = committed;
            if (committed && transaction.offsetAcknowledged) {
                offsets.merge(transaction.id, transaction.number, Math::max);
            }
        } else if (transaction.ended != committed) {
            fail(transaction + " is " + (committed ? "committed" : "aborted") + " for " + where
                    + " and not so elsewhere; its producer asked "
                    + (transaction.asked == null ? "nothing" : transaction.asked ? "to commit" : "to abort")
                    + " and was told " + transaction.told);
        }
        if (committed && !Boolean.TRUE.equals(transaction.asked)) {
            fail(transaction + " is committed for " + where + ", which its producer did not ask for");
        }
    }

    /// The least that the next look at the offset of that id may find: -1 for none.
    int leastOffset(String id) {
        return offsets.getOrDefault(id, -1);
    }

    /// The producer of that id found this offset committed, which the transaction of that number had sent.
    void foundOffset(String id, long found, int least) {
        Transaction transaction = transactions.get((int) found);
        if (found < least || found >= 0 && (transaction == null || !transaction.id.equals(id))) {
            fail("the offset of " + id + " is " + found + " and not of transaction " + least + " or later");
        } else if (transaction != null) {
            ended(transaction, true, "the group of its offset");
        }
    }

    // ---- what is in the logs

    /// A record was seen in a log.
    void written(TopicIdPartition id, Records.Found found) {
        if (found.kind() != Kind.NONE) {
            written.put(new Place(id, found.offset(), found.leaderEpoch()), found);
        }
    }

    private Log log(TopicIdPartition id) {
        return logs.computeIfAbsent(id, key -> new Log());
    }

    /// The next record of a partition is committed.
    ///
    /// @return whether it is of a transaction
    boolean committed(TopicIdPartition id, int offset, int leaderEpoch, long content) {
        Log log = log(id);
        Records.Found found = written.get(new Place(id, offset, leaderEpoch));
        if (found == null) {
            log.entries.add(new Entry(content, Kind.NONE, null));
            return false;
        }
        Span span = null;
        if (found.kind() == Kind.DATA) {
            span = log.open.get(found.producerId());
            if (span == null) {
                span = new Span(found.producerId(), offset);
                log.open.put(found.producerId(), span);
                log.spans.add(span);
            }
            data(id, span, found);
        } else {
            Span ends = log.open.remove(found.producerId());
            if (ends != null) {
                ends.marker = offset;
                decided(id, ends, found.kind() == Kind.COMMIT);
            }
        }
        log.entries.add(new Entry(content, found.kind(), span));
        return true;
    }

    private void data(TopicIdPartition id, Span span, Records.Found found) {
        String where = id.topicPartition() + " at " + found.offset();
        Transaction transaction = transactions.get(found.transaction());
        if (transaction == null) {
            fail("a record of no transaction is in " + where + ": " + found);
            return;
        }
        if (span.transactions.add(transaction.number)) {
            if (span.transactions.size() > 1) {
                fail("records of two transactions are in one, in " + where + ": " + span.transactions);
            }
            if (transaction.spans.putIfAbsent(id, span) != null) {
                fail(transaction + " has records behind its end, in " + where);
            }
        }
        if (found.index() >= 0) {
            if (found.index() != span.records) {
                fail("record " + found.index() + " of " + transaction + " is in " + where + " where " + span.records
                        + " should be");
            }
            span.records = found.index() + 1;
        }
    }

    private void decided(TopicIdPartition id, Span span, boolean committed) {
        if (span.committed != null && span.committed != committed) {
            fail("the transactions " + span.transactions + " end in two ways in " + id.topicPartition());
        }
        span.committed = committed;
        for (int number : span.transactions) {
            Transaction transaction = transactions.get(number);
            if (transaction != null) {
                ended(transaction, committed, id.topicPartition());
            }
        }
    }

    // ---- what readers see

    /// A leader says up to where transactions have ended.
    ///
    /// @param loaded what the leader has in its log, up to where it was when it was last read from the disk: of a
    ///     marker there it does not know any more that it is above its high watermark, as in Kafka. That does no
    ///     harm, for how a transaction ends was decided before.
    void lastStable(
            SimulatedNode leader,
            TopicIdPartition id,
            long highWatermark,
            long lastStable,
            ReplicaMirror loaded,
            int loadedUpTo) {
        long expected = highWatermark;
        for (Span span : log(id).spans) {
            if (span.isOpenBelow(highWatermark)
                    && !(lastStable > span.first && isEndedIn(loaded, loadedUpTo, id, span))) {
                expected = Math.min(expected, span.first);
            }
        }
        if (lastStable != expected) {
            fail("the last stable offset of " + id.topicPartition() + " at " + leader + " is " + lastStable
                    + " and not " + expected + "; the high watermark is " + highWatermark);
        }
    }

    private boolean isEndedIn(ReplicaMirror loaded, int loadedUpTo, TopicIdPartition id, Span span) {
        for (int offset = span.first; offset < Math.min(loadedUpTo, loaded.size()); offset++) {
            Records.Found found = written.get(new Place(id, offset, loaded.epoch(offset)));
            if (found != null && found.producerId() == span.producerId && found.kind() != Kind.DATA) {
                decided(id, span, found.kind() == Kind.COMMIT);
                return true;
            }
        }
        return false;
    }

    /// Somebody who reads committed records has read from one offset to another.
    void consumed(TopicIdPartition id, long from, long to, List<Long> contents) {
        Log log = log(id);
        List<Long> expected = new ArrayList<>();
        for (long offset = from; offset < to; offset++) {
            if (offset >= log.entries.size()) {
                fail("somebody read " + id.topicPartition() + " at " + offset + ", which is not committed");
                return;
            }
            Entry entry = log.entries.get((int) offset);
            Span span = entry.span();
            if (span != null && span.committed == null) {
                fail("somebody read " + id.topicPartition() + " at " + offset + ", which is of the open transaction "
                        + span.transactions);
            }
            if (entry.kind() == Kind.NONE || span != null && Boolean.TRUE.equals(span.committed)) {
                expected.add(entry.content());
            }
        }
        if (!expected.equals(contents)) {
            fail("somebody who reads committed records read " + contents.size() + " from " + id.topicPartition()
                    + " between " + from + " and " + to + ", where " + expected.size() + " are: " + contents + " and "
                    + expected);
        }
    }

    // ---- the end

    /// What is not as it should be when all is quiet, null if nothing.
    @Nullable
    String complaint() {
        for (var entry : logs.entrySet()) {
            for (Span span : entry.getValue().open.values()) {
                return "a transaction hangs in " + entry.getKey().topicPartition() + " at " + span.first + ": "
                        + span.transactions;
            }
        }
        return null;
    }

    /// What was acknowledged in a transaction that was committed is there.
    void finalLook() {
        for (Transaction transaction : transactions.values()) {
            if (!Boolean.TRUE.equals(transaction.told)) {
                continue;
            }
            transaction.acknowledged.forEach((id, count) -> {
                Span span = transaction.spans.get(id);
                int found = span == null ? 0 : span.records;
                if (found < count) {
                    fail(transaction + " has " + found + " records in " + id.topicPartition() + " of " + count
                            + " that were acknowledged");
                }
            });
        }
    }

    int begun() {
        return transactions.size();
    }
}
