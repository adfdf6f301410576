package io.moldau.ops.cli;

import io.moldau.ops.report.QuorumReport.Member;
import io.moldau.ops.report.QuorumReport.Replica;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// How commands that change the voters tell the outcome.
final class VoterChange {

    private VoterChange() {}

    static void print(ToolContext context, ClusterOptions options, String done, Cluster cluster) {
        List<Integer> voters =
                cluster.quorum().voters().stream().map(Replica::id).sorted().toList();
        context.print(
                options.json(),
                Map.of("voters", voters),
                done + "; the voters are "
                        + voters.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ".");
    }

    /// For messages.
    static String ids(List<Member> members) {
        return members.isEmpty()
                ? "none"
                : members.stream().map(member -> Integer.toString(member.id())).collect(Collectors.joining(", "));
    }
}
