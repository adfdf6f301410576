package io.moldau.ops.chaos.transaction;

import io.moldau.ops.chaos.transaction.Transaction.Id;
import io.moldau.ops.chaos.transaction.Transaction.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Judges what many clients did at once by what can be read when all have ended. One use, one thread.
public final class TransactionChecker {

    private final Map<Id, Transaction> transactions = new HashMap<>();
    private final Map<TopicPartition, TreeMap<Long, Mark>> log = new HashMap<>();
    private final Map<Id, Set<Integer>> visible = new HashMap<>();
    private final Verdict verdict = new Verdict();

    private TransactionChecker(Collection<Transaction> transactions) {
        transactions.forEach(it -> this.transactions.put(it.id(), it));
    }

    /// @param atTheEnd all records that a read_committed consumer is given afterwards, in its order
    /// @param during what each read_committed consumer was given meanwhile, each partition from its beginning on
    public static Verdict check(
            Collection<Transaction> transactions, List<Sighting> atTheEnd, Map<String, List<Sighting>> during) {
        var checker = new TransactionChecker(transactions);
        atTheEnd.forEach(checker::place);
        checker.log.forEach(checker::checkOrder);
        transactions.forEach(checker::checkWhole);
        during.forEach(checker::checkReader);
        transactions.forEach(checker::checkReads);
        checker.checkCycles();
        return checker.verdict;
    }

    private void place(Sighting seen) {
        var mark = seen.mark();
        var transaction = transactions.get(mark.transaction());
        if (transaction == null
                || mark.index() >= transaction.writes().size()
                || !transaction.writes().get(mark.index()).equals(seen.partition())) {
            verdict.add(Anomaly.PHANTOM, seen.toString());
            return;
        }
        if (transaction.outcome() == Outcome.ABORTED) {
            verdict.add(Anomaly.ABORTED_READ, "at the end, " + seen);
        }
        if (!visible.computeIfAbsent(mark.transaction(), id -> new HashSet<>()).add(mark.index())) {
            verdict.add(Anomaly.DUPLICATED, seen.toString());
        }
        log.computeIfAbsent(seen.partition(), partition -> new TreeMap<>()).put(seen.offset(), mark);
    }

    /// The order of each producer, and that nothing lies before what had ended before it began.
    private void checkOrder(TopicPartition partition, TreeMap<Long, Mark> records) {
        var last = new HashMap<Integer, Mark>();
        @Nullable Transaction latest = null;
        for (var entry : records.entrySet()) {
            var mark = entry.getValue();
            var transaction = transaction(mark.transaction());
            var before = last.put(mark.transaction().producer(), mark);
            if (before != null && isLater(before, mark)) {
                verdict.add(Anomaly.REORDERED, mark + " behind " + before + " in " + partition);
            }
            if (latest != null && transaction.endedNanos() < latest.beganNanos()) {
                verdict.add(
                        Anomaly.WRITE_CYCLE,
                        mark + " in " + partition + " at " + entry.getKey() + " lies behind a record of " + latest.id()
                                + ", which began after " + transaction.id() + " had ended");
            }
            if (latest == null || transaction.beganNanos() > latest.beganNanos()) {
                latest = transaction;
            }
        }
    }

    private static boolean isLater(Mark one, Mark other) {
        long numbers = one.transaction().number() - other.transaction().number();
        return numbers > 0 || numbers == 0 && one.index() > other.index();
    }

    private void checkWhole(Transaction transaction) {
        if (transaction.outcome() == Outcome.ABORTED) {
            return;
        }
        int there = visible.getOrDefault(transaction.id(), Set.of()).size();
        int missing = transaction.writes().size() - there;
        if (there > 0 && missing > 0) {
            verdict.add(Anomaly.TORN, missing + " of " + transaction.writes().size() + " records of " + transaction);
        }
        if (missing > 0 && transaction.outcome() == Outcome.COMMITTED) {
            verdict.add(Anomaly.LOST, missing + " records of " + transaction);
        }
    }

    private void checkReader(String reader, List<Sighting> seen) {
        var positions = new HashMap<TopicPartition, Long>();
        for (var sighting : seen) {
            var there = log.getOrDefault(sighting.partition(), new TreeMap<>());
            long position = positions.getOrDefault(sighting.partition(), 0L);
            if (sighting.offset() < position) {
                verdict.add(Anomaly.DUPLICATED, reader + " was given again " + sighting);
                continue;
            }
            there.subMap(position, sighting.offset())
                    .forEach((offset, mark) -> verdict.add(
                            Anomaly.SKIPPED,
                            reader + " was not given " + mark + " at " + offset + " before " + sighting));
            if (!sighting.mark().equals(there.get(sighting.offset()))) {
                verdict.add(
                        outcome(sighting.mark().transaction()) == Outcome.ABORTED
                                ? Anomaly.ABORTED_READ
                                : Anomaly.VANISHED,
                        reader + " was given " + sighting);
            }
            positions.put(sighting.partition(), sighting.offset() + 1);
        }
    }

    private @Nullable Outcome outcome(Id id) {
        var transaction = transactions.get(id);
        return transaction == null ? null : transaction.outcome();
    }

    private void checkReads(Transaction transaction) {
        for (var read : transaction.readFrom()) {
            if (read.equals(transaction.id())) {
                verdict.add(Anomaly.CYCLE, read + " was given a record of its own before it ended");
            } else if (outcome(read) == Outcome.ABORTED) {
                verdict.add(Anomaly.ABORTED_READ, transaction.id() + " was given a record of " + read);
            } else if (!visible.containsKey(read)) {
                verdict.add(Anomaly.VANISHED, transaction.id() + " was given a record of " + read);
            }
        }
    }

    /// Whoever reads of another comes after it, and whoever begins when another has ended comes after that one. Both
    /// follow the times at which the readers read, so a circle means that somebody read too early.
    private void checkCycles() {
        var graph = new PrecedenceGraph<Object>();
        // A chain of moments carries "had ended before" with one edge for each transaction instead of each pair.
        var ends = new TreeMap<Long, Object>();
        for (var transaction : transactions.values()) {
            ends.computeIfAbsent(transaction.endedNanos(), Moment::new);
        }
        @Nullable Object before = null;
        for (var moment : ends.values()) {
            if (before != null) {
                graph.edge(before, moment);
            }
            before = moment;
        }
        for (var transaction : transactions.values()) {
            graph.edge(transaction.id(), Objects.requireNonNull(ends.get(transaction.endedNanos())));
            var ended = ends.lowerEntry(transaction.beganNanos());
            if (ended != null) {
                graph.edge(ended.getValue(), transaction.id());
            }
            for (var read : transaction.readFrom()) {
                if (transactions.containsKey(read) && !read.equals(transaction.id())) {
                    graph.edge(read, transaction.id());
                }
            }
        }
        var cycle = new ArrayList<>(graph.cycle());
        cycle.removeIf(Moment.class::isInstance);
        if (!cycle.isEmpty()) {
            verdict.add(Anomaly.CYCLE, cycle.toString());
        }
    }

    private record Moment(long nanos) {}

    private Transaction transaction(Id id) {
        return Objects.requireNonNull(transactions.get(id));
    }
}
