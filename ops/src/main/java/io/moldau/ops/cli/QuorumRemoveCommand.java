package io.moldau.ops.cli;

import io.moldau.common.Uuid;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.QuorumReport.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

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
final class QuorumRemoveCommand extends VoterCommand {

    QuorumRemoveCommand(ToolContext context) {
        super(context);
    }

    @Override
    String change(Cluster cluster, QuorumReport before, int voter, @Nullable Uuid directory) {
        cluster.removeVoter(voter, find(before, voter, directory).directoryId());
        return "Node " + voter + " is no voter any more";
    }

    /// Who is meant.
    static Member find(QuorumReport quorum, int id, @Nullable Uuid directoryId) {
        List<Member> meant = quorum.voters().stream()
                .filter(voter -> voter.id() == id && (directoryId == null || directoryId.equals(voter.directoryId())))
                .toList();
        if (meant.isEmpty()) {
            throw new ToolException(
                    "No voter has id " + id + (directoryId == null ? "" : " and directory " + directoryId)
                            + "; the voters are " + ids(quorum.voters()) + ".",
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
