package io.moldau.ops.cli;

import io.moldau.ops.report.Diagnosis;
import io.moldau.ops.report.Explanation;
import io.moldau.ops.report.Finding;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.report.Picture;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.Scraped;
import io.moldau.ops.report.Words;
import java.net.URI;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `moldau doctor`: everything that is wrong with a cluster, at once.
@Command(
        name = "doctor",
        description = {
            "Looks for everything that is wrong with a cluster, or soon will be.",
            "",
            "Partitions, brokers, their addresses, disks, the quorum, groups; and of the nodes whose admin listener is"
                    + " named or is at its usual place, readiness, advertised addresses, file limit,"
                    + " connections that were closed, and clock. The exit status is 1 if there"
                    + " is a problem, and 0 for warnings."
        },
        footer = {
            "",
            "Examples:",
            "  moldau doctor",
            "  moldau doctor -b broker1:9092 --node http://broker1:9644 --node http://broker2:9644",
            "  moldau doctor --json | jq '.findings[] | select(.severity == \"problem\")'"
        })
final class DoctorCommand extends ClusterCommand {

    private static final URI USUAL = URI.create("http://127.0.0.1:9644");

    /// Of groups without members their lag is looked at; of so many at most.
    private static final int MOST_GROUPS = 500;

    @Option(
            names = "--node",
            paramLabel = "URL",
            description = "The admin listener of a node; may be repeated (default: http://127.0.0.1:9644, if it"
                    + " answers).")
    private List<URI> nodes = List.of();

    DoctorCommand(ToolContext context) {
        super(context);
    }

    @Override
    int run(Cluster cluster) {
        context().note("looking at brokers and topics");
        ToolException misled =
                Bootstrap.misled(options().properties(), context().machine());
        if (misled != null) {
            // Nothing that follows would be answered.
            List<Finding> all =
                    new ArrayList<>(List.of(Finding.problem(String.valueOf(misled.getMessage()), misled.remedy())));
            all.addAll(nodes());
            return told(all);
        }
        Picture picture = Pictures.of(cluster, cluster.topicNames());
        List<Finding> findings = new ArrayList<>();
        findings.addAll(Diagnosis.quorum(quorum(cluster)));
        findings.addAll(Diagnosis.brokers(picture));
        picture.brokers().stream().filter(broker -> !broker.fenced()).forEach(broker -> {
            String failure = context().machine().dial(broker.host(), broker.port());
            if (!failure.isEmpty()) {
                findings.add(Finding.problem(
                        "Broker " + broker.id() + " tells clients to come to " + broker.host() + ":" + broker.port()
                                + ", where from here " + failure + ".",
                        "Set advertised.listeners of the broker to an address that clients reach."));
            }
        });
        findings.addAll(Diagnosis.partitions(picture));
        context().note("looking at groups");
        findings.addAll(groups(cluster, picture));
        findings.addAll(nodes());
        if (findings.isEmpty()) {
            findings.add(Finding.ok(
                    "Nothing is wrong with " + Words.count(picture.brokers().size(), "broker") + " and "
                            + Words.count(picture.topics().size(), "topic") + "."));
        }
        return told(findings);
    }

    private int told(List<Finding> findings) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("worst", Finding.worst(findings).name().toLowerCase(Locale.ROOT));
        json.put("findings", findings.stream().map(Finding::json).toList());
        print(json, Finding.text(findings));
        return Finding.worst(findings) == Finding.Severity.PROBLEM ? Tool.REFUSED : DONE;
    }

    private @Nullable QuorumReport quorum(Cluster cluster) {
        try {
            return QuorumStatusCommand.report(cluster, context());
        } catch (ToolException e) {
            return null;
        }
    }

    private static List<Finding> groups(Cluster cluster, Picture picture) {
        List<GroupReport> reports = new ArrayList<>();
        for (Cluster.GroupName group : cluster.groups()) {
            if (reports.size() < MOST_GROUPS
                    && Explanation.coordinator(picture, group.id()) == null
                    && !group.type().equals("share")
                    && !group.type().equals("streams")) {
                reports.add(GroupsCommand.report(cluster, group.id()));
            }
        }
        return Diagnosis.groups(reports);
    }

    private List<Finding> nodes() {
        List<Finding> findings = new ArrayList<>();
        List<Diagnosis.NodeAnswer> answers = new ArrayList<>();
        for (URI node : nodes.isEmpty() ? List.of(USUAL) : nodes) {
            Machine.Answer ready = context().machine().get(node.resolve("/ready"));
            long nowMs = context().time().milliseconds();
            if (ready.status() == 0) {
                if (!nodes.isEmpty()) {
                    findings.add(Finding.problem(
                            "The admin listener " + node + " does not answer: " + ready.body() + ".",
                            "Does the node run, and is its admin.listener bound to an address that is reached from"
                                    + " here?"));
                }
                continue;
            }
            var metrics = new Scraped(
                    context().machine().get(node.resolve("/metrics")).body());
            OptionalDouble clock = metrics.value("moldau_node_time_seconds");
            long ahead = clock.isPresent()
                    ? Math.round(clock.getAsDouble() * 1000) - context().time().milliseconds()
                    : aheadMs(ready.headers().getOrDefault("date", ""), nowMs);
            answers.add(new Diagnosis.NodeAnswer(node.toString(), ready.status() == 200, ready.body(), metrics, ahead));
        }
        findings.addAll(Diagnosis.nodes(answers));
        return findings;
    }

    /// How far the other clock is ahead, to a second.
    private static long aheadMs(String date, long nowMs) {
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date))
                            .toEpochMilli()
                    - nowMs;
        } catch (DateTimeParseException e) {
            return 0;
        }
    }
}
