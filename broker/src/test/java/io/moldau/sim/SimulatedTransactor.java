package io.moldau.sim;

import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.transaction.TransactionsTopic;
import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.EndTxnRequestData;
import io.moldau.wire.message.EndTxnResponseData;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.OffsetFetchRequestData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import io.moldau.wire.message.OffsetFetchResponseData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceRequestData.PartitionProduceData;
import io.moldau.wire.message.ProduceRequestData.TopicProduceData;
import io.moldau.wire.message.ProduceResponseData;
import io.moldau.wire.message.TxnOffsetCommitRequestData;
import io.moldau.wire.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import io.moldau.wire.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import io.moldau.wire.message.TxnOffsetCommitResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.record.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// One of two producers with the same transactional id, which take over from each other. Does what clients of
/// transactions version 2 (KIP-890) do, one thing after the other: records to some partitions and the offset of a group
/// in one transaction, then commit or abort. Stops now and then for so long that it is fenced or its transaction times
/// out, and gives up requests early that arrive late.
final class SimulatedTransactor extends SimulatedClient {

    static final int TRANSACTION_TIMEOUT_MS = 3_000;

    /// In the place of a producer's number in the records.
    private static final int PRODUCER = 1_000;

    private static final int PRODUCE_TIMEOUT_MS = 1_500;

    /// Something in a transaction that is tried until it is done.
    private sealed interface Step {
        record Produce(int partition, int firstIndex, int firstSequence, int count) implements Step {}

        record CommitOffset() implements Step {}

        record End(boolean commit) implements Step {}
    }

    /// What is counted for one partition.
    private static final class Lane {
        /// In this transaction.
        private int records;
        /// In this epoch.
        private int sequence;
    }

    private final String id;
    private final List<TopicIdPartition> partitions;
    private final TransactionChecker checker;
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private boolean active;
    private boolean initialized;
    private boolean looked;
    private long producerId = -1;
    private int epoch = -1;
    private TransactionChecker.@Nullable Transaction transaction;
    private boolean dirty;
    private int stepsLeft;
    private boolean hasOffset;
    private @Nullable Step step;
    private boolean calm;
    private boolean retired;
    private int ended;
    private int endedWhenCalm;

    /// @param first whether it begins; the other one takes over some time
    SimulatedTransactor(SimulatedCluster cluster, int number, boolean first, List<TopicIdPartition> partitions) {
        super(cluster, "txn-" + number + (first ? "a" : "b"), 700 + 2 * number + (first ? 0 : 1));
        this.id = "txn-" + number;
        this.active = first;
        this.partitions = partitions;
        this.checker = cluster.checks().transactions();
    }

    @Override
    void start() {
        later(random().nextInt(500), "transactor", this::act);
    }

    /// From now on only the first of the two works, without stopping.
    void calmDown(boolean retire) {
        calm = true;
        retired = retire;
        active = !retire;
        endedWhenCalm = ended;
        pauseUntil(0);
    }

    /// Whether it has ended some transactions since, and has none open.
    boolean isDone() {
        return retired || calm && ended >= endedWhenCalm + 2 && transaction == null;
    }

    private void act() {
        if (retired) {
            return;
        }
        if (!calm && random().nextInt(150) == 0) {
            long forMs = random().nextInt(300, 2 * TRANSACTION_TIMEOUT_MS);
            cluster().log().note(this, "pause", "", forMs);
            pauseUntil(scheduler().now() + TimeUnit.MILLISECONDS.toNanos(forMs));
        } else if (!active) {
            if (random().nextInt(40) == 0) {
                active = true;
            }
        } else if (!initialized) {
            initialize();
            return;
        } else if (!looked) {
            look();
            return;
        } else if (step != null) {
            run(step);
            return;
        } else if (transaction == null) {
            if (!isDone()) {
                transaction = checker.begin(id);
                dirty = false;
                stepsLeft = 1 + random().nextInt(5);
                hasOffset = false;
                cluster().log().note(this, "begin", "", transaction.number());
            }
        } else {
            step = nextStep();
        }
        later(random().nextInt(30), "transactor", this::act);
    }

