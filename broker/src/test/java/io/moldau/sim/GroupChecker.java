package io.moldau.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What members of groups are told, taken together. A generation whose assignment somebody was given is never another
/// one: it has the same members with the same assignment for ever, and no partition in it is two members'. Nobody is
/// given a generation that was over when it asked, nor is a commit of one taken. A member that looks finds what was
/// committed last.
///
/// A generation that nobody was given an assignment of is not in the log yet; who coordinates next may form another one
/// of that number, as in Kafka.
final class GroupChecker {

    /// Who somebody is to the group: a static member has other ids but stays the same.
    ///
    /// @param name the instance id, the member id where there is none
    record Identity(String name) {}

    /// What a member was assigned.
    ///
    /// @param nonce of the leader's calculation
    /// @param partitions by their numbers among those of the group
    record Assignment(long nonce, List<Integer> partitions) {}

    /// A commit somebody sent.
    static final class Commit {
        private final int generation;
        private final long value;
        private final int generationThen;
        private State state = State.OPEN;

        private Commit(int generation, long value, int generationThen) {
            this.generation = generation;
            this.value = value;
            this.generationThen = generationThen;
        }
    }

    private enum State {
        /// Taken perhaps, now or later.
        OPEN,
        ACKNOWLEDGED,
        REFUSED
    }

    private static final class Generation {
        private final long nonce;
        private final Set<Identity> members;
        private final Map<Identity, List<Integer>> assigned = new HashMap<>();

        private Generation(long nonce, Set<Identity> members) {
            this.nonce = nonce;
            this.members = members;
        }
    }

    private static final class Group {
        private final Map<Integer, Generation> generations = new HashMap<>();
        private final Map<Integer, List<Commit>> commits = new HashMap<>();
        private int latest = -1;
    }

    private final SimulatedCluster cluster;
    private final Map<String, Group> groups = new HashMap<>();
    private final Map<Long, Set<Identity>> calculations = new HashMap<>();

    GroupChecker(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    private Group group(String id) {
        return groups.computeIfAbsent(id, key -> new Group());
    }

    /// The latest generation whose assignment was given to somebody.
    int generation(String group) {
        return group(group).latest;
    }

    /// A leader calculates for these members.
    void calculates(long nonce, Set<Identity> members) {
        calculations.put(nonce, Set.copyOf(members));
    }

    /// Somebody was told to be in a generation.
    ///
    /// @param generationThen [#generation] when it asked
    void joined(String group, Identity member, int generation, int generationThen) {
        if (generation < generationThen) {
            cluster.fail(
                    member + " joined generation " + generation + " of " + group + ", which was in " + generationThen
                            + " when it asked",
                    null);
        } else if (generation == generationThen) {
            Generation it = group(group).generations.get(generation);
            if (it != null && !it.members.contains(member)) {
                cluster.fail(
                        member + " joined generation " + generation + " of " + group
                                + ", whose members are others already: " + it.members,
                        null);
            }
        }
    }

    /// Somebody was given its assignment.
    void synced(String group, Identity member, int generation, int generationThen, Assignment assignment) {
        String where = "generation " + generation + " of " + group;
        if (generation < generationThen) {
            cluster.fail(member + " was given its assignment in " + where + " when " + generationThen + " was", null);
            return;
        }
        Group of = group(group);
        of.latest = Math.max(of.latest, generation);
        Generation it = of.generations.get(generation);
        if (it == null) {
            Set<Identity> members = calculations.get(assignment.nonce());
            if (members == null) {
                cluster.fail(member + " was given what nobody calculated in " + where, null);
                return;
            }
            it = new Generation(assignment.nonce(), members);
            of.generations.put(generation, it);
        }
        if (it.nonce != assignment.nonce() || !it.members.contains(member)) {
            cluster.fail(
                    member + " was given the assignment of other members in " + where + ": calculations "
                            + Long.toHexString(it.nonce) + " for " + it.members + " and "
                            + Long.toHexString(assignment.nonce()),
                    null);
            return;
        }
        it.assigned.put(member, assignment.partitions());
        Set<Integer> all = new HashSet<>();
        for (List<Integer> each : it.assigned.values()) {
            for (int partition : each) {
                if (!all.add(partition)) {
                    cluster.fail("partition " + partition + " is two members' in " + where + ": " + it.assigned, null);
                }
            }
        }
    }

    /// A member sends a commit.
    Commit commits(String group, int partition, int generation, long value) {
        var commit = new Commit(generation, value, group(group).latest);
        commits(group, partition).add(commit);
        return commit;
    }

    private List<Commit> commits(String group, int partition) {
        return group(group).commits.computeIfAbsent(partition, key -> new ArrayList<>());
    }

    void acknowledged(String group, Commit commit) {
        commit.state = State.ACKNOWLEDGED;
        if (commit.generation < commit.generationThen) {
            cluster.fail(
                    "a commit of generation " + commit.generation + " of " + group + " was taken, sent in generation "
                            + commit.generationThen,
                    null);
        }
    }

    void refused(Commit commit) {
        commit.state = State.REFUSED;
    }

    /// A look of a member at what is committed.
    ///
    /// @param findable what it may find of what was sent before; -1 if perhaps nothing
    /// @param sent how many commits had been sent
    record Look(String group, int partition, int generation, Set<Long> findable, int sent) {}

    Look looks(String group, int partition, int generation) {
        Set<Long> findable = new HashSet<>();
        List<Commit> commits = commits(group, partition);
        Commit last = null;
        for (Commit commit : commits) {
            if (commit.state == State.ACKNOWLEDGED && commit.generation <= generation) {
                last = last == null || last.generation <= commit.generation ? commit : last;
            }
        }
        findable.add(last == null ? -1 : last.value);
        for (Commit commit : commits) {
            // What nobody knows the fate of can arrive late, until the next generation begins; and the group may have
            // gone on without the one who looks.
            boolean possible = commit.state == State.OPEN && (last == null || commit.generation >= last.generation)
                    || commit.state == State.ACKNOWLEDGED && commit.generation > generation;
            if (possible) {
                findable.add(commit.value);
            }
        }
        return new Look(group, partition, generation, findable, commits.size());
    }

    void found(Look look, long value) {
        List<Commit> commits = commits(look.group(), look.partition());
        boolean later = commits.subList(look.sent(), commits.size()).stream().anyMatch(it -> it.value == value);
        if (!later && !look.findable().contains(value)) {
            cluster.fail("found " + value + " committed in " + look, null);
        }
    }
}
