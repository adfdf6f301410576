package io.moldau.broker.coordinator.transaction;

import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.CoordinatorRuntime;
import io.moldau.broker.coordinator.runtime.Effect;
import io.moldau.broker.coordinator.runtime.Gather;
import io.moldau.broker.coordinator.runtime.KeyHash;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerAnswer;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerIdAndEpoch;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerRequest;
import io.moldau.broker.peer.BrokerRequests;
import io.moldau.common.ApiError;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.AddOffsetsToTxnRequestData;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import io.moldau.wire.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import io.moldau.wire.message.AddPartitionsToTxnResponseData;
import io.moldau.wire.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult;
import io.moldau.wire.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult;
import io.moldau.wire.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import io.moldau.wire.message.DescribeTransactionsResponseData;
import io.moldau.wire.message.EndTxnRequestData;
import io.moldau.wire.message.EndTxnResponseData;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.ListTransactionsRequestData;
import io.moldau.wire.message.ListTransactionsResponseData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Serves the transactional ids this node coordinates: finds the shard of an id, runs the request in it, and says what
/// to say when the shard is elsewhere or not loaded yet.
///
/// Thread-safe; replies come on any thread, often the caller's before the call returns.
public final class TransactionCoordinator implements AutoCloseable {

    /// From this version on AddPartitionsToTxn is for brokers, with several transactions in one request.
    private static final short BATCHED_VERSION = 4;

    /// From this version on EndTxn is of clients whose epochs are counted up by each transaction (KIP-890).
    private static final short END_BUMP_VERSION = 5;

    private static final short EPOCH_BUMP_VERSION = TransactionState.EPOCH_BUMP_VERSION;

    /// The first versions whose clients know PRODUCER_FENCED (KIP-588).
    private static final short INIT_FENCED_VERSION = 4;

    private static final short ADD_FENCED_VERSION = 2;
    private static final short END_FENCED_VERSION = 2;

    /// What else it needs of its node.
    ///
    /// @param requestTimeoutMs how long another broker may take to write markers
    /// @param defaultPartitions `transaction.state.log.num.partitions`, for as long as the topic does not exist
    public record Services(
            CoordinatorRuntime.Services runtime,
            ProducerIds producerIds,
            BrokerRequests brokers,
            Supplier<MetadataImage> image,
            TransactionMetrics metrics,
            long requestTimeoutMs,
            int defaultPartitions) {}

    private final Services services;
    private final TransactionCoordinatorConfig config;
    private final Time time;
    private final MarkerSender markers;
    private final CoordinatorRuntime<TransactionShard> runtime;

    public TransactionCoordinator(TransactionCoordinatorConfig config, Services services) {
        this.services = services;
        this.config = config;
        this.time = services.runtime().time();
        this.markers = new MarkerSender(
                services.brokers(),
                services.image(),
                time,
                services.runtime().timer(),
                services.runtime().executor(),
                services.metrics(),
                services.requestTimeoutMs(),
                this::onMarkersWritten);
        this.runtime = new CoordinatorRuntime<>(TransactionsTopic.NAME, this::newShard, services.runtime());
    }

    private TransactionShard newShard(int partition) {
        return new TransactionShard(
                partition,
                config,
                () -> services.image().get().features().transactionVersion(),
                new TransactionShard.Outlets(markers::send, this::fetchId, markers::forget),
                services.metrics());
    }

    private void onMarkersWritten(EndMarkers done) {
        // A refusal: whoever is the coordinator now, writes them again.
        runtime.submit(done.shard(), shard -> shard.completed(done, time.milliseconds()), error -> {});
    }

    private void fetchId(TransactionShard.IdWanted wanted) {
        services.producerIds().allocate(new ProducerIds.Callback() {
            @Override
            public void allocated(long producerId) {
                runtime.submit(
                        wanted.shard(),
                        shard -> wanted.then().with(shard, producerId, time.milliseconds()),
                        wanted.refused()::because);
            }

            @Override
            public void failed(ApiError error) {
                wanted.refused().because(error.error());
            }
        });
    }

    /// The partition of [TransactionsTopic#NAME] whose leader coordinates the transactional id.
    public int partitionFor(String transactionalId) {
        var topic = services.image().get().topics().topic(TransactionsTopic.NAME);
        int partitions = topic == null || topic.partitions().isEmpty()
                ? services.defaultPartitions()
                : topic.partitions().size();
        return KeyHash.partitionFor(transactionalId, partitions);
    }

