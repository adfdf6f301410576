package io.moldau.ops.cli;

import com.google.protobuf.Message;
import io.moldau.metadata.quorum.ratis.MetadataFiles;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.ops.json.Json;
import io.moldau.ops.report.Words;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau metadata dump`: the metadata that a node keeps on disk, a line of JSON for each record.
@Command(
        name = "dump",
        description = {
            "Prints the cluster's metadata as a node keeps it on disk: the newest snapshot, then the log, a line of JSON"
                    + " for each record.",
            "",
            "The node need not run. Entries that were not yet known to be committed have \"committed\": false. The exit"
                    + " status is 1 if a file is damaged."
        },
        footer = {
            "",
            "Examples:",
            "  moldau metadata dump data",
            "  moldau metadata dump data --from 1200 | jq 'select(.record.topic)'",
            "  moldau metadata dump data --type partition_change"
        })
final class MetadataDumpCommand implements Callable<Integer> {

    private final ToolContext context;

    @Parameters(paramLabel = "DATA-DIR", description = "The data directory of a controller.")
    private Path directory = Path.of("");

    @Option(
            names = "--from",
            paramLabel = "INDEX",
            defaultValue = "0",
            description = "Leave out the snapshot, and entries of the log before this one.")
    private long from;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "Only records of this type, such as topic or register_broker; may be repeated.")
    private List<String> types = List.of();

    MetadataDumpCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Path found = MetadataFiles.find(directory);
        if (found == null) {
            throw new ToolException(
                    "There is no metadata in " + directory + ".",
                    "Name the directory that log.dirs (or metadata.log.dir) of a controller names.");
        }
        var lines = new Lines();
        try {
            MetadataFiles.read(found, lines);
        } catch (IOException e) {
            throw new ToolException(
                    "The metadata in " + found + " cannot be read: " + e + ".", "May this user read the files?");
        }
        context.out().flush();
        return lines.damaged ? Tool.REFUSED : ClusterCommand.DONE;
    }

    private final class Lines implements MetadataFiles.Visitor {

        private boolean damaged;
        private Map<String, Object> where = Map.of();

        @Override
        public void snapshot(Path file, long index, int term) {
            where = place("snapshot", index, term);
            if (from == 0) {
                put(Map.of("file", file.toString()));
            }
        }

        @Override
        public void snapshotRecord(MetadataRecord record) {
            if (from == 0) {
                put(record);
            }
        }

        @Override
        public void segment(Path file) {
            if (from == 0) {
                where = Map.of("from", "log");
                put(Map.of("file", file.toString()));
            }
        }

        @Override
        public void batch(long index, int term, boolean committed, MetadataBatch batch) {
            if (index < from) {
                return;
            }
            Map<String, Object> place = place("log", index, term);
            place.put("committed", committed);
            place.put("controllerId", batch.getControllerId());
            place.put("created", Words.instant(batch.getCreatedMs()));
            where = place;
            batch.getRecordsList().forEach(this::put);
        }

        @Override
        public void voters(long index, int term, List<String> voters) {
            where = place("log", index, term);
            if (index >= from && types.isEmpty()) {
                put(Map.of("voters", voters));
            }
        }

        @Override
        public void other(long index, int term, String kind) {
            where = place("log", index, term);
            if (index >= from && types.isEmpty()) {
                put(Map.of("raft", kind));
            }
        }

        @Override
        public void damage(Path file, String reason) {
            damaged = true;
            where = Map.of();
            context.out().println(Json.line(Map.of("damaged", file.toString(), "reason", reason)));
        }

        private static Map<String, Object> place(String from, long index, int term) {
            Map<String, Object> place = new LinkedHashMap<>();
            place.put("from", from);
            place.put("index", index);
            place.put("term", term);
            return place;
        }

        private void put(MetadataRecord record) {
            Message all = record;
            Map<String, Object> json = ProtoJson.of(all);
            if (types.isEmpty() || json.keySet().stream().anyMatch(types::contains)) {
                print(Map.of("record", json));
            }
        }

        private void put(Map<String, ?> what) {
            if (types.isEmpty()) {
                print(what);
            }
        }

        private void print(Map<String, ?> what) {
            Map<String, Object> line = new LinkedHashMap<>(where);
            line.putAll(what);
            context.out().println(Json.line(line));
        }
    }
}
