package io.moldau.broker.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.broker.coordinator.runtime.ShardHarness;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerAnswer;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerIdAndEpoch;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerRequest;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One [TransactionShard] with what is around it: producer ids from 1000 on, and markers that a test writes.
final class TransactionHarness {

    static final String ID = "x";
    static final int TIMEOUT_MS = 60_000;
    static final TopicPartition A0 = new TopicPartition("a", 0);
    static final TopicPartition B1 = new TopicPartition("b", 1);

    /// An answer that may be there, once.
    static final class Answer<T> implements Reply<T> {
        private @Nullable T value;

        @Override
        public void complete(T response) {
            assertThat(value).as("a second answer: %s", response).isNull();
            value = response;
        }

        boolean isThere() {
            return value != null;
        }

        T get() {
            return Objects.requireNonNull(value, "no answer");
        }
    }

    private final ShardHarness<TransactionShard> shell;
    private final List<EndMarkers> markers = new ArrayList<>();
    private final List<TransactionShard.Term> unloaded = new ArrayList<>();
    private int transactionVersion = 2;
    private int coordinatorEpoch;
    private long nextProducerId = 1000;
    private @Nullable Errors noIds;

    TransactionHarness() {
        this(TransactionCoordinatorConfig.DEFAULTS);
    }

    TransactionHarness(TransactionCoordinatorConfig config) {
        this.shell = new ShardHarness<>(
                () -> new TransactionShard(
                        3,
                        config,
                        () -> transactionVersion,
                        new TransactionShard.Outlets(markers::add, this::fetchId, unloaded::add),
                        TransactionMetrics.NONE),
                new TransactionRecordDecoder(),
                (shard, now) -> shard.takeUp(++coordinatorEpoch, now));
    }

    private void fetchId(TransactionShard.IdWanted wanted) {
        if (noIds != null) {
            wanted.refused().because(noIds);
        } else {
            shell.run(wanted.then().with(shell.shard(), nextProducerId++, shell.nowMs()));
        }
    }

    ShardHarness<TransactionShard> shell() {
        return shell;
    }

    TransactionShard shard() {
        return shell.shard();
    }

    TransactionHarness transactionVersion(int level) {
        transactionVersion = level;
        return this;
    }

    void refuseIds(Errors error) {
        noIds = error;
    }

    long nextProducerId() {
        return nextProducerId;
    }

    int coordinatorEpoch() {
        return coordinatorEpoch;
    }

    /// What was handed out to be written, and is not written yet.
    List<EndMarkers> markers() {
        return markers;
    }

    List<TransactionShard.Term> unloaded() {
        return unloaded;
    }

    TransactionState state() {
        return state(ID);
    }

    TransactionState state(String id) {
        return Objects.requireNonNull(shard().state(id), "nothing is known of " + id);
    }

    // ---- requests ----

    Answer<ProducerAnswer> init(String id, @Nullable ProducerIdAndEpoch expected) {
        var answer = new Answer<ProducerAnswer>();
        shell.run(shard().initProducer(id, TIMEOUT_MS, expected, answer, shell.nowMs()));
        return answer;
    }

    ProducerAnswer init() {
        return init(ID, null).get();
    }

    ProducerAnswer init(long expectedId, int expectedEpoch) {
        return init(ID, new ProducerIdAndEpoch(expectedId, (short) expectedEpoch))
                .get();
    }

    Answer<Errors> add(ProducerRequest producer, int version, TopicPartition... partitions) {
        var answer = new Answer<Errors>();
        shell.run(shard().addPartitions(producer, Set.of(partitions), (short) version, answer, shell.nowMs()));
        return answer;
    }

    Errors add(TopicPartition... partitions) {
        return add(producer(), 0, partitions).get();
    }

    Answer<ProducerAnswer> end(ProducerRequest producer, boolean commit, int version) {
        var answer = new Answer<ProducerAnswer>();
        shell.run(shard().endTransaction(producer, commit, (short) version, answer, shell.nowMs()));
        return answer;
    }

    ProducerAnswer end(long producerId, int epoch, boolean commit, int version) {
        return end(request(producerId, epoch), commit, version).get();
    }

    /// The end that the present producer asks for.
    ProducerAnswer end(boolean commit, int version) {
        return end(producer(), commit, version).get();
    }

    /// Every partition has its marker.
    void writeMarkers() {
        var written = List.copyOf(markers);
        markers.clear();
        written.forEach(it -> shell.run(shard().completed(it, shell.nowMs())));
    }

    ProducerRequest producer() {
        return request(state().producerId(), state().producerEpoch());
    }

    static ProducerRequest request(long producerId, int epoch) {
        return new ProducerRequest(ID, producerId, (short) epoch);
    }

    /// A log that leaves the id so.
    TransactionHarness given(TransactionState state) {
        shell.log().add(TransactionRecords.state(ID, state, transactionVersion));
        shell.restart(true);
        return this;
    }

    /// A state of producer 7.
    static TransactionState stateOf(TransactionStatus status, int epoch, int clientVersion) {
        return new TransactionState(
                7,
                7,
                -1,
                (short) epoch,
                TIMEOUT_MS,
                status,
                status.isIdle() ? Set.of() : Set.of(A0, B1),
                status == TransactionStatus.EMPTY ? -1 : 1_000_000,
                1_000_000,
                (short) clientVersion);
    }
}
