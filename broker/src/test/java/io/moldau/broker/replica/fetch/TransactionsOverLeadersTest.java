package io.moldau.broker.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.replica.AppendTerms;
import io.moldau.broker.replica.fetch.ReplicaCluster.Broker;
import io.moldau.common.Errors;
import io.moldau.log.AppendOutcome;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.ControlRecord.EndTransaction;
import io.moldau.wire.record.DecompressionLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Transactions in a partition whose leaders come and go: what read_committed shows is what was committed, on every
/// replica and at every moment.
class TransactionsOverLeadersTest {

    private ReplicaCluster cluster = new ReplicaCluster(1, 1);

    @AfterEach
    void noFaults() {
        cluster.close();
        assertThat(cluster.faults.faults()).isEmpty();
    }

    private Broker broker(int id) {
        return Objects.requireNonNull(cluster.brokers.get(id));
    }

    private static ByteBuffer data(long producerId, int epoch, int sequence, String value) {
        return new BatchBuilder()
                .producer(producerId, (short) epoch, sequence)
                .transactional(true)
                .append(1L, null, value.getBytes(StandardCharsets.UTF_8))
                .build();
    }

    private AppendOutcome produce(
            int id, long producerId, int epoch, int sequence, String value, Runnable acknowledged) {
        return broker(id).append(data(producerId, epoch, sequence, value), AppendTerms.CLIENT_ALL, acknowledged);
    }

    /// As of a transaction of version 2: the epoch is one above that of the data.
    private AppendOutcome end(int id, long producerId, int epoch, boolean commit, Runnable acknowledged) {
        var marker = ControlRecord.endTransactionBatch(producerId, (short) epoch, 1L, new EndTransaction(commit, 1));
        return broker(id)
                .append(
                        marker,
                        new AppendTerms(
                                AppendOrigin.TRANSACTION_MARKER,
                                AppendTerms.ANY_EPOCH,
                                true,
                                TransactionTerms.ofMarker(2)),
                        acknowledged);
    }

    /// What a consumer with isolation.level=read_committed gets from the replica.
    private static List<String> committed(Broker broker) {
        var log = broker.partition().log();
        long end = broker.partition().lastStableOffset();
        var aborted = new ArrayList<>(log.abortedTransactions(log.logStartOffset(), end));
        var values = new ArrayList<String>();
        var skipped = new HashSet<Long>();
        for (var batch : broker.batches()) {
            if (batch.baseOffset() >= end) {
                break;
            }
            aborted.removeIf(it -> {
                boolean begins = it.firstOffset() <= batch.lastOffset();
                if (begins) {
                    skipped.add(it.producerId());
                }
                return begins;
            });
            for (var record : batch.records(DecompressionLimits.DEFAULT)) {
                if (batch.isControl()) {
                    if (ControlRecord.parse(record) instanceof EndTransaction marker && !marker.committed()) {
                        skipped.remove(batch.producerId());
                    }
                } else if (!skipped.contains(batch.producerId())) {
                    values.add(StandardCharsets.UTF_8
                            .decode(Objects.requireNonNull(record.value()))
                            .toString());
                }
            }
        }
        return values;
    }

