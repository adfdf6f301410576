package io.moldau.metadata.image;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.Uuid;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.Map;
import java.util.Set;

/// What a delta means for the replicas of one broker.
///
/// @param deleted replicas the broker had and must not have any more
/// @param electedLeaders partitions this broker leads in a leader epoch that is new
/// @param leaders partitions this broker leads and that changed in any way; contains `electedLeaders`
/// @param followers partitions this broker has a replica of and another broker, or nobody, leads
/// @param topicIds the id of each topic that occurs in `leaders` or `followers`
public record LocalReplicaChanges(
        Set<TopicIdPartition> deleted,
        Map<TopicIdPartition, PartitionRegistration> electedLeaders,
        Map<TopicIdPartition, PartitionRegistration> leaders,
        Map<TopicIdPartition, PartitionRegistration> followers,
        Map<String, Uuid> topicIds) {

    public boolean isEmpty() {
        return deleted.isEmpty() && leaders.isEmpty() && followers.isEmpty();
    }
}
