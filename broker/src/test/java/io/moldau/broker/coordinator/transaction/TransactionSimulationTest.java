package io.moldau.broker.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.transaction.TransactionHarness.Answer;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerAnswer;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerIdAndEpoch;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerRequest;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogKey;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogValue;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Producers that do what they like, old and new ones mixed, with a log that is slow, refuses and moves, against what
/// must hold whatever they do.
class TransactionSimulationTest {

    private static final List<String> IDS = List.of("p", "q", "r");

    /// Somebody who writes under an id, perhaps no longer rightly.
    private static final class Client {
        private final String id;
        private final int version;
        private long producerId = -1;
        private short epoch = -1;
        private Answer<ProducerAnswer> waiting = new Answer<>();
        private boolean commit;
        private boolean ends;

        Client(String id, int version) {
            this.id = id;
            this.version = version;
        }

        ProducerRequest request() {
            return new ProducerRequest(id, producerId, epoch);
        }
    }

    /// What a client was told of an end: it must be in the log.
    private record Told(String id, long producerId, short epoch, boolean commit) {}

    private final Set<Told> told = new HashSet<>();

    @Seeds(count = 150)
    void everyTransactionEndsOnceAndInOneWay(long seed) {
        var random = new SplittableRandom(seed);
        int level = random.nextInt(3);
        var it = new TransactionHarness().transactionVersion(level);
        var clients = new ArrayList<Client>();
        for (var id : IDS) {
            // Old clients in a new cluster there may be, new ones go by the cluster's level.
            int version = level == 2 && random.nextInt(3) > 0 ? 2 : 0;
            for (int i = 0; i < 3; i++) {
                clients.add(new Client(id, version));
            }
        }
        if (random.nextInt(3) == 0) {
            // Close to the end of the epochs.
            it.shell()
                    .log()
                    .add(TransactionRecords.state(
                            "p",
                            new TransactionState(
                                    500,
                                    500,
                                    -1,
                                    (short) (Short.MAX_VALUE - 6),
                                    60_000,
                                    TransactionStatus.EMPTY,
                                    Set.of(),
                                    -1,
                                    0,
                                    (short) 0),
                            2));
            it.shell().restart(true);
        }
        for (int step = 0; step < 500; step++) {
            var client = clients.get(random.nextInt(clients.size()));
            act(random, it, client);
            disturb(random, it);
            hear(client);
        }
        it.shell().commitAll();
        for (int i = 0; i < 10; i++) {
            it.shell().advance(100_000);
            it.writeMarkers();
        }
        checkLog(it.shell().log());
        for (var id : IDS) {
            var state = it.shard().state(id);
            assertThat(state == null || state.status().isIdle())
                    .as("nothing stays open: %s", state)
                    .isTrue();
        }
        checkReplay(it);
    }

    private static void act(SplittableRandom random, TransactionHarness it, Client client) {
        switch (random.nextInt(8)) {
            case 0 -> begin(it, client, null);
            case 1 ->
                begin(
                        it,
                        client,
                        client.producerId < 0 ? null : new ProducerIdAndEpoch(client.producerId, client.epoch));
            case 2, 3, 4 -> {
                if (client.producerId >= 0) {
                    it.add(
                            client.request(),
                            client.version,
                            new TopicPartition("t", random.nextInt(4)),
                            new TopicPartition("u", random.nextInt(4)));
                }
            }
            default -> {
                if (client.producerId >= 0) {
                    // A retry of what is not answered, or was, and else another end.
                    if (!client.ends || client.waiting.isThere()) {
                        client.commit = random.nextBoolean();
                    }
                    client.ends = true;
                    client.waiting = it.end(client.request(), client.commit, client.version);
                }
            }
        }
    }

    private static void begin(TransactionHarness it, Client client, @Nullable ProducerIdAndEpoch expected) {
        client.ends = false;
        client.waiting = it.init(client.id, expected);
    }

    /// What the client has been answered, if it listens.
    private void hear(Client client) {
        if (!client.waiting.isThere()) {
            return;
        }
        var answer = client.waiting.get();
        if (answer.error() != Errors.NONE) {
            return;
        }
        if (client.ends) {
            told.add(new Told(client.id, client.producerId, client.epoch, client.commit));
            client.ends = false;
            client.waiting = new Answer<>();
            if (client.version < 2) {
                return;
            }
        }
        client.producerId = answer.producerId();
        client.epoch = answer.producerEpoch();
        client.waiting = new Answer<>();
    }

