package io.moldau.broker.transaction;

import io.moldau.broker.peer.BrokerRequests;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Deadline;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import io.moldau.wire.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import io.moldau.wire.message.AddPartitionsToTxnResponseData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Asks the coordinators of transactions whether a partition belongs to a transaction, or to take it in (KIP-890).
///
/// One request at a time is under way to each coordinator; what is asked meanwhile goes together in
/// the next. A transaction whose last end is still being written is asked about again, for a short
/// while. Thread-safe; holds nothing but open questions, of which each belongs to a client's
/// request under way and ends with the request to the coordinator.
public final class CoordinatorQuestions {

    /// The first version whose errors say more than the clients' one.
    private static final short VERSION = 5;

    /// @param add whether the partition is to be taken in; else it must be there
    record Question(
            String transactionalId, long producerId, short producerEpoch, TopicPartition partition, boolean add) {}

    /// How to ask again.
    ///
    /// @param backoffMs `add.partitions.to.txn.retry.backoff.ms`
    /// @param maxMs `add.partitions.to.txn.retry.backoff.max.ms`
    /// @param requestTimeoutMs `request.timeout.ms`
    public record Patience(int backoffMs, int maxMs, int requestTimeoutMs) {}

    private record Asked(Question question, Deadline until, Consumer<Errors> answer) {}

    /// What goes into one entry of a request.
    private record Transaction(String transactionalId, long producerId, short producerEpoch, boolean add) {}

    private static final class Link {
        final int brokerId;
        final Map<Transaction, List<Asked>> waiting = new LinkedHashMap<>();
        boolean busy;

        Link(int brokerId) {
            this.brokerId = brokerId;
        }
    }

    private final BrokerRequests requests;
    private final ToIntFunction<String> coordinatorOf;
    private final Time time;
    private final Timer timer;
    private final Executor executor;
    private final Patience patience;

    /// Guarded by this object's monitor, as are the links.
    private final Map<Integer, Link> links = new HashMap<>();

    /// @param coordinatorOf the broker that coordinates a transactional id, -1 if none is known
    /// @param executor where questions are asked again
    public CoordinatorQuestions(
            BrokerRequests requests,
            ToIntFunction<String> coordinatorOf,
            Time time,
            Timer timer,
            Executor executor,
            Patience patience) {
        this.requests = requests;
        this.coordinatorOf = coordinatorOf;
        this.time = time;
        this.timer = timer;
        this.executor = executor;
        this.patience = patience;
    }

    /// @param answer called once, on any thread: NONE, what the coordinator says, or NETWORK_EXCEPTION or
    ///     COORDINATOR_NOT_AVAILABLE where it cannot be asked
    void ask(Question question, Consumer<Errors> answer) {
        long patienceMs = Math.min(patience.maxMs(), patience.requestTimeoutMs());
        ask(new Asked(question, Deadline.afterMillis(time.nanoseconds(), patienceMs), answer));
    }

    private void ask(Asked asked) {
        var question = asked.question();
        int coordinator = coordinatorOf.applyAsInt(question.transactionalId());
        if (coordinator < 0) {
            asked.answer().accept(Errors.COORDINATOR_NOT_AVAILABLE);
            return;
        }
        Link link;
        synchronized (this) {
            link = links.computeIfAbsent(coordinator, Link::new);
            link.waiting
                    .computeIfAbsent(
                            new Transaction(
                                    question.transactionalId(),
                                    question.producerId(),
                                    question.producerEpoch(),
                                    question.add()),
                            it -> new ArrayList<>(1))
                    .add(asked);
        }
        send(link);
    }

    private void send(Link link) {
        Map<Transaction, List<Asked>> batch;
        synchronized (this) {
            if (link.busy || link.waiting.isEmpty()) {
                return;
            }
            batch = take(link);
            link.busy = true;
        }
        requests.send(
                        link.brokerId,
                        VERSION,
                        request(batch),
                        AddPartitionsToTxnResponseData.class,
                        patience.requestTimeoutMs())
                .whenComplete((response, failure) -> {
                    synchronized (this) {
                        link.busy = false;
                        if (link.waiting.isEmpty()) {
                            links.remove(link.brokerId, link);
                        }
                    }
                    answer(batch, response, failure);
                    send(link);
                });
    }

