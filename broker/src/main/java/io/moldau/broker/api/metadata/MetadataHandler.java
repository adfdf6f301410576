package io.moldau.broker.api.metadata;

import io.moldau.broker.metadata.AuthorizedOperations;
import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.metadata.TopicCreator;
import io.moldau.broker.metadata.TopicNames;
import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataRequestData.MetadataRequestTopic;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.message.MetadataResponseData.MetadataResponseBroker;
import io.moldau.wire.message.MetadataResponseData.MetadataResponsePartition;
import io.moldau.wire.message.MetadataResponseData.MetadataResponseTopic;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Metadata, versions 0 to 13: brokers, and topics with their leaders.
///
/// v0 asks for all topics by an empty list, v1 and later by none (null). v4 added the permission to create topics,
/// v8 authorized operations, v10 topic ids in answers, v12 topic ids in requests (KIP-516), v13 an error of the whole.
public final class MetadataHandler implements RequestHandler<MetadataRequestData> {

    /// A topic that is created on the way is waited for so long, so that the client need not ask again.
    private static final long CREATION_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// Answers about more topics than these are made anew each time.
    private static final int MAX_NAMES_STORED = 16;

    private static final Object ALL_TOPICS = "all topics";

    private final int localId;
    private final MetadataCache cache;
    private final TopicCreator creator;
    private final boolean autoCreate;
    private final HungUpBrokers hungUp;
    private final EncodedResponses encoded = new EncodedResponses();

    /// @param autoCreate `auto.create.topics.enable`
    public MetadataHandler(
            int localId, MetadataCache cache, TopicCreator creator, boolean autoCreate, HungUpBrokers hungUp) {
        this.localId = localId;
        this.cache = cache;
        this.creator = creator;
        this.autoCreate = autoCreate;
        this.hungUp = hungUp;
    }

    @Override
    public void handle(RequestContext context, MetadataRequestData request) {
        short version = context.apiVersion();
        MetadataImage image = cache.image();
        ClusterView view = new ClusterView(image, context.listenerName(), hungUp);
        List<MetadataRequestTopic> topics = request.topics();
        if (topics == null || (version == 0 && topics.isEmpty())) {
            context.respond(allTopics(view, request, version));
            return;
        }
        if (topics.stream().anyMatch(topic -> isById(topic))) {
            context.respond(byId(view, request, version, topics));
            return;
        }
        Set<String> names = new LinkedHashSet<>();
        List<String> missing = new ArrayList<>();
        for (MetadataRequestTopic topic : topics) {
            String name = topic.name();
            if (name == null) {
                throw new ApiException(
                        Errors.INVALID_REQUEST, "A topic has neither a name nor an id. Give one of them.");
            }
            if (names.add(name) && image.topics().topic(name) == null && TopicNames.isValid(name)) {
                missing.add(name);
            }
        }
        if (missing.isEmpty()) {
            context.respond(knownTopics(view, request, version, names));
            return;
        }
        if (!autoCreate || !request.allowAutoTopicCreation()) {
            context.respond(byName(view, request, version, names, Map.of()));
            return;
        }
        creator.create(
                        missing,
                        context.principal(),
                        context.clientAddress(),
                        context.receivedNanos() + CREATION_WAIT_NANOS)
                .thenAccept(results -> LateAnswer.give(
                        context,
                        () -> context.respond(byName(
                                new ClusterView(cache.image(), context.listenerName(), hungUp),
                                request,
                                version,
                                names,
                                results))));
    }

    @Override
    public @Nullable Message errorResponse(RequestContext context, MetadataRequestData request, ApiException failure) {
        List<MetadataRequestTopic> topics = request.topics();
        List<MetadataResponseTopic> answers = new ArrayList<>();
        if (topics != null) {
            for (MetadataRequestTopic topic : topics) {
                answers.add(failed(topic.name() == null ? "" : topic.name(), topic.topicId(), failure.error()));
            }
        }
        return new MetadataResponseData()
                .setTopics(answers)
                .setErrorCode(failure.error().code());
    }

    private static boolean isById(MetadataRequestTopic topic) {
        return !topic.topicId().equals(Uuid.ZERO);
    }

    private Message allTopics(ClusterView view, MetadataRequestData request, short version) {
        boolean plain = !request.includeTopicAuthorizedOperations() && !request.includeClusterAuthorizedOperations();
        if (!plain) {
            return listAll(view, request, version);
        }
        return encoded.get(view, version, ALL_TOPICS, () -> listAll(view, request, version));
    }

    /// What a producer or consumer asks again and again. Only topics that exist, so that strangers cannot fill the
    /// store with names.
    private Message knownTopics(ClusterView view, MetadataRequestData request, short version, Set<String> names) {
        boolean plain = !request.includeTopicAuthorizedOperations() && !request.includeClusterAuthorizedOperations();
        boolean small = names.size() <= MAX_NAMES_STORED && names.stream().allMatch(TopicNames::isValid);
        return plain && small
                ? encoded.get(view, version, names, () -> byName(view, request, version, names, Map.of()))
                : byName(view, request, version, names, Map.of());
    }

    private MetadataResponseData listAll(ClusterView view, MetadataRequestData request, short version) {
        MetadataResponseData response = header(view, request, version);
        for (TopicImage topic : view.image().topics().topics()) {
            response.topics().add(topic(view, topic, version, request.includeTopicAuthorizedOperations()));
        }
        return response;
    }