    private static void disturb(SplittableRandom random, TransactionHarness it) {
        switch (random.nextInt(20)) {
            case 0 -> it.shell().holdCommits();
            case 1, 2, 3 -> it.shell().commitAll();
            case 4 -> it.shell().refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
            case 5 -> it.shell().timeOutWrites();
            case 6 -> {
                if (it.shell().hasUncommitted()) {
                    it.shell().rejectWrites(Errors.NOT_LEADER_OR_FOLLOWER);
                }
            }
            case 7 -> {
                it.markers().clear();
                it.shell().restart(random.nextBoolean());
            }
            case 8, 9, 10, 11 -> it.writeMarkers();
            case 12 -> it.shell().advance(random.nextInt(70_000));
            default -> it.shell().advance(random.nextInt(100));
        }
    }

    /// The log of each id is a way through the states, in which an end that is decided stays decided.
    private void checkLog(List<CoordinatorRecord> log) {
        Map<String, TransactionState> now = new HashMap<>();
        var producers = new HashSet<Long>();
        var ends = new HashSet<Told>();
        for (var record : log) {
            var id = ((TransactionLogKey) record.key()).transactionalId();
            if (!(record.value() instanceof TransactionLogValue value)) {
                now.remove(id);
                continue;
            }
            var next = TransactionRecords.state(value);
            var before = now.put(id, next);
            if (before == null) {
                assertThat(next.status()).isEqualTo(TransactionStatus.EMPTY);
                assertThat(producers.add(next.producerId())).isTrue();
                continue;
            }
            checkStep(before, next, producers);
            if (next.status().isPrepared()) {
                boolean bumped = next.producerEpoch() != before.producerEpoch();
                ends.add(new Told(
                        id,
                        next.producerId(),
                        bumped ? (short) (next.producerEpoch() - 1) : next.producerEpoch(),
                        next.status() == TransactionStatus.PREPARE_COMMIT));
            }
        }
        var invented = new HashSet<>(told);
        invented.removeAll(ends);
        assertThat(invented).as("ends that clients were told of").isEmpty();
    }

    private static void checkStep(TransactionState before, TransactionState next, Set<Long> producers) {
        var step = before + " -> " + next;
        var from = before.status();
        switch (next.status()) {
            case EMPTY, ONGOING ->
                assertThat(from.isIdle()
                                || from == TransactionStatus.ONGOING && next.status() == TransactionStatus.ONGOING)
                        .as(step)
                        .isTrue();
            case PREPARE_COMMIT -> assertThat(from).as(step).isEqualTo(TransactionStatus.ONGOING);
            case PREPARE_ABORT ->
                assertThat(from == TransactionStatus.ONGOING || from.isIdle())
                        .as(step)
                        .isTrue();
            case COMPLETE_COMMIT -> assertThat(from).as(step).isEqualTo(TransactionStatus.PREPARE_COMMIT);
            case COMPLETE_ABORT -> assertThat(from).as(step).isEqualTo(TransactionStatus.PREPARE_ABORT);
            case DEAD, PREPARE_EPOCH_FENCE -> throw new AssertionError(step);
        }
        if (next.producerId() == before.producerId()) {
            assertThat(next.producerEpoch()).as(step).isBetween(before.producerEpoch(), Short.MAX_VALUE);
            assertThat(next.producerEpoch() - before.producerEpoch()).as(step).isLessThanOrEqualTo(1);
        } else {
            assertThat(producers.add(next.producerId())).as(step).isTrue();
            assertThat(next.producerEpoch()).as(step).isZero();
            assertThat(TransactionState.isExhausted(before.producerEpoch()))
                    .as(step)
                    .isTrue();
        }
        if (next.status() == TransactionStatus.ONGOING && from == TransactionStatus.ONGOING) {
            assertThat(next.partitions()).as(step).containsAll(before.partitions());
        }
        if (next.status().isPrepared() && from == TransactionStatus.ONGOING) {
            assertThat(next.partitions()).as(step).isEqualTo(before.partitions());
        }
    }

    private static void checkReplay(TransactionHarness it) {
        Map<String, TransactionState> before = new HashMap<>();
        it.shard().ids().forEach(id -> before.put(id, it.state(id)));
        it.shell().restart(true);
        Map<String, TransactionState> after = new HashMap<>();
        it.shard().ids().forEach(id -> after.put(id, it.state(id)));
        assertThat(after).isEqualTo(before);
    }
}
