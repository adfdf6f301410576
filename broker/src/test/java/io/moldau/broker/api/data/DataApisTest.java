package io.moldau.broker.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.net.NetworkConfig;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRead;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.log.LogConfig;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterBrokerRecord;
import io.moldau.wire.message.DeleteRecordsRequestData;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import io.moldau.wire.message.DeleteRecordsResponseData;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.ListOffsetsRequestData;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsPartition;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsTopic;
import io.moldau.wire.message.ListOffsetsResponseData;
import io.moldau.wire.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import io.moldau.wire.message.OffsetForLeaderEpochRequestData;
import io.moldau.wire.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import io.moldau.wire.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import io.moldau.wire.message.OffsetForLeaderEpochResponseData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceRequestData.PartitionProduceData;
import io.moldau.wire.message.ProduceRequestData.TopicProduceData;
import io.moldau.wire.message.ProduceResponseData;
import io.moldau.wire.message.ProduceResponseData.PartitionProduceResponse;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.TimestampType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every data API but Fetch, as bytes over a socket.
class DataApisTest {

    private static final long OTHER_PRODUCER = 1001;

    @TempDir
    Path directory;

    private DataNode node;
    private RawClient client;
    private Uuid topicId;

    @BeforeEach
    void start() throws Exception {
        node = new DataNode(directory);
        topicId = node.createTopic("t", 2);
        client = new RawClient(node.address());
    }

    @AfterEach
    void stop() {
        client.close();
        node.close();
        assertThat(node.faults.faults()).isEmpty();
    }

    static ByteBuffer batch(long timestamp, int count) {
        var builder = new BatchBuilder();
        for (int i = 0; i < count; i++) {
            builder.append(timestamp + i, null, new byte[] {(byte) i});
        }
        return builder.build();
    }

    private ProduceRequestData produce(int acks, int partition, @Nullable RecordBytes records) {
        return new ProduceRequestData()
                .setAcks((short) acks)
                .setTimeoutMs(5000)
                .setTopicData(List.of(new TopicProduceData()
                        .setName("t")
                        .setTopicId(topicId)
                        .setPartitionData(List.of(
                                new PartitionProduceData().setIndex(partition).setRecords(records)))));
    }

    /// The answer for the one partition asked. Which of name and id is written depends on the version.
    private PartitionProduceResponse produced(int version, ProduceRequestData request) {
        ProduceRequestData sent = request;
        ProduceResponseData response = client.call(ApiKey.PRODUCE, version, sent, ProduceResponseData.class);
        return response.responses().getFirst().partitionResponses().getFirst();
    }

    static IntStream produceVersions() {
        return IntStream.rangeClosed(3, 13);
    }

