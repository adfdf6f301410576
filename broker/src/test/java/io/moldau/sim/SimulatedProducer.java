package io.moldau.sim;

import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceRequestData.PartitionProduceData;
import io.moldau.wire.message.ProduceRequestData.TopicProduceData;
import io.moldau.wire.message.ProduceResponseData;
import io.moldau.wire.message.ProduceResponseData.PartitionProduceResponse;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.record.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An idempotent producer with acks=all: numbers its records for each partition, has up to five batches in flight,
/// sends what failed again in order, and never gives up.
final class SimulatedProducer extends SimulatedClient {

    private static final int MAX_IN_FLIGHT = 5;
    private static final int MAX_WAITING = 12;
    private static final int PRODUCE_TIMEOUT_MS = 1_500;

    /// A batch that is not acknowledged.
    private static final class Batch {
        private final int firstSequence;
        private final int count;
        private boolean inFlight;
        private boolean sentBefore;
        private boolean sentAgain;
        /// Everything before it had been acknowledged when it was sent.
        private boolean sentFirst;

        Batch(int firstSequence, int count) {
            this.firstSequence = firstSequence;
            this.count = count;
        }
    }

    /// What this producer does with one partition.
    private final class Lane {
        private final TopicIdPartition partition;
        private final ArrayDeque<Batch> batches = new ArrayDeque<>();
        private int next;
        private int inFlight;
        private boolean retrying;

        Lane(TopicIdPartition partition) {
            this.partition = partition;
        }
    }

    private final int number;
    private final int meanPauseMs;
    private final int padding;
    private final List<Lane> lanes = new ArrayList<>();
    private long producerId = -1;
    private boolean stopped;

    SimulatedProducer(SimulatedCluster cluster, int number) {
        super(cluster, "prod-" + number, 100 + number);
        this.number = number;
        this.meanPauseMs = random().nextInt(15, 120);
        this.padding = random().nextInt(4) == 0 ? random().nextInt(500) : 0;
    }

    @Override
    void start() {
        later(1, "init", this::initialize);
    }

