package io.moldau.ops.cli;

import picocli.CommandLine.Command;

/// The commands that read a node's files.
final class DumpCommands {

    private DumpCommands() {}

    /// `moldau log`
    @Command(
            name = "log",
            description = "Reads the files of partitions.",
            footer = {"", "Examples:", "  moldau log dump data/orders-0"})
    static final class OfLogs {}

    /// `moldau metadata`
    @Command(
            name = "metadata",
            description = "Reads the files of the cluster's metadata.",
            footer = {"", "Examples:", "  moldau metadata dump data"})
    static final class OfMetadata {}
}
