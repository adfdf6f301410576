package io.moldau.ops.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.ErrorRemedy;
import io.moldau.ops.report.Finding;
import io.moldau.ops.report.TransactionExplanation;
import io.moldau.ops.report.TransactionExplanation.Held;
import io.moldau.ops.report.TransactionExplanation.OpenProducer;
import io.moldau.ops.report.TransactionExplanation.Transaction;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Why a transaction is not over, and what it holds back.
class TransactionExplanationTest {

    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final TopicPartition BILLS = new TopicPartition("bills", 1);
    private static final long TIMEOUT_MS = 60_000;

    private static Transaction transaction(String state, long openMs) {
        return new Transaction(
                "pay",
                state,
                2,
                4001,
                7,
                TIMEOUT_MS,
                openMs < 0 ? OptionalLong.empty() : OptionalLong.of(Typed.NOW_MS - openMs),
                Set.of(ORDERS, BILLS));
    }

    private static Held held(long stable, long end, OpenProducer... open) {
        return new Held(stable, end, List.of(open));
    }

    private static OpenProducer producer(long id, long start) {
        return new OpenProducer(id, 0, start < 0 ? OptionalLong.empty() : OptionalLong.of(start), 5_000);
    }

    private static String why(Transaction transaction, Map<TopicPartition, Held> held) {
        return Finding.text(TransactionExplanation.of(transaction, held, Typed.NOW_MS));
    }

    @Test
    void anOpenTransactionSaysWhatItHoldsBack() {
        assertThat(why(
                        transaction("Ongoing", 5_000),
                        Map.of(
                                ORDERS, held(10, 14, producer(4001, 10), producer(9, -1)),
                                BILLS, held(3, 3, producer(4001, 3)))))
                .contains("note: Transaction pay is open since ", "(5 s), by producer 4001 in epoch 7")
                .contains("coordinated by broker 2", "transaction.timeout.ms=60000")
                .contains("because orders-0: readers of committed records stop at 10, 4 records before the end, 14")
                .contains("because bills-1: readers of committed records stop at 3, 0 records before the end");
    }

    @Test
    void oneThatIsOpenTooLongIsAWarningAndThenAProblem() {
        assertThat(why(transaction("Ongoing", 40_000), Map.of())).startsWith("warning: ");
        assertThat(why(transaction("Ongoing", 100_000), Map.of()))
                .startsWith("problem: ")
                .contains("longer than its time-out", "transactional.id=pay");
        assertThat(why(transaction("PrepareCommit", 100), Map.of()))
                .startsWith("note: ")
                .contains("is being committed", "marker");
        assertThat(why(transaction("PrepareAbort", 100_000), Map.of()))
                .startsWith("problem: ")
                .contains("is being aborted", "broker 2")
                .contains("because orders-0 does not answer", "explain partition orders-0");
    }

    @Test
    void oneThatIsOverIsWell() {
        assertThat(why(transaction("CompleteCommit", -1), Map.of(ORDERS, held(4, 4), BILLS, held(4, 4))))
                .startsWith("ok: Transaction pay has no transaction open")
                .contains("committed");
        assertThat(why(transaction("CompleteAbort", -1), Map.of())).contains("aborted");
        assertThat(why(transaction("Empty", -1), Map.of())).startsWith("ok: ");
        assertThat(why(transaction("Dead", -1), Map.of())).contains("has expired");
        assertThat(why(transaction("Strange", -1), Map.of())).contains("in state Strange");
    }

    @Test
    void anotherProducerThatHoldsThePartitionIsNamed() {
        assertThat(why(
                        transaction("Ongoing", 100),
                        Map.of(ORDERS, held(2, 9, producer(4001, 5), producer(77, 2)), BILLS, held(1, 1))))
                .contains("what holds them there is producer 77, not this one", "--partition orders-0");
    }

