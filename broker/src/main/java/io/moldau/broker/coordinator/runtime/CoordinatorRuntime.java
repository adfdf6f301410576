package io.moldau.broker.coordinator.runtime;

import io.moldau.broker.transaction.TransactionEnd;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.wire.record.Compression;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;

/// The coordinator shards of one internal topic on this node: one for each partition it leads.
///
/// Thread-safe. An operation runs on the caller's thread if nobody is inside its shard; nothing here parks. Shards are
/// loaded on the executor, which also takes what the node's timer fires.
///
/// @param <S> the shard's type
public final class CoordinatorRuntime<S extends CoordinatorShard> {

    /// What shards are run with.
    ///
    /// @param executor for what may block or must leave the timer's thread
    /// @param compression of the batches written
    /// @param maxBatchBytes the topic's `max.message.bytes`
    /// @param loadBufferBytes how much is read at a time while loading
    /// @param writeTimeoutMs how long an operation may wait for its records to be committed
    public record Services(
            CoordinatorLog log,
            RecordDecoder decoder,
            Time time,
            Timer timer,
            Executor executor,
            FaultHandler faults,
            CoordinatorMetrics metrics,
            Compression compression,
            int maxBatchBytes,
            int loadBufferBytes,
            long writeTimeoutMs) {}

    private final String topic;
    private final IntFunction<S> newShard;
    private final Services services;
    private final Map<Integer, ShardRunner<S>> runners = new ConcurrentHashMap<>();

    /// @param newShard makes an empty shard for a partition
    public CoordinatorRuntime(String topic, IntFunction<S> newShard, Services services) {
        this.topic = topic;
        this.newShard = newShard;
        this.services = services;
    }

    /// This node leads the partition in this epoch: its shard is loaded and then serves. Does nothing if that, or a
    /// later epoch, is known already.
    ///
    /// @param first run in the shard as soon as it serves
    public void elected(int partition, int leaderEpoch, Function<S, CoordinatorResult> first) {
        var started = new ShardRunner<?>[1];
        runners.compute(partition, (index, current) -> {
            if (current != null && current.leaderEpoch() >= leaderEpoch) {
                return current;
            }
            if (current != null) {
                current.close();
            }
            var runner = new ShardRunner<>(
                    new TopicPartition(topic, partition), leaderEpoch, newShard.apply(partition), first, services);
            started[0] = runner;
            return runner;
        });
        var runner = started[0];
        if (runner != null) {
            services.executor().execute(runner::load);
        }
    }

    /// This node leads the partition no longer.
    public void resigned(int partition) {
        var runner = runners.remove(partition);
        if (runner != null) {
            runner.close();
        }
    }

    /// Runs the operation inside the partition's shard.
    ///
    /// @param refused is told NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS instead
    public void submit(int partition, Function<S, CoordinatorResult> operation, Consumer<Errors> refused) {
        var runner = runners.get(partition);
        if (runner == null) {
            refused.accept(Errors.NOT_COORDINATOR);
        } else {
            runner.submit(operation, refused);
        }
    }

    /// The same for an operation whose records belong to a transaction.
    public void submit(
            int partition,
            Transaction transaction,
            Function<S, CoordinatorResult> operation,
            Consumer<Errors> refused) {
        var runner = runners.get(partition);
        if (runner == null) {
            refused.accept(Errors.NOT_COORDINATOR);
        } else {
            runner.submit(transaction, operation, refused);
        }
    }

    /// Writes the end of a transaction to the partition and applies it to its shard.
    ///
    /// @param done told once: NONE when the marker is committed
    public void endTransaction(int partition, TransactionEnd end, Consumer<Errors> done) {
        var runner = runners.get(partition);
        if (runner == null) {
            done.accept(Errors.NOT_COORDINATOR);
        } else {
            runner.endTransaction(end, done);
        }
    }

    /// Runs the operation inside every shard of this node, in those that are still loading as soon as they serve.
    public void submitToAll(Function<S, CoordinatorResult> operation) {
        for (var runner : runners.values()) {
            runner.submitWhenActive(operation);
        }
    }

    /// The partitions this node has shards for, loaded or not.
    public Collection<Integer> partitions() {
        return List.copyOf(runners.keySet());
    }

    /// Whether the partition's shard serves.
    public boolean isActive(int partition) {
        var runner = runners.get(partition);
        return runner != null && runner.status() == ShardRunner.Status.ACTIVE;
    }

    /// Whether loading the partition's shard failed.
    public boolean hasFailed(int partition) {
        var runner = runners.get(partition);
        return runner != null && runner.status() == ShardRunner.Status.FAILED;
    }

    /// Unloads everything.
    public void close() {
        for (var partition : partitions()) {
            resigned(partition);
        }
    }
}
