package io.moldau.ops.report;

import io.moldau.common.TopicPartition;
import io.moldau.common.config.ConfigSchema;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.GroupReport.Member;
import io.moldau.ops.report.GroupReport.Position;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Why something in a cluster is as it is: from a picture to findings, down to the cause a person can do something
/// about. Functions.
public final class Explanation {

    private static final double LITTLE_DISK = 0.10;
    private static final double NO_DISK = 0.02;

    private Explanation() {}

    // ---- A partition.

    public static Finding partition(Picture picture, TopicPartition asked, Collection<String> names) {
        Topic topic = picture.topics().get(asked.topic());
        if (topic == null) {
            String nearest = ConfigSchema.nearest(asked.topic(), names);
            return Finding.problem(
                    "There is no topic " + asked.topic() + ".",
                    nearest == null
                            ? "There are no topics at all: 'moldau topics create' makes one."
                            : "The nearest name is " + nearest + "; 'moldau topics list --internal' shows all.");
        }
        return topic.partitions().stream()
                .filter(partition -> partition.id() == asked.partition())
                .findFirst()
                .map(partition -> partition(picture, topic, partition))
                .orElseGet(() -> Finding.problem(
                        "Topic " + topic.name() + " has no partition " + asked.partition() + ".",
                        "It has 0 to " + (topic.partitions().size() - 1) + "; 'moldau topics alter " + topic.name()
                                + " -p N' adds some."));
    }

    public static Finding partition(Picture picture, Topic topic, Partition partition) {
        String name = topic.name() + "-" + partition.id();
        if (partition.offline()) {
            return Finding.problem(name + " is offline: it has no leader, so nobody can write to it or read it.", "")
                    .because(whyOffline(picture, topic, partition));
        }
        int asked = picture.minInsync(topic);
        int have = partition.replicas().size();
        // More than there are replicas cannot be asked for, as in Kafka.
        int needed = Math.min(asked, have);
        if (partition.isr().size() < needed) {
            return Finding.problem(
                            name + " takes no writes with acks=all: "
                                    + partition.isr().size() + " of " + have
                                    + " replicas are in sync, min.insync.replicas asks for " + needed + ".",
                            "")
                    .because(whyNotInSync(picture, partition));
        }
        if (partition.underReplicated()) {
            return Finding.warning(
                            name + " is under-replicated: " + partition.isr().size() + " of " + have
                                    + " replicas are in sync. It serves.",
                            "")
                    .because(whyNotInSync(picture, partition));
        }
        if (asked > have) {
            return Finding.note(
                    name + " is well, and has " + Words.count(have, "replica") + ": min.insync.replicas=" + asked
                            + " counts as " + have + " there, so a write may be on fewer brokers than it seems to ask"
                            + " for.",
                    "Add replicas ('moldau topics alter " + topic.name() + " -r " + asked + "'), or lower it ('moldau"
                            + " configs set topic " + topic.name() + " min.insync.replicas=" + have + "').");
        }
        int preferred = partition.replicas().getFirst();
        if (partition.leader() != preferred) {
            return Finding.note(
                    name + " is well, led by broker " + partition.leader() + " and not by its preferred one, "
                            + preferred + ".",
                    "It moves back by itself where auto.leader.rebalance.enable is on.");
        }
        return Finding.ok(name + " is well: broker " + partition.leader() + " leads, "
                + (have == 1 ? "there is no other replica." : "all " + have + " replicas are in sync."));
    }

    /// A replica that its broker cannot compact.
    ///
    /// @param retryInMs when it tries again
    public static Finding uncleanable(TopicPartition partition, int failures, long retryInMs, String reason) {
        return Finding.warning(
                partition + " is not compacted here, and grows: it failed " + Words.count(failures, "time")
                        + " in a row, and is tried again in " + Math.max(0, retryInMs / 1000) + " s.",
                "If the file stays damaged and another replica is sound: stop this broker, delete the partition's"
                        + " directory and start it; it copies the log from the leader.",
                Finding.problem(reason, ""));
    }