    private Step nextStep() {
        if (stepsLeft-- <= 0) {
            return new Step.End(random().nextInt(10) < 7);
        }
        if (!hasOffset && random().nextInt(4) == 0) {
            hasOffset = true;
            return new Step.CommitOffset();
        }
        int partition = random().nextInt(partitions.size());
        int count = 1 + random().nextInt(3);
        Lane lane = lanes.computeIfAbsent(partition, key -> new Lane());
        var produce = new Step.Produce(partition, lane.records, lane.sequence, count);
        lane.records += count;
        lane.sequence += count;
        return produce;
    }

    private void run(Step now) {
        switch (now) {
            case Step.Produce produce -> produce(produce);
            case Step.CommitOffset offset -> commitOffset(offset);
            case Step.End end -> end(end);
        }
    }

    private TransactionChecker.Transaction current() {
        TransactionChecker.Transaction it = transaction;
        if (it == null) {
            throw new AssertionError(this + " has no transaction");
        }
        return it;
    }

    // ---- how things go on

    private void note(String what, Errors error, long... values) {
        cluster().log().note(this, what, error.toString(), values);
    }

    private void again() {
        refreshMetadata();
        later(20 + random().nextInt(100), "transactor", this::act);
    }

    private void goOn() {
        later(random().nextInt(30), "transactor", this::act);
    }

    private void forgetTransaction() {
        transaction = null;
        step = null;
        lanes.values().forEach(lane -> lane.records = 0);
    }

    /// Another one is the producer now, or the coordinator took the transaction for abandoned.
    private void fenced() {
        lanes.clear();
        initialized = false;
        looked = false;
        active = calm || random().nextInt(4) == 0;
        forgetTransaction();
        again();
    }

    /// What went wrong inside a transaction.
    private void failed(String what, Errors error) {
        switch (error) {
            case NOT_LEADER_OR_FOLLOWER,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    NOT_ENOUGH_REPLICAS,
                    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                    LEADER_NOT_AVAILABLE,
                    KAFKA_STORAGE_ERROR,
                    COORDINATOR_LOAD_IN_PROGRESS,
                    COORDINATOR_NOT_AVAILABLE,
                    NOT_COORDINATOR,
                    CONCURRENT_TRANSACTIONS,
                    REQUEST_TIMED_OUT,
                    NETWORK_EXCEPTION -> again();
            case PRODUCER_FENCED, INVALID_PRODUCER_EPOCH, INVALID_PRODUCER_ID_MAPPING -> fenced();
            case TRANSACTION_ABORTABLE -> {
                step = new Step.End(false);
                again();
            }
            default -> cluster().fail(what + " of " + transaction + " by " + this + " was answered " + error, null);
        }
    }

    /// Sends a request, at times so that it arrives late while the answer is not waited for.
    private <M extends Message> void ask(
            int node, ApiKey api, int version, Message request, Class<M> type, BiConsumer<@Nullable M, Errors> then) {
        boolean givesUp = !calm && random().nextInt(12) == 0;
        if (givesUp) {
            cluster().network().stall(id(), node, false, TimeUnit.MILLISECONDS.toNanos(random().nextInt(20, 1_500)));
        }
        long timeoutMs = givesUp ? random().nextInt(10, 400) : REQUEST_TIMEOUT_MS;
        CompletableFuture<M> answer = send(node, api, version, request, type, timeoutMs);
        answer.whenComplete(
                (response, failure) -> then.accept(response, response == null ? error(failure) : Errors.NONE));
    }

    // ---- the producer

