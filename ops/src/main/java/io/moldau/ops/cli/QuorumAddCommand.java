package io.moldau.ops.cli;

import io.moldau.common.Uuid;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.QuorumReport.Address;
import io.moldau.ops.report.QuorumReport.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `moldau quorum add`: makes a controller that follows the log a voter.
@Command(
        name = "add",
        description = {
            "Makes a running controller that follows the metadata log a voter, once it has the log.",
            "",
            "Its directory and its address are taken from the cluster; --directory-id and --endpoint name them where the"
                    + " cluster does not know."
        },
        footer = {
            "",
            "Examples:",
            "  moldau quorum add 4",
            "  moldau quorum add 4 --endpoint CONTROLLER://controller4:9093 --bootstrap-controller controller1:9093"
        })
final class QuorumAddCommand extends VoterCommand {

    @Option(
            names = "--endpoint",
            paramLabel = "LISTENER://HOST:PORT",
            description = "Where other controllers reach it.")
    private @Nullable Address endpoint;

    QuorumAddCommand(ToolContext context) {
        super(context);
    }

    @Override
    String change(Cluster cluster, QuorumReport before, int voter, @Nullable Uuid directory) {
        Address given = endpoint;
        Member observer = find(before, voter, directory, given);
        cluster.addVoter(voter, observer.directoryId(), given == null ? observer.addresses() : List.of(given));
        return "Node " + voter + " is a voter now";
    }

    /// Who is meant, with directory and address.
    static Member find(QuorumReport quorum, int id, @Nullable Uuid directoryId, @Nullable Address endpoint) {
        for (Member voter : quorum.voters()) {
            if (voter.id() == id && (directoryId == null || directoryId.equals(voter.directoryId()))) {
                throw new ToolException("Node " + id + " is a voter already.", "There is nothing to do.");
            }
        }
        Member observer = quorum.observers().stream()
                .filter(member ->
                        member.id() == id && (directoryId == null || directoryId.equals(member.directoryId())))
                .findFirst()
                .orElseThrow(() -> new ToolException(
                        "No controller " + id + (directoryId == null ? "" : " with directory " + directoryId)
                                + " follows the metadata log; those that follow are "
                                + ids(quorum.observers()) + ".",
                        "Start it with process.roles=controller and controller.quorum.bootstrap.servers, and wait until"
                                + " 'moldau quorum status' shows it."));
        if (observer.directoryId().equals(Uuid.ZERO)) {
            throw new ToolException(
                    "Node " + id + " follows the metadata log without a directory of its own: it is no controller.",
                    "Give its process.roles the role controller.");
        }
        if (endpoint == null && observer.addresses().isEmpty()) {
            throw new ToolException(
                    "The cluster does not say where controller " + id + " listens.",
                    "Add --endpoint LISTENER://HOST:PORT, or ask the controllers with --bootstrap-controller.");
        }
        return observer;
    }
}
