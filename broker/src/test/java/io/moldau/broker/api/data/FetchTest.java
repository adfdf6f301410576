package io.moldau.broker.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.net.NetworkConfig;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.DeleteRecordsRequestData;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import io.moldau.wire.message.DeleteRecordsResponseData;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchRequestData.FetchPartition;
import io.moldau.wire.message.FetchRequestData.FetchTopic;
import io.moldau.wire.message.FetchRequestData.ForgottenTopic;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FetchResponseData.PartitionData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceRequestData.PartitionProduceData;
import io.moldau.wire.message.ProduceRequestData.TopicProduceData;
import io.moldau.wire.message.ProduceResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Fetch as bytes over a socket: versions, limits, waits and sessions.
class FetchTest {

    private static final int PARTITIONS = 4;

    @TempDir
    Path directory;

    private DataNode node;
    private RawClient client;
    private Uuid topicId;

    @BeforeEach
    void start() throws Exception {
        node = new DataNode(directory, NetworkConfig.DEFAULTS, 0, RequestMetrics.NONE, 3);
        topicId = node.createTopic("t", PARTITIONS);
        client = new RawClient(node.address());
    }

    @AfterEach
    void stop() {
        client.close();
        node.close();
        assertThat(node.faults.faults()).isEmpty();
    }

    private long produce(int partition, int valueBytes) {
        ByteBuffer batch =
                new BatchBuilder().append(1000, null, new byte[valueBytes]).build();
        var request = new ProduceRequestData()
                .setAcks((short) 1)
                .setTimeoutMs(5000)
                .setTopicData(List.of(new TopicProduceData()
                        .setName("t")
                        .setPartitionData(List.of(
                                new PartitionProduceData().setIndex(partition).setRecords(HeapRecords.of(batch))))));
        try (var producer = new RawClient(node.address())) {
            var answer = producer.call(ApiKey.PRODUCE, 9, request, ProduceResponseData.class)
                    .responses()
                    .getFirst()
                    .partitionResponses()
                    .getFirst();
            assertThat(answer.errorCode()).isZero();
            return answer.baseOffset();
        }
    }

    private FetchPartition from(int partition, long offset) {
        return new FetchPartition()
                .setPartition(partition)
                .setFetchOffset(offset)
                .setPartitionMaxBytes(1 << 20)
                .setCurrentLeaderEpoch(-1)
                .setLastFetchedEpoch(-1)
                .setLogStartOffset(-1);
    }

    private FetchRequestData fetch(int sessionId, int epoch, FetchPartition... partitions) {
        var request = new FetchRequestData()
                .setReplicaId(-1)
                .setMaxWaitMs(0)
                .setMinBytes(1)
                .setMaxBytes(50 << 20)
                .setSessionId(sessionId)
                .setSessionEpoch(epoch);
        if (partitions.length > 0) {
            request.setTopics(
                    List.of(new FetchTopic().setTopic("t").setTopicId(topicId).setPartitions(List.of(partitions))));
        }
        return request;
    }

    private FetchResponseData call(int version, FetchRequestData request) {
        return client.call(ApiKey.FETCH, version, request, FetchResponseData.class);
    }

    /// The partitions of an answer by their number.
    private static final class Answers extends TreeMap<Integer, PartitionData> {
        private static final long serialVersionUID = 1L;

        @Override
        public PartitionData get(Object partition) {
            PartitionData found = super.get(partition);
            if (found == null) {
                throw new AssertionError("no answer for partition " + partition + " among " + keySet());
            }
            return found;
        }
    }

    private static Answers byPartition(FetchResponseData response) {
        assertThat(response.errorCode()).isZero();
        var found = new Answers();
        response.responses()
                .forEach(topic -> topic.partitions()
                        .forEach(it -> assertThat(found.put(it.partitionIndex(), it))
                                .as("named twice")
                                .isNull()));
        return found;
    }

    private static int bytes(PartitionData data) {
        return Objects.requireNonNull(data.records()).sizeInBytes();
    }

    /// The base offsets of the batches in the answer.
    private static List<Long> offsets(PartitionData data) {
        List<Long> found = new ArrayList<>();
        ByteBuffer records = ((BufferRecords) Objects.requireNonNull(data.records())).buffer();
        while (records.remaining() >= RecordBatch.LOG_OVERHEAD) {
            int size = RecordBatch.LOG_OVERHEAD + records.getInt(records.position() + RecordBatch.LENGTH_OFFSET);
            if (size > records.remaining()) {
                break; // the last batch may be cut
            }
            found.add(records.getLong(records.position()));
            records.position(records.position() + size);
        }
        return found;
    }

