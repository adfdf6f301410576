package io.moldau.broker.transaction;

import io.moldau.broker.api.TestMetadata;
import io.moldau.broker.peer.BrokerRequests;
import io.moldau.broker.replica.HeapMemory;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.record.BatchBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/// Broker 1 with partitions it leads, and requests to others that a test answers.
final class LedPartitions implements AutoCloseable, BrokerRequests {

    /// A request that is open.
    record Sent(int brokerId, short version, Message request, CompletableFuture<Message> answer) {}

    final MockTime time = new MockTime();
    final HashedWheelTimer timer = new HashedWheelTimer(time.nanoseconds(), () -> {});
    final FaultHandler.Recording faults = new FaultHandler.Recording();
    final TestMetadata metadata = TestMetadata.oneBroker();
    final PartitionRegistry partitions;
    final ArrayDeque<Sent> sent = new ArrayDeque<>();
    final List<Runnable> background = new ArrayList<>();
    private final LogDirs logs;

    LedPartitions(Path directory) throws IOException {
        logs = LogDirs.open(
                List.of(directory), new NioLogStorage(), time, LogDirsConfig.defaults(new Random(1)), LogMetrics.NONE);
        partitions = new PartitionRegistry(
                1,
                logs,
                () -> metadata.cache().image(),
                time,
                new TailCache(new HeapMemory(), 1 << 20, 1 << 16),
                faults);
        metadata.tell(
                new PartitionChangesPublisher(partitions, (image, topic) -> new TopicSettings(LogConfig.DEFAULTS, 1)));
    }

    Partition partition(String topic, int index) {
        var id = new TopicPartition(topic, index);
        if (partitions.get(id) instanceof HostedPartition.Online(Partition it)) {
            return it;
        }
        throw new AssertionError("no " + id);
    }

    static HeapRecords batch(long producerId, int epoch, int sequence, int count) {
        var builder =
                new BatchBuilder().producer(producerId, (short) epoch, sequence).transactional(true);
        for (int i = 0; i < count; i++) {
            builder.append(1L, null, new byte[] {1});
        }
        return HeapRecords.of(builder.build());
    }

    void advance(long ms) {
        time.advanceMillis(ms);
        timer.advanceTo(time.nanoseconds());
        var due = List.copyOf(background);
        background.clear();
        due.forEach(Runnable::run);
    }

    @Override
    public <R extends Message> CompletableFuture<R> send(
            int brokerId, short apiVersion, Message request, Class<R> response, long timeoutMs) {
        var answer = new CompletableFuture<Message>();
        sent.addLast(new Sent(brokerId, apiVersion, request, answer));
        return answer.thenApply(response::cast);
    }

    @Override
    public void close() {
        partitions.close();
        logs.close(1);
    }
}
