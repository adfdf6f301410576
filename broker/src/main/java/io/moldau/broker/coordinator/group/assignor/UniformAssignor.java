package io.moldau.broker.coordinator.group.assignor;

import io.moldau.common.Uuid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Gives every member as nearly the same number of partitions as subscriptions allow, and moves as few as that takes.
///
/// Where all subscribe to the same topics, numbers differ by one at most. Otherwise [FairShares] finds how many
/// partitions of which topic each gets. Which ones they are is decided here: those it has, then free ones with a
/// replica in the member's rack, then any, dealt out like cards so that topics are spread. Racks never cost balance
/// and move nothing.
public final class UniformAssignor implements PartitionAssignor {

    @Override
    public String name() {
        return "uniform";
    }

    @Override
    public Map<String, Map<Uuid, Set<Integer>>> assign(GroupSpec group, TopicLookup topics) {
        return group.members().isEmpty() ? Map.of() : new Table(group, topics).assign();
    }

    private static final class Table {

        private static final int NOBODY = -1;

        private final TopicLookup lookup;
        private final String[] memberIds;
        private final GroupSpec.Member[] members;
        private final Uuid[] topics;
        private final Map<Uuid, Integer> topicIndex = new HashMap<>();
        /// The member that has each partition of each topic now, or [#NOBODY].
        private final int[][] owners;

        private final Map<String, List<Integer>> membersOfRack = new HashMap<>();
        private final List<Map<Uuid, Set<Integer>>> assignment = new ArrayList<>();

        Table(GroupSpec group, TopicLookup lookup) {
            this.lookup = lookup;
            memberIds = group.members().keySet().stream().sorted().toArray(String[]::new);
            members = new GroupSpec.Member[memberIds.length];
            var subscribed = new HashSet<Uuid>();
            for (int member = 0; member < memberIds.length; member++) {
                var spec = Objects.requireNonNull(group.members().get(memberIds[member]));
                members[member] = spec;
                subscribed.addAll(spec.topics());
                if (spec.rackId() != null) {
                    membersOfRack
                            .computeIfAbsent(spec.rackId(), ignored -> new ArrayList<>())
                            .add(member);
                }
                assignment.add(new HashMap<>());
            }
            topics = subscribed.stream().sorted().toArray(Uuid[]::new);
            owners = new int[topics.length][];
            for (int topic = 0; topic < topics.length; topic++) {
                topicIndex.put(topics[topic], topic);
                owners[topic] = new int[lookup.partitionCount(topics[topic])];
                Arrays.fill(owners[topic], NOBODY);
            }
            for (int member = 0; member < members.length; member++) {
                noteOwned(member);
            }
        }

        private void noteOwned(int member) {
            members[member].assigned().forEach((id, partitions) -> {
                Integer topic = members[member].topics().contains(id) ? topicIndex.get(id) : null;
                if (topic != null) {
                    for (int partition : partitions) {
                        if (partition < owners[topic].length && owners[topic][partition] == NOBODY) {
                            owners[topic][partition] = member;
                        }
                    }
                }
            });
        }

        Map<String, Map<Uuid, Set<Integer>>> assign() {
            var first = members[0].topics();
            if (Arrays.stream(members).allMatch(member -> member.topics().equals(first))) {
                assignAlike();
            } else {
                assignMixed();
            }
            var result = new HashMap<String, Map<Uuid, Set<Integer>>>();
            for (int member = 0; member < members.length; member++) {
                result.put(memberIds[member], assignment.get(member));
            }
            return result;
        }

        private void assignAlike() {
            var all = new ArrayList<Place>();
            int[] owned = new int[members.length];
            for (int topic = 0; topic < topics.length; topic++) {
                for (int partition = 0; partition < owners[topic].length; partition++) {
                    all.add(new Place(topic, partition));
                    if (owners[topic][partition] != NOBODY) {
                        owned[owners[topic][partition]]++;
                    }
                }
            }
            int least = all.size() / members.length;
            int extras = all.size() % members.length;
            int[] quota = new int[members.length];
            Arrays.fill(quota, least);
            // Whoever has more than the least keeps one of it where there is one to keep: that saves a move.
            for (int member = 0; member < members.length && extras > 0; member++) {
                if (owned[member] > least) {
                    quota[member]++;
                    extras--;
                }
            }
            for (int member = 0; member < members.length && extras > 0; member++) {
                if (quota[member] == least) {
                    quota[member]++;
                    extras--;
                }
            }
            settle(all, quota);
        }

