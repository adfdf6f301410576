package io.moldau.broker.api.metadata;

import io.moldau.broker.metadata.AuthorizedOperations;
import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.metadata.TopicNames;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.DescribeTopicPartitionsRequestData;
import io.moldau.wire.message.DescribeTopicPartitionsResponseData;
import io.moldau.wire.message.DescribeTopicPartitionsResponseData.Cursor;
import io.moldau.wire.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import io.moldau.wire.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// DescribeTopicPartitions, version 0: topics in the order of their names, a page of partitions at a time (KIP-966).
public final class DescribeTopicPartitionsHandler implements RequestHandler<DescribeTopicPartitionsRequestData> {

    private final MetadataCache cache;
    private final int maxPartitions;
    private final HungUpBrokers hungUp;

    /// @param maxPartitions `max.request.partition.size.limit`
    public DescribeTopicPartitionsHandler(MetadataCache cache, int maxPartitions, HungUpBrokers hungUp) {
        this.cache = cache;
        this.maxPartitions = maxPartitions;
        this.hungUp = hungUp;
    }

    @Override
    public void handle(RequestContext context, DescribeTopicPartitionsRequestData request) {
        context.respond(answer(new ClusterView(cache.image(), context.listenerName(), hungUp), request));
    }

    @Override
    public @Nullable Message errorResponse(
            RequestContext context, DescribeTopicPartitionsRequestData request, ApiException failure) {
        List<DescribeTopicPartitionsResponseTopic> topics = new ArrayList<>();
        request.topics()
                .forEach(topic -> topics.add(new DescribeTopicPartitionsResponseTopic()
                        .setName(topic.name())
                        .setErrorCode(failure.error().code())
                        .setTopicAuthorizedOperations(AuthorizedOperations.NOT_ASKED)));
        return new DescribeTopicPartitionsResponseData().setTopics(topics);
    }

    private DescribeTopicPartitionsResponseData answer(ClusterView view, DescribeTopicPartitionsRequestData request) {
        SortedSet<String> names = new TreeSet<>();
        boolean all = request.topics().isEmpty();
        if (all) {
            view.image().topics().topics().forEach(topic -> names.add(topic.name()));
        } else {
            request.topics().forEach(topic -> names.add(topic.name()));
        }
        String firstTopic = "";
        int firstPartition = 0;
        DescribeTopicPartitionsRequestData.Cursor cursor = request.cursor();
        if (cursor != null) {
            firstTopic = cursor.topicName();
            firstPartition = cursor.partitionIndex();
            if (firstPartition < 0) {
                throw new ApiException(
                        Errors.INVALID_REQUEST,
                        "The cursor's partition is " + firstPartition + ": it must not be negative.");
            }
        }
        int left = Math.max(1, Math.min(maxPartitions, request.responsePartitionLimit()));
        List<DescribeTopicPartitionsResponseTopic> topics = new ArrayList<>();
        DescribeTopicPartitionsResponseData response = new DescribeTopicPartitionsResponseData().setTopics(topics);
        for (String name : names.tailSet(firstTopic)) {
            int from = name.equals(firstTopic) ? firstPartition : 0;
            TopicImage topic = view.image().topics().topic(name);
            if (topic == null) {
                topics.add(unknown(name));
                continue;
            }
            if (left == 0) {
                return response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(from));
            }
            List<DescribeTopicPartitionsResponsePartition> partitions = new ArrayList<>();
            topics.add(described(topic, partitions));
            for (int id = from; id < topic.partitions().size(); id++) {
                if (left == 0) {
                    return response.setNextCursor(
                            new Cursor().setTopicName(name).setPartitionIndex(id));
                }
                PartitionRegistration registration = topic.partition(id);
                if (registration != null) {
                    partitions.add(partition(view, id, registration));
                    left--;
                }
            }
        }
        return response;
    }

    private static DescribeTopicPartitionsResponseTopic unknown(String name) {
        return new DescribeTopicPartitionsResponseTopic()
                .setName(name)
                .setIsInternal(TopicNames.isInternal(name))
                .setTopicAuthorizedOperations(AuthorizedOperations.NOT_ASKED)
                .setErrorCode(
                        (TopicNames.isValid(name) ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION)
                                .code());
    }

    private static DescribeTopicPartitionsResponseTopic described(
            TopicImage topic, List<DescribeTopicPartitionsResponsePartition> partitions) {
        return new DescribeTopicPartitionsResponseTopic()
                .setName(topic.name())
                .setTopicId(topic.id())
                .setIsInternal(TopicNames.isInternal(topic.name()))
                .setTopicAuthorizedOperations(AuthorizedOperations.TOPIC)
                .setPartitions(partitions);
    }

    private static DescribeTopicPartitionsResponsePartition partition(
            ClusterView view, int id, PartitionRegistration registration) {
        int leader = registration.leader();
        Errors error = Errors.NONE;
        if (!registration.hasLeader() || !view.leads(leader)) {
            error = Errors.LEADER_NOT_AVAILABLE;
        } else if (!view.isReachable(leader)) {
            error = Errors.LISTENER_NOT_FOUND;
        }
        return new DescribeTopicPartitionsResponsePartition()
                .setErrorCode(error.code())
                .setPartitionIndex(id)
                .setLeaderId(error == Errors.NONE ? leader : -1)
                .setLeaderEpoch(registration.leaderEpoch())
                .setReplicaNodes(registration.replicas())
                .setIsrNodes(registration.isr())
                .setEligibleLeaderReplicas(registration.elr())
                .setLastKnownElr(registration.lastKnownElr())
                .setOfflineReplicas(registration.replicas().stream()
                        .filter(replica -> !view.isReachable(replica))
                        .toList());
    }
}
