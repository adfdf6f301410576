package io.moldau.ops.training;

import io.moldau.common.Errors;
import io.moldau.ops.client.RawClient;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.record.BatchBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Asks a node again and again until it has taken a record and given it back.
final class FirstRecord {

    private static final String TOPIC = "first";
    private static final long BETWEEN_TRIES_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final byte[] VALUE = "the first record".getBytes(StandardCharsets.UTF_8);

    private FirstRecord() {}

    /// @throws AssertionError if the process ends, or takes longer than two minutes
    ///
    /// @param log where the process says why
    static void await(int port, Process process, Path log) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (System.nanoTime() - deadline < 0) {
            if (!process.isAlive()) {
                throw new AssertionError("the node ended; it said:\n" + Files.readString(log));
            }
            try (var client = new RawClient(port)) {
                while (!comesBack(client)) {
                    LockSupport.parkNanos(BETWEEN_TRIES_NANOS);
                }
                return;
            } catch (IOException e) {
                // It is not there yet.
                LockSupport.parkNanos(BETWEEN_TRIES_NANOS);
            }
        }
        throw new AssertionError("the node does not serve; it said:\n" + Files.readString(log));
    }

    private static boolean comesBack(RawClient client) throws IOException {
        var wanted = new CreateTopicsRequestData.CreatableTopic()
                .setName(TOPIC)
                .setNumPartitions(1)
                .setReplicationFactor((short) 1);
        var created = client.call(
                ApiKey.CREATE_TOPICS,
                new CreateTopicsRequestData().setTopics(List.of(wanted)).setTimeoutMs(10_000),
                CreateTopicsResponseData.class);
        short error = created.topics().getFirst().errorCode();
        if (error != Errors.NONE.code() && error != Errors.TOPIC_ALREADY_EXISTS.code()) {
            return false;
        }
        var described = client.call(
                ApiKey.METADATA,
                new MetadataRequestData()
                        .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(TOPIC))),
                MetadataResponseData.class);
        var topic = described.topics().getFirst();
        return topic.errorCode() == Errors.NONE.code() && produced(client, topic) && fetched(client, topic);
    }

    private static boolean produced(RawClient client, MetadataResponseData.MetadataResponseTopic topic)
            throws IOException {
        var batch = new BatchBuilder()
                .append(System.currentTimeMillis(), null, VALUE)
                .build();
        var answer = client.call(
                ApiKey.PRODUCE,
                new ProduceRequestData()
                        .setAcks((short) -1)
                        .setTimeoutMs(10_000)
                        .setTopicData(List.of(new ProduceRequestData.TopicProduceData()
                                .setTopicId(topic.topicId())
                                .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                        .setIndex(0)
                                        .setRecords(HeapRecords.of(batch)))))),
                ProduceResponseData.class);
        return answer.responses().getFirst().partitionResponses().getFirst().errorCode() == Errors.NONE.code();
    }

    private static boolean fetched(RawClient client, MetadataResponseData.MetadataResponseTopic topic)
            throws IOException {
        var answer = client.call(
                ApiKey.FETCH,
                new FetchRequestData()
                        .setMaxWaitMs(100)
                        .setMinBytes(1)
                        .setMaxBytes(1 << 20)
                        .setSessionEpoch(-1)
                        .setTopics(List.of(new FetchRequestData.FetchTopic()
                                .setTopicId(topic.topicId())
                                .setPartitions(List.of(new FetchRequestData.FetchPartition()
                                        .setPartition(0)
                                        .setFetchOffset(0)
                                        .setPartitionMaxBytes(1 << 20))))),
                FetchResponseData.class);
        var partition = answer.responses().getFirst().partitions().getFirst();
        return partition.errorCode() == Errors.NONE.code()
                && partition.records() instanceof BufferRecords records
                && records.sizeInBytes() > 0;
    }
}