    private static List<Finding> whyOffline(Picture picture, Topic topic, Partition partition) {
        List<Finding> causes = new ArrayList<>();
        if (partition.replicas().stream().noneMatch(picture::serves)) {
            causes.add(Finding.problem(
                    "none of its replicas is on a broker that serves (" + ids(partition.replicas()) + ")",
                    partition.replicas().size() == 1 ? "More replicas would have kept it online." : ""));
        }
        List<Integer> mayLead = partition.isr().isEmpty() ? partition.eligible() : partition.isr();
        for (int id : mayLead) {
            Finding down = whyAbsent(picture, id, partition);
            if (down == null) {
                causes.add(
                        picture.quorumLeader() == -1
                                ? Finding.problem(
                                        "broker " + id + " could lead, and the metadata quorum has no leader to say so",
                                        "Start controllers until a majority runs; 'moldau quorum status"
                                                + " --bootstrap-controller HOST:PORT' shows them.")
                                : Finding.problem(
                                        "broker " + id + " has all records and serves, and was not made leader yet",
                                        "It should take a moment only; the log of the active controller says more."));
            } else {
                causes.add(Finding.problem(
                                "broker " + id + " is the one that has every acknowledged record (in-sync replicas: "
                                        + ids(mayLead) + ")",
                                "")
                        .because(List.of(down)));
            }
        }
        List<Integer> behind = new ArrayList<>();
        for (int id : partition.replicas()) {
            if (!mayLead.contains(id) && picture.serves(id)) {
                Finding down = whyAbsent(picture, id, partition);
                if (down == null) {
                    behind.add(id);
                } else {
                    causes.add(down);
                }
            }
        }
        if (!behind.isEmpty()) {
            causes.add(Finding.note(
                    "broker " + ids(behind) + " serves, and may lack acknowledged records",
                    "If the others are lost for good: 'moldau configs set topic " + topic.name()
                            + " unclean.leader.election.enable=true' brings it back, and loses what it lacks."));
        }
        return causes;
    }

    private static List<Finding> whyNotInSync(Picture picture, Partition partition) {
        List<Finding> causes = new ArrayList<>();
        for (int id : partition.replicas()) {
            if (partition.isr().contains(id)) {
                continue;
            }
            Finding down = whyAbsent(picture, id, partition);
            causes.add(
                    down != null
                            ? down
                            : Finding.warning(
                                    "broker " + id + " serves and is behind the leader, broker " + partition.leader(),
                                    "It is catching up after a start, or too slow: look at its disk and network, and at"
                                            + " replication throttles ('moldau configs show broker " + id + "')."));
        }
        return causes;
    }

    /// Why a broker cannot serve a partition; null if nothing speaks against it.
    private static @Nullable Finding whyAbsent(Picture picture, int id, Partition partition) {
        Broker broker = picture.broker(id).orElse(null);
        if (broker == null) {
            return Finding.problem(
                    "broker " + id + " is not there: no broker with this id is registered",
                    "Start the node with node.id=" + id + " and its data directory.");
        }
        if (broker.fenced()) {
            return Finding.problem(
                    "broker " + id + " is registered and does not serve (fenced): it is stopped, cut off, or recovering"
                            + " its logs",
                    "Start it, or look at its log; it was last at " + broker.host() + ":" + broker.port() + ".");
        }
        List<LogDir> failed = picture.failedDirs(id);
        if (!failed.isEmpty() && partition.leader() != id) {
            return Finding.problem(
                    "broker " + id + " cannot use its log directory " + paths(failed) + ": "
                            + failed.getFirst().error(),
                    "Mend the disk and restart the broker.");
        }
        if (picture.logDirs().containsKey(id)
                && picture.logDirs().getOrDefault(id, List.of()).isEmpty()) {
            return Finding.problem(
                    "broker " + id + " is registered and does not answer from here",
                    "Check that its advertised address can be reached, and that the process is not stuck.");
        }
        return null;
    }

    private static String paths(List<LogDir> dirs) {
        return dirs.stream().map(LogDir::path).collect(Collectors.joining(", "));
    }

    // ---- A group.

    /// The partition of `__consumer_offsets` whose leader coordinates a group.
    public static int coordinatorPartition(String group, int partitions) {
        return (group.hashCode() & Integer.MAX_VALUE) % partitions;
    }

    /// Why nobody coordinates a group; null if somebody does.
    public static @Nullable Finding coordinator(Picture picture, String group) {
        Topic offsets = picture.topics().get("__consumer_offsets");
        if (offsets == null) {
            return Finding.problem(
                    "There is no group " + group + ": no group has ever been in this cluster.",
                    "A group comes to be when its first consumer joins.");
        }
        Partition partition = offsets.partitions()
                .get(coordinatorPartition(group, offsets.partitions().size()));
        return partition.offline()
                ? Finding.problem("Group " + group + " has no coordinator, so nobody can join or commit.", "")
                        .because(List.of(partition(picture, offsets, partition)))
                : null;
    }

    /// @param groups that there are
    public static Finding noGroup(String id, Collection<String> groups) {
        String nearest = ConfigSchema.nearest(id, groups);
        return Finding.problem(
                "There is no group " + id
                        + ": nobody has joined under this name or committed, or it was deleted or has expired.",
                nearest == null ? "There are no groups at all." : "The nearest name is " + nearest + ".");
    }

