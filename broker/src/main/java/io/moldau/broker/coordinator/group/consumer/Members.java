package io.moldau.broker.coordinator.group.consumer;

import io.moldau.common.Uuid;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/// The members of a group and what follows from them: who owns which partition, who is which instance, how many
/// subscribe to what. Persistent: a change makes another value and shares what stays.
public final class Members {

    /// A partition by its topic's id.
    private record PartitionId(Uuid topic, int partition) implements Comparable<PartitionId> {
        @Override
        public int compareTo(PartitionId other) {
            int byTopic = topic.compareTo(other.topic);
            return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
        }
    }

    public static final Members NONE =
            new Members(TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

    private final PSortedMap<String, ConsumerGroupMember> byId;
    private final PSortedMap<String, String> byInstance;
    private final PSortedMap<PartitionId, String> owners;
    private final PSortedMap<String, Integer> topics;
    private final PSortedMap<String, Integer> regexes;

    private Members(
            PSortedMap<String, ConsumerGroupMember> byId,
            PSortedMap<String, String> byInstance,
            PSortedMap<PartitionId, String> owners,
            PSortedMap<String, Integer> topics,
            PSortedMap<String, Integer> regexes) {
        this.byId = byId;
        this.byInstance = byInstance;
        this.owners = owners;
        this.topics = topics;
        this.regexes = regexes;
    }

    // ---- changes ----

    public Members with(ConsumerGroupMember member) {
        var before = byId.get(member.id());
        return new Members(
                byId.plus(member.id(), member),
                instances(before, member),
                owners(member.id(), before == null ? CurrentAssignment.NEW : before.current(), member.current()),
                topics(before == null ? MemberMetadata.NONE : before.metadata(), member.metadata()),
                regexes(before == null ? MemberMetadata.NONE : before.metadata(), member.metadata()));
    }

    public Members without(String memberId) {
        var before = byId.get(memberId);
        if (before == null) {
            return this;
        }
        return new Members(
                byId.minus(memberId),
                instances(before, null),
                owners(memberId, before.current(), CurrentAssignment.NEW),
                topics(before.metadata(), MemberMetadata.NONE),
                regexes(before.metadata(), MemberMetadata.NONE));
    }

    private PSortedMap<String, String> instances(
            @Nullable ConsumerGroupMember before, @Nullable ConsumerGroupMember after) {
        var result = byInstance;
        var old = before == null ? null : before.metadata().instanceId();
        var now = after == null ? null : after.metadata().instanceId();
        if (before != null && old != null && before.id().equals(result.get(old))) {
            result = result.minus(old);
        }
        return after == null || now == null ? result : result.plus(now, after.id());
    }

    private PSortedMap<PartitionId, String> owners(String id, CurrentAssignment before, CurrentAssignment after) {
        if (before.assigned().equals(after.assigned())
                && before.pendingRevocation().equals(after.pendingRevocation())) {
            return owners;
        }
        var holder = new Object() {
            PSortedMap<PartitionId, String> result = owners;
        };
        PartitionEpochs.Visitor take = (topic, partition, epoch) -> {
            var key = new PartitionId(topic, partition);
            // Whoever has got it since keeps it.
            if (!after.assigned().contains(topic, partition)
                    && !after.pendingRevocation().contains(topic, partition)
                    && id.equals(holder.result.get(key))) {
                holder.result = holder.result.minus(key);
            }
        };
        PartitionEpochs.Visitor give = (topic, partition, epoch) -> {
            var key = new PartitionId(topic, partition);
            if (!id.equals(holder.result.get(key))) {
                holder.result = holder.result.plus(key, id);
            }
        };
        before.assigned().forEach(take);
        before.pendingRevocation().forEach(take);
        after.assigned().forEach(give);
        after.pendingRevocation().forEach(give);
        return holder.result;
    }

    private PSortedMap<String, Integer> topics(MemberMetadata before, MemberMetadata after) {
        if (before.topics().equals(after.topics())) {
            return topics;
        }
        var result = topics;
        for (var topic : before.topics()) {
            result = counted(result, topic, -1);
        }
        for (var topic : after.topics()) {
            result = counted(result, topic, 1);
        }
        return result;
    }

    private PSortedMap<String, Integer> regexes(MemberMetadata before, MemberMetadata after) {
        var result = regexes;
        var old = before.regex();
        var now = after.regex();
        if (old != null) {
            result = counted(result, old, -1);
        }
        return now == null ? result : counted(result, now, 1);
    }

    private static PSortedMap<String, Integer> counted(PSortedMap<String, Integer> counts, String key, int change) {
        int count = counts.getOrDefault(key, 0) + change;
        return count == 0 ? counts.minus(key) : counts.plus(key, count);
    }

    // ---- questions ----

    public @Nullable ConsumerGroupMember get(String memberId) {
        return byId.get(memberId);
    }

    public @Nullable ConsumerGroupMember ofInstance(String instanceId) {
        var id = byInstance.get(instanceId);
        return id == null ? null : byId.get(id);
    }

    /// In the order of their ids.
    public Collection<ConsumerGroupMember> all() {
        return byId.values();
    }

    public int size() {
        return byId.size();
    }

    public boolean isEmpty() {
        return byId.isEmpty();
    }

    /// Who has the partition, or is still giving it up; null if nobody.
    public @Nullable String owner(Uuid topic, int partition) {
        return owners.get(new PartitionId(topic, partition));
    }

    /// What members subscribe to by name.
    public Set<String> topics() {
        return topics.keySet();
    }

    public boolean subscribesByName(String topic) {
        return topics.containsKey(topic);
    }

    /// The expressions members subscribe by.
    public Set<String> regexes() {
        return regexes.keySet();
    }

    public boolean usesRegex(String regex) {
        return regexes.containsKey(regex);
    }

    public int classicCount() {
        int count = 0;
        for (var member : byId.values()) {
            if (member.isClassic()) {
                count++;
            }
        }
        return count;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Members members && byId.equals(members.byId);
    }

    @Override
    public int hashCode() {
        return byId.hashCode();
    }

    @Override
    public String toString() {
        return byId.values().toString();
    }
}