    static IntStream versions() {
        return IntStream.rangeClosed(4, 18);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void recordsComeInEveryVersion(int version) {
        produce(0, 10);
        produce(0, 20);
        produce(1, 30);
        FetchResponseData response = call(version, fetch(0, -1, from(0, 1), from(1, 0), from(2, 0), from(3, 1)));
        assertThat(response.sessionId()).isZero();
        Answers found = byPartition(response);
        assertThat(found.keySet()).containsExactly(0, 1, 2, 3);
        assertThat(offsets(found.get(0))).containsExactly(1L);
        assertThat(offsets(found.get(1))).containsExactly(0L);
        assertThat(bytes(found.get(2))).isZero();
        assertThat(found.get(0).highWatermark()).isEqualTo(2);
        assertThat(found.get(0).lastStableOffset()).isEqualTo(2);
        assertThat(found.get(0).logStartOffset()).isEqualTo(version >= 5 ? 0 : -1);
        assertThat(Errors.forCode(found.get(3).errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);

        FetchResponseData committed = call(version, fetch(0, -1, from(0, 0)).setIsolationLevel((byte) 1));
        assertThat(offsets(byPartition(committed).get(0))).containsExactly(0L, 1L);
        assertThat(byPartition(committed).get(0).abortedTransactions()).isEmpty();
    }

    @Test
    void theFirstBatchComesWholeWhateverTheLimits() {
        for (int i = 0; i < 3; i++) {
            produce(0, 6000);
            produce(1, 6000);
        }
        Answers tiny = byPartition(
                call(11, fetch(0, -1, from(2, 0), from(0, 0), from(1, 0)).setMaxBytes(1)));
        assertThat(offsets(tiny.get(0))).containsExactly(0L);
        assertThat(bytes(tiny.get(1))).isZero();

        Answers limited = byPartition(call(
                11,
                fetch(0, -1, from(0, 1).setPartitionMaxBytes(100), from(1, 0).setPartitionMaxBytes(100))));
        assertThat(offsets(limited.get(0))).containsExactly(1L);
        assertThat(bytes(limited.get(1))).isLessThanOrEqualTo(100);
    }

    @Test
    void unknownPartitionsTopicsAndEpochs() {
        Answers found = byPartition(call(
                12,
                fetch(
                        0,
                        -1,
                        from(9, 0),
                        from(0, 0).setCurrentLeaderEpoch(5),
                        from(1, 0).setCurrentLeaderEpoch(0))));
        assertThat(Errors.forCode(found.get(9).errorCode())).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(Errors.forCode(found.get(0).errorCode())).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
        assertThat(found.get(1).errorCode()).isZero();

        var request = fetch(0, -1, from(0, 0));
        request.topics().getFirst().setTopicId(new Uuid(1, 2));
        assertThat(Errors.forCode(byPartition(call(13, request)).get(0).errorCode()))
                .isEqualTo(Errors.UNKNOWN_TOPIC_ID);
    }

    @Test
    void aReaderWhoseLogPartsFromOursIsTold() {
        produce(0, 10);
        Answers found = byPartition(call(12, fetch(0, -1, from(0, 1).setLastFetchedEpoch(0))));
        assertThat(found.get(0).divergingEpoch().epoch()).isEqualTo(-1);
        found = byPartition(call(12, fetch(0, -1, from(0, 1).setLastFetchedEpoch(3))));
        assertThat(Errors.forCode(found.get(0).errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
    }

    @Test
    void aStrangerWhoFetchesAsAReplicaIsRefused() {
        produce(0, 10);
        Answers found = byPartition(call(12, fetch(0, -1, from(0, 0)).setReplicaId(7)));
        assertThat(Errors.forCode(found.get(0).errorCode())).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    // --- waiting ---

    @Test
    void aFetchWaitsForRecords() throws Exception {
        for (int epoch : new int[] {-1, 0}) {
            long offset = node.partition("t", 0).logEndOffset();
            int id = client.send(
                    ApiKey.FETCH,
                    11,
                    fetch(0, epoch, from(0, offset), from(1, 0)).setMaxWaitMs(20_000));
            awaitWatched(0);
            produce(0, 10);
            Answers found = byPartition(client.receive(ApiKey.FETCH, 11, id, FetchResponseData.class));
            assertThat(offsets(found.get(0))).containsExactly(offset);
        }
    }

    /// Until somebody waits for the partition, as far as that can be seen from outside: its tail is asked for.
    private void awaitWatched(int partition) throws InterruptedException {
        var p = node.partition("t", partition);
        while (!p.isWatched()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void itWaitsForMinBytes() throws Exception {
        int id = client.send(
                ApiKey.FETCH,
                11,
                fetch(0, -1, from(0, 0), from(1, 0)).setMaxWaitMs(20_000).setMinBytes(1500));
        awaitWatched(0);
        produce(0, 500);
        produce(1, 500);
        produce(0, 500);
        Answers found = byPartition(client.receive(ApiKey.FETCH, 11, id, FetchResponseData.class));
        assertThat(offsets(found.get(0))).containsExactly(0L, 1L);
        assertThat(offsets(found.get(1))).containsExactly(0L);
    }

    @Test
    void itIsAnsweredWithWhatThereIsWhenTheTimeIsOver() {
        produce(0, 10);
        long before = System.nanoTime();
        FetchResponseData response =
                call(11, fetch(0, -1, from(0, 0), from(1, 0)).setMaxWaitMs(300).setMinBytes(100_000));
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isBetween(Duration.ofMillis(295), Duration.ofSeconds(15));
        assertThat(offsets(byPartition(response).get(0))).containsExactly(0L);
    }

    @Test
    void itIsAnsweredWhenThePartitionGoes() throws Exception {
        int id = client.send(ApiKey.FETCH, 11, fetch(0, -1, from(0, 0)).setMaxWaitMs(20_000));
        awaitWatched(0);
        node.deleteTopic("t");
        Answers found = byPartition(client.receive(ApiKey.FETCH, 11, id, FetchResponseData.class));
        assertThat(Errors.forCode(found.get(0).errorCode()))
                .isIn(Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void aWaitEndsWithItsConnection() throws Exception {
        try (var other = new RawClient(node.address())) {
            other.send(ApiKey.FETCH, 11, fetch(0, -1, from(0, 0)).setMaxWaitMs(Integer.MAX_VALUE));
            awaitWatched(0);
        }
        while (node.partition("t", 0).isWatched()) {
            Thread.onSpinWait();
        }
    }

    // --- sessions ---

    private int open(FetchPartition... partitions) {
        FetchResponseData response = call(11, fetch(0, 0, partitions));
        assertThat(response.sessionId()).isPositive();
        assertThat(byPartition(response)).hasSize(partitions.length);
        return response.sessionId();
    }

    @Test
    void aSessionAnswersWhatIsNew() {
        int session = open(from(0, 0), from(1, 0), from(2, 0));
        assertThat(byPartition(call(11, fetch(session, 1)))).isEmpty();
        produce(1, 10);
        Answers found = byPartition(call(11, fetch(session, 2)));
        assertThat(found.keySet()).containsExactly(1);
        assertThat(offsets(found.get(1))).containsExactly(0L);
        // Nobody said that it was read: it comes again.
        assertThat(offsets(byPartition(call(11, fetch(session, 3))).get(1))).containsExactly(0L);
        assertThat(byPartition(call(11, fetch(session, 4, from(1, 1))))).isEmpty();
        produce(0, 10);
        produce(3, 10);
        found = byPartition(call(11, fetch(session, 5, from(3, 0))));
        assertThat(found.keySet()).containsExactly(0, 3);
    }

    @Test
    void forgottenPartitionsAreNotAnswered() {
        int session = open(from(0, 0), from(1, 0));
        produce(0, 10);
        produce(1, 10);
        var request = fetch(session, 1)
                .setForgottenTopicsData(
                        List.of(new ForgottenTopic().setTopic("t").setPartitions(List.of(0))));
        assertThat(byPartition(call(11, request)).keySet()).containsExactly(1);

        request = fetch(session, 2)
                .setForgottenTopicsData(
                        List.of(new ForgottenTopic().setTopic("t").setPartitions(List.of(1))));
        FetchResponseData last = call(11, request);
        assertThat(last.sessionId())
                .as("a session without partitions is no more")
                .isZero();
        assertThat(Errors.forCode(call(11, fetch(session, 3)).errorCode()))
                .isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void wrongEpochsAndIds() {
        int session = open(from(0, 0));
        FetchResponseData wrong = call(11, fetch(session, 9));
        assertThat(Errors.forCode(wrong.errorCode())).isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        assertThat(wrong.responses()).isEmpty();
        assertThat(byPartition(call(11, fetch(session, 1)))).isEmpty();
        int other = session == 1 ? 2 : session - 1;
        assertThat(Errors.forCode(call(11, fetch(other, 1)).errorCode())).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
        assertThat(Errors.forCode(call(13, fetch(session, 2)).errorCode()))
                .isEqualTo(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
        assertThat(call(11, fetch(session, -1, from(0, 0))).sessionId()).isZero();
        assertThat(Errors.forCode(call(11, fetch(session, 2)).errorCode()))
                .isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void aNewLogStartIsNews() {
        produce(0, 10);
        produce(0, 10);
        int session = open(from(0, 2));
        assertThat(byPartition(call(11, fetch(session, 1)))).isEmpty();
        var delete = new DeleteRecordsRequestData()
                .setTimeoutMs(5000)
                .setTopics(List.of(new DeleteRecordsTopic()
                        .setName("t")
                        .setPartitions(List.of(new DeleteRecordsPartition()
                                .setPartitionIndex(0)
                                .setOffset(1)))));
        client.call(ApiKey.DELETE_RECORDS, 2, delete, DeleteRecordsResponseData.class);
        Answers found = byPartition(call(11, fetch(session, 2)));
        assertThat(found.get(0).logStartOffset()).isEqualTo(1);
        assertThat(byPartition(call(11, fetch(session, 3)))).isEmpty();
    }

    @Test
    void withoutAFreeSlotTheClientGoesOnWithoutASession() {
        open(from(0, 0));
        open(from(0, 0));
        open(from(0, 0));
        assertThat(node.sessions.size()).isEqualTo(3);
        FetchResponseData response = call(11, fetch(0, 0, from(0, 0), from(1, 0)));
        assertThat(response.sessionId()).isZero();
        assertThat(byPartition(response)).hasSize(2);
        assertThat(node.sessions.size()).isEqualTo(3);
    }

    @Test
    void aByteLimitServesPartitionsInTurn() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int i = 0; i < 10; i++) {
                produce(partition, 1000);
            }
        }
        int session = call(
                        11,
                        fetch(0, 0, from(0, 0), from(1, 0), from(2, 0), from(3, 0))
                                .setMaxBytes(1))
                .sessionId();
        Map<Integer, Integer> served = new HashMap<>();
        for (int epoch = 1; epoch <= 20; epoch++) {
            byPartition(call(11, fetch(session, epoch).setMaxBytes(1500)))
                    .forEach((partition, data) -> served.merge(partition, bytes(data) > 0 ? 1 : 0, Integer::sum));
        }
        assertThat(served.keySet()).hasSize(PARTITIONS);
        assertThat(served.values()).allMatch(times -> times >= 4);
    }

    /// A client that follows the protocol sees every record of every partition once and in order, in a session or
    /// not, while others produce.
    @Seeds(count = 12)
    void nothingIsLostAndNothingComesTwice(long seed) {
        var random = new Random(seed);
        var expected = new long[PARTITIONS];
        var seen = new long[PARTITIONS];
        int session = 0;
        int epoch = random.nextBoolean() ? 0 : -1;
        List<FetchPartition> changed = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            expected[p] = node.partition("t", p).logEndOffset();
            seen[p] = expected[p];
            changed.add(from(p, seen[p]));
        }
        for (int step = 0; step < 40; step++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                int p = random.nextInt(PARTITIONS);
                produce(p, random.nextInt(3000));
                expected[p]++;
            }
            if (epoch <= 0) {
                changed.clear();
                for (int p = 0; p < PARTITIONS; p++) {
                    changed.add(from(p, seen[p]));
                }
            }
            var request = fetch(session, epoch, changed.toArray(FetchPartition[]::new))
                    .setMaxBytes(random.nextBoolean() ? 4000 : 1 << 20)
                    .setMaxWaitMs(random.nextBoolean() ? 0 : 5);
            FetchResponseData response = call(11, request);
            changed = new ArrayList<>();
            for (Map.Entry<Integer, PartitionData> it : byPartition(response).entrySet()) {
                int p = it.getKey();
                assertThat(it.getValue().errorCode()).isZero();
                for (long offset : offsets(it.getValue())) {
                    assertThat(offset).isEqualTo(seen[p]);
                    seen[p]++;
                    changed.removeIf(old -> old.partition() == p);
                    changed.add(from(p, seen[p]));
                }
            }
            if (response.sessionId() != 0) {
                session = response.sessionId();
                epoch = epoch + 1;
            } else {
                session = 0;
            }
        }
        for (int round = 0; round < 50 && !java.util.Arrays.equals(seen, expected); round++) {
            if (epoch <= 0) {
                changed.clear();
                for (int p = 0; p < PARTITIONS; p++) {
                    changed.add(from(p, seen[p]));
                }
            }
            FetchResponseData response = call(11, fetch(session, epoch, changed.toArray(FetchPartition[]::new)));
            changed = new ArrayList<>();
            for (Map.Entry<Integer, PartitionData> it : byPartition(response).entrySet()) {
                int p = it.getKey();
                for (long offset : offsets(it.getValue())) {
                    assertThat(offset).isEqualTo(seen[p]++);
                }
                changed.add(from(p, seen[p]));
            }
            epoch = response.sessionId() != 0 ? epoch + 1 : epoch;
            session = response.sessionId();
        }
        assertThat(seen).isEqualTo(expected);
        client.call(ApiKey.FETCH, 11, fetch(session, -1, from(0, seen[0])), FetchResponseData.class);
    }
}