    private MetadataResponseData byId(
            ClusterView view, MetadataRequestData request, short version, List<MetadataRequestTopic> topics) {
        if (version < 12) {
            throw new ApiException(
                    Errors.INVALID_REQUEST, "Topic ids in Metadata requests need version 12, this is " + version + ".");
        }
        MetadataResponseData response = header(view, request, version);
        Set<Uuid> ids = new LinkedHashSet<>();
        topics.forEach(topic -> ids.add(topic.topicId()));
        for (Uuid id : ids) {
            TopicImage topic = view.image().topics().topic(id);
            response.topics()
                    .add(
                            topic == null
                                    ? failed(null, id, Errors.UNKNOWN_TOPIC_ID)
                                    : topic(view, topic, version, request.includeTopicAuthorizedOperations()));
        }
        return response;
    }

    private MetadataResponseData byName(
            ClusterView view,
            MetadataRequestData request,
            short version,
            Set<String> names,
            Map<String, ApiError> creations) {
        MetadataResponseData response = header(view, request, version);
        for (String name : names) {
            TopicImage topic = view.image().topics().topic(name);
            if (topic != null) {
                response.topics().add(topic(view, topic, version, request.includeTopicAuthorizedOperations()));
                continue;
            }
            ApiError creation = creations.get(name);
            Errors error;
            if (!TopicNames.isValid(name)) {
                error = Errors.INVALID_TOPIC_EXCEPTION;
            } else if (creation == null) {
                error = Errors.UNKNOWN_TOPIC_OR_PARTITION;
            } else {
                // Created, and not here in time: the client will see it when it asks again.
                error = creation.isFailure() ? creation.error() : Errors.LEADER_NOT_AVAILABLE;
            }
            response.topics().add(failed(name, Uuid.ZERO, error));
        }
        return response;
    }

    private MetadataResponseData header(ClusterView view, MetadataRequestData request, short version) {
        List<MetadataResponseBroker> brokers = new ArrayList<>();
        for (ClusterView.Node node : view.nodes()) {
            brokers.add(new MetadataResponseBroker()
                    .setNodeId(node.id())
                    .setHost(node.host())
                    .setPort(node.port())
                    .setRack(node.rack()));
        }
        return new MetadataResponseData()
                .setBrokers(brokers)
                .setClusterId(view.image().cluster().clusterId().toString())
                .setControllerId(view.controllerFor(localId))
                .setClusterAuthorizedOperations(
                        version >= 8 && version <= 10 && request.includeClusterAuthorizedOperations()
                                ? AuthorizedOperations.CLUSTER
                                : AuthorizedOperations.NOT_ASKED)
                .setTopics(new ArrayList<>());
    }

    private static MetadataResponseTopic failed(@Nullable String name, Uuid id, Errors error) {
        return new MetadataResponseTopic()
                .setErrorCode(error.code())
                .setName(name)
                .setTopicId(id)
                .setIsInternal(name != null && TopicNames.isInternal(name));
    }

    private static MetadataResponseTopic topic(
            ClusterView view, TopicImage topic, short version, boolean includeOperations) {
        List<MetadataResponsePartition> partitions =
                new ArrayList<>(topic.partitions().size());
        topic.partitions().forEach((id, registration) -> partitions.add(partition(view, id, registration, version)));
        return new MetadataResponseTopic()
                .setName(topic.name())
                .setTopicId(topic.id())
                .setIsInternal(TopicNames.isInternal(topic.name()))
                .setTopicAuthorizedOperations(
                        includeOperations ? AuthorizedOperations.TOPIC : AuthorizedOperations.NOT_ASKED)
                .setPartitions(partitions);
    }

    private static MetadataResponsePartition partition(
            ClusterView view, int id, PartitionRegistration registration, short version) {
        int leader = registration.leader();
        Errors error = Errors.NONE;
        if (!registration.hasLeader() || !view.leads(leader)) {
            error = Errors.LEADER_NOT_AVAILABLE;
        } else if (!view.isReachable(leader)) {
            error = version >= 6 ? Errors.LISTENER_NOT_FOUND : Errors.LEADER_NOT_AVAILABLE;
        }
        List<Integer> replicas = registration.replicas();
        List<Integer> isr = registration.isr();
        if (version == 0) {
            // Clients of that age cannot bear a replica whose broker is not in the list.
            replicas = replicas.stream().filter(view::isReachable).toList();
            isr = isr.stream().filter(view::isReachable).toList();
            if (error == Errors.NONE
                    && replicas.size() < registration.replicas().size()) {
                error = Errors.REPLICA_NOT_AVAILABLE;
            }
        }
        return new MetadataResponsePartition()
                .setErrorCode(error.code())
                .setPartitionIndex(id)
                .setLeaderId(error == Errors.NONE || error == Errors.REPLICA_NOT_AVAILABLE ? leader : -1)
                .setLeaderEpoch(registration.leaderEpoch())
                .setReplicaNodes(replicas)
                .setIsrNodes(isr)
                .setOfflineReplicas(registration.replicas().stream()
                        .filter(replica -> !view.isReachable(replica))
                        .toList());
    }
}