    // ---- producers ----

    /// Gives out a producer id and an epoch: fresh ones without a transactional id, else those that fence whoever wrote
    /// under it before.
    public void initProducer(
            InitProducerIdRequestData request, short apiVersion, Reply<InitProducerIdResponseData> reply) {
        Reply<ProducerAnswer> answer = answered -> reply.complete(new InitProducerIdResponseData()
                .setErrorCode(inVersion(answered.error(), apiVersion, INIT_FENCED_VERSION)
                        .code())
                .setProducerId(answered.producerId())
                .setProducerEpoch(answered.producerEpoch()));
        var id = request.transactionalId();
        boolean hasId = request.producerId() != TransactionState.NO_PRODUCER_ID;
        boolean hasEpoch = request.producerEpoch() != TransactionState.NO_EPOCH;
        if (hasId != hasEpoch || id != null && id.isEmpty()) {
            answer.complete(ProducerAnswer.failed(Errors.INVALID_REQUEST));
        } else if (id == null) {
            // What the client takes itself to be matters under a transactional id only.
            services.producerIds().allocate(new ProducerIds.Callback() {
                @Override
                public void allocated(long producerId) {
                    answer.complete(new ProducerAnswer(Errors.NONE, producerId, (short) 0));
                }

                @Override
                public void failed(ApiError error) {
                    answer.complete(ProducerAnswer.failed(error.error()));
                }
            });
        } else if (request.transactionTimeoutMs() <= 0 || request.transactionTimeoutMs() > config.maxTimeoutMs()) {
            answer.complete(ProducerAnswer.failed(Errors.INVALID_TRANSACTION_TIMEOUT));
        } else {
            var expected = hasId ? new ProducerIdAndEpoch(request.producerId(), request.producerEpoch()) : null;
            submit(
                    id,
                    shard -> shard.initProducer(
                            id, request.transactionTimeoutMs(), expected, answer, time.milliseconds()),
                    error -> answer.complete(ProducerAnswer.failed(error)));
        }
    }

    // ---- partitions ----

    /// AddPartitionsToTxn in any of its versions: one transaction of a client, or several of which a broker asks that
    /// partitions be added or looked up.
    public void addPartitions(
            AddPartitionsToTxnRequestData request, short apiVersion, Consumer<AddPartitionsToTxnResponseData> reply) {
        boolean batched = apiVersion >= BATCHED_VERSION;
        var transactions = batched
                ? request.transactions()
                : List.of(new AddPartitionsToTxnTransaction()
                        .setTransactionalId(request.v3AndBelowTransactionalId())
                        .setProducerId(request.v3AndBelowProducerId())
                        .setProducerEpoch(request.v3AndBelowProducerEpoch())
                        .setTopics(request.v3AndBelowTopics()));
        Gather.<AddPartitionsToTxnTransaction, AddPartitionsToTxnResult>all(
                transactions,
                (transaction, answer) -> addPartitions(transaction, apiVersion, answer),
                results -> reply.accept(
                        batched
                                ? new AddPartitionsToTxnResponseData().setResultsByTransaction(results)
                                : new AddPartitionsToTxnResponseData()
                                        .setResultsByTopicV3AndBelow(
                                                results.getFirst().topicResults())));
    }

    private void addPartitions(
            AddPartitionsToTxnTransaction transaction, short apiVersion, Reply<AddPartitionsToTxnResult> reply) {
        var producer = new ProducerRequest(
                transaction.transactionalId(), transaction.producerId(), transaction.producerEpoch());
        var partitions = partitions(transaction.topics());
        Consumer<Errors> all = error -> reply.complete(result(producer, all(partitions, error)));
        var missing = missing(partitions);
        if (!missing.isEmpty()) {
            // All or nothing.
            var errors = all(partitions, Errors.OPERATION_NOT_ATTEMPTED);
            errors.putAll(all(missing, Errors.UNKNOWN_TOPIC_OR_PARTITION));
            reply.complete(result(producer, errors));
        } else if (producer.transactionalId().isEmpty()) {
            all.accept(Errors.INVALID_REQUEST);
        } else if (transaction.verifyOnly()) {
            submit(
                    producer.transactionalId(),
                    shard -> CoordinatorResult.of(
                            new Effect.Answer<>(reply, result(producer, shard.verify(producer, partitions)))),
                    all);
        } else {
            short version = apiVersion >= BATCHED_VERSION ? EPOCH_BUMP_VERSION : 0;
            submit(
                    producer.transactionalId(),
                    shard -> shard.addPartitions(
                            producer,
                            partitions,
                            version,
                            error -> all.accept(inVersion(error, apiVersion, ADD_FENCED_VERSION)),
                            time.milliseconds()),
                    all);
        }
    }

