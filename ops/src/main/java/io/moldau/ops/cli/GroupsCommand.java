package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.ops.cli.Cluster.GroupName;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.TextTable;
import io.moldau.ops.report.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau groups`: who reads what, and how far each group is.
@Command(
        name = "groups",
        description = "Lists and describes consumer groups, deletes them, and moves the offsets they stand at.",
        footer = {
            "",
            "Examples:",
            "  moldau groups list",
            "  moldau groups describe billing",
            "  moldau groups reset-offsets billing --topic orders --to-earliest",
            "  moldau groups reset-offsets billing --all-topics --to-time -2h --execute",
            "  moldau groups delete billing"
        })
final class GroupsCommand {

    /// `moldau groups list`
    @Command(
            name = "list",
            description = "Lists groups with their state.",
            footer = {"", "Examples:", "  moldau groups list", "  moldau groups list --json"})
    static final class Listing extends ClusterCommand {

        Listing(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            List<GroupName> groups = cluster.groups();
            var table = new TextTable("GROUP", "TYPE", "PROTOCOL", "STATE");
            List<Map<String, Object>> json = new ArrayList<>();
            for (GroupName group : groups) {
                table.row(group.id(), group.type(), group.protocol(), group.state());
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("group", group.id());
                one.put("type", group.type());
                one.put("protocol", group.protocol());
                one.put("state", group.state());
                json.add(one);
            }
            print(Map.of("groups", json), groups.isEmpty() ? "There are no groups." : table.toString());
            return DONE;
        }
    }

    /// `moldau groups describe`
    @Command(
            name = "describe",
            description = {
                "Shows members of groups and how far each is in every partition.",
                "",
                "LAG counts the records between the committed offset and the end. A partition that is offline has none."
            },
            footer = {"", "Examples:", "  moldau groups describe billing", "  moldau groups describe billing --members"
            })
    static final class Describe extends ClusterCommand {

        @Parameters(paramLabel = "GROUP", arity = "1..*", description = "Groups.")
        private List<String> ids = List.of();

        @Option(names = "--members", description = "A line for each member instead of each partition.")
        private boolean members;

        Describe(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            List<GroupReport> reports =
                    ids.stream().map(id -> report(cluster, id)).toList();
            print(
                    Map.of("groups", reports.stream().map(GroupReport::json).toList()),
                    reports.stream()
                            .map(report -> members ? report.membersText() : report.text())
                            .collect(Collectors.joining("\n\n")));
            return DONE;
        }
    }

    static GroupReport report(Cluster cluster, String id) {
        Group group = cluster.group(id);
        return GroupReport.of(group, ends(cluster, GroupReport.partitions(group)));
    }

    private static Map<TopicPartition, Long> ends(Cluster cluster, Set<TopicPartition> partitions) {
        return partitions.isEmpty() ? Map.of() : cluster.offsets(each(partitions, OffsetSpec.latest()));
    }

    private static Map<TopicPartition, OffsetSpec> each(Set<TopicPartition> partitions, OffsetSpec spec) {
        return partitions.stream().collect(Collectors.toMap(partition -> partition, _ -> spec));
    }

    /// `moldau groups delete`
    @Command(
            name = "delete",
            description = "Deletes groups without members, with the offsets they committed.",
            footer = {"", "Examples:", "  moldau groups delete billing"})
    static final class Delete extends ClusterCommand {

        @Parameters(paramLabel = "GROUP", arity = "1..*", description = "Groups.")
        private List<String> ids = List.of();

        Delete(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            ids.forEach(cluster::deleteGroup);
            print(Map.of("deleted", ids), "Deleted: " + String.join(", ", ids) + ".");
            return DONE;
        }
    }

    /// Where a group is to stand; one of them.
    private static final class Target {

        @Option(names = "--to-earliest", description = "At the first record that is left.")
        private boolean earliest;

        @Option(names = "--to-latest", description = "At the end.")
        private boolean latest;

        @Option(names = "--to-offset", paramLabel = "N", description = "At this offset, or at the nearest there is.")
        private @Nullable Long offset;

        @Option(
                names = "--to-time",
                paramLabel = "TIME",
                description = {
                    "At the first record that is not older: milliseconds since 1970, 2026-11-30T14:00:00Z, or -15m for"
                            + " a quarter of an hour ago."
                })
        private @Nullable String time;

        @Option(
                names = "--shift-by",
                paramLabel = "N",
                description = "So many records further; a negative number goes back.")
        private @Nullable Long shift;
    }

    /// `moldau groups reset-offsets`
    @Command(
            name = "reset-offsets",
            description = {
                "Moves the offsets a group stands at. Without --execute it only shows what would be done.",
                "",
                "The group must have no members: their next commit would undo it."
            },
            footer = {
                "",
                "Examples:",
                "  moldau groups reset-offsets billing --topic orders --to-earliest",
                "  moldau groups reset-offsets billing --topic orders:0,3 --to-offset 1200 --execute",
                "  moldau groups reset-offsets billing --all-topics --to-time 2026-11-30T06:00:00Z --execute"
            })
    static final class Reset extends ClusterCommand {

        @Parameters(paramLabel = "GROUP", description = "The group.")
        private String id = "";

        @Option(
                names = {"-t", "--topic"},
                paramLabel = "TOPIC[:N,N]",
                description = "A topic, or some of its partitions; may be repeated.")
        private List<String> topics = List.of();

        @Option(names = "--all-topics", description = "Every partition the group has committed an offset of.")
        private boolean allTopics;

        @ArgGroup(multiplicity = "1")
        private Target target = new Target();

        @Option(names = "--execute", description = "Do it.")
        private boolean execute;

        Reset(ToolContext context) {
            super(context);
        }

        @Override
        void check() {
            if (allTopics != topics.isEmpty()) {
                throw new ToolException(
                        "Which partitions of group " + id + " are meant is not clear.",
                        "Give --topic TOPIC, or --all-topics, and not both.");
            }
        }

        @Override
        int run(Cluster cluster) {
            Group group = cluster.group(id);
            if (execute && !group.members().isEmpty()) {
                throw new ToolException(
                        "Group " + id + " has " + Words.count(group.members().size(), "member")
                                + "; offsets of a group that reads cannot be moved.",
                        "Stop its consumers first; 'moldau groups describe " + id + " --members' shows who they are.");
            }
            Set<TopicPartition> partitions = allTopics ? group.committed().keySet() : chosen(cluster);
            if (partitions.isEmpty()) {
                throw new ToolException("Group " + id + " has committed no offsets.", "Name the topics with --topic.");
            }
            List<OffsetMove> moves = OffsetMove.plan(
                    group.committed(),
                    cluster.offsets(each(partitions, OffsetSpec.earliest())),
                    ends(cluster, partitions),
                    wanted(cluster, group, partitions));
            List<TopicPartition> unknown = partitions.stream()
                    .filter(partition ->
                            moves.stream().noneMatch(move -> move.partition().equals(partition)))
                    .toList();
            if (!unknown.isEmpty()) {
                throw new ToolException(
                        "Where these partitions begin and end is not known: " + unknown + ".",
                        "'moldau explain partition " + unknown.getFirst() + "' says why.");
            }
            if (execute) {
                cluster.commit(id, moves.stream().collect(Collectors.toMap(OffsetMove::partition, OffsetMove::to)));
            }
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("group", id);
            json.put("executed", execute);
            json.put("offsets", moves.stream().map(OffsetMove::json).toList());
            print(
                    json,
                    OffsetMove.table(moves) + "\n\n"
                            + (execute
                                    ? "The offsets of group " + id + " are moved."
                                    : "Nothing is changed; --execute does it."));
            return DONE;
        }

        private Map<TopicPartition, Long> wanted(Cluster cluster, Group group, Set<TopicPartition> partitions) {
            if (target.earliest) {
                return cluster.offsets(each(partitions, OffsetSpec.earliest()));
            }
            Map<TopicPartition, Long> ends = ends(cluster, partitions);
            String time = target.time;
            if (time != null) {
                long timestamp = Given.timestamp(time, context().time().milliseconds());
                Map<TopicPartition, Long> found = cluster.offsets(each(partitions, OffsetSpec.forTimestamp(timestamp)));
                Map<TopicPartition, Long> wanted = new HashMap<>(ends);
                // Where every record is older, the end.
                found.forEach((partition, offset) -> {
                    if (offset >= 0) {
                        wanted.put(partition, offset);
                    }
                });
                return wanted;
            }
            Long offset = target.offset;
            if (offset != null) {
                return partitions.stream().collect(Collectors.toMap(partition -> partition, _ -> offset));
            }
            Long shift = target.shift;
            if (shift != null) {
                return partitions.stream()
                        .collect(Collectors.toMap(
                                partition -> partition,
                                partition -> shift
                                        + group.committed().getOrDefault(partition, ends.getOrDefault(partition, 0L))));
            }
            return ends;
        }

        private Set<TopicPartition> chosen(Cluster cluster) {
            Set<TopicPartition> chosen = new LinkedHashSet<>();
            for (String text : topics) {
                int colon = text.lastIndexOf(':');
                String name = colon < 0 ? text : text.substring(0, colon);
                Topic topic = cluster.topics(List.of(name)).getFirst();
                Set<String> numbers = new LinkedHashSet<>(
                        colon < 0
                                ? List.of()
                                : List.of(text.substring(colon + 1).split(",", -1)));
                List<Partition> meant = topic.partitions().stream()
                        .filter(partition -> numbers.isEmpty() || numbers.contains(Integer.toString(partition.id())))
                        .toList();
                if (meant.size() < numbers.size()) {
                    throw new ToolException(
                            "Topic " + name + " does not have all of the partitions " + text.substring(colon + 1) + ".",
                            "It has 0 to " + (topic.partitions().size() - 1) + ".");
                }
                meant.forEach(partition -> chosen.add(new TopicPartition(name, partition.id())));
            }
            return chosen;
        }
    }

    /// For tables.
}
