package io.moldau.broker.metadata;

import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.time.Time;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopicConfig;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Creates topics because somebody used them: those of clients, and the broker's own the first time they are needed.
///
/// Callable from any thread. Each name is asked for once at a time, however many wait for it.
public final class TopicCreator {

    /// How a topic of the broker's own is made.
    ///
    /// @param replicationFactor at most; fewer brokers make it smaller unless `exactly`
    /// @param exactly the factor was set by hand, so a smaller one would be a surprise
    public record InternalTopic(int partitions, int replicationFactor, boolean exactly, Map<String, String> configs) {}

    private final NodeToController controller;
    private final MetadataCache cache;
    private final Map<String, InternalTopic> internalTopics;
    private final Time time;
    private final Map<String, CompletableFuture<ApiError>> inFlight = new ConcurrentHashMap<>();

    public TopicCreator(
            NodeToController controller, MetadataCache cache, Map<String, InternalTopic> internalTopics, Time time) {
        this.controller = controller;
        this.cache = cache;
        this.internalTopics = Map.copyOf(internalTopics);
        this.time = time;
    }

    /// Creates the topics and waits until this node knows them and each partition has a leader.
    ///
    /// @return what became of each topic; never fails. A topic that exists already counts as created
    public CompletableFuture<Map<String, ApiError>> create(
            Collection<String> names, String principal, String clientAddress, long deadlineNanos) {
        Map<String, CompletableFuture<ApiError>> waited = new HashMap<>();
        Map<String, CompletableFuture<ApiError>> mine = new HashMap<>();
        for (String name : names) {
            CompletableFuture<ApiError> own = new CompletableFuture<>();
            CompletableFuture<ApiError> other = inFlight.putIfAbsent(name, own);
            if (other == null) {
                mine.put(name, own);
            }
            waited.put(name, other == null ? own : other);
        }
        if (!mine.isEmpty()) {
            request(
                    mine,
                    new ControllerContext(
                            principal, clientAddress, ApiKey.CREATE_TOPICS.highestVersion(), deadlineNanos));
        }
        return CompletableFuture.allOf(waited.values().toArray(CompletableFuture[]::new))
                .thenApply(ignored -> {
                    Map<String, ApiError> results = new HashMap<>();
                    waited.forEach((name, future) -> results.put(name, future.join()));
                    return results;
                });
    }

    private void request(Map<String, CompletableFuture<ApiError>> topics, ControllerContext context) {
        List<CreatableTopic> creatable = new ArrayList<>();
        for (String name : topics.keySet()) {
            creatable.add(creatable(name, cache.image()));
        }
        long leftMs = Math.max(0, (context.deadlineNanos() - time.nanoseconds()) / 1_000_000);
        controller
                .forward(
                        context,
                        new CreateTopicsRequestData().setTopics(creatable).setTimeoutMs((int)
                                Math.min(leftMs, Integer.MAX_VALUE)))
                .whenComplete((response, failure) -> answered(topics, response, failure, context.deadlineNanos()));
    }

    private void answered(
            Map<String, CompletableFuture<ApiError>> topics,
            @Nullable Message response,
            @Nullable Throwable failure,
            long deadlineNanos) {
        Map<String, ApiError> errors = new HashMap<>();
        if (response instanceof CreateTopicsResponseData data) {
            data.topics()
                    .forEach(topic -> errors.put(
                            topic.name(), new ApiError(Errors.forCode(topic.errorCode()), topic.errorMessage())));
        }
        ApiError missing = failure == null
                ? ApiError.of(Errors.UNKNOWN_SERVER_ERROR)
                : unwrap(failure) instanceof ApiException api
                        ? api.toApiError()
                        : ApiError.of(Errors.UNKNOWN_SERVER_ERROR);
        topics.forEach((name, future) -> {
            ApiError error = errors.getOrDefault(name, missing);
            if (error.isFailure() && error.error() != Errors.TOPIC_ALREADY_EXISTS) {
                done(name, future, error);
            } else {
                cache.whenImage(
                        image -> isReady(image, name), deadlineNanos, image -> done(name, future, ApiError.NONE));
            }
        });
    }

    private void done(String name, CompletableFuture<ApiError> future, ApiError error) {
        inFlight.remove(name, future);
        future.complete(error);
    }

    private static boolean isReady(MetadataImage image, String name) {
        TopicImage topic = image.topics().topic(name);
        return topic != null
                && !topic.partitions().isEmpty()
                && topic.partitions().values().stream().allMatch(partition -> partition.hasLeader());
    }

    private CreatableTopic creatable(String name, MetadataImage image) {
        InternalTopic internal = internalTopics.get(name);
        if (internal == null) {
            return new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
        }
        int alive = alive(image.cluster().brokers());
        int factor = internal.exactly()
                ? internal.replicationFactor()
                : Math.max(1, Math.min(internal.replicationFactor(), alive));
        List<CreatableTopicConfig> configs = new ArrayList<>();
        internal.configs()
                .forEach((key, value) -> configs.add(
                        new CreatableTopicConfig().setName(key).setValue(withinReach(key, value, factor, internal))));
        return new CreatableTopic()
                .setName(name)
                .setNumPartitions(internal.partitions())
                .setReplicationFactor((short) factor)
                .setConfigs(configs);
    }

    /// Where there are fewer replicas than by the settings, they cannot ask for more of them to be in sync.
    private static String withinReach(String key, String value, int factor, InternalTopic internal) {
        return !internal.exactly() && key.equals("min.insync.replicas")
                ? Integer.toString(Math.min(Integer.parseInt(value), factor))
                : value;
    }

    private static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static int alive(Collection<BrokerRegistration> brokers) {
        return (int) brokers.stream().filter(broker -> !broker.fenced()).count();
    }
}
