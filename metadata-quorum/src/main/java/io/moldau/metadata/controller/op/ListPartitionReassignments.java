package io.moldau.metadata.controller.op;

import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import io.moldau.wire.message.ListPartitionReassignmentsResponseData;
import io.moldau.wire.message.ListPartitionReassignmentsResponseData.OngoingPartitionReassignment;
import io.moldau.wire.message.ListPartitionReassignmentsResponseData.OngoingTopicReassignment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tells which partitions are being moved. Those that are not, or do not exist, are left out.
public final class ListPartitionReassignments {

    public ControllerResult<ListPartitionReassignmentsResponseData> plan(
            MetadataImage image, ListPartitionReassignmentsRequestData request) {
        var topics = new ArrayList<OngoingTopicReassignment>();
        @Nullable List<ListPartitionReassignmentsTopics> wanted = request.topics();
        if (wanted == null) {
            for (TopicImage topic : image.topics().topics()) {
                add(topic, topic.partitions().keySet(), topics);
            }
        } else {
            for (ListPartitionReassignmentsTopics topic : wanted) {
                @Nullable TopicImage existing = image.topics().topic(topic.name());
                if (existing != null) {
                    add(existing, topic.partitionIndexes(), topics);
                }
            }
        }
        return ControllerResult.answer(new ListPartitionReassignmentsResponseData()
                .setErrorMessage(null)
                .setTopics(topics));
    }

    private static void add(TopicImage topic, Collection<Integer> ids, List<OngoingTopicReassignment> topics) {
        var partitions = new ArrayList<OngoingPartitionReassignment>();
        for (int id : ids) {
            @Nullable PartitionRegistration partition = topic.partition(id);
            if (partition != null && partition.isReassigning()) {
                partitions.add(new OngoingPartitionReassignment()
                        .setPartitionIndex(id)
                        .setReplicas(partition.replicas())
                        .setAddingReplicas(partition.addingReplicas())
                        .setRemovingReplicas(partition.removingReplicas()));
            }
        }
        if (!partitions.isEmpty()) {
            topics.add(new OngoingTopicReassignment().setName(topic.name()).setPartitions(partitions));
        }
    }
}