    @Test
    void aMarkerThatIsCutOpensItsTransactionAgain() {
        cluster = new ReplicaCluster(1, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(100);
        produce(1, 7, 0, 0, "a", () -> {});
        produce(1, 7, 0, 1, "b", () -> {});
        cluster.pass(600);
        assertThat(broker(2).partition().highWatermark()).isEqualTo(2);
        broker(2).crash(false);
        end(1, 7, 1, false, () -> {});
        assertThat(broker(1).partition().log().openTransactions()).isZero();
        // The marker is not with all that are in sync, so it does not count yet.
        assertThat(broker(1).partition().lastStableOffset()).isZero();
        broker(1).crash(false);
        broker(2).restart();
        cluster.lead(2, List.of(2));
        cluster.pass(600);
        assertThat(broker(2).partition().lastStableOffset()).isZero();
        assertThat(produce(2, 7, 0, 1, "b", () -> {})).isInstanceOf(AppendOutcome.Duplicate.class);
        broker(1).restart();
        cluster.pass(3000);
        assertThat(broker(1).partition().logEndOffset()).isEqualTo(2);
        assertThat(broker(1).partition().log().openTransactions()).isEqualTo(1);
        assertThat(broker(1).partition().log().abortedTransactions(0, 2)).isEmpty();
        assertThat(broker(1).partition().lastStableOffset()).isZero();

        end(2, 7, 1, true, () -> {});
        cluster.pass(1000);
        for (int id = 1; id <= 2; id++) {
            assertThat(broker(id).partition().lastStableOffset()).isEqualTo(3);
            assertThat(broker(id).partition().log().abortedTransactions(0, 3)).isEmpty();
            assertThat(committed(broker(id))).containsExactly("a", "b");
        }
    }

    @Test
    void aTransactionSpansLeadersAndRestarts() {
        cluster = new ReplicaCluster(2, 1, 1, 2);
        cluster.lead(1, List.of(1, 2));
        cluster.pass(100);
        produce(1, 7, 0, 0, "a", () -> {});
        produce(1, 8, 0, 0, "x", () -> {});
        cluster.pass(600);
        cluster.lead(2, List.of(1, 2));
        cluster.pass(600);
        assertThat(produce(2, 7, 0, 2, "c", () -> {}))
                .isInstanceOfSatisfying(
                        AppendOutcome.Rejected.class,
                        it -> assertThat(it.error()).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER));
        produce(2, 7, 0, 1, "b", () -> {});
        end(2, 8, 1, false, () -> {});
        cluster.pass(600);
        broker(2).crash(false);
        broker(2).restart();
        cluster.pass(1000);
        assertThat(broker(2).partition().lastStableOffset()).isZero();
        cluster.lead(1, List.of(1, 2));
        cluster.pass(600);
        end(1, 7, 1, true, () -> {});
        cluster.pass(1000);
        for (int id = 1; id <= 2; id++) {
            assertThat(committed(broker(id))).containsExactly("a", "b");
        }
    }

    /// A transactional producer and its coordinator, which does not give up before the end is written.
    private final class Producer {
        final long id;
        int epoch;
        int sequence;
        boolean ending;
        boolean commit;
        private final List<String> unacknowledged = new ArrayList<>();
        private final List<String> written = new ArrayList<>();
        private final List<String> history;

        Producer(long id, Map<Long, List<String>> histories) {
            this.id = id;
            this.history = histories.computeIfAbsent(id, it -> new ArrayList<>());
        }

        String transaction() {
            return "p" + id + "e" + epoch;
        }

        void write(Broker leader) {
            if (ending) {
                return;
            }
            var value = transaction() + "-" + sequence;
            int now = epoch;
            unacknowledged.add(value);
            var outcome = produce(leader.id, id, epoch, sequence, value, () -> {
                if (epoch == now) {
                    unacknowledged.remove(value);
                }
            });
            if (outcome instanceof AppendOutcome.Appended) {
                written.add(value);
                sequence++;
            }
        }

        void end(Broker leader, boolean wanted) {
            if (!ending) {
                ending = true;
                commit = wanted && unacknowledged.isEmpty();
                decisions.put(transaction(), commit);
            }
            int now = epoch;
            TransactionsOverLeadersTest.this.end(leader.id, id, epoch + 1, commit, () -> {
                if (epoch == now) {
                    if (commit) {
                        history.addAll(written);
                    }
                    written.clear();
                    unacknowledged.clear();
                    epoch++;
                    sequence = 0;
                    ending = false;
                }
            });
        }
    }

    private final Map<String, Boolean> decisions = new LinkedHashMap<>();

