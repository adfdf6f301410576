package io.moldau.broker.coordinator.group.assignor;

import io.moldau.common.Uuid;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Gives the members of a topic consecutive ranges of its partitions, the first ones one more where it does not come
/// out even. Topics with equally many partitions and the same subscribers are divided alike, so partition 7 of one is
/// with partition 7 of the other (co-partitioning, for joins).
///
/// Members stand in a fixed order: static ones by instance id, which survives restarts, then the others by member id.
/// The same as Kafka's, to the partition: what is owned now and racks change nothing, for either would break ranges
/// apart that belong together.
public final class RangeAssignor implements PartitionAssignor {

    private static final Comparator<Map.Entry<String, GroupSpec.Member>> ORDER = Comparator.comparing(
                    (Map.Entry<String, GroupSpec.Member> member) ->
                            member.getValue().instanceId(),
                    Comparator.nullsLast(Comparator.<String>naturalOrder()))
            .thenComparing(Map.Entry::getKey);

    @Override
    public String name() {
        return "range";
    }

    @Override
    public Map<String, Map<Uuid, Set<Integer>>> assign(GroupSpec group, TopicLookup topics) {
        var subscribers = new HashMap<Uuid, Integer>();
        for (var member : group.members().values()) {
            member.topics().forEach(topic -> subscribers.merge(topic, 1, Integer::sum));
        }
        var divisions = new HashMap<Uuid, Division>();
        subscribers.forEach((topic, count) -> divisions.put(topic, new Division(topics.partitionCount(topic), count)));

        var assignment = new HashMap<String, Map<Uuid, Set<Integer>>>();
        group.members().entrySet().stream().sorted(ORDER).forEach(member -> {
            var ranges = new HashMap<Uuid, Set<Integer>>();
            for (Uuid topic : member.getValue().topics()) {
                var range = nextRange(divisions.get(topic));
                if (!range.isEmpty()) {
                    ranges.put(topic, range);
                }
            }
            assignment.put(member.getKey(), ranges);
        });
        return assignment;
    }

    private static Set<Integer> nextRange(@Nullable Division division) {
        return division == null ? Set.of() : division.next();
    }

    /// How far one topic has been handed out.
    private static final class Division {

        private final int partitions;
        private final int members;
        private int served;
        private int position;

        Division(int partitions, int members) {
            this.partitions = partitions;
            this.members = members;
        }

        Set<Integer> next() {
            int end = position + partitions / members + (served < partitions % members ? 1 : 0);
            var range = IntStream.range(position, end).boxed().collect(Collectors.toUnmodifiableSet());
            position = end;
            served++;
            return range;
        }
    }
}
