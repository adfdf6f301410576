package io.moldau.ops.transactions;

import io.moldau.broker.api.data.RawClient;
import io.moldau.common.Errors;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.Condition;
import io.moldau.wire.message.AddOffsetsToTxnRequestData;
import io.moldau.wire.message.AddOffsetsToTxnResponseData;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import io.moldau.wire.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import io.moldau.wire.message.AddPartitionsToTxnResponseData;
import io.moldau.wire.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import io.moldau.wire.message.DescribeTransactionsRequestData;
import io.moldau.wire.message.DescribeTransactionsResponseData;
import io.moldau.wire.message.DescribeTransactionsResponseData.TransactionState;
import io.moldau.wire.message.EndTxnRequestData;
import io.moldau.wire.message.EndTxnResponseData;
import io.moldau.wire.message.FindCoordinatorRequestData;
import io.moldau.wire.message.FindCoordinatorResponseData;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.ListTransactionsRequestData;
import io.moldau.wire.message.ListTransactionsResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What producers and others ask of a node about transactions, and what it answers, as a text in which producer ids are
/// numbered as they come. Owned by the thread that tells the story.
final class TransactionTalk implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(60);

    /// What a producer was given.
    record Producer(long id, int epoch) {
        static final Producer NONE = new Producer(-1, -1);

        Producer in(int otherEpoch) {
            return new Producer(id, otherEpoch);
        }

        Producer other() {
            return new Producer(id + 5_000, epoch);
        }
    }

    private final RawClient node;
    private final Map<Long, String> names = new HashMap<>();
    private final List<String> lines = new ArrayList<>();

    TransactionTalk(String bootstrap) {
        int colon = bootstrap.lastIndexOf(':');
        node = new RawClient(
                new InetSocketAddress(bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1))));
    }

    List<String> lines() {
        return lines;
    }

    private void say(String asked, Object answered) {
        lines.add(asked + " -> " + answered);
    }

    private String name(long producerId) {
        return producerId < 0 ? "none" : names.computeIfAbsent(producerId, id -> "producer" + names.size());
    }

    private String name(Producer producer) {
        return name(producer.id()) + "/" + producer.epoch();
    }

    /// Waits until both coordinators serve; not part of the story.
    void awaitCoordinators() {
        for (byte type = 0; type <= 1; type++) {
            var request = new FindCoordinatorRequestData().setKeyType(type).setCoordinatorKeys(List.of("x"));
            await(
                    "a coordinator",
                    () -> node.call(ApiKey.FIND_COORDINATOR, 4, request, FindCoordinatorResponseData.class)
                                    .coordinators()
                                    .getFirst()
                                    .errorCode()
                            == 0);
        }
        // Some of them are in each partition.
        for (String id : List.of("a", "b", "c", "d", "e", "f")) {
            await("the state of " + id, () -> described(id).errorCode() == Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
        }
        await("a producer id", () -> init(5, null, 1000, Producer.NONE, false).errorCode() == 0);
    }

    private static void await(String what, Condition condition) {
        Await.until(what, SOON, condition, () -> "");
    }

    Producer init(int version, @Nullable String id, int timeoutMs, Producer expected) {
        var answer = init(version, id, timeoutMs, expected, true);
        return new Producer(answer.producerId(), answer.producerEpoch());
    }

    /// As [#init] of a client that is told to come back.
    Producer initAfterAll(int version, String id, int timeoutMs) {
        while (true) {
            var answer = init(version, id, timeoutMs, Producer.NONE, true);
            if (answer.errorCode() != Errors.CONCURRENT_TRANSACTIONS.code()) {
                return new Producer(answer.producerId(), answer.producerEpoch());
            }
            settle(id);
        }
    }

    private InitProducerIdResponseData init(
            int version, @Nullable String id, int timeoutMs, Producer expected, boolean told) {
        var answer = node.call(
                ApiKey.INIT_PRODUCER_ID,
                version,
                new InitProducerIdRequestData()
                        .setTransactionalId(id)
                        .setTransactionTimeoutMs(timeoutMs)
                        .setProducerId(expected.id())
                        .setProducerEpoch((short) expected.epoch()),
                InitProducerIdResponseData.class);
        if (told) {
            say(
                    "init v" + version + " " + id + " within " + timeoutMs + " as " + name(expected),
                    Errors.forCode(answer.errorCode()) + " "
                            + name(new Producer(answer.producerId(), answer.producerEpoch())));
        }
        return answer;
    }

    void add(int version, String id, Producer producer, List<String> topics, int... partitions) {
        var answer = node.call(
                ApiKey.ADD_PARTITIONS_TO_TXN,
                version,
                new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId(id)
                        .setV3AndBelowProducerId(producer.id())
                        .setV3AndBelowProducerEpoch((short) producer.epoch())
                        .setV3AndBelowTopics(topics(topics, partitions)),
                AddPartitionsToTxnResponseData.class);
        say("add v" + version + " " + id + " " + name(producer), errors(answer.resultsByTopicV3AndBelow()));
    }

    /// As a broker asks.
    void addForClient(int version, String id, Producer producer, boolean verify, String topic, int... partitions) {
        var answer = node.call(
                ApiKey.ADD_PARTITIONS_TO_TXN,
                version,
                new AddPartitionsToTxnRequestData()
                        .setTransactions(List.of(new AddPartitionsToTxnTransaction()
                                .setTransactionalId(id)
                                .setProducerId(producer.id())
                                .setProducerEpoch((short) producer.epoch())
                                .setVerifyOnly(verify)
                                .setTopics(topics(List.of(topic), partitions)))),
                AddPartitionsToTxnResponseData.class);
        say(
                (verify ? "verify v" : "add v") + version + " " + id + " " + name(producer),
                Errors.forCode(answer.errorCode()) + " "
                        + errors(answer.resultsByTransaction().getFirst().topicResults()));
    }

    private static List<AddPartitionsToTxnTopic> topics(List<String> names, int... partitions) {
        return names.stream()
                .map(name -> new AddPartitionsToTxnTopic()
                        .setName(name)
                        .setPartitions(IntStream.of(partitions).boxed().toList()))
                .toList();
    }

    private static Map<String, Errors> errors(List<AddPartitionsToTxnTopicResult> topics) {
        var errors = new TreeMap<String, Errors>();
        topics.forEach(topic -> topic.resultsByPartition()
                .forEach(partition -> errors.put(
                        topic.name() + "-" + partition.partitionIndex(),
                        Errors.forCode(partition.partitionErrorCode()))));
        return errors;
    }

    void addOffsets(int version, String id, Producer producer) {
        var answer = node.call(
                ApiKey.ADD_OFFSETS_TO_TXN,
                version,
                new AddOffsetsToTxnRequestData()
                        .setTransactionalId(id)
                        .setProducerId(producer.id())
                        .setProducerEpoch((short) producer.epoch())
                        .setGroupId("g"),
                AddOffsetsToTxnResponseData.class);
        say("offsets v" + version + " " + id + " " + name(producer), Errors.forCode(answer.errorCode()));
    }

    /// @return the producer to go on as
    Producer end(int version, String id, Producer producer, boolean commit) {
        var answer = node.call(
                ApiKey.END_TXN,
                version,
                new EndTxnRequestData()
                        .setTransactionalId(id)
                        .setProducerId(producer.id())
                        .setProducerEpoch((short) producer.epoch())
                        .setCommitted(commit),
                EndTxnResponseData.class);
        var next = new Producer(answer.producerId(), answer.producerEpoch());
        say(
                (commit ? "commit v" : "abort v") + version + " " + id + " " + name(producer),
                Errors.forCode(answer.errorCode()) + (version >= 5 ? " " + name(next) : ""));
        return next;
    }

    void describe(String id) {
        var state = described(id);
        var topics = new TreeSet<String>();
        state.topics().forEach(topic -> topics.add(topic.topic() + new TreeSet<>(topic.partitions())));
        say(
                "describe " + id,
                Errors.forCode(state.errorCode()) + " " + state.transactionState() + " "
                        + (state.errorCode() == 0 ? name(new Producer(state.producerId(), state.producerEpoch())) : "")
                        + " within " + state.transactionTimeoutMs()
                        + (state.transactionStartTimeMs() > 0 ? " begun " : " not begun ") + topics);
    }

    private TransactionState described(String id) {
        return node.call(
                        ApiKey.DESCRIBE_TRANSACTIONS,
                        0,
                        new DescribeTransactionsRequestData().setTransactionalIds(List.of(id)),
                        DescribeTransactionsResponseData.class)
                .transactionStates()
                .getFirst();
    }

    /// Waits until no end is on its way, and tells where that has led.
    void settle(String id) {
        await(
                "the end of a transaction of " + id,
                () -> !described(id).transactionState().startsWith("Prepare"));
        describe(id);
    }

    void list(int version, List<String> states, long longerThanMs, @Nullable String pattern) {
        var answer = node.call(
                ApiKey.LIST_TRANSACTIONS,
                version,
                new ListTransactionsRequestData()
                        .setStateFilters(states)
                        .setDurationFilter(longerThanMs)
                        .setTransactionalIdPattern(pattern),
                ListTransactionsResponseData.class);
        var found = new TreeSet<String>();
        answer.transactionStates()
                .forEach(state -> found.add(
                        state.transactionalId() + " " + name(state.producerId()) + " " + state.transactionState()));
        say(
                "list v" + version + " " + states + " longer than " + longerThanMs + " like " + pattern,
                Errors.forCode(answer.errorCode()) + " unknown " + answer.unknownStateFilters() + " " + found);
    }

    @Override
    public void close() {
        node.close();
    }
}