    private void initialize() {
        this.send(
                        cluster().randomBroker(random()),
                        ApiKey.INIT_PRODUCER_ID,
                        4,
                        new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000),
                        InitProducerIdResponseData.class)
                .whenComplete((response, failure) -> {
                    if (response != null && response.errorCode() == 0) {
                        producerId = response.producerId();
                        cluster().log().note(this, "producer id", "", producerId);
                        later(1, "produce", this::work);
                    } else {
                        later(200, "init", this::initialize);
                    }
                });
    }

    /// Records to this partition too.
    void use(TopicIdPartition partition) {
        lanes.add(new Lane(partition));
    }

    /// No new records; what is not acknowledged is still sent.
    void stopMakingRecords() {
        stopped = true;
    }

    boolean isDone() {
        return stopped && lanes.stream().allMatch(lane -> lane.batches.isEmpty());
    }

    String waitsFor() {
        var text = new StringBuilder();
        for (Lane lane : lanes) {
            if (!lane.batches.isEmpty()) {
                text.append(name())
                        .append(" has ")
                        .append(lane.batches.size())
                        .append(" batches for ")
                        .append(lane.partition.topicPartition())
                        .append(' ');
            }
        }
        return text.toString();
    }

    private void work() {
        for (Lane lane : lanes) {
            if (!stopped && lane.batches.size() < MAX_WAITING) {
                int count = 1 + random().nextInt(4);
                lane.batches.addLast(new Batch(lane.next, count));
                lane.next += count;
            }
            pump(lane);
        }
        later(random().nextInt(2 * meanPauseMs), "produce", this::work);
    }

    private void pump(Lane lane) {
        if (lane.batches.isEmpty()) {
            return;
        }
        // After a failure nothing is sent before everything in flight has come back, so that order is kept.
        if (lane.retrying && lane.inFlight > 0) {
            return;
        }
        PartitionRegistration registration = registration(lane.partition);
        if (registration == null || registration.leader() < 0) {
            refreshMetadata();
            return;
        }
        lane.retrying = false;
        boolean first = true;
        for (Batch batch : lane.batches) {
            if (lane.inFlight >= MAX_IN_FLIGHT) {
                return;
            }
            if (!batch.inFlight) {
                boolean again = batch.sentBefore;
                if (again && !first) {
                    return;
                }
                batch.sentFirst = first;
                batch.sentAgain = again;
                batch.sentBefore = true;
                send(lane, batch, registration.leader());
                if (again) {
                    // What is sent again goes alone, or the leader could have forgotten it behind what follows.
                    return;
                }
            } else if (batch.sentAgain) {
                return;
            }
            first = false;
        }
    }

    private void send(Lane lane, Batch batch, int leader) {
        batch.inFlight = true;
        lane.inFlight++;
        var topic = new TopicProduceData().setTopicId(lane.partition.topicId());
        topic.partitionData()
                .add(new PartitionProduceData()
                        .setIndex(lane.partition.partition())
                        .setRecords(HeapRecords.of(bytes(batch))));
        var request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(PRODUCE_TIMEOUT_MS);
        request.topicData().add(topic);
        send(leader, ApiKey.PRODUCE, 13, request, ProduceResponseData.class).whenComplete((response, failure) -> {
            batch.inFlight = false;
            lane.inFlight--;
            if (response == null) {
                failed(lane, batch, leader, error(failure), null);
                return;
            }
            PartitionProduceResponse answer =
                    response.responses().getFirst().partitionResponses().getFirst();
            Errors error = Errors.forCode(answer.errorCode());
            if (error == Errors.NONE) {
                acknowledged(lane, batch, leader, answer.baseOffset());
            } else {
                failed(lane, batch, leader, error, answer.errorMessage());
            }
        });
    }

    private ByteBuffer bytes(Batch batch) {
        var builder = new BatchBuilder().producer(producerId, (short) 0, batch.firstSequence);
        long now = milliseconds();
        for (int i = 0; i < batch.count; i++) {
            builder.append(now, null, Payload.of(number, batch.firstSequence + i, padding));
        }
        return builder.build();
    }

    private void acknowledged(Lane lane, Batch batch, int leader, long baseOffset) {
        lane.batches.remove(batch);
        cluster()
                .log()
                .note(
                        this,
                        "acknowledged",
                        lane.partition.topicPartition(),
                        baseOffset,
                        batch.firstSequence,
                        batch.count);
        cluster().checks().acknowledged(lane.partition, leader, number, batch.firstSequence, batch.count, baseOffset);
        pump(lane);
    }

    private void failed(Lane lane, Batch batch, int leader, Errors error, @Nullable String message) {
        cluster()
                .log()
                .note(
                        this,
                        "not acknowledged",
                        lane.partition.topicPartition() + " " + error,
                        batch.firstSequence,
                        batch.count);
        switch (error) {
            case NOT_LEADER_OR_FOLLOWER,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    NOT_ENOUGH_REPLICAS,
                    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                    REQUEST_TIMED_OUT,
                    NETWORK_EXCEPTION,
                    LEADER_NOT_AVAILABLE,
                    KAFKA_STORAGE_ERROR -> {}
            case OUT_OF_ORDER_SEQUENCE_NUMBER -> {
                // One that leads no more does not know what followed.
                if (batch.sentFirst && cluster().checks().leads(leader, lane.partition)) {
                    cluster()
                            .fail(
                                    "a producer that sent everything in order is out of order in "
                                            + lane.partition.topicPartition() + " at " + batch.firstSequence + ": "
                                            + message,
                                    null);
                }
            }
            default ->
                cluster()
                        .fail(
                                "produce to " + lane.partition.topicPartition() + " answered " + error + ": " + message,
                                null);
        }
        lane.retrying = true;
        refreshMetadata();
        later(20 + random().nextInt(80), "retry", () -> pump(lane));
    }
}
