package io.moldau.ops.cli;

import io.moldau.ops.report.QuorumReport;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `moldau quorum status`: who leads, who votes, who follows, and how far each is.
@Command(
        name = "status",
        description = {
            "Shows who leads the quorum, who votes, who follows, and how far each of them is.",
            "",
            "LAG counts the entries of the metadata log that the leader has and the member has not."
        },
        footer = {
            "",
            "Examples:",
            "  moldau quorum status",
            "  moldau quorum status --bootstrap-controller controller1:9093 --json"
        })
final class QuorumStatusCommand implements Callable<Integer> {

    private final ToolContext context;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    QuorumStatusCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        try (Cluster cluster = context.clusters().apply(options.properties())) {
            var report = report(cluster, context);
            context.print(options.json(), report.json(), report.text());
        }
        return 0;
    }

    static QuorumReport report(Cluster cluster, ToolContext context) {
        return QuorumReport.of(
                cluster.id(),
                cluster.quorum(),
                cluster.controllers(),
                context.time().milliseconds());
    }
}
