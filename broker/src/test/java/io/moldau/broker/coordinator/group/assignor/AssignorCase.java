package io.moldau.broker.coordinator.group.assignor;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.group.assignor.GroupSpec.Member;
import io.moldau.common.Uuid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.jspecify.annotations.Nullable;

/// A group and its topics: what an assignor is asked about, and what is said of its answer. Changes by members that
/// come, go and subscribe to something else; each answer is the next question's present assignment.
final class AssignorCase implements TopicLookup {

    private final Map<Uuid, Integer> partitions = new TreeMap<>();
    private final Map<String, Member> members = new TreeMap<>();
    private final List<String> racks;
    private int nextMember;

    AssignorCase(List<String> racks) {
        this.racks = racks;
    }

    List<Uuid> topics() {
        return List.copyOf(partitions.keySet());
    }

    Map<String, Member> members() {
        return members;
    }

    Uuid topic(int partitionCount) {
        var id = new Uuid(partitions.size() + 1L, 1L);
        partitions.put(id, partitionCount);
        return id;
    }

    void resize(Uuid topic, int partitionCount) {
        partitions.put(topic, partitionCount);
    }

    String join(Set<Uuid> topics) {
        return join(topics, null);
    }

    String join(Set<Uuid> topics, @Nullable String instanceId) {
        String rack = racks.isEmpty() ? null : racks.get(nextMember % racks.size());
        // Ids as random as real ones, in that their order is not that of joining.
        var id = "%08x-member%d".formatted(Integer.reverse(nextMember * 0x9E3779B1), nextMember++);
        members.put(id, new Member(instanceId, rack, Set.copyOf(topics), Map.of()));
        return id;
    }

    void leave(String id) {
        members.remove(id);
    }

    void subscribe(String id, Set<Uuid> topics) {
        members.computeIfPresent(
                id, (ignored, old) -> new Member(old.instanceId(), old.rackId(), Set.copyOf(topics), old.assigned()));
    }

    void adopt(Map<String, Map<Uuid, Set<Integer>>> assignment) {
        members.replaceAll((id, old) ->
                new Member(old.instanceId(), old.rackId(), old.topics(), assignment.getOrDefault(id, Map.of())));
    }

    /// Topics and members by chance; with `alike`, all members subscribe to all topics.
    static AssignorCase random(
            RandomGenerator random, int maxTopics, int maxPartitions, int maxMembers, boolean alike, boolean racked) {
        var it = new AssignorCase(racked ? List.of("a", "b", "c") : List.of());
        int topicCount = 1 + random.nextInt(maxTopics);
        for (int topic = 0; topic < topicCount; topic++) {
            it.topic(1 + random.nextInt(maxPartitions));
        }
        int memberCount = 1 + random.nextInt(maxMembers);
        for (int member = 0; member < memberCount; member++) {
            it.joinByChance(random, alike);
        }
        return it;
    }

    void change(RandomGenerator random, boolean alike) {
        var ids = new ArrayList<>(members.keySet());
        switch (random.nextInt(4)) {
            case 0 -> joinByChance(random, alike);
            case 1 -> {
                if (ids.size() > 1) {
                    leave(ids.get(random.nextInt(ids.size())));
                }
            }
            case 2 -> {
                var topic = topics().get(random.nextInt(topics().size()));
                resize(topic, partitionCount(topic) + random.nextInt(3));
            }
            default -> {
                if (alike) {
                    var some = someTopics(random);
                    ids.forEach(id -> subscribe(id, some));
                } else {
                    subscribe(ids.get(random.nextInt(ids.size())), someTopics(random));
                }
            }
        }
    }

    private void joinByChance(RandomGenerator random, boolean alike) {
        var like = members.values().stream().findFirst().map(Member::topics).orElseGet(() -> Set.copyOf(topics()));
        join(alike ? like : someTopics(random), random.nextInt(3) == 0 ? "instance" + random.nextInt(1000) : null);
    }

    private Set<Uuid> someTopics(RandomGenerator random) {
        var some = topics().stream().filter(topic -> random.nextInt(2) == 0).collect(Collectors.toSet());
        return some.isEmpty() ? Set.of(topics().get(0)) : some;
    }

    GroupSpec spec() {
        return new GroupSpec(Map.copyOf(members));
    }

    @Override
    public int partitionCount(Uuid topic) {
        return partitions.getOrDefault(topic, 0);
    }

    /// Three replicas' racks of five, or none.
    @Override
    public Set<String> racks(Uuid topic, int partition) {
        return racks.isEmpty() ? Set.of() : Set.of(racks.get(partition % racks.size()), "elsewhere");
    }