    private void initialize() {
        int coordinator = coordinator(TransactionsTopic.NAME, id);
        if (coordinator < 0) {
            again();
            return;
        }
        TransactionChecker.Term newest = checker.newest(id);
        var request = new InitProducerIdRequestData()
                .setTransactionalId(id)
                .setTransactionTimeoutMs(TRANSACTION_TIMEOUT_MS)
                .setProducerId(-1)
                .setProducerEpoch((short) -1);
        ask(coordinator, ApiKey.INIT_PRODUCER_ID, 5, request, InitProducerIdResponseData.class, (response, failure) -> {
            Errors error = response == null ? failure : Errors.forCode(response.errorCode());
            note(
                    "init",
                    error,
                    response == null ? -1 : response.producerId(),
                    response == null ? -1 : response.producerEpoch(),
                    coordinator);
            if (error == Errors.NONE && response != null) {
                producerId = response.producerId();
                epoch = response.producerEpoch();
                initialized = true;
                checker.initialized(id, producerId, epoch, newest);
                goOn();
            } else {
                failed("initialization", error);
            }
        });
    }

    private void end(Step.End end) {
        TransactionChecker.Transaction it = current();
        if (!dirty) {
            // Nobody knows of it.
            forgetTransaction();
            goOn();
            return;
        }
        int coordinator = coordinator(TransactionsTopic.NAME, id);
        if (coordinator < 0) {
            again();
            return;
        }
        boolean fenced = checker.isFenced(id, producerId, epoch);
        checker.asks(it, end.commit());
        var request = new EndTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producerId)
                .setProducerEpoch((short) epoch)
                .setCommitted(end.commit());
        ask(coordinator, ApiKey.END_TXN, 5, request, EndTxnResponseData.class, (response, failure) -> {
            Errors error = response == null ? failure : Errors.forCode(response.errorCode());
            note(end.commit() ? "commit" : "abort", error, it.number(), epoch, coordinator);
            if (error == Errors.NONE && response != null) {
                checker.done("the end", it, fenced);
                checker.told(it, end.commit());
                if (producerId != response.producerId() || epoch != response.producerEpoch()) {
                    lanes.clear();
                }
                producerId = response.producerId();
                epoch = response.producerEpoch();
                checker.hasEpoch(id, producerId, epoch);
                ended++;
                forgetTransaction();
                goOn();
            } else if (error == Errors.INVALID_TXN_STATE) {
                // Somebody has taken over, and the transaction is being aborted.
                fenced();
            } else {
                failed("the end", error);
            }
        });
    }

    // ---- what is in a transaction

    private void produce(Step.Produce produce) {
        TransactionChecker.Transaction it = current();
        TopicIdPartition partition = partitions.get(produce.partition());
        PartitionRegistration registration = registration(partition);
        if (registration == null || registration.leader() < 0) {
            again();
            return;
        }
        int leader = registration.leader();
        boolean fenced = checker.isFenced(id, producerId, epoch);
        dirty = true;
        var topic = new TopicProduceData().setTopicId(partition.topicId());
        topic.partitionData()
                .add(new PartitionProduceData()
                        .setIndex(partition.partition())
                        .setRecords(HeapRecords.of(bytes(it, produce))));
        var request = new ProduceRequestData()
                .setTransactionalId(id)
                .setAcks((short) -1)
                .setTimeoutMs(PRODUCE_TIMEOUT_MS);
        request.topicData().add(topic);
        ask(leader, ApiKey.PRODUCE, 13, request, ProduceResponseData.class, (response, failure) -> {
            Errors error = response == null
                    ? failure
                    : Errors.forCode(response.responses()
                            .getFirst()
                            .partitionResponses()
                            .getFirst()
                            .errorCode());
            note(
                    "produce",
                    error,
                    it.number(),
                    produce.partition(),
                    produce.firstIndex(),
                    produce.count(),
                    epoch,
                    leader);
            if (error == Errors.NONE) {
                checker.done("a batch", it, fenced);
                checker.acknowledged(it, partition, produce.count());
                step = null;
                goOn();
            } else {
                failed("a batch", error);
            }
        });
    }

    private ByteBuffer bytes(TransactionChecker.Transaction it, Step.Produce produce) {
        var builder = new BatchBuilder()
                .producer(producerId, (short) epoch, produce.firstSequence())
                .transactional(true);
        long now = milliseconds();
        for (int i = 0; i < produce.count(); i++) {
            builder.append(
                    now,
                    null,
                    Payload.of(PRODUCER, it.number() * Payload.MOST_IN_TRANSACTION + produce.firstIndex() + i, 0));
        }
        return builder.build();
    }

    private void commitOffset(Step.CommitOffset offset) {
        TransactionChecker.Transaction it = current();
        int coordinator = coordinator(OffsetsTopic.NAME, id);
        if (coordinator < 0) {
            again();
            return;
        }
        boolean fenced = checker.isFenced(id, producerId, epoch);
        dirty = true;
        TopicIdPartition partition = partitions.getFirst();
        var topic = new TxnOffsetCommitRequestTopic().setName(partition.topic());
        topic.partitions()
                .add(new TxnOffsetCommitRequestPartition()
                        .setPartitionIndex(partition.partition())
                        .setCommittedOffset(it.number())
                        .setCommittedMetadata(""));
        var request = new TxnOffsetCommitRequestData()
                .setTransactionalId(id)
                .setGroupId(id)
                .setProducerId(producerId)
                .setProducerEpoch((short) epoch);
        request.topics().add(topic);
        ask(
                coordinator,
                ApiKey.TXN_OFFSET_COMMIT,
                5,
                request,
                TxnOffsetCommitResponseData.class,
                (response, failure) -> {
                    Errors error = response == null
                            ? failure
                            : Errors.forCode(response.topics()
                                    .getFirst()
                                    .partitions()
                                    .getFirst()
                                    .errorCode());
                    note("commit offset", error, it.number(), epoch, coordinator);
                    if (error == Errors.NONE) {
                        checker.done("an offset", it, fenced);
                        checker.offsetAcknowledged(it);
                        step = null;
                        goOn();
                    } else {
                        failed(offset.toString(), error);
                    }
                });
    }

    /// What the transactions before have committed, as a processor looks up when it begins.
    private void look() {
        int coordinator = coordinator(OffsetsTopic.NAME, id);
        if (coordinator < 0) {
            again();
            return;
        }
        TopicIdPartition partition = partitions.getFirst();
        int least = checker.leastOffset(id);
        boolean fenced = checker.isFenced(id, producerId, epoch);
        var request = new OffsetFetchRequestData().setRequireStable(true);
        request.groups()
                .add(new OffsetFetchRequestGroup()
                        .setGroupId(id)
                        .setTopics(List.of(new OffsetFetchRequestTopics()
                                .setName(partition.topic())
                                .setPartitionIndexes(List.of(partition.partition())))));
        ask(coordinator, ApiKey.OFFSET_FETCH, 8, request, OffsetFetchResponseData.class, (response, failure) -> {
            Errors error = failure;
            long found = -1;
            if (response != null) {
                var group = response.groups().getFirst();
                error = Errors.forCode(group.errorCode());
                if (error == Errors.NONE) {
                    var answer = group.topics().getFirst().partitions().getFirst();
                    error = Errors.forCode(answer.errorCode());
                    found = answer.committedOffset();
                }
            }
            note("found", error, found, coordinator);
            if (error == Errors.NONE) {
                looked = true;
                if (!fenced && cluster().checks().leads(coordinator, OffsetsTopic.NAME, id)) {
                    checker.foundOffset(id, found, least);
                }
                goOn();
            } else if (error == Errors.UNSTABLE_OFFSET_COMMIT) {
                again();
            } else {
                failed("a look", error);
            }
        });
    }
}
