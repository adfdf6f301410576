package io.moldau.broker.api.metadata;

import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.metadata.TopicCreator;
import io.moldau.broker.metadata.TopicNames;
import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiError;
import io.moldau.common.Errors;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.FindCoordinatorRequestData;
import io.moldau.wire.message.FindCoordinatorResponseData;
import io.moldau.wire.message.FindCoordinatorResponseData.Coordinator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/// FindCoordinator, versions 0 to 6: which broker looks after a group, or a transactional id.
///
/// v1 added transactions (KIP-98), v4 several keys at a time (KIP-699), v6 share groups (KIP-932). The topic they
/// are kept in is created by the first question about one.
public final class FindCoordinatorHandler implements RequestHandler<FindCoordinatorRequestData> {

    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;
    private static final byte SHARE = 2;

    private static final long CREATION_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final MetadataCache cache;
    private final TopicCreator creator;
    private final ToIntBiFunction<String, Integer> partitionOf;
    private final HungUpBrokers hungUp;

    /// @param partitionOf the partition of the topic for a key, of so many
    public FindCoordinatorHandler(
            MetadataCache cache,
            TopicCreator creator,
            ToIntBiFunction<String, Integer> partitionOf,
            HungUpBrokers hungUp) {
        this.cache = cache;
        this.creator = creator;
        this.partitionOf = partitionOf;
        this.hungUp = hungUp;
    }

    @Override
    public void handle(RequestContext context, FindCoordinatorRequestData request) {
        short version = context.apiVersion();
        byte keyType = version >= 1 ? request.keyType() : GROUP;
        List<String> keys = version >= 4 ? request.coordinatorKeys() : List.of(request.key());
        ApiError refusal = refusal(version, keyType);
        if (refusal.isFailure()) {
            respond(context, keys.stream().map(key -> failed(key, refusal)).toList());
            return;
        }
        String topic = keyType == TRANSACTION ? TopicNames.TRANSACTION_STATE : TopicNames.CONSUMER_OFFSETS;
        if (cache.image().topics().topic(topic) != null) {
            respond(context, coordinators(context, topic, keys, null));
            return;
        }
        creator.create(
                        List.of(topic),
                        context.principal(),
                        context.clientAddress(),
                        context.receivedNanos() + CREATION_WAIT_NANOS)
                .thenAccept(results -> LateAnswer.give(
                        context, () -> respond(context, coordinators(context, topic, keys, results.get(topic)))));
    }

    private static ApiError refusal(short version, byte keyType) {
        return switch (keyType) {
            case GROUP, TRANSACTION -> ApiError.NONE;
            case SHARE ->
                new ApiError(
                        Errors.INVALID_REQUEST,
                        version < 6
                                ? "Share coordinators can be looked for from version 6 on, this is " + version + "."
                                : "This broker has no share coordinator yet.");
            default ->
                new ApiError(
                        Errors.INVALID_REQUEST,
                        "The coordinator type " + keyType + " is unknown: it is 0 for groups, 1 for transactions, 2"
                                + " for share groups.");
        };
    }

    private List<Coordinator> coordinators(
            RequestContext context, String name, List<String> keys, @Nullable ApiError creation) {
        MetadataImage image = cache.image();
        ClusterView view = new ClusterView(image, context.listenerName(), hungUp);
        TopicImage topic = image.topics().topic(name);
        List<Coordinator> coordinators = new ArrayList<>();
        for (String key : keys) {
            coordinators.add(coordinator(key, name, topic, view, creation));
        }
        return coordinators;
    }

    private Coordinator coordinator(
            String key, String name, @Nullable TopicImage topic, ClusterView view, @Nullable ApiError creation) {
        if (topic == null) {
            return failed(
                    key,
                    new ApiError(
                            Errors.COORDINATOR_NOT_AVAILABLE,
                            creation != null && creation.isFailure()
                                    ? "The topic " + name + " cannot be created: " + creation.messageOrDefault()
                                    : "The topic " + name + " is being created."));
        }
        int partition = partitionOf.applyAsInt(key, topic.partitions().size());
        PartitionRegistration registration = topic.partition(partition);
        ClusterView.Node node =
                registration == null || !view.leads(registration.leader()) ? null : view.node(registration.leader());
        if (node == null) {
            return failed(
                    key,
                    new ApiError(
                            Errors.COORDINATOR_NOT_AVAILABLE,
                            name + "-" + partition + " has no leader at the moment."));
        }
        return new Coordinator()
                .setKey(key)
                .setNodeId(node.id())
                .setHost(node.host())
                .setPort(node.port())
                .setErrorMessage(null);
    }

    private static Coordinator failed(String key, ApiError error) {
        return new Coordinator()
                .setKey(key)
                .setNodeId(-1)
                .setHost("")
                .setPort(-1)
                .setErrorCode(error.code())
                .setErrorMessage(error.messageOrDefault());
    }

    private static void respond(RequestContext context, List<Coordinator> coordinators) {
        if (context.apiVersion() >= 4) {
            context.respond(new FindCoordinatorResponseData().setCoordinators(coordinators));
            return;
        }
        Coordinator only = coordinators.getFirst();
        context.respond(new FindCoordinatorResponseData()
                .setErrorCode(only.errorCode())
                .setErrorMessage(context.apiVersion() >= 1 ? only.errorMessage() : null)
                .setNodeId(only.nodeId())
                .setHost(only.host())
                .setPort(only.port()));
    }
}