    @Seeds(count = 30)
    void readersSeeWhatWasCommitted(long seed) {
        cluster = new ReplicaCluster(seed, 2, 1, 2, 3);
        var random = new Random(seed ^ 0x7a5);
        cluster.lead(1, List.of(1, 2, 3));
        cluster.pass(100);
        Map<Long, List<String>> histories = new LinkedHashMap<>();
        var producers = List.of(new Producer(1, histories), new Producer(2, histories), new Producer(3, histories));
        for (int i = 0; i < 250; i++) {
            var leader = leader();
            var producer = producers.get(random.nextInt(producers.size()));
            switch (random.nextInt(16)) {
                case 0 -> {
                    var victim = broker(1 + random.nextInt(3));
                    if (victim.isUp()
                            && cluster.brokers.values().stream()
                                            .filter(Broker::isUp)
                                            .count()
                                    > 1) {
                        victim.crash(false);
                    }
                }
                case 1, 2 ->
                    cluster.brokers.values().stream()
                            .filter(it -> !it.isUp())
                            .findFirst()
                            .ifPresent(Broker::restart);
                case 3 -> elect(random, false);
                case 4 -> cluster.brokers.values().forEach(Broker::tick);
                case 5, 6 -> cluster.pass(random.nextInt(300));
                case 7, 8, 9 -> {
                    if (leader != null) {
                        producer.end(leader, random.nextInt(3) > 0);
                    }
                }
                default -> {
                    if (leader != null) {
                        producer.write(leader);
                    }
                }
            }
            elect(random, true);
            cluster.drift();
            for (var broker : cluster.brokers.values()) {
                if (broker.partitionIfAny() != null) {
                    for (var value : committed(broker)) {
                        assertThat(decisions.get(value.substring(0, value.indexOf('-'))))
                                .as("%s on %s in step %d", value, broker, i)
                                .isEqualTo(true);
                    }
                }
            }
        }
        for (var broker : cluster.brokers.values()) {
            if (!broker.isUp()) {
                broker.restart();
            }
        }
        elect(random, true);
        Set<Producer> open = new HashSet<>(producers);
        for (int i = 0; i < 8; i++) {
            cluster.pass(600);
            cluster.brokers.values().forEach(Broker::tick);
            var leader = Objects.requireNonNull(leader());
            for (var producer : List.copyOf(open)) {
                int before = producer.epoch;
                producer.end(leader, true);
                cluster.pass(100);
                if (producer.epoch > before) {
                    open.remove(producer);
                }
            }
        }
        cluster.pass(1000);
        assertThat(open).isEmpty();
        for (var broker : cluster.brokers.values()) {
            assertThat(broker.partition().log().openTransactions())
                    .as(broker.toString())
                    .isZero();
            assertThat(broker.partition().lastStableOffset())
                    .as(broker.toString())
                    .isEqualTo(broker.partition().logEndOffset());
            var seen = committed(broker);
            histories.forEach((id, history) -> assertThat(seen.stream().filter(it -> it.startsWith("p" + id + "e")))
                    .as("producer %d on %s", id, broker)
                    .containsExactlyElementsOf(history));
        }
        assertThat(decisions.values()).contains(true, false);
        assertThat(histories.values()).anyMatch(history -> history.size() > 3);
    }

    private @Nullable Broker leader() {
        for (var broker : cluster.brokers.values()) {
            if (broker.partitionIfAny() != null
                    && broker.partition().isLeader()
                    && broker.id == cluster.partitionState().leader()) {
                return broker;
            }
        }
        return null;
    }

    /// A leader from the ISR that is up.
    private void elect(Random random, boolean onlyIfDown) {
        var state = cluster.partitionState();
        if (onlyIfDown && broker(state.leader()).isUp()) {
            return;
        }
        var alive = state.isr().stream().filter(id -> broker(id).isUp()).toList();
        if (!alive.isEmpty()) {
            cluster.lead(alive.get(random.nextInt(alive.size())), state.isr());
        }
    }
}