    private static String partition(Held held, Transaction... known) {
        return Finding.text(TransactionExplanation.partition(
                ORDERS, held, TransactionExplanation.byProducer(List.of(known)), Typed.NOW_MS));
    }

    @Test
    void aPartitionSaysWhoHoldsItBack() {
        assertThat(partition(held(9, 9, producer(1, -1)))).startsWith("ok: No transaction is open in orders-0");
        assertThat(partition(held(4, 9, producer(4001, 4)), transaction("Ongoing", 1_000)))
                .startsWith("warning: Readers of committed records stop at 4 in orders-0, 5 records before the end")
                .contains("producer 4001 has a transaction open there since offset 4")
                .contains("because Transaction pay is open");
        assertThat(Finding.text(TransactionExplanation.partition(ORDERS, null, Map.of(), 0)))
                .contains("orders-0 does not answer");
    }

    @Test
    void aTransactionThatNoCoordinatorKnowsHangs() {
        assertThat(partition(held(4, 9, producer(5, 4))))
                .startsWith("problem: ")
                .contains(
                        "No coordinator knows of it: it hangs",
                        "--partition 0 --start-offset 4",
                        "1970-01-01T00:00:05Z");
    }

    @Test
    void theCommandAsksTheCluster() {
        var cluster = new FakeCluster().withBrokers(1);
        var typed = new Typed(cluster);
        assertThat(typed.run("explain transaction")).isZero();
        assertThat(typed.out()).isEqualTo("The cluster knows of no transactions.\n");

        cluster.transactions.add(transaction("Ongoing", 3_000));
        cluster.stable.put(ORDERS, 4L);
        cluster.ends.put(ORDERS, 9L);
        cluster.producers.put(ORDERS, List.of(producer(4001, 4)));
        assertThat(typed.run("explain transaction")).isZero();
        assertThat(typed.out()).contains("pay  Ongoing       3      4001");
        assertThat(typed.run("explain transaction pay")).isZero();
        assertThat(typed.out()).contains("orders-0: readers of committed records stop at 4, 5 records");
        assertThat(typed.run("explain transaction --producer-id 4001 --json")).isZero();
        assertThat(typed.out()).contains("\"subject\": \"transaction pay\"");
        assertThat(typed.run("explain transaction --partition orders-0")).isZero();
        assertThat(typed.out()).contains("producer 4001 has a transaction open there since offset 4");

        assertThat(typed.run("explain transaction other")).isEqualTo(1);
        assertThat(typed.error()).contains("no transaction other");
        assertThat(typed.run("explain transaction --producer-id 5")).isEqualTo(1);
        assertThat(typed.error()).contains("No transaction is known of producer 5", "--partition");
        assertThat(typed.run("explain transaction pay --partition orders-0")).isEqualTo(1);
        assertThat(typed.error()).contains("exclude each other");
    }

    @Test
    void errorsAreExplainedByNameNumberAndException() {
        var typed = new Typed(new FakeCluster());
        for (String name : List.of("RECORD_TOO_LARGE", "10", "RecordTooLargeException", "message_too_large")) {
            if (name.equals("RECORD_TOO_LARGE")) {
                assertThat(typed.run("explain error " + name)).isEqualTo(1);
                assertThat(typed.error()).contains("is no error of Kafka's protocol", "nearest");
                continue;
            }
            assertThat(typed.run("explain error " + name)).as(name).isZero();
            assertThat(typed.out()).startsWith("MESSAGE_TOO_LARGE (10): ").contains("max.message.bytes=N");
        }
        assertThat(typed.run("explain error org.apache.kafka.common.errors.TimeoutException --json"))
                .isZero();
        assertThat(typed.out()).contains("\"code\": 7", "\"retriable\": true");
    }

    @Test
    void everyErrorHasARemedy() {
        for (var error : io.moldau.common.Errors.values()) {
            assertThat(ErrorRemedy.of(error)).as(error.name()).endsWith(".").hasSizeLessThan(340);
        }
    }
}