    /// A request can name a transactional id only once.
    private static Map<Transaction, List<Asked>> take(Link link) {
        var batch = new LinkedHashMap<Transaction, List<Asked>>();
        var named = new HashSet<String>();
        for (var entries = link.waiting.entrySet().iterator(); entries.hasNext(); ) {
            var entry = entries.next();
            if (named.add(entry.getKey().transactionalId())) {
                batch.put(entry.getKey(), entry.getValue());
                entries.remove();
            }
        }
        return batch;
    }

    private static AddPartitionsToTxnRequestData request(Map<Transaction, List<Asked>> batch) {
        var request = new AddPartitionsToTxnRequestData();
        batch.forEach((transaction, questions) -> {
            var topics = new LinkedHashMap<String, AddPartitionsToTxnTopic>();
            for (var asked : questions) {
                var partition = asked.question().partition();
                var partitions = topics.computeIfAbsent(
                                partition.topic(), name -> new AddPartitionsToTxnTopic().setName(name))
                        .partitions();
                if (!partitions.contains(partition.partition())) {
                    partitions.add(partition.partition());
                }
            }
            request.transactions()
                    .add(new AddPartitionsToTxnTransaction()
                            .setTransactionalId(transaction.transactionalId())
                            .setProducerId(transaction.producerId())
                            .setProducerEpoch(transaction.producerEpoch())
                            .setVerifyOnly(!transaction.add())
                            .setTopics(new ArrayList<>(topics.values())));
        });
        return request;
    }

    private void answer(
            Map<Transaction, List<Asked>> batch,
            @Nullable AddPartitionsToTxnResponseData response,
            @Nullable Throwable failure) {
        var errors = new HashMap<String, Map<TopicPartition, Errors>>();
        if (response != null) {
            for (var result : response.resultsByTransaction()) {
                var ofTransaction = errors.computeIfAbsent(result.transactionalId(), id -> new HashMap<>());
                for (var topic : result.topicResults()) {
                    for (var partition : topic.resultsByPartition()) {
                        ofTransaction.put(
                                new TopicPartition(topic.name(), partition.partitionIndex()),
                                Errors.forCode(partition.partitionErrorCode()));
                    }
                }
            }
        }
        var whole = response == null ? errorOf(failure) : Errors.forCode(response.errorCode());
        batch.forEach((transaction, questions) -> {
            var ofTransaction = errors.getOrDefault(transaction.transactionalId(), Map.of());
            for (var asked : questions) {
                answer(
                        asked,
                        whole != Errors.NONE
                                ? whole
                                : ofTransaction.getOrDefault(
                                        asked.question().partition(), Errors.UNKNOWN_SERVER_ERROR));
            }
        });
    }

    private static Errors errorOf(@Nullable Throwable failure) {
        var cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
        return cause instanceof ApiException refused && refused.error() == Errors.BROKER_NOT_AVAILABLE
                ? Errors.COORDINATOR_NOT_AVAILABLE
                : Errors.NETWORK_EXCEPTION;
    }

    private void answer(Asked asked, Errors error) {
        switch (error) {
            case CONCURRENT_TRANSACTIONS -> {
                long now = time.nanoseconds();
                var again = Deadline.afterMillis(now, patience.backoffMs());
                if (asked.until().hasPassed(now)) {
                    asked.answer().accept(error);
                } else {
                    timer.schedule(again, () -> executor.execute(() -> ask(asked)));
                }
            }
            // The words of the coordinator's clients, in those of a partition's.
            case PRODUCER_FENCED -> asked.answer().accept(Errors.INVALID_PRODUCER_EPOCH);
            case CLUSTER_AUTHORIZATION_FAILED -> asked.answer().accept(Errors.INVALID_TXN_STATE);
            default -> asked.answer().accept(error);
        }
    }

    /// How many questions are open at coordinators, or wait for their turn there.
    synchronized int coordinatorsAsked() {
        return links.size();
    }
}