    @ParameterizedTest
    @MethodSource("produceVersions")
    void produceWorksInEveryVersion(int version) {
        for (int acks : new int[] {1, -1}) {
            PartitionProduceResponse answer = produced(version, produce(acks, 0, HeapRecords.of(batch(1000, 3))));
            assertThat(answer.errorCode()).isZero();
            assertThat(answer.baseOffset()).isEqualTo(acks == 1 ? 0 : 3);
            assertThat(answer.logAppendTimeMs()).isEqualTo(-1);
            assertThat(answer.logStartOffset()).isEqualTo(version >= 5 ? 0 : -1);
        }
        assertThat(node.partition("t", 0).highWatermark()).isEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void refusedVersionsOfProduceClose(int version) {
        try (var old = new RawClient(node.address())) {
            // The header is what counts: the body is never looked at.
            int id = old.send(ApiKey.PRODUCE, 3, produce(1, 0, HeapRecords.of(batch(0, 1))));
            assertThat(id).isEqualTo(1);
            assertThat(old.receive(ApiKey.PRODUCE, 3, id, ProduceResponseData.class)
                            .responses())
                    .hasSize(1);
            byte[] frame = {0, 0, 0, 12, 0, 0, 0, (byte) version, 0, 0, 0, 9, -1, -1, 0, 0};
            old.socket.getOutputStream().write(frame);
            assertThat(old.isClosedByPeer()).isTrue();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void withoutAcksNothingComesBackAndAFailureCloses() {
        client.send(ApiKey.PRODUCE, 9, produce(0, 0, HeapRecords.of(batch(1, 1))));
        client.send(ApiKey.PRODUCE, 9, produce(0, 0, HeapRecords.of(batch(2, 1))));
        ListOffsetsPartitionResponse end = offset(7, 0, ListOffsetsHandler.LATEST, (byte) 0, -1);
        assertThat(end.offset()).isEqualTo(2);

        client.send(ApiKey.PRODUCE, 9, produce(0, 77, HeapRecords.of(batch(2, 1))));
        assertThat(client.isClosedByPeer()).isTrue();
    }

    private void assertRefused(int version, ProduceRequestData request, Errors error) {
        PartitionProduceResponse answer = produced(version, request);
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(error);
        assertThat(answer.baseOffset()).isEqualTo(-1);
        if (version >= 8) {
            assertThat(answer.errorMessage()).isNotBlank();
        }
        assertThat(node.partition("t", 0).logEndOffset()).isZero();
    }

    @Test
    void badProduceRequestsAreRefusedWithTheirReason() {
        ByteBuffer good = batch(1, 1);
        assertRefused(9, produce(2, 0, HeapRecords.of(batch(1, 1))), Errors.INVALID_REQUIRED_ACKS);
        assertRefused(9, produce(-2, 0, HeapRecords.of(batch(1, 1))), Errors.INVALID_REQUIRED_ACKS);
        assertRefused(9, produce(1, 2, HeapRecords.of(batch(1, 1))), Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertRefused(9, produce(1, 0, null), Errors.INVALID_RECORD);
        assertRefused(9, produce(1, 0, HeapRecords.empty()), Errors.INVALID_RECORD);
        assertRefused(9, produce(1, 0, HeapRecords.of(new byte[20])), Errors.CORRUPT_MESSAGE);

        var two = ByteBuffer.allocate(2 * good.remaining())
                .put(batch(1, 1))
                .put(batch(2, 1))
                .flip();
        assertRefused(9, produce(1, 0, HeapRecords.of(two)), Errors.INVALID_RECORD);

        ByteBuffer oldFormat = batch(1, 1);
        oldFormat.put(16, (byte) 1);
        assertRefused(9, produce(1, 0, HeapRecords.of(oldFormat)), Errors.INVALID_RECORD);

        ByteBuffer flipped = batch(1, 1);
        flipped.put(flipped.limit() - 2, (byte) (flipped.get(flipped.limit() - 2) ^ 4));
        assertRefused(9, produce(1, 0, HeapRecords.of(flipped)), Errors.CORRUPT_MESSAGE);

        ByteBuffer zstd = new BatchBuilder()
                .compression(Compression.ZSTD)
                .append(1, null, new byte[100])
                .build();
        assertRefused(6, produce(1, 0, HeapRecords.of(zstd.duplicate())), Errors.UNSUPPORTED_COMPRESSION_TYPE);
        assertThat(produced(7, produce(1, 1, HeapRecords.of(zstd))).errorCode()).isZero();
    }

    @Test
    void aTransactionalBatchIsNeverTakenForAPlainOne() {
        ByteBuffer batch = new BatchBuilder()
                .producer(1000, (short) 0, 0)
                .transactional(true)
                .append(1, null, new byte[1])
                .build();
        var request = produce(-1, 0, HeapRecords.of(batch));
        assertRefused(9, request, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
        // Nobody can be asked whether there is such a transaction.
        assertRefused(9, request.setTransactionalId("x"), Errors.NOT_ENOUGH_REPLICAS);
        assertRefused(12, request, Errors.NOT_ENOUGH_REPLICAS);
    }

    @Test
    void topicsByIdAndInternalTopics() {
        var request = produce(1, 0, HeapRecords.of(batch(1, 1)));
        request.topicData().getFirst().setTopicId(new Uuid(5, 5));
        assertRefused(13, request, Errors.UNKNOWN_TOPIC_ID);

        node.createTopic("__consumer_offsets", 1);
        request = produce(1, 0, HeapRecords.of(batch(1, 1)));
        request.topicData().getFirst().setName("__consumer_offsets");
        assertRefused(9, request, Errors.INVALID_TOPIC_EXCEPTION);
    }

    @Test
    void theRecordToBlameIsNamed() {
        node.createTopic(
                "compacted",
                1,
                new TopicSettings(
                        LogConfig.DEFAULTS.toBuilder()
                                .compact(true)
                                .delete(false)
                                .build(),
                        1));
        ByteBuffer batch = new BatchBuilder()
                .append(1, new byte[1], new byte[1])
                .append(1, null, new byte[1])
                .build();
        var request = produce(1, 0, HeapRecords.of(batch));
        request.topicData().getFirst().setName("compacted");
        PartitionProduceResponse answer = produced(9, request);
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.INVALID_RECORD);
        assertThat(answer.recordErrors()).hasSize(1);
        assertThat(answer.recordErrors().getFirst().batchIndex()).isEqualTo(1);
    }

    @Test
    void logAppendTimeIsReported() {
        node.createTopic(
                "stamped",
                1,
                new TopicSettings(
                        LogConfig.DEFAULTS.toBuilder()
                                .timestampType(TimestampType.LOG_APPEND_TIME)
                                .build(),
                        1));
        var request = produce(1, 0, HeapRecords.of(batch(1, 1)));
        request.topicData().getFirst().setName("stamped");
        assertThat(produced(9, request).logAppendTimeMs()).isGreaterThan(1_000_000_000_000L);
    }

    @Test
    void tooFewInSyncReplicas() {
        node.createTopic("safe", 1, new TopicSettings(LogConfig.DEFAULTS, 2));
        node.change("safe", 0, registered(List.of(1, 2), List.of(1), 1, 1));
        var request = produce(-1, 0, HeapRecords.of(batch(1, 1)));
        request.topicData().getFirst().setName("safe");
        assertThat(Errors.forCode(produced(9, request).errorCode())).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        var one = produce(1, 0, HeapRecords.of(batch(1, 1)));
        one.topicData().getFirst().setName("safe");
        assertThat(produced(9, one).errorCode()).isZero();
    }

    /// The ISR shrinks to what is committed, and the minimum rises, between the append and the acknowledgement.
    @Test
    void tooFewInSyncReplicasAfterTheAppend() {
        node.change("t", 0, registered(List.of(1, 2), List.of(1, 2), 1, 5));
        int id = client.send(ApiKey.PRODUCE, 9, produce(-1, 0, HeapRecords.of(batch(1, 2))));
        while (node.partition("t", 0).logEndOffset() < 2) {
            Thread.onSpinWait();
        }
        node.change("t", 0, registered(List.of(1, 2), List.of(1), 1, 5, 6), new TopicSettings(LogConfig.DEFAULTS, 2));
        ProduceResponseData response = client.receive(ApiKey.PRODUCE, 9, id, ProduceResponseData.class);
        assertThat(Errors.forCode(response.responses()
                        .getFirst()
                        .partitionResponses()
                        .getFirst()
                        .errorCode()))
                .isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
        assertThat(node.partition("t", 0).highWatermark()).isEqualTo(2);
        assertThat(Errors.forCode(produced(9, produce(-1, 0, HeapRecords.of(batch(1, 1))))
                        .errorCode()))
                .isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
    }

    private PartitionRegistration registered(List<Integer> replicas, List<Integer> isr, int leader, int epoch) {
        return registered(replicas, isr, leader, epoch, epoch);
    }

    private PartitionRegistration registered(
            List<Integer> replicas, List<Integer> isr, int leader, int epoch, int partitionEpoch) {
        return new PartitionRegistration(
                replicas,
                replicas.stream().map(it -> Uuid.ZERO).toList(),
                isr,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                leader,
                LeaderRecoveryState.RECOVERED,
                epoch,
                partitionEpoch);
    }

    @Test
    void acksFromAllWaitForAFollowerAndTimeOutWithoutIt() {
        node.change("t", 0, registered(List.of(1, 2), List.of(1, 2), 1, 5));
        var quick = produce(-1, 0, HeapRecords.of(batch(1, 2))).setTimeoutMs(100);
        PartitionProduceResponse late = produced(9, quick);
        assertThat(Errors.forCode(late.errorCode())).isEqualTo(Errors.REQUEST_TIMED_OUT);
        assertThat(node.partition("t", 0).logEndOffset()).isEqualTo(2);
        assertThat(node.partition("t", 0).highWatermark()).isZero();

        int id = client.send(ApiKey.PRODUCE, 9, produce(-1, 0, HeapRecords.of(batch(1, 2))));
        while (node.partition("t", 0).logEndOffset() < 4) {
            Thread.onSpinWait();
        }
        try (var other = new RawClient(node.address())) {
            // Served while the first waits, on its own connection.
            assertThat(other.call(
                                    ApiKey.PRODUCE,
                                    9,
                                    produce(1, 0, HeapRecords.of(batch(1, 1))),
                                    ProduceResponseData.class)
                            .responses())
                    .hasSize(1);
        }
        assertThat(fetchAs(2, 4)).isInstanceOf(PartitionRead.Data.class);
        ProduceResponseData done = client.receive(ApiKey.PRODUCE, 9, id, ProduceResponseData.class);
        PartitionProduceResponse answer =
                done.responses().getFirst().partitionResponses().getFirst();
        assertThat(answer.errorCode()).isZero();
        assertThat(answer.baseOffset()).isEqualTo(2);
        assertThat(node.partition("t", 0).highWatermark()).isEqualTo(4);
        assertThat(fetchAs(3, 4))
                .as("no replica of it")
                .isInstanceOfSatisfying(
                        PartitionRead.Failed.class,
                        it -> assertThat(it.error()).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH));
    }

    /// Brokers with a listener `LISTENER`; 1 is in rack a, the others in rack b.
    private static MetadataImage racks(Integer... fenced) {
        var delta = new MetadataDelta(MetadataImage.EMPTY);
        for (int id = 1; id <= 3; id++) {
            delta.replay(MetadataRecords.of(RegisterBrokerRecord.newBuilder()
                    .setBrokerId(id)
                    .setBrokerEpoch(id)
                    .setFenced(List.of(fenced).contains(id))
                    .setRack(id == 1 ? "a" : "b")
                    .addEndpoints(MetadataRecords.endpoint(new Endpoint("LISTENER", "PLAINTEXT", "host", 9000 + id)))
                    .build()));
        }
        return delta.apply(new MetadataProvenance(1, 1, 0));
    }

    private int nearest(MetadataImage image, String rack, long offset) {
        return ReadReplicas.rackAware(() -> image).nearest(node.partition("t", 0), rack, offset, "LISTENER");
    }

    /// As Kafka's rack-aware selector chooses (KIP-392).
    @Test
    void theNearestReplicaIsInSyncAndUpAndHasTheOffset() {
        node.change("t", 0, registered(List.of(1, 2, 3), List.of(1, 2, 3), 1, 5));
        produced(9, produce(1, 0, HeapRecords.of(batch(1000, 10))));
        assertThat(nearest(racks(), "b", 0)).as("nobody has fetched").isEqualTo(-1);
        fetchAs(2, 10, 4);
        fetchAs(3, 5);
        assertThat(nearest(racks(), "b", 4)).as("the furthest").isEqualTo(2);
        assertThat(nearest(racks(), "b", 10)).isEqualTo(2);
        assertThat(nearest(racks(), "b", 11)).isEqualTo(-1);
        assertThat(nearest(racks(), "b", 3)).as("2 begins at 4").isEqualTo(3);
        assertThat(nearest(racks(2), "b", 4)).as("2 is fenced").isEqualTo(3);
        assertThat(nearest(racks(2), "b", 6)).isEqualTo(-1);
        assertThat(nearest(racks(), "a", 4)).as("the leader's rack").isEqualTo(-1);
        assertThat(nearest(racks(), "c", 4)).as("nobody's rack").isEqualTo(-1);
        MetadataImage image = racks();
        assertThat(ReadReplicas.rackAware(() -> image).nearest(node.partition("t", 0), "b", 4, "ELSEWHERE"))
                .isEqualTo(-1);
        assertThat(ReadReplicas.LEADER_ONLY.nearest(node.partition("t", 0), "b", 4, "LISTENER"))
                .isEqualTo(-1);
        node.change("t", 0, registered(List.of(1, 2, 3), List.of(1, 3), 1, 5, 6));
        assertThat(nearest(racks(), "b", 7)).as("2 is not in sync").isEqualTo(-1);
    }

    private PartitionRead fetchAs(int follower, long offset) {
        return fetchAs(follower, offset, 0);
    }

    private PartitionRead fetchAs(int follower, long offset, long start) {
        return node.partition("t", 0)
                .readAsFollower(new Partition.FollowerFetch(follower, 9, offset, start, 5, -1), 1000, true);
    }

    @Test
    void whoWaitsForAcksIsToldWhenTheLeadershipEnds() {
        node.change("t", 0, registered(List.of(1, 2), List.of(1, 2), 1, 5));
        int id = client.send(ApiKey.PRODUCE, 9, produce(-1, 0, HeapRecords.of(batch(1, 2))));
        while (node.partition("t", 0).logEndOffset() < 2) {
            Thread.onSpinWait();
        }
        node.change("t", 0, registered(List.of(1, 2), List.of(2), 2, 6));
        ProduceResponseData response = client.receive(ApiKey.PRODUCE, 9, id, ProduceResponseData.class);
        assertThat(Errors.forCode(response.responses()
                        .getFirst()
                        .partitionResponses()
                        .getFirst()
                        .errorCode()))
                .isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);

        PartitionProduceResponse refused = produced(12, produce(1, 0, HeapRecords.of(batch(1, 1))));
        assertThat(Errors.forCode(refused.errorCode())).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(refused.currentLeader().leaderId()).isEqualTo(2);
        assertThat(refused.currentLeader().leaderEpoch()).isEqualTo(6);
    }

    @Test
    void aBrokenDiskTakesItsPartitionsOfflineAndNothingElse() throws Exception {
        client.close();
        node.close();
        var storage = new BreakableStorage();
        node = new DataNode(directory.resolve("other"), storage, NetworkConfig.DEFAULTS, 0, RequestMetrics.NONE, 10);
        topicId = node.createTopic("t", 2);
        client = new RawClient(node.address());
        assertThat(produced(9, produce(1, 0, HeapRecords.of(batch(1, 1)))).errorCode())
                .isZero();
        storage.breakDown();
        for (int i = 0; i < 2; i++) {
            PartitionProduceResponse answer = produced(9, produce(-1, 0, HeapRecords.of(batch(1, 1))));
            assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        }
        byte uncommitted = 0;
        assertThat(Errors.forCode(offset(9, 0, -1, uncommitted, -1).errorCode()))
                .isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(Errors.forCode(offset(9, 9, -1, uncommitted, -1).errorCode()))
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    // --- ListOffsets ---

    @Test
    void aNewLeaderDoesNotTellAnOldEnd() {
        node.change("t", 0, registered(List.of(1, 2), List.of(1, 2), 1, 5));
        assertThat(produced(9, produce(1, 0, HeapRecords.of(batch(1, 2)))).errorCode())
                .isZero();
        assertThat(offset(7, 0, ListOffsetsHandler.LATEST, (byte) 0, -1).offset())
                .as("nothing is committed yet")
                .isZero();
        // Elected again: what it has may have been committed and told by the leader before.
        node.change("t", 0, registered(List.of(1, 2), List.of(1, 2), 1, 6));
        assertThat(Errors.forCode(
                        offset(7, 0, ListOffsetsHandler.LATEST, (byte) 0, -1).errorCode()))
                .isEqualTo(Errors.OFFSET_NOT_AVAILABLE);
        assertThat(Errors.forCode(
                        offset(4, 0, ListOffsetsHandler.LATEST, (byte) 0, -1).errorCode()))
                .isEqualTo(Errors.LEADER_NOT_AVAILABLE);
        assertThat(offset(7, 0, ListOffsetsHandler.EARLIEST, (byte) 0, -1).errorCode())
                .isZero();
        node.partition("t", 0).readAsFollower(new Partition.FollowerFetch(2, 9, 2, 0, 6, -1), 1000, true);
        assertThat(offset(7, 0, ListOffsetsHandler.LATEST, (byte) 0, -1).offset())
                .isEqualTo(2);
    }

    private ListOffsetsPartitionResponse offset(
            int version, int partition, long timestamp, byte isolation, int currentEpoch) {
        var request = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setIsolationLevel(isolation)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName("t")
                        .setPartitions(List.of(new ListOffsetsPartition()
                                .setPartitionIndex(partition)
                                .setCurrentLeaderEpoch(currentEpoch)
                                .setTimestamp(timestamp)))));
        ListOffsetsResponseData response =
                client.call(ApiKey.LIST_OFFSETS, version, request, ListOffsetsResponseData.class);
        return response.topics().getFirst().partitions().getFirst();
    }

    static IntStream listOffsetsVersions() {
        return IntStream.rangeClosed(1, 11);
    }

    @ParameterizedTest
    @MethodSource("listOffsetsVersions")
    void offsetsByPlaceAndTimeInEveryVersion(int version) {
        assertThat(produced(9, produce(1, 0, HeapRecords.of(batch(1000, 10)))).errorCode())
                .isZero();
        assertThat(produced(9, produce(1, 0, HeapRecords.of(batch(2000, 10)))).errorCode())
                .isZero();
        byte uncommitted = 0;
        ListOffsetsPartitionResponse latest = offset(version, 0, ListOffsetsHandler.LATEST, uncommitted, -1);
        assertThat(latest.offset()).isEqualTo(20);
        assertThat(latest.timestamp()).isEqualTo(-1);
        assertThat(latest.leaderEpoch()).isEqualTo(version >= 4 ? 0 : -1);
        assertThat(offset(version, 0, ListOffsetsHandler.EARLIEST, uncommitted, -1)
                        .offset())
                .isZero();
        ListOffsetsPartitionResponse inside = offset(version, 0, 1005, uncommitted, -1);
        assertThat(inside.offset()).isEqualTo(5);
        assertThat(inside.timestamp()).isEqualTo(1005);
        assertThat(offset(version, 0, 1500, uncommitted, -1).offset()).isEqualTo(10);
        assertThat(offset(version, 0, 9999, uncommitted, -1).offset()).isEqualTo(-1);

        for (long special : new long[] {-3, -4, -5, -6}) {
            long since = special == -3 ? 7 : special == -4 ? 8 : special == -5 ? 9 : 11;
            ListOffsetsPartitionResponse answer = offset(version, 0, special, uncommitted, -1);
            if (version < since) {
                assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.UNSUPPORTED_VERSION);
            } else {
                assertThat(answer.errorCode()).isZero();
                assertThat(answer.offset()).isEqualTo(special == -3 ? 19 : special == -4 ? 0 : -1);
            }
        }
        assertThat(Errors.forCode(offset(version, 0, -7, uncommitted, -1).errorCode()))
                .isEqualTo(Errors.UNSUPPORTED_VERSION);
    }

