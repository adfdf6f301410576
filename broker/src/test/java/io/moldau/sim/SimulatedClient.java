package io.moldau.sim;

import io.moldau.broker.coordinator.runtime.KeyHash;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A process that uses the cluster: knows what a client knows, over connections of its own.
abstract class SimulatedClient extends Machine {

    static final long REQUEST_TIMEOUT_MS = 3_000;

    private final SimulatedCluster cluster;
    private final SplittableRandom random;
    private final SimulatedExecutor thread;
    private final Map<Integer, SimulatedNetwork.Connection> connections = new HashMap<>();
    private MetadataImage image = MetadataImage.EMPTY;
    private boolean asking;

    SimulatedClient(SimulatedCluster cluster, String name, int id) {
        super(cluster.scheduler(), name, id);
        this.cluster = cluster;
        this.random = cluster.scheduler().split();
        this.thread = SimulatedExecutor.thread(this, name);
    }

    final SimulatedCluster cluster() {
        return cluster;
    }

    final SplittableRandom random() {
        return random;
    }

    /// What this client knows of the cluster.
    final MetadataImage image() {
        return image;
    }

    abstract void start();

    final void later(long delayMs, String what, Runnable task) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(delayMs) + random.nextInt(900_000);
        scheduler().after(nanos, this, what, task);
    }

    private SimulatedNetwork.Connection connection(int node) {
        SimulatedNetwork.Connection connection = connections.get(node);
        if (connection == null || !connection.isOpen()) {
            connection = cluster.network().connect(this, thread, node);
            connections.put(node, connection);
        }
        return connection;
    }

    /// Sends a request of the Kafka protocol.
    final <M extends Message> CompletableFuture<M> send(
            int node, ApiKey api, int version, Message request, Class<M> type) {
        return send(node, api, version, request, type, REQUEST_TIMEOUT_MS);
    }

    final <M extends Message> CompletableFuture<M> send(
            int node, ApiKey api, int version, Message request, Class<M> type, long timeoutMs) {
        short v = (short) version;
        ByteBuffer bytes = Encoded.of(request, v);
        return connection(node)
                .<ByteBuffer>call(api.name(), timeoutMs, (exchange, answer) -> {
                    SimulatedNode.Process process = cluster.node(node).process();
                    if (process != null) {
                        process.serve(exchange, api, v, bytes, name(), answer);
                    }
                })
                .thenApply(answer -> type.cast(Encoded.response(api, v, answer)));
    }

    /// Calls something at a node that has no API here.
    final <R> CompletableFuture<R> ask(
            int node, String what, Function<SimulatedNode.Process, CompletableFuture<R>> request) {
        return connection(node).call(what, REQUEST_TIMEOUT_MS, (exchange, answer) -> {
            SimulatedNode.Process process = cluster.node(node).process();
            if (process == null) {
                answer.accept(null, new ApiException(Errors.BROKER_NOT_AVAILABLE));
            } else {
                request.apply(process).whenComplete(answer);
            }
        });
    }

    /// Asks some broker for its metadata, unless that is under way.
    final void refreshMetadata() {
        if (asking) {
            return;
        }
        asking = true;
        int node = cluster.randomBroker(random);
        this.<MetadataImage>ask(node, "metadata", process -> {
                    SimulatedNode.Broker broker = process.broker();
                    return broker == null
                            ? CompletableFuture.failedFuture(new ApiException(Errors.BROKER_NOT_AVAILABLE))
                            : CompletableFuture.completedFuture(broker.cache().image());
                })
                .whenComplete((answer, failure) -> {
                    asking = false;
                    // A client keeps what is newer, by the leader epochs.
                    if (answer != null && answer.offset() > image.offset()) {
                        image = answer;
                    }
                });
    }

    final @Nullable PartitionRegistration registration(TopicIdPartition partition) {
        TopicImage topic = image.topics().topic(partition.topicId());
        return topic == null ? null : topic.partition(partition.partition());
    }

    /// The broker that leads the partition of an internal topic that the key falls on, -1 if none is known.
    final int coordinator(String topicName, String key) {
        TopicImage topic = image.topics().topic(topicName);
        PartitionRegistration registration = topic == null
                ? null
                : topic.partition(KeyHash.partitionFor(key, topic.partitions().size()));
        return registration == null ? -1 : registration.leader();
    }

    static Errors error(@Nullable Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof java.util.concurrent.CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof ApiException api) {
            return api.error();
        }
        throw new AssertionError("a request failed in an unexpected way", failure);
    }
}
