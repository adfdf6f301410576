package io.moldau.ops.cli;

import io.moldau.common.Uuid;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.QuorumReport.Member;
import io.moldau.ops.report.QuorumReport.Replica;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A command that changes the voters of the metadata quorum.
abstract class VoterCommand extends ClusterCommand {

    @Parameters(paramLabel = "ID", description = "The controller's node.id.")
    private int id;

    @Option(
            names = "--directory-id",
            paramLabel = "UUID",
            description = "The directory of its metadata log, where it is not known or two have the same id.")
    private @Nullable Uuid directoryId;

    VoterCommand(ToolContext context) {
        super(context);
    }

    @Override
    final int run(Cluster cluster) {
        String done = change(cluster, QuorumStatusCommand.report(cluster, context()), id, directoryId);
        List<Integer> voters =
                cluster.quorum().voters().stream().map(Replica::id).sorted().toList();
        print(
                Map.of("voters", voters),
                done + "; the voters are "
                        + voters.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ".");
        return DONE;
    }

    /// @return what was done
    abstract String change(Cluster cluster, QuorumReport before, int voter, @Nullable Uuid directory);

    /// For messages.
    static String ids(List<Member> members) {
        return members.isEmpty()
                ? "none"
                : members.stream().map(member -> Integer.toString(member.id())).collect(Collectors.joining(", "));
    }
}
