package io.moldau.ops.cli;

import io.moldau.common.Uuid;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.QuorumReport.Member;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau quorum remove`: takes the vote from a controller.
@Command(
        name = "remove",
        description = {
            "Takes the vote from a controller. It goes on following the log until it is stopped, and can be added again.",
            "",
            "A controller that does not run any more is removed in the same way. A leader hands over first."
        },
        footer = {
            "",
            "Examples:",
            "  moldau quorum remove 1",
            "  moldau quorum remove 1 --directory-id gkPzaKLzTJ6Vs5Cv7vQ3qA"
        })
final class QuorumRemoveCommand implements Callable<Integer> {

    private final ToolContext context;

    @Parameters(paramLabel = "ID", description = "The voter's node.id.")
    private int id;

    @Option(
            names = "--directory-id",
            paramLabel = "UUID",
            description = "The directory of its metadata log, where two voters have the same id.")
    private @Nullable Uuid directoryId;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    QuorumRemoveCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        try (Cluster cluster = context.clusters().apply(options.properties())) {
            Member voter = find(QuorumStatusCommand.report(cluster, context), id, directoryId);
            cluster.removeVoter(id, voter.directoryId());
            VoterChange.print(context, options, "Node " + id + " is no voter any more", cluster);
        }
        return 0;
    }

    /// Who is meant.
    static Member find(QuorumReport quorum, int id, @Nullable Uuid directoryId) {
        List<Member> meant = quorum.voters().stream()
                .filter(voter -> voter.id() == id && (directoryId == null || directoryId.equals(voter.directoryId())))
                .toList();
        if (meant.isEmpty()) {
            throw new ToolException(
                    "No voter has id " + id + (directoryId == null ? "" : " and directory " + directoryId)
                            + "; the voters are " + VoterChange.ids(quorum.voters()) + ".",
                    "'moldau quorum status' shows ids and directories.");
        }
        if (meant.size() > 1) {
            throw new ToolException(
                    "Two voters have id " + id + ", with the directories "
                            + String.join(
                                    " and ",
                                    meant.stream()
                                            .map(voter -> voter.directoryId().toString())
                                            .toList())
                            + ".",
                    "Say which one with --directory-id.");
        }
        if (quorum.voters().size() == 1) {
            throw new ToolException(
                    "Node " + id + " is the only voter; without it there would be no quorum.",
                    "Add another controller first.");
        }
        return meant.getFirst();
    }
}
