package io.moldau.ops.cli;

import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.TextTable;
import io.moldau.ops.report.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/// `moldau brokers`: who serves, what each carries, and how large it is.
@Command(
        name = "brokers",
        description = {
            "Lists the brokers: where they listen, what they lead and carry, how large their logs are.",
            "",
            "PREFERRED counts the partitions a broker would lead if every first replica led. A fenced broker is"
                    + " registered and does not serve."
        },
        footer = {"", "Examples:", "  moldau brokers", "  moldau brokers --bootstrap-server broker1:9092 --json"})
final class BrokersCommand extends ClusterCommand {

    /// @param logBytes -1 if the broker does not answer
    private record Row(Broker broker, String listeners, long leaders, long preferred, long replicas, long logBytes) {

        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("id", broker.id());
            json.put("host", broker.host());
            json.put("port", broker.port());
            json.put("rack", broker.rack());
            json.put("controller", broker.controller());
            json.put("fenced", broker.fenced());
            json.put("listeners", listeners);
            json.put("leaders", leaders);
            json.put("preferredLeaders", preferred);
            json.put("replicas", replicas);
            json.put("logBytes", logBytes);
            return json;
        }
    }

    BrokersCommand(ToolContext context) {
        super(context);
    }

    @Override
    int run(Cluster cluster) {
        List<Partition> partitions = cluster.topics(cluster.topicNames()).stream()
                .map(Topic::partitions)
                .flatMap(List::stream)
                .toList();
        List<Row> rows = new ArrayList<>();
        for (Broker broker : cluster.brokers()) {
            int id = broker.id();
            List<LogDir> dirs = broker.fenced() ? List.of() : cluster.logDirs(id);
            rows.add(new Row(
                    broker,
                    broker.fenced() ? broker.host() + ":" + broker.port() : listeners(cluster, broker),
                    count(partitions, partition -> partition.leader() == id),
                    count(partitions, partition -> partition.replicas().getFirst() == id),
                    count(partitions, partition -> partition.replicas().contains(id)),
                    dirs.isEmpty()
                            ? -1
                            : dirs.stream()
                                    .flatMap(dir -> dir.sizes().values().stream())
                                    .mapToLong(Long::longValue)
                                    .sum()));
        }
        print(Map.of("brokers", rows.stream().map(Row::json).toList()), table(rows));
        return DONE;
    }

    private static long count(List<Partition> partitions, Predicate<Partition> which) {
        return partitions.stream().filter(which).count();
    }

    private static String listeners(Cluster cluster, Broker broker) {
        String id = Integer.toString(broker.id());
        @Nullable String advertised = null;
        @Nullable String bound = null;
        for (Cluster.Setting setting : cluster.configs(new ConfigResource(ConfigResource.Type.BROKER, id))) {
            switch (setting.name()) {
                case "advertised.listeners" -> advertised = setting.value();
                case "listeners" -> bound = setting.value();
                default -> {}
            }
        }
        if (advertised != null && !advertised.isEmpty()) {
            return advertised;
        }
        return bound != null && !bound.isEmpty() ? bound : broker.host() + ":" + broker.port();
    }

    private static String table(List<Row> rows) {
        var table = new TextTable("ID", "STATE", "RACK", "LISTENERS", "LEADERS", "PREFERRED", "REPLICAS", "LOG SIZE");
        for (Row row : rows) {
            String state = row.broker().fenced() ? "fenced" : "serves";
            table.row(
                    row.broker().id(),
                    row.broker().controller() ? state + ", controller" : state,
                    row.broker().rack().isEmpty() ? "-" : row.broker().rack(),
                    row.listeners(),
                    row.leaders(),
                    row.preferred(),
                    row.replicas(),
                    Words.bytes(row.logBytes()));
        }
        return table.toString();
    }
}