    @Test
    void leaderEpochsAreChecked() {
        node.change("t", 0, registered(List.of(1), List.of(1), 1, 5));
        byte uncommitted = 0;
        assertThat(offset(9, 0, -1, uncommitted, 5).errorCode()).isZero();
        assertThat(Errors.forCode(offset(9, 0, -1, uncommitted, 4).errorCode())).isEqualTo(Errors.FENCED_LEADER_EPOCH);
        assertThat(Errors.forCode(offset(9, 0, -1, uncommitted, 6).errorCode())).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
        assertThat(Errors.forCode(offset(9, 9, -1, uncommitted, -1).errorCode()))
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    // --- OffsetForLeaderEpoch ---

    private OffsetForLeaderEpochResponseData.EpochEndOffset epochEnd(int version, int currentEpoch, int epoch) {
        var request = new OffsetForLeaderEpochRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new OffsetForLeaderTopic()
                        .setTopic("t")
                        .setPartitions(List.of(new OffsetForLeaderPartition()
                                .setPartition(0)
                                .setCurrentLeaderEpoch(currentEpoch)
                                .setLeaderEpoch(epoch)))));
        if (version < 3) {
            request.setReplicaId(-2);
        }
        return client.call(ApiKey.OFFSET_FOR_LEADER_EPOCH, version, request, OffsetForLeaderEpochResponseData.class)
                .topics()
                .getFirst()
                .partitions()
                .getFirst();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void whereAnEpochEnds(int version) {
        produced(9, produce(1, 0, HeapRecords.of(batch(1000, 10))));
        node.change("t", 0, registered(List.of(1), List.of(1), 1, 3));
        produced(9, produce(1, 0, HeapRecords.of(batch(1000, 5))));
        assertThat(epochEnd(version, 3, 0).endOffset()).isEqualTo(10);
        assertThat(epochEnd(version, 3, 0).leaderEpoch()).isZero();
        assertThat(epochEnd(version, -1, 3).endOffset()).isEqualTo(15);
        assertThat(epochEnd(version, -1, 9).endOffset()).isEqualTo(-1);
        assertThat(Errors.forCode(epochEnd(version, 2, 0).errorCode())).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    }