    /// Every partition of a topic that somebody subscribes to is with exactly one member, who subscribes to it.
    void checkValid(Map<String, Map<Uuid, Set<Integer>>> assignment) {
        assertThat(assignment.keySet()).isEqualTo(members.keySet());
        var given = new HashMap<Uuid, List<Integer>>();
        assignment.forEach((id, topics) -> {
            assertThat(members.get(id).topics()).as(id).containsAll(topics.keySet());
            topics.forEach((topic, numbers) ->
                    given.computeIfAbsent(topic, ignored -> new ArrayList<>()).addAll(numbers));
        });
        var subscribed = new HashSet<Uuid>();
        members.values().forEach(member -> subscribed.addAll(member.topics()));
        for (var topic : subscribed) {
            assertThat(given.getOrDefault(topic, List.of()))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, partitionCount(topic)).boxed().toList());
        }
    }

    /// Partitions that were with a member that is still there and may have them, and are with another now.
    int moved(Map<String, Map<Uuid, Set<Integer>>> assignment) {
        int moved = 0;
        for (var member : members.entrySet()) {
            for (var owned : member.getValue().assigned().entrySet()) {
                if (member.getValue().topics().contains(owned.getKey())) {
                    var now = assignment.get(member.getKey()).getOrDefault(owned.getKey(), Set.of());
                    moved += (int) owned.getValue().stream()
                            .filter(partition -> partition < partitionCount(owned.getKey()) && !now.contains(partition))
                            .count();
                }
            }
        }
        return moved;
    }

    static List<Integer> loads(Map<String, Map<Uuid, Set<Integer>>> assignment) {
        return assignment.values().stream()
                .map(topics -> topics.values().stream().mapToInt(Set::size).sum())
                .sorted()
                .toList();
    }

    static long unevenness(Map<String, Map<Uuid, Set<Integer>>> assignment) {
        return loads(assignment).stream().mapToLong(load -> (long) load * load).sum();
    }

    int inRack(Map<String, Map<Uuid, Set<Integer>>> assignment) {
        int near = 0;
        for (var member : assignment.entrySet()) {
            String rack = members.get(member.getKey()).rackId();
            for (var topic : member.getValue().entrySet()) {
                near += (int) topic.getValue().stream()
                        .filter(partition ->
                                rack != null && racks(topic.getKey(), partition).contains(rack))
                        .count();
            }
        }
        return near;
    }

    /// What the reference's assignor says to the same question.
    Map<String, Map<Uuid, Set<Integer>>> ask(PartitionAssignor reference) {
        var specs = new HashMap<String, MemberSubscriptionAndAssignmentImpl>();
        var owners = new HashMap<org.apache.kafka.common.Uuid, Map<Integer, String>>();
        members.forEach((id, member) -> {
            var assigned = new HashMap<org.apache.kafka.common.Uuid, Set<Integer>>();
            member.assigned().forEach((topic, numbers) -> {
                assigned.put(theirs(topic), numbers);
                numbers.forEach(number -> owners.computeIfAbsent(theirs(topic), ignored -> new HashMap<>())
                        .put(number, id));
            });
            specs.put(
                    id,
                    new MemberSubscriptionAndAssignmentImpl(
                            Optional.ofNullable(member.rackId()),
                            Optional.ofNullable(member.instanceId()),
                            member.topics().stream().map(AssignorCase::theirs).collect(Collectors.toSet()),
                            new Assignment(assigned)));
        });
        var alike = members.values().stream().map(Member::topics).distinct().count() == 1;
        var type = alike ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        var answer = new HashMap<String, Map<Uuid, Set<Integer>>>();
        reference
                .assign(new GroupSpecImpl(specs, type, owners), describer())
                .members()
                .forEach((id, assignment) -> {
                    var topics = new HashMap<Uuid, Set<Integer>>();
                    assignment.partitions().forEach((topic, numbers) -> {
                        if (!numbers.isEmpty()) {
                            topics.put(ours(topic), new HashSet<>(numbers));
                        }
                    });
                    answer.put(id, topics);
                });
        return answer;
    }

    private SubscribedTopicDescriber describer() {
        return new SubscribedTopicDescriber() {
            @Override
            public int numPartitions(org.apache.kafka.common.Uuid topic) {
                return partitionCount(ours(topic));
            }

            @Override
            public Set<String> racksForPartition(org.apache.kafka.common.Uuid topic, int partition) {
                return racks(ours(topic), partition);
            }
        };
    }

    private static org.apache.kafka.common.Uuid theirs(Uuid topic) {
        return new org.apache.kafka.common.Uuid(topic.mostSignificantBits(), topic.leastSignificantBits());
    }

    private static Uuid ours(org.apache.kafka.common.Uuid topic) {
        return new Uuid(topic.getMostSignificantBits(), topic.getLeastSignificantBits());
    }
}