        private void assignMixed() {
            int[] sizes = Arrays.stream(owners).mapToInt(owner -> owner.length).toArray();
            int[][] subscriptions = new int[members.length][];
            int[][] held = new int[members.length][];
            for (int member = 0; member < members.length; member++) {
                subscriptions[member] = members[member].topics().stream()
                        .mapToInt(id -> topicIndex.getOrDefault(id, NOBODY))
                        .sorted()
                        .toArray();
                held[member] = new int[subscriptions[member].length];
            }
            for (int topic = 0; topic < topics.length; topic++) {
                for (int owner : owners[topic]) {
                    if (owner != NOBODY) {
                        held[owner][Arrays.binarySearch(subscriptions[owner], topic)]++;
                    }
                }
            }
            int[][] shares = new FairShares(sizes, subscriptions, held).find();
            for (int topic = 0; topic < topics.length; topic++) {
                int[] quota = new int[members.length];
                for (int member = 0; member < members.length; member++) {
                    int index = Arrays.binarySearch(subscriptions[member], topic);
                    quota[member] = index < 0 ? 0 : shares[member][index];
                }
                var places = new ArrayList<Place>();
                for (int partition = 0; partition < sizes[topic]; partition++) {
                    places.add(new Place(topic, partition));
                }
                settle(places, quota);
            }
        }

        /// Hands out the partitions, to each member as many as its quota says; all quotas together are all of them.
        private void settle(List<Place> places, int[] quota) {
            var free = keepOwned(places, quota);
            if (!membersOfRack.isEmpty()) {
                free = giveInRack(free, quota);
            }
            deal(free, quota);
        }

        private List<Place> keepOwned(List<Place> places, int[] quota) {
            // Of more than it may keep, a member gives back what is far from it.
            var far = new ArrayList<Place>();
            var free = new ArrayList<Place>();
            for (var place : places) {
                int owner = owners[place.topic()][place.partition()];
                if (owner == NOBODY) {
                    free.add(place);
                } else if (isNear(owner, place)) {
                    giveOr(free, owner, place, quota);
                } else {
                    far.add(place);
                }
            }
            for (var place : far) {
                giveOr(free, owners[place.topic()][place.partition()], place, quota);
            }
            return free;
        }

        private boolean isNear(int member, Place place) {
            String rack = members[member].rackId();
            return rack == null || racks(place).contains(rack);
        }

        private void giveOr(List<Place> free, int member, Place place, int[] quota) {
            if (quota[member] > 0) {
                give(member, place, quota);
            } else {
                free.add(place);
            }
        }

        private List<Place> giveInRack(List<Place> free, int[] quota) {
            var cursors = new HashMap<String, Integer>();
            var rest = new ArrayList<Place>();
            for (var place : free) {
                int taker = NOBODY;
                for (String rack : racks(place)) {
                    if (taker == NOBODY) {
                        taker = nextWithQuota(membersOfRack.get(rack), cursors, rack, quota);
                    }
                }
                if (taker == NOBODY) {
                    rest.add(place);
                } else {
                    give(taker, place, quota);
                }
            }
            return rest;
        }

        /// The members of a rack take turns; one lap without a quota left means that there is none.
        private static int nextWithQuota(
                @Nullable List<Integer> candidates, Map<String, Integer> cursors, String rack, int[] quota) {
            if (candidates == null) {
                return NOBODY;
            }
            int start = cursors.getOrDefault(rack, 0);
            if (start < 0) {
                return NOBODY;
            }
            for (int step = 0; step < candidates.size(); step++) {
                int index = (start + step) % candidates.size();
                int member = candidates.get(index);
                if (quota[member] > 0) {
                    cursors.put(rack, (index + 1) % candidates.size());
                    return member;
                }
            }
            cursors.put(rack, NOBODY);
            return NOBODY;
        }

        private void deal(List<Place> free, int[] quota) {
            var open = new ArrayList<Integer>();
            for (int member = 0; member < quota.length; member++) {
                if (quota[member] > 0) {
                    open.add(member);
                }
            }
            int next = 0;
            while (next < free.size()) {
                var stillOpen = new ArrayList<Integer>();
                for (int member : open) {
                    if (next < free.size()) {
                        give(member, free.get(next++), quota);
                        if (quota[member] > 0) {
                            stillOpen.add(member);
                        }
                    }
                }
                open = stillOpen;
            }
        }

        private void give(int member, Place place, int[] quota) {
            quota[member]--;
            assignment
                    .get(member)
                    .computeIfAbsent(topics[place.topic()], ignored -> new HashSet<>())
                    .add(place.partition());
        }

        private Set<String> racks(Place place) {
            return lookup.racks(topics[place.topic()], place.partition());
        }
    }

    /// A partition: the index of its topic in the table, and its number.
    private record Place(int topic, int partition) {}
}
