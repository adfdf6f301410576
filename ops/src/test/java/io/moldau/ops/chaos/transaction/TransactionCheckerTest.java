package io.moldau.ops.chaos.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.transaction.Transaction.Id;
import io.moldau.ops.chaos.transaction.Transaction.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/// A violation of each kind, planted into a history that is right without it.
class TransactionCheckerTest {

    private static final TopicPartition P0 = new TopicPartition("t", 0);
    private static final TopicPartition P1 = new TopicPartition("t", 1);

    private final List<Transaction> transactions = new ArrayList<>();
    private final List<Sighting> log = new ArrayList<>();
    private final Map<String, List<Sighting>> readers = new HashMap<>();

    @Test
    void nothingWrong() {
        var random = new Random(7);
        var offsets = new HashMap<TopicPartition, Long>();
        for (int n = 0; n < 200; n++) {
            var outcome = Outcome.values()[random.nextInt(3)];
            boolean there = outcome == Outcome.COMMITTED || outcome == Outcome.UNKNOWN && random.nextBoolean();
            var writes = IntStream.range(0, random.nextInt(1, 6))
                    .mapToObj(i -> random.nextBoolean() ? P0 : P1)
                    .toList();
            var id = add(n % 3, n, n * 10, outcome == Outcome.UNKNOWN ? Long.MAX_VALUE : n * 10 + 25, outcome, writes);
            for (int i = 0; i < writes.size(); i++) {
                long offset = offsets.merge(writes.get(i), 1L, Long::sum);
                if (there) {
                    log.add(new Sighting(writes.get(i), offset, new Mark(id, i)));
                }
            }
        }
        readers.put("r", log.subList(0, log.size() / 2));
        assertThat(check()).isEmpty();
    }

    @Test
    void marksAreReadAsWritten() {
        var mark = new Mark(new Id(3, 77), 5);
        assertThat(Mark.decode(mark.encode())).isEqualTo(mark);
    }

    @Test
    void aCommittedTransactionIsGone() {
        add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0, P1));
        assertThat(check()).containsOnlyKeys(Anomaly.LOST);
    }

    @Test
    void oneRecordOfACommittedTransactionIsGone() {
        see(P0, 0, add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0, P1)), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.LOST, Anomaly.TORN);
    }

    @Test
    void halfOfATransactionOfUnknownOutcome() {
        see(P1, 0, add(1, 1, 0, Long.MAX_VALUE, Outcome.UNKNOWN, List.of(P0, P1)), 1);
        assertThat(check()).containsOnlyKeys(Anomaly.TORN);
    }

    @Test
    void aRecordIsThereTwice() {
        var id = add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0));
        see(P0, 0, id, 0);
        see(P0, 1, id, 0);
        assertThat(check()).containsOnlyKeys(Anomaly.DUPLICATED);
    }

    @Test
    void anAbortedRecordIsThere() {
        see(P0, 0, add(1, 1, 0, 10, Outcome.ABORTED, List.of(P0)), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.ABORTED_READ);
    }

    @Test
    void anAbortedRecordWasRead() {
        var id = add(1, 1, 0, 10, Outcome.ABORTED, List.of(P0));
        readers.put("r", List.of(new Sighting(P0, 0, new Mark(id, 0))));
        assertThat(check()).containsOnlyKeys(Anomaly.ABORTED_READ);
    }

    @Test
    void anAbortedRecordWasReadInATransaction() {
        add(1, 1, 0, 10, Outcome.ABORTED, List.of(P0));
        add(2, 1, 5, 20, Outcome.COMMITTED, List.of(), new Id(1, 1));
        assertThat(check()).containsOnlyKeys(Anomaly.ABORTED_READ);
    }

    @Test
    void aRecordWasReadAndIsGone() {
        var id = add(1, 1, 0, Long.MAX_VALUE, Outcome.UNKNOWN, List.of(P0));
        readers.put("r", List.of(new Sighting(P0, 0, new Mark(id, 0))));
        add(2, 1, 5, 20, Outcome.COMMITTED, List.of(), id);
        assertThat(check()).containsOnlyKeys(Anomaly.VANISHED);
    }

    @Test
    void aRecordIsInAnotherPartition() {
        see(P1, 0, add(1, 1, 0, Long.MAX_VALUE, Outcome.UNKNOWN, List.of(P0)), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.PHANTOM);
    }

    @Test
    void aProducersRecordsAreSwapped() {
        var id = add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0, P0));
        see(P0, 0, id, 1);
        see(P0, 1, id, 0);
        assertThat(check()).containsOnlyKeys(Anomaly.REORDERED);
    }

    @Test
    void aProducersTransactionsAreSwapped() {
        see(P0, 0, add(1, 2, 11, 20, Outcome.COMMITTED, List.of(P0)), 0);
        see(P0, 1, add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0)), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.REORDERED, Anomaly.WRITE_CYCLE);
    }

    @Test
    void aReaderPassesByACommittedRecord() {
        var id = add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0, P0));
        see(P0, 0, id, 0);
        see(P0, 1, id, 1);
        readers.put("r", List.of(log.getLast()));
        assertThat(check()).containsOnlyKeys(Anomaly.SKIPPED);
    }

    @Test
    void aReaderIsGivenARecordTwice() {
        see(P0, 0, add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0)), 0);
        readers.put("r", List.of(log.getFirst(), log.getFirst()));
        assertThat(check()).containsOnlyKeys(Anomaly.DUPLICATED);
    }

    @Test
    void aWriteLiesBeforeOneOfATransactionThatHadEnded() {
        see(P0, 0, add(2, 1, 11, 20, Outcome.COMMITTED, List.of(P0)), 0);
        see(P0, 1, add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0)), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.WRITE_CYCLE);
    }

    @Test
    void writesOfOverlappingTransactionsMayCross() {
        var one = add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0, P1));
        var other = add(2, 1, 5, 15, Outcome.COMMITTED, List.of(P0, P1));
        see(P0, 0, one, 0);
        see(P0, 1, other, 0);
        see(P1, 0, other, 1);
        see(P1, 1, one, 1);
        assertThat(check()).isEmpty();
    }

    @Test
    void twoTransactionsReadOfEachOther() {
        see(P0, 0, add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0), new Id(2, 1)), 0);
        see(P0, 1, add(2, 1, 5, 15, Outcome.COMMITTED, List.of(P0), new Id(1, 1)), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.CYCLE);
    }

    @Test
    void aTransactionReadsOfOneThatBeganAfterItsEnd() {
        see(P0, 0, add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0), new Id(3, 1)), 0);
        see(P1, 0, add(2, 1, 11, 20, Outcome.COMMITTED, List.of(P1)), 0);
        see(P0, 1, add(3, 1, 12, 30, Outcome.COMMITTED, List.of(P0)), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.CYCLE);
    }

    @Test
    void aTransactionReadsItself() {
        var id = new Id(1, 1);
        see(P0, 0, add(1, 1, 0, 10, Outcome.COMMITTED, List.of(P0), id), 0);
        assertThat(check()).containsOnlyKeys(Anomaly.CYCLE);
    }

    private Map<Anomaly, Integer> check() {
        return TransactionChecker.check(transactions, log, readers).counts();
    }

    private void see(TopicPartition partition, long offset, Id id, int index) {
        log.add(new Sighting(partition, offset, new Mark(id, index)));
    }

    private Id add(
            int producer,
            long number,
            long began,
            long ended,
            Outcome outcome,
            List<TopicPartition> writes,
            Id... read) {
        var id = new Id(producer, number);
        transactions.add(new Transaction(id, began, ended, outcome, writes, Set.of(read)));
        return id;
    }
}
