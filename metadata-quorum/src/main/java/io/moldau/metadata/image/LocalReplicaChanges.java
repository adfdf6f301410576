package io.moldau.metadata.image;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.Uuid;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

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

    /// Told of a leadership that begins.
    @FunctionalInterface
    public interface Elected {
        void elected(int partition, int leaderEpoch);
    }

    /// Tells what becomes of this broker's leaderships of one topic: those that ended first, where it is told so also
    /// of partitions that it did not lead, then those that begin in a new leader epoch.
    public void leaderships(String topic, IntConsumer ended, Elected begun) {
        deleted.stream().filter(it -> it.topic().equals(topic)).forEach(it -> ended.accept(it.partition()));
        followers.keySet().stream().filter(it -> it.topic().equals(topic)).forEach(it -> ended.accept(it.partition()));
        electedLeaders.forEach((it, registration) -> {
            if (it.topic().equals(topic)) {
                begun.elected(it.partition(), registration.leaderEpoch());
            }
        });
    }

    public boolean isEmpty() {
        return deleted.isEmpty() && leaders.isEmpty() && followers.isEmpty();
    }
}