    private Set<TopicPartition> missing(Set<TopicPartition> partitions) {
        var topics = services.image().get().topics();
        var missing = new HashSet<TopicPartition>();
        for (var partition : partitions) {
            var topic = topics.topic(partition.topic());
            if (topic == null || topic.partition(partition.partition()) == null) {
                missing.add(partition);
            }
        }
        return missing;
    }

    private static Set<TopicPartition> partitions(List<AddPartitionsToTxnTopic> topics) {
        var partitions = new HashSet<TopicPartition>();
        topics.forEach(topic -> topic.partitions().forEach(id -> partitions.add(new TopicPartition(topic.name(), id))));
        return partitions;
    }

    private static Map<TopicPartition, Errors> all(Set<TopicPartition> partitions, Errors error) {
        var errors = new HashMap<TopicPartition, Errors>();
        partitions.forEach(partition -> errors.put(partition, error));
        return errors;
    }

    private static AddPartitionsToTxnResult result(ProducerRequest producer, Map<TopicPartition, Errors> errors) {
        var topics = new TreeMap<String, AddPartitionsToTxnTopicResult>();
        new TreeMap<>(errors)
                .forEach((partition, error) -> topics.computeIfAbsent(
                                partition.topic(), name -> new AddPartitionsToTxnTopicResult().setName(name))
                        .resultsByPartition()
                        .add(new AddPartitionsToTxnPartitionResult()
                                .setPartitionIndex(partition.partition())
                                .setPartitionErrorCode(error.code())));
        return new AddPartitionsToTxnResult()
                .setTransactionalId(producer.transactionalId())
                .setTopicResults(new ArrayList<>(topics.values()));
    }

    /// Makes the group's offsets part of the transaction, as the partition they are kept in. Clients of transactions of
    /// version 2 leave that to the broker.
    public void addOffsets(
            AddOffsetsToTxnRequestData request, TopicPartition offsets, short apiVersion, Consumer<Errors> reply) {
        var producer = new ProducerRequest(request.transactionalId(), request.producerId(), request.producerEpoch());
        if (producer.transactionalId().isEmpty()) {
            reply.accept(Errors.INVALID_REQUEST);
            return;
        }
        submit(
                producer.transactionalId(),
                shard -> shard.addPartitions(
                        producer,
                        Set.of(offsets),
                        (short) 0,
                        error -> reply.accept(inVersion(error, apiVersion, ADD_FENCED_VERSION)),
                        time.milliseconds()),
                reply);
    }

    // ---- ends ----

    public void endTransaction(EndTxnRequestData request, short apiVersion, Reply<EndTxnResponseData> reply) {
        var producer = new ProducerRequest(request.transactionalId(), request.producerId(), request.producerEpoch());
        Reply<ProducerAnswer> answer = answered -> reply.complete(new EndTxnResponseData()
                .setErrorCode(inVersion(answered.error(), apiVersion, END_FENCED_VERSION)
                        .code())
                .setProducerId(answered.producerId())
                .setProducerEpoch(answered.producerEpoch()));
        if (producer.transactionalId().isEmpty()) {
            answer.complete(ProducerAnswer.failed(Errors.INVALID_REQUEST));
            return;
        }
        short version = apiVersion >= END_BUMP_VERSION ? EPOCH_BUMP_VERSION : 0;
        submit(
                producer.transactionalId(),
                shard -> shard.endTransaction(producer, request.committed(), version, answer, time.milliseconds()),
                error -> answer.complete(ProducerAnswer.failed(error)));
    }

