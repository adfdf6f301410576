package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.ops.cli.Cluster.GroupName;
import io.moldau.ops.report.Explanation;
import io.moldau.ops.report.Finding;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.report.Picture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.OffsetSpec;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau explain`: why something is as it is, down to a cause.
@Command(
        name = "explain",
        description =
                "Says why a partition, a group or a broker is as it is, down to a cause one can do something about.",
        footer = {
            "",
            "Examples:",
            "  moldau explain partition orders-3",
            "  moldau explain group billing --watch 10",
            "  moldau explain broker 2"
        })
final class ExplainCommand {

    private static void explain(ClusterCommand command, String subject, List<Finding> findings) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("subject", subject);
        json.put("findings", findings.stream().map(Finding::json).toList());
        command.print(json, Finding.text(findings));
    }

    /// `moldau explain partition`
    @Command(
            name = "partition",
            description = "Why a partition is offline, takes no writes, or is under-replicated.",
            footer = {"", "Examples:", "  moldau explain partition orders-3"})
    static final class OfPartition extends ClusterCommand {

        @Parameters(paramLabel = "TOPIC-N", description = "Topic and number, such as orders-3.")
        private String partition = "";

        OfPartition(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            TopicPartition asked = Given.partition(partition);
            Set<String> names = cluster.topicNames();
            Picture picture = Pictures.of(cluster, names.contains(asked.topic()) ? List.of(asked.topic()) : List.of());
            explain(this, "partition " + asked, List.of(Explanation.partition(picture, asked, names)));
            return DONE;
        }
    }

    /// `moldau explain group`
    @Command(
            name = "group",
            description = "Why a consumer group does not progress.",
            footer = {"", "Examples:", "  moldau explain group billing", "  moldau explain group billing --watch 30"})
    static final class OfGroup extends ClusterCommand {

        @Parameters(paramLabel = "GROUP", description = "The group.")
        private String id = "";

        @Option(
                names = "--watch",
                paramLabel = "SECONDS",
                defaultValue = "3",
                description = "How long to look whether its offsets move (default: ${DEFAULT-VALUE}).")
        private int watchSeconds;

        OfGroup(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            Set<String> names = cluster.topicNames();
            String offsets = "__consumer_offsets";
            Finding nobody = Explanation.coordinator(
                    Pictures.of(cluster, names.contains(offsets) ? List.of(offsets) : List.of()), id);
            explain(this, "group " + id, nobody == null ? findings(cluster, names) : List.of(nobody));
            return DONE;
        }

        private List<Finding> findings(Cluster cluster, Set<String> names) {
            List<String> groups = cluster.groups().stream().map(GroupName::id).toList();
            if (!groups.contains(id)) {
                return List.of(Explanation.noGroup(id, groups));
            }
            GroupReport before = GroupsCommand.report(cluster, id);
            if (before.lag() > 0 && !before.group().members().isEmpty()) {
                context().note("watching for " + watchSeconds + " s whether the offsets move");
                context().machine().pause(Duration.ofSeconds(watchSeconds));
            }
            GroupReport now = GroupsCommand.report(cluster, id);
            Set<String> topics = new TreeSet<>();
            now.positions().forEach(position -> topics.add(position.partition().topic()));
            topics.retainAll(names);
            Map<TopicPartition, OffsetSpec> first = new LinkedHashMap<>();
            now.positions().stream()
                    .map(GroupReport.Position::partition)
                    .filter(partition -> topics.contains(partition.topic()))
                    .forEach(partition -> first.put(partition, OffsetSpec.earliest()));
            return new ArrayList<>(Explanation.group(
                    Pictures.of(cluster, topics),
                    before,
                    now,
                    first.isEmpty() ? Map.of() : cluster.offsets(first),
                    watchSeconds));
        }
    }

    /// `moldau explain broker`
    @Command(
            name = "broker",
            description = "Why a broker does not serve, is behind, or leads less than it should.",
            footer = {"", "Examples:", "  moldau explain broker 2"})
    static final class OfBroker extends ClusterCommand {

        @Parameters(paramLabel = "ID", description = "The broker's node.id.")
        private int id;

        OfBroker(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            explain(this, "broker " + id, Explanation.broker(Pictures.of(cluster, cluster.topicNames()), id));
            return DONE;
        }
    }
}
