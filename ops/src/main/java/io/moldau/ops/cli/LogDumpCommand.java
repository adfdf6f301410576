package io.moldau.ops.cli;

import io.moldau.ops.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau log dump`: what is in the files of a partition.
@Command(
        name = "dump",
        description = {
            "Prints what is in the files of partitions, and checks it: checksums, offsets, indexes.",
            "",
            "Of a partition's folder, what each segment holds; of a single file (.log, .index, .timeindex, .txnindex,"
                    + " .snapshot, leader-epoch-checkpoint, partition.metadata) everything. The node need not run. The"
                    + " exit status is 1 if something is damaged."
        },
        footer = {
            "",
            "Examples:",
            "  moldau log dump data/orders-0",
            "  moldau log dump data/orders-0 --records",
            "  moldau log dump data/orders-0/00000000000000000000.log --records --json",
            "  moldau log dump data/orders-0/00000000000000000000.index"
        })
final class LogDumpCommand implements Callable<Integer> {

    private final ToolContext context;

    @Parameters(paramLabel = "PATH", arity = "1..*", description = "Folders of partitions, or files in them.")
    private List<Path> paths = List.of();

    @Option(names = "--batches", description = "Of a folder, every batch too.")
    private boolean batches;

    @Option(names = "--records", description = "Every record too.")
    private boolean records;

    @Option(names = "--json", description = "A line of JSON for each thing.")
    private boolean json;

    LogDumpCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        var dump = new LogDump(batches || records, records, this::print);
        for (Path path : paths) {
            try {
                if (Files.isDirectory(path)) {
                    dump.folder(path);
                } else if (Files.exists(path)) {
                    dump.file(path);
                } else {
                    throw new ToolException(
                            "There is no file " + path + ".",
                            "Name a partition's folder in the data directory, like data/orders-0, or a file in it.");
                }
            } catch (IOException e) {
                throw new ToolException(
                        path + " cannot be read: " + e + ".", "May this user read the files of the node?");
            }
        }
        context.out().flush();
        return dump.isDamaged() ? Tool.REFUSED : ClusterCommand.DONE;
    }

    private void print(Map<String, Object> thing) {
        context.out()
                .println(
                        json
                                ? Json.line(thing)
                                : thing.entrySet().stream()
                                        .map(entry -> entry.getKey().equals(LogDump.KIND)
                                                ? String.valueOf(entry.getValue())
                                                : entry.getKey() + ": " + entry.getValue())
                                        .collect(Collectors.joining("  ")));
    }
}
