package io.moldau.ops.cli;

import picocli.CommandLine.Command;

/// `moldau quorum`: the controllers that agree on the metadata log (KIP-595, KIP-853).
@Command(
        name = "quorum",
        description = "Shows and changes the controllers that agree on the cluster's metadata.",
        footer = {
            "",
            "Examples:",
            "  moldau quorum status",
            "  moldau quorum status --bootstrap-controller controller1:9093 --json",
            "  moldau quorum add 4",
            "  moldau quorum remove 1"
        })
final class QuorumCommand {}