    // --- DeleteRecords ---

    private static DeleteRecordsRequestData deletion(String topic, long offset) {
        return new DeleteRecordsRequestData()
                .setTimeoutMs(5000)
                .setTopics(List.of(new DeleteRecordsTopic()
                        .setName(topic)
                        .setPartitions(List.of(new DeleteRecordsPartition()
                                .setPartitionIndex(0)
                                .setOffset(offset)))));
    }

    private static DeleteRecordsResponseData.DeleteRecordsPartitionResult only(DeleteRecordsResponseData response) {
        return response.topics().getFirst().partitions().getFirst();
    }

    private DeleteRecordsResponseData.DeleteRecordsPartitionResult delete(int version, String topic, long offset) {
        return only(
                client.call(ApiKey.DELETE_RECORDS, version, deletion(topic, offset), DeleteRecordsResponseData.class));
    }

    @Test
    void recordsAreDeletedWhenTheFollowersHaveDeletedThem() {
        node.change("t", 0, registered(List.of(1, 2), List.of(1, 2), 1, 5));
        produced(9, produce(1, 0, HeapRecords.of(batch(1000, 10))));
        fetchAs(2, 10);
        var late = only(client.call(
                ApiKey.DELETE_RECORDS, 2, deletion("t", 3).setTimeoutMs(50), DeleteRecordsResponseData.class));
        assertThat(Errors.forCode(late.errorCode())).isEqualTo(Errors.REQUEST_TIMED_OUT);
        assertThat(late.lowWatermark()).isZero();
        assertThat(node.partition("t", 0).logStartOffset()).isEqualTo(3);

        int id = client.send(ApiKey.DELETE_RECORDS, 2, deletion("t", 7));
        while (node.partition("t", 0).logStartOffset() < 7) {
            Thread.onSpinWait();
        }
        fetchAs(2, 10, 5);
        fetchAs(2, 10, 8);
        var done = only(client.receive(ApiKey.DELETE_RECORDS, 2, id, DeleteRecordsResponseData.class));
        assertThat(done.errorCode()).isZero();
        assertThat(done.lowWatermark()).isEqualTo(7);

        int lost = client.send(ApiKey.DELETE_RECORDS, 2, deletion("t", 9));
        while (node.partition("t", 0).logStartOffset() < 9) {
            Thread.onSpinWait();
        }
        node.change("t", 0, registered(List.of(1, 2), List.of(2), 2, 6));
        var told = only(client.receive(ApiKey.DELETE_RECORDS, 2, lost, DeleteRecordsResponseData.class));
        assertThat(Errors.forCode(told.errorCode())).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(told.lowWatermark()).isEqualTo(-1);

        node.createTopic("__consumer_offsets", 1);
        assertThat(Errors.forCode(delete(2, "__consumer_offsets", 0).errorCode()))
                .isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void recordsAreDeletedUpToTheHighWatermark(int version) {
        produced(9, produce(1, 0, HeapRecords.of(batch(1000, 10))));
        assertThat(delete(version, "t", 4).lowWatermark()).isEqualTo(4);
        assertThat(delete(version, "t", 2).lowWatermark()).isEqualTo(4);
        assertThat(Errors.forCode(delete(version, "t", 11).errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
        assertThat(Errors.forCode(delete(version, "t", -2).errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
        assertThat(delete(version, "t", -1).lowWatermark()).isEqualTo(10);
        assertThat(Errors.forCode(delete(version, "nowhere", 1).errorCode()))
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        node.createTopic(
                "compacted",
                1,
                new TopicSettings(
                        LogConfig.DEFAULTS.toBuilder()
                                .compact(true)
                                .delete(false)
                                .build(),
                        1));
        assertThat(Errors.forCode(delete(version, "compacted", 0).errorCode())).isEqualTo(Errors.POLICY_VIOLATION);
    }

    // --- InitProducerId ---

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void everyProducerGetsItsOwnId(int version) {
        var ids = IntStream.range(0, 35)
                .mapToObj(i -> client.call(
                        ApiKey.INIT_PRODUCER_ID,
                        version,
                        new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(1000),
                        InitProducerIdResponseData.class))
                .toList();
        assertThat(ids).allMatch(it -> it.errorCode() == 0 && it.producerEpoch() == 0);
        assertThat(ids.stream().map(InitProducerIdResponseData::producerId)).doesNotHaveDuplicates();

        assertThat(Errors.forCode(client.call(
                                ApiKey.INIT_PRODUCER_ID,
                                version,
                                new InitProducerIdRequestData()
                                        .setTransactionalId("x")
                                        .setTransactionTimeoutMs(1000),
                                InitProducerIdResponseData.class)
                        .errorCode()))
                .isEqualTo(Errors.NOT_COORDINATOR);
        assertThat(Errors.forCode(client.call(
                                ApiKey.INIT_PRODUCER_ID,
                                version,
                                new InitProducerIdRequestData()
                                        .setTransactionalId("x")
                                        .setTransactionTimeoutMs(900_001),
                                InitProducerIdResponseData.class)
                        .errorCode()))
                .isEqualTo(Errors.INVALID_TRANSACTION_TIMEOUT);
    }

    @Test
    void anIdempotentProducersRetryIsAnsweredWithTheFirstOffset() {
        for (int i = 0; i < 2; i++) {
            ByteBuffer batch = new BatchBuilder()
                    .producer(1000, (short) 0, 0)
                    .append(1, null, new byte[1])
                    .build();
            PartitionProduceResponse answer = produced(9, produce(-1, 0, HeapRecords.of(batch)));
            assertThat(answer.errorCode()).isZero();
            assertThat(answer.baseOffset()).isZero();
        }
        ByteBuffer gap = new BatchBuilder()
                .producer(1000, (short) 0, 7)
                .append(1, null, new byte[1])
                .build();
        assertThat(Errors.forCode(
                        produced(9, produce(-1, 0, HeapRecords.of(gap))).errorCode()))
                .isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(node.partition("t", 0).logEndOffset()).isEqualTo(1);
    }

    /// Several requests are under way: the second comes when the reason for which the first was refused
    /// is gone. Clients must send both again; a gap in the sequence ends a librdkafka producer.
    @Test
    void whatFollowsRefusedRecordsIsRefusedAlike() {
        assertThat(sequence(0)).isEqualTo(Errors.NONE);
        var two = new TopicSettings(LogConfig.DEFAULTS, 2);
        node.change("t", 0, registered(List.of(1, 2), List.of(1), 1, 5, 6), two);
        assertThat(sequence(1)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        node.change("t", 0, registered(List.of(1, 2), List.of(1), 1, 5, 7), new TopicSettings(LogConfig.DEFAULTS, 1));
        assertThat(sequence(2)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(sequence(OTHER_PRODUCER, 0)).isEqualTo(Errors.NONE);
        assertThat(sequence(OTHER_PRODUCER, 2))
                .as("it was refused nothing")
                .isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(sequence(1)).isEqualTo(Errors.NONE);
        assertThat(sequence(2)).isEqualTo(Errors.NONE);

        node.change("t", 0, registered(List.of(1, 2), List.of(1, 2), 2, 8));
        assertThat(sequence(3)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        node.change("t", 0, registered(List.of(1, 2), List.of(1), 1, 9));
        assertThat(sequence(4)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(sequence(3)).isEqualTo(Errors.NONE);
    }

    private Errors sequence(int sequence) {
        return sequence(1000, sequence);
    }

    private Errors sequence(long producerId, int sequence) {
        ByteBuffer batch = new BatchBuilder()
                .producer(producerId, (short) 0, sequence)
                .append(1, null, new byte[1])
                .build();
        return Errors.forCode(produced(9, produce(-1, 0, HeapRecords.of(batch))).errorCode());
    }
}