    /// Older clients know an old epoch as the only way to be fenced.
    static Errors inVersion(Errors error, short apiVersion, short knowsFenced) {
        return error == Errors.PRODUCER_FENCED && apiVersion < knowsFenced ? Errors.INVALID_PRODUCER_EPOCH : error;
    }

    // ---- administration ----

    public void describe(
            List<String> transactionalIds, Consumer<List<DescribeTransactionsResponseData.TransactionState>> reply) {
        Gather.<String, DescribeTransactionsResponseData.TransactionState>all(
                transactionalIds,
                (id, answer) -> {
                    Consumer<Errors> refused =
                            error -> answer.complete(new DescribeTransactionsResponseData.TransactionState()
                                    .setTransactionalId(id)
                                    .setErrorCode(error.code()));
                    if (id.isEmpty()) {
                        refused.accept(Errors.INVALID_REQUEST);
                    } else {
                        submit(
                                id,
                                shard -> CoordinatorResult.of(new Effect.Answer<>(answer, shard.describe(id))),
                                refused);
                    }
                },
                reply);
    }

    /// What one shard lists, or why it cannot.
    private record Listing(Errors error, List<ListTransactionsResponseData.TransactionState> transactions) {}

    /// The ids of all shards of this node. One that is still loading fails the list, for it would look complete.
    ///
    /// @param idFilter by name
    public void list(
            ListTransactionsRequestData request,
            Predicate<String> idFilter,
            Reply<ListTransactionsResponseData> reply) {
        var statuses = new HashSet<TransactionStatus>();
        var unknown = new ArrayList<String>();
        for (var name : request.stateFilters()) {
            var status = TransactionStatus.forName(name);
            if (status == null) {
                unknown.add(name);
            } else {
                statuses.add(status);
            }
        }
        var producers = Set.copyOf(request.producerIdFilters());
        long nowMs = time.milliseconds();
        Gather.<Integer, Listing>all(
                List.copyOf(runtime.partitions()),
                (partition, answer) -> runtime.submit(
                        partition,
                        shard -> CoordinatorResult.of(new Effect.Answer<>(
                                answer,
                                new Listing(
                                        Errors.NONE,
                                        shard.list((id, state) -> (producers.isEmpty()
                                                        || producers.contains(state.producerId()))
                                                && (request.stateFilters().isEmpty()
                                                        || statuses.contains(state.status()))
                                                && (request.durationFilter() < 0
                                                        || nowMs - state.startMs() > request.durationFilter())
                                                && idFilter.test(id))))),
                        error -> answer.complete(new Listing(error, List.of()))),
                listings -> {
                    var response = new ListTransactionsResponseData().setUnknownStateFilters(unknown);
                    for (var listing : listings) {
                        if (listing.error() != Errors.NONE && listing.error() != Errors.NOT_COORDINATOR) {
                            reply.complete(new ListTransactionsResponseData()
                                    .setErrorCode(listing.error().code()));
                            return;
                        }
                        response.transactionStates().addAll(listing.transactions());
                    }
                    reply.complete(response);
                });
    }

    /// How many transactional ids the shards of this node remember, those that are loaded.
    public void census(Consumer<TransactionCensus> reply) {
        var none = new TransactionCensus(0, 0, 0);
        Gather.<Integer, TransactionCensus>all(
                List.copyOf(runtime.partitions()),
                (partition, answer) -> runtime.submit(
                        partition,
                        shard -> CoordinatorResult.of(new Effect.Answer<>(answer, shard.census())),
                        error -> answer.complete(none)),
                shards -> reply.accept(shards.stream().reduce(none, TransactionCensus::plus)));
    }

    /// Transactions whose end is decided and whose markers are on their way.
    public int pendingMarkers() {
        return markers.pending();
    }

    // ---- metadata ----

    /// This node leads the partition.
    void elected(int partition, int leaderEpoch) {
        runtime.elected(partition, leaderEpoch, shard -> shard.takeUp(leaderEpoch, time.milliseconds()));
    }

    /// This node leads the partition no longer.
    void resigned(int partition) {
        runtime.resigned(partition);
    }

    @Override
    public void close() {
        runtime.close();
        markers.close();
    }

    private void submit(
            String transactionalId, Function<TransactionShard, CoordinatorResult> operation, Consumer<Errors> refused) {
        runtime.submit(partitionFor(transactionalId), operation, refused);
    }
}
