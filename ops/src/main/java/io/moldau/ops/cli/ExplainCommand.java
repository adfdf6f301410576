package io.moldau.ops.cli;

import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.config.ConfigSchema;
import io.moldau.ops.cli.Cluster.GroupName;
import io.moldau.ops.report.ErrorRemedy;
import io.moldau.ops.report.Explanation;
import io.moldau.ops.report.Finding;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.report.Picture;
import io.moldau.ops.report.TextTable;
import io.moldau.ops.report.TransactionExplanation;
import io.moldau.ops.report.TransactionExplanation.Held;
import io.moldau.ops.report.TransactionExplanation.OpenProducer;
import io.moldau.ops.report.TransactionExplanation.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau explain`: why something is as it is, down to a cause.
@Command(
        name = "explain",
        description =
                "Says why a partition, a group, a broker or a transaction is as it is, and what an error of a client means,"
                        + " down to a cause one can do something about.",
        footer = {
            "",
            "Examples:",
            "  moldau explain partition orders-3",
            "  moldau explain group billing --watch 10",
            "  moldau explain broker 2",
            "  moldau explain transaction payments-1",
            "  moldau explain error NOT_ENOUGH_REPLICAS"
        })
final class ExplainCommand {

    private static void explain(ClusterCommand command, String subject, List<Finding> findings) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("subject", subject);
        json.put("findings", findings.stream().map(Finding::json).toList());
        command.print(json, Finding.text(findings));
    }

    /// `moldau explain partition`
    @Command(
            name = "partition",
            description = "Why a partition is offline, takes no writes, or is under-replicated.",
            footer = {"", "Examples:", "  moldau explain partition orders-3"})
    static final class OfPartition extends ClusterCommand {

        @Parameters(paramLabel = "TOPIC-N", description = "Topic and number, such as orders-3.")
        private String partition = "";

        OfPartition(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            TopicPartition asked = Given.partition(partition);
            Set<String> names = cluster.topicNames();
            Picture picture = Pictures.of(cluster, names.contains(asked.topic()) ? List.of(asked.topic()) : List.of());
            explain(this, "partition " + asked, List.of(Explanation.partition(picture, asked, names)));
            return DONE;
        }
    }

    /// `moldau explain group`
    @Command(
            name = "group",
            description = "Why a consumer group does not progress.",
            footer = {"", "Examples:", "  moldau explain group billing", "  moldau explain group billing --watch 30"})
    static final class OfGroup extends ClusterCommand {

        @Parameters(paramLabel = "GROUP", description = "The group.")
        private String id = "";

        @Option(
                names = "--watch",
                paramLabel = "SECONDS",
                defaultValue = "3",
                description = "How long to look whether its offsets move (default: ${DEFAULT-VALUE}).")
        private int watchSeconds;

        OfGroup(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            Set<String> names = cluster.topicNames();
            String offsets = "__consumer_offsets";
            Finding nobody = Explanation.coordinator(
                    Pictures.of(cluster, names.contains(offsets) ? List.of(offsets) : List.of()), id);
            explain(this, "group " + id, nobody == null ? findings(cluster, names) : List.of(nobody));
            return DONE;
        }

        private List<Finding> findings(Cluster cluster, Set<String> names) {
            List<String> groups = cluster.groups().stream().map(GroupName::id).toList();
            if (!groups.contains(id)) {
                return List.of(Explanation.noGroup(id, groups));
            }
            GroupReport before = GroupsCommand.report(cluster, id);
            if (before.lag() > 0 && !before.group().members().isEmpty()) {
                context().note("watching for " + watchSeconds + " s whether the offsets move");
                context().machine().pause(Duration.ofSeconds(watchSeconds));
            }
            GroupReport now = GroupsCommand.report(cluster, id);
            Set<String> topics = new TreeSet<>();
            now.positions().forEach(position -> topics.add(position.partition().topic()));
            topics.retainAll(names);
            Map<TopicPartition, OffsetSpec> first = new LinkedHashMap<>();
            now.positions().stream()
                    .map(GroupReport.Position::partition)
                    .filter(partition -> topics.contains(partition.topic()))
                    .forEach(partition -> first.put(partition, OffsetSpec.earliest()));
            return new ArrayList<>(Explanation.group(
                    Pictures.of(cluster, topics),
                    before,
                    now,
                    first.isEmpty() ? Map.of() : cluster.offsets(first),
                    watchSeconds));
        }
    }

    /// `moldau explain broker`
    @Command(
            name = "broker",
            description = "Why a broker does not serve, is behind, or leads less than it should.",
            footer = {"", "Examples:", "  moldau explain broker 2"})
    static final class OfBroker extends ClusterCommand {

        @Parameters(paramLabel = "ID", description = "The broker's node.id.")
        private int id;

        OfBroker(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            explain(this, "broker " + id, Explanation.broker(Pictures.of(cluster, cluster.topicNames()), id));
            return DONE;
        }
    }

    /// `moldau explain transaction`
    @Command(
            name = "transaction",
            description = {
                "Why a transaction is not over, or what holds readers of committed records back in a partition.",
                "",
                "Without anything it lists the transactions that the cluster knows of."
            },
            footer = {
                "",
                "Examples:",
                "  moldau explain transaction",
                "  moldau explain transaction payments-1",
                "  moldau explain transaction --producer-id 4001",
                "  moldau explain transaction --partition orders-3"
            })
    static final class OfTransaction extends ClusterCommand {

        @Parameters(paramLabel = "ID", arity = "0..1", description = "The transactional id.")
        private @Nullable String id;

        @Option(names = "--producer-id", paramLabel = "N", description = "The transaction of this producer.")
        private @Nullable Long producerId;

        @Option(names = "--partition", paramLabel = "TOPIC-N", description = "What is open in a partition.")
        private @Nullable String partition;

        OfTransaction(ToolContext context) {
            super(context);
        }

        @Override
        void check() {
            if (Stream.of(id != null, producerId != null, partition != null)
                            .filter(given -> given)
                            .count()
                    > 1) {
                throw new ToolException(
                        "A transactional id, --producer-id and --partition exclude each other.", "Give one of them.");
            }
        }

        @Override
        int run(Cluster cluster) {
            long now = context().time().milliseconds();
            String asked = id;
            String where = partition;
            Long producer = producerId;
            if (where != null) {
                TopicPartition of = Given.partition(where);
                Map<Long, Transaction> known = TransactionExplanation.byProducer(cluster.transactions());
                ExplainCommand.explain(
                        this,
                        "partition " + of,
                        TransactionExplanation.partition(
                                of, held(cluster, List.of(of)).get(of), known, now));
            } else if (producer != null) {
                Transaction found = TransactionExplanation.byProducer(cluster.transactions())
                        .get(producer);
                if (found == null) {
                    throw new ToolException(
                            "No transaction is known of producer " + producer + ".",
                            "It may use none, or hang in a partition that no coordinator knows of: 'moldau explain"
                                    + " transaction --partition TOPIC-N' asks the partition's leader.");
                }
                told(this, found, held(cluster, found.partitions()), now);
            } else if (asked != null) {
                Transaction found = cluster.transaction(asked);
                told(this, found, held(cluster, found.partitions()), now);
            } else {
                list(cluster.transactions(), now);
            }
            return DONE;
        }

        private static void told(ClusterCommand command, Transaction found, Map<TopicPartition, Held> held, long now) {
            ExplainCommand.explain(command, "transaction " + found.id(), TransactionExplanation.of(found, held, now));
        }

        private void list(List<Transaction> transactions, long now) {
            var table = new TextTable("ID", "STATE", "OPEN S", "PRODUCER", "COORDINATOR", "PARTITIONS");
            transactions.forEach(one -> table.row(
                    one.id(),
                    one.state(),
                    one.startMs().isPresent() ? Math.max(0, now - one.startMs().getAsLong()) / 1000 : "-",
                    one.producerId(),
                    one.coordinator(),
                    one.partitions().size()));
            print(
                    Map.of(
                            "transactions",
                            transactions.stream()
                                    .map(one -> {
                                        Map<String, Object> json = new LinkedHashMap<>();
                                        json.put("id", one.id());
                                        json.put("state", one.state());
                                        json.put("producerId", one.producerId());
                                        json.put("coordinator", one.coordinator());
                                        json.put(
                                                "partitions",
                                                one.partitions().stream()
                                                        .map(TopicPartition::toString)
                                                        .sorted()
                                                        .toList());
                                        return json;
                                    })
                                    .toList()),
                    transactions.isEmpty() ? "The cluster knows of no transactions." : table.toString());
        }

        private static Map<TopicPartition, Held> held(Cluster cluster, Collection<TopicPartition> partitions) {
            if (partitions.isEmpty()) {
                return Map.of();
            }
            Map<TopicPartition, OffsetSpec> latest = new LinkedHashMap<>();
            partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
            Map<TopicPartition, Long> stable = cluster.stableEnds(partitions);
            Map<TopicPartition, Long> ends = cluster.offsets(latest);
            Map<TopicPartition, List<OpenProducer>> producers = cluster.producers(partitions);
            Map<TopicPartition, Held> held = new LinkedHashMap<>();
            partitions.forEach(partition -> {
                Long upTo = stable.get(partition);
                Long end = ends.get(partition);
                if (upTo != null && end != null) {
                    held.put(partition, new Held(upTo, end, producers.getOrDefault(partition, List.of())));
                }
            });
            return held;
        }
    }

    /// `moldau explain error`
    @Command(
            name = "error",
            description = "What an error code of Kafka's protocol means, and what to do. Asks nobody.",
            footer = {
                "",
                "Examples:",
                "  moldau explain error NOT_ENOUGH_REPLICAS",
                "  moldau explain error 22",
                "  moldau explain error OffsetOutOfRangeException"
            })
    static final class OfError implements Callable<Integer> {

        private final ToolContext context;

        @Parameters(paramLabel = "ERROR", description = "Its name or number, or the name of a Java client's exception.")
        private String error = "";

        @Option(names = "--json", description = "Print JSON.")
        private boolean json;

        OfError(ToolContext context) {
            this.context = context;
        }

        @Override
        public Integer call() {
            Errors found = find(error);
            Map<String, Object> value = new LinkedHashMap<>();
            value.put("name", found.name());
            value.put("code", (int) found.code());
            value.put("retriable", found.retriable());
            value.put("meaning", found.defaultMessage());
            value.put("remedy", ErrorRemedy.of(found));
            context.print(
                    json,
                    value,
                    found.name() + " (" + found.code() + (found.retriable() ? ", clients try again" : "") + "): "
                            + found.defaultMessage() + "\n  -> " + ErrorRemedy.of(found));
            return ClusterCommand.DONE;
        }

        private static Errors find(String text) {
            String wanted = text.substring(text.lastIndexOf('.') + 1);
            List<String> names = new ArrayList<>();
            for (var known : org.apache.kafka.common.protocol.Errors.values()) {
                String exception = String.valueOf(known.exceptionName());
                if (known.name().equalsIgnoreCase(wanted)
                        || exception.substring(exception.lastIndexOf('.') + 1).equalsIgnoreCase(wanted)
                        || Short.toString(known.code()).equals(text)) {
                    return Errors.forCode(known.code());
                }
                names.add(known.name());
            }
            throw new ToolException(
                    "'" + text + "' is no error of Kafka's protocol.",
                    "The nearest is " + ConfigSchema.nearest(text.toUpperCase(Locale.ROOT), names) + ".");
        }
    }
}