    /// @param before the same group a moment ago
    /// @param starts the first offsets that are left, as far as they are known
    /// @param seconds between the two looks
    public static List<Finding> group(
            Picture picture, GroupReport before, GroupReport now, Map<TopicPartition, Long> starts, int seconds) {
        Map<TopicPartition, Long> still = new HashMap<>();
        for (Position position : now.positions()) {
            boolean moved = before.positions().stream()
                    .filter(earlier -> earlier.partition().equals(position.partition()))
                    .anyMatch(earlier -> earlier.committed() != position.committed());
            if (!moved) {
                still.put(position.partition(), (long) seconds);
            }
        }
        return group(picture, now, starts, still);
    }

    /// @param starts the first offsets that are left, as far as they are known
    /// @param still for how many seconds the group has not moved, for the partitions in which it has not
    public static List<Finding> group(
            Picture picture, GroupReport now, Map<TopicPartition, Long> starts, Map<TopicPartition, Long> still) {
        List<Finding> findings = new ArrayList<>();
        Group group = now.group();
        String name = "Group " + group.id();
        boolean balancing = group.state().endsWith("Rebalance") || group.state().equals("Assigning");
        if (group.members().isEmpty() && !balancing) {
            findings.add(
                    now.lag() == 0
                            ? Finding.ok(name + " has no members, and nothing is left to read.")
                            : Finding.problem(
                                    name + " does not progress: it has no members, and "
                                            + Words.count(now.lag(), "record") + " to read.",
                                    "Start its consumers, with group.id=" + group.id() + "."));
        } else if (balancing) {
            findings.add(Finding.warning(
                    name + " is handing out partitions (" + group.state() + "): nobody reads until every member has"
                            + " joined again.",
                    "If it stays so, a member does not poll within max.poll.interval.ms, or members come and go: look at"
                            + " the consumers' logs."));
        }
        for (Position position : now.positions()) {
            Finding finding = position(picture, now, position, starts, still);
            if (finding != null) {
                findings.add(finding);
            }
        }
        List<Member> idle = group.members().stream()
                .filter(member -> member.assigned().isEmpty())
                .toList();
        if (!idle.isEmpty() && !balancing) {
            findings.add(Finding.note(
                    Words.count(idle.size(), "member") + " of "
                            + group.members().size() + " have no partition: "
                            + idle.stream().map(Member::id).limit(5).collect(Collectors.joining(", ")) + ".",
                    "There are more members than partitions; more partitions or fewer consumers."));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok(name + " is well: "
                    + Words.count(group.members().size(), "member") + ", " + Words.count(now.lag(), "record")
                    + " behind" + (now.lag() == 0 ? "." : ", and it reads on.")));
        }
        return findings;
    }

    private static @Nullable Finding position(
            Picture picture,
            GroupReport now,
            Position position,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> still) {
        TopicPartition partition = position.partition();
        Topic topic = picture.topics().get(partition.topic());
        if (topic == null) {
            return Finding.warning(
                    "The group has an offset of " + partition + ", and there is no such topic any more.",
                    "It goes by itself after offsets.retention.minutes.");
        }
        Finding health = partition(picture, partition, picture.topics().keySet());
        if (topic.partitions().size() <= partition.partition()
                || topic.partitions().get(partition.partition()).offline()) {
            return Finding.problem("Nobody can read " + partition + ".", "").because(List.of(health));
        }
        long start = starts.getOrDefault(partition, -1L);
        if (position.committed() >= 0 && start > position.committed()) {
            return Finding.warning(
                    "In " + partition + " the group stands at " + position.committed()
                            + ", before the first record that"
                            + " is left, " + start + ": retention took " + (start - position.committed())
                            + " records it had not read.",
                    "Read faster, or keep records longer (retention.ms, retention.bytes of topic " + partition.topic()
                            + "). auto.offset.reset of the consumers says where they go on.");
        }
        if (position.end() >= 0 && position.committed() > position.end()) {
            return Finding.problem(
                    "In " + partition + " the group stands at " + position.committed() + ", past the end, "
                            + position.end() + ": the topic was made anew, or lost records.",
                    "'moldau groups reset-offsets " + now.group().id() + " --topic " + partition.topic()
                            + " --to-latest --execute', with the consumers stopped.");
        }
        if (position.lag() <= 0 || now.group().members().isEmpty()) {
            return null;
        }
        if (position.member().equals("-")) {
            return Finding.problem(
                    "Nobody reads " + partition + ", though the group has " + Words.count(position.lag(), "record")
                            + " to read there: it is no member's.",
                    "Do the members subscribe to topic " + partition.topic() + "?");
        }
        Long seconds = still.get(partition);
        if (seconds == null) {
            return null;
        }
        String host = now.group().members().stream()
                .filter(member -> member.id().equals(position.member()))
                .map(member -> member.clientId() + " at " + member.host())
                .findFirst()
                .orElse("unknown");
        return Finding.warning(
                "Member " + position.member() + " (" + host + ") has not moved in " + partition + " for " + seconds
                        + " s, with " + Words.count(position.lag(), "record") + " to read.",
                "It may commit rarely (auto.commit.interval.ms; looking longer tells), work on one record for long, or"
                        + " fail at the record at offset " + position.committed() + ": 'moldau consume "
                        + partition.topic() + " -p " + partition.partition() + " -o " + position.committed()
                        + " -n 1' shows it.");
    }

    // ---- A broker.

    public static List<Finding> broker(Picture picture, int id) {
        Broker broker = picture.broker(id).orElse(null);
        if (broker == null) {
            return List.of(Finding.problem(
                    "There is no broker " + id + "; registered are "
                            + ids(picture.brokers().stream().map(Broker::id).toList()) + ".",
                    "Start the node with node.id=" + id + ", or look at its log for what it waits for."));
        }
        if (broker.fenced()) {
            return List.of(Finding.problem(
                    "Broker " + id + " is registered and does not serve (fenced): its heartbeats do not reach the"
                            + " controller, or it recovers its logs.",
                    "Start it, or look at its log; it was last at " + broker.host() + ":" + broker.port() + "."));
        }
        List<Finding> findings = new ArrayList<>(disks(picture, broker));
        List<String> behind = new ArrayList<>();
        int leads = 0;
        int preferred = 0;
        for (Topic topic : picture.topics().values()) {
            for (Partition partition : topic.partitions()) {
                leads += partition.leader() == id ? 1 : 0;
                preferred += partition.replicas().getFirst() == id ? 1 : 0;
                if (partition.replicas().contains(id) && !partition.isr().contains(id)) {
                    behind.add(topic.name() + "-" + partition.id());
                }
            }
        }
        if (!behind.isEmpty()) {
            findings.add(Finding.warning(
                    "Broker " + id + " is not in sync in " + Words.count(behind.size(), "partition") + ": "
                            + some(behind) + ".",
                    "It is catching up after a start, or too slow; 'moldau explain partition " + behind.getFirst()
                            + "' says more."));
        }
        if (leads < preferred) {
            findings.add(Finding.note(
                    "Broker " + id + " leads " + leads + " of the " + preferred
                            + " partitions it is the preferred leader" + " of.",
                    "Leadership comes back by itself where auto.leader.rebalance.enable is on."));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok("Broker " + id + " is well: it leads " + Words.count(leads, "partition") + "."));
        }
        return findings;
    }

    /// What is wrong with the disks of a broker that serves.
    public static List<Finding> disks(Picture picture, Broker broker) {
        List<Finding> findings = new ArrayList<>();
        List<LogDir> dirs = picture.logDirs().get(broker.id());
        if (dirs == null) {
            // Nobody has asked it.
            return findings;
        }
        if (dirs.isEmpty()) {
            findings.add(Finding.problem(
                    "Broker " + broker.id() + " does not answer from here, at " + broker.host() + ":" + broker.port()
                            + ".",
                    "Check that its advertised address can be reached, and that the process is not stuck."));
        }
        for (LogDir dir : dirs) {
            String name = "Log directory " + dir.path() + " of broker " + broker.id();
            if (!dir.error().isEmpty()) {
                findings.add(Finding.problem(
                        name + " cannot be used: " + dir.error(), "Mend the disk and restart the broker."));
            } else if (dir.totalBytes() > 0 && dir.usableBytes() >= 0) {
                double left = (double) dir.usableBytes() / dir.totalBytes();
                String text = name + " is on a disk with " + Words.bytes(dir.usableBytes()) + " of "
                        + Words.bytes(dir.totalBytes()) + " left.";
                String remedy = "Lower retention.ms or retention.bytes of large topics, add disk, or move replicas.";
                if (left < NO_DISK) {
                    findings.add(Finding.problem(text, remedy));
                } else if (left < LITTLE_DISK) {
                    findings.add(Finding.warning(text, remedy));
                }
            }
        }
        return findings;
    }

    private static String ids(List<Integer> brokers) {
        return brokers.isEmpty()
                ? "none"
                : brokers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static String some(List<String> names) {
        int most = 5;
        return names.stream().limit(most).collect(Collectors.joining(", "))
                + (names.size() > most ? " and " + (names.size() - most) + " more" : "");
    }
}
