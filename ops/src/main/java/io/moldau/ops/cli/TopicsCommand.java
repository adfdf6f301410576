package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.ops.cli.Cluster.Setting;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau topics`: what topics there are and how they are, and changes of them.
@Command(
        name = "topics",
        description = "Lists, describes, creates, changes and deletes topics.",
        footer = {
            "",
            "Examples:",
            "  moldau topics list",
            "  moldau topics create orders -p 6 -r 3 -c retention.ms=86400000",
            "  moldau topics describe orders",
            "  moldau topics alter orders -p 12",
            "  moldau topics delete orders"
        })
final class TopicsCommand {

    /// What a topic is to be like.
    static final class Shape {

        @Option(
                names = {"-p", "--partitions"},
                paramLabel = "N",
                description = "How many partitions there are to be; never fewer than now (default for a new topic:"
                        + " num.partitions of the cluster).")
        private @Nullable Integer partitions;

        @Option(
                names = {"-r", "--replication-factor"},
                paramLabel = "N",
                description =
                        "How many replicas each is to have (default for a new topic: default.replication.factor of"
                                + " the cluster).")
        private @Nullable Integer replicationFactor;

        @Option(
                names = {"-c", "--config"},
                paramLabel = "KEY=VALUE",
                description = "A setting of the topic; may be repeated.")
        private Map<String, String> configs = Map.of();
    }

    /// `moldau topics list`
    @Command(
            name = "list",
            description = "Lists topics with their size and their health.",
            footer = {"", "Examples:", "  moldau topics list", "  moldau topics list --internal --json"})
    static final class Listing extends ClusterCommand {

        @Option(names = "--internal", description = "Internal topics too, such as __consumer_offsets.")
        private boolean internal;

        Listing(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            List<Topic> topics = cluster.topics(cluster.topicNames()).stream()
                    .filter(topic -> internal || !topic.internal())
                    .toList();
            print(Map.of("topics", topics.stream().map(TopicReport::summary).toList()), TopicReport.list(topics));
            return DONE;
        }
    }

    /// `moldau topics describe`
    @Command(
            name = "describe",
            description = {
                "Shows the partitions of topics: leader, replicas, in-sync replicas, and which are not well.",
                "",
                "The first replica is the preferred leader. ISR are the replicas that have every committed record."
            },
            footer = {
                "",
                "Examples:",
                "  moldau topics describe orders payments",
                "  moldau topics describe --unhealthy"
            })
    static final class Describe extends ClusterCommand {

        @Parameters(paramLabel = "TOPIC", arity = "0..*", description = "Topics; all if none is named.")
        private List<String> names = List.of();

        @Option(
                names = "--unhealthy",
                description = "Only partitions without leader, with too few in-sync replicas, or under-replicated.")
        private boolean unhealthy;

        Describe(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            List<TopicReport> reports = new ArrayList<>();
            List<Topic> topics = cluster.topics(names.isEmpty() ? cluster.topicNames() : names);
            Map<ConfigResource, List<Setting>> all = topics.isEmpty()
                    ? Map.of()
                    : cluster.configs(topics.stream()
                            .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name()))
                            .toList());
            for (Topic topic : topics) {
                List<Setting> settings =
                        all.getOrDefault(new ConfigResource(ConfigResource.Type.TOPIC, topic.name()), List.of());
                var report = TopicReport.of(topic, settings);
                report = unhealthy ? report.unhealthy() : report;
                if (!unhealthy || !report.partitions().isEmpty()) {
                    reports.add(report);
                }
            }
            print(
                    Map.of("topics", reports.stream().map(TopicReport::json).toList()),
                    reports.isEmpty()
                            ? unhealthy ? "Every partition is well." : "There are no topics."
                            : reports.stream().map(TopicReport::text).collect(Collectors.joining("\n\n")));
            return DONE;
        }
    }

    /// `moldau topics create`
    @Command(
            name = "create",
            description = "Creates a topic.",
            footer = {
                "",
                "Examples:",
                "  moldau topics create orders",
                "  moldau topics create orders -p 6 -r 3 -c cleanup.policy=compact -c min.insync.replicas=2"
            })
    static final class Create extends ClusterCommand {

        @Parameters(paramLabel = "TOPIC", description = "Its name.")
        private String name = "";

        @Mixin
        private final Shape shape = new Shape();

        @Option(names = "--if-not-exists", description = "It is no failure if the topic exists.")
        private boolean ifNotExists;

        @Option(names = "--dry-run", description = "Only ask whether it would be created.")
        private boolean dryRun;

        Create(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            if (ifNotExists && cluster.topicNames().contains(name)) {
                print(Map.of("topic", name, "created", false), "Topic " + name + " exists already.");
                return DONE;
            }
            cluster.createTopic(
                    name, optional(shape.partitions), optional(shape.replicationFactor), shape.configs, dryRun);
            print(
                    Map.of("topic", name, "created", !dryRun),
                    "Topic " + name + (dryRun ? " would be created." : " is created."));
            return DONE;
        }

        private static OptionalInt optional(@Nullable Integer value) {
            return value == null ? OptionalInt.empty() : OptionalInt.of(value);
        }
    }

    /// `moldau topics delete`
    @Command(
            name = "delete",
            description = "Deletes topics with all their records.",
            footer = {"", "Examples:", "  moldau topics delete orders payments"})
    static final class Delete extends ClusterCommand {

        @Parameters(paramLabel = "TOPIC", arity = "1..*", description = "Topics.")
        private List<String> names = List.of();

        @Option(names = "--if-exists", description = "It is no failure if a topic does not exist.")
        private boolean ifExists;

        Delete(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            Set<String> there = ifExists ? cluster.topicNames() : Set.copyOf(names);
            List<String> deleted = names.stream().filter(there::contains).toList();
            deleted.forEach(cluster::deleteTopic);
            print(
                    Map.of("deleted", deleted),
                    deleted.isEmpty() ? "Nothing to delete." : "Deleted: " + String.join(", ", deleted) + ".");
            return DONE;
        }
    }

    /// `moldau topics alter`
    @Command(
            name = "alter",
            description = {
                "Changes a topic: more partitions, another number of replicas, settings.",
                "",
                "Replicas are copied in the background; 'moldau topics describe' shows how far it is."
            },
            footer = {
                "",
                "Examples:",
                "  moldau topics alter orders -p 12",
                "  moldau topics alter orders -r 3",
                "  moldau topics alter orders -c retention.ms=3600000 --unset cleanup.policy"
            })
    static final class Alter extends ClusterCommand {

        @Parameters(paramLabel = "TOPIC", description = "Its name.")
        private String name = "";

        @Mixin
        private final Shape shape = new Shape();

        @Option(names = "--unset", paramLabel = "KEY", description = "A setting to take away; may be repeated.")
        private List<String> unset = List.of();

        Alter(ToolContext context) {
            super(context);
        }

        @Override
        void check() {
            if (shape.partitions == null
                    && shape.replicationFactor == null
                    && shape.configs.isEmpty()
                    && unset.isEmpty()) {
                throw new ToolException(
                        "Nothing was said to change in topic " + name + ".",
                        "Add -p, -r, -c KEY=VALUE or --unset KEY.");
            }
        }

        @Override
        int run(Cluster cluster) {
            Topic topic = cluster.topics(List.of(name)).getFirst();
            Map<String, Object> json = new LinkedHashMap<>();
            List<String> told = new ArrayList<>();
            json.put("topic", name);
            Integer total = shape.partitions;
            if (total != null) {
                int now = topic.partitions().size();
                if (total < now) {
                    throw new ToolException(
                            "Topic " + name + " has " + now + " partitions; " + total + " would take some away.",
                            "Partitions can only be added. Create another topic to have fewer.");
                }
                if (total > now) {
                    cluster.addPartitions(name, total);
                }
                json.put("partitions", total);
                told.add("Topic " + name + " has " + total + " partitions"
                        + (total > now ? ", it had " + now + "." : " already."));
            }
            Map<String, Optional<String>> changes = new TreeMap<>();
            shape.configs.forEach((key, value) -> changes.put(key, Optional.of(value)));
            unset.forEach(key -> changes.put(key, Optional.empty()));
            if (!changes.isEmpty()) {
                cluster.alterConfigs(new ConfigResource(ConfigResource.Type.TOPIC, name), changes);
                json.put("configs", List.copyOf(changes.keySet()));
                told.add("Changed: " + String.join(", ", changes.keySet()) + ".");
            }
            Integer replicas = shape.replicationFactor;
            if (replicas != null) {
                Map<TopicPartition, List<Integer>> moves = moves(cluster, replicas);
                if (!moves.isEmpty()) {
                    cluster.reassign(moves);
                }
                json.put("replicationFactor", replicas);
                json.put("reassigned", moves.size());
                told.add(
                        moves.isEmpty()
                                ? "Every partition has " + replicas + " replicas already."
                                : moves.size() + " partitions change to " + replicas + " replicas.");
            }
            print(json, String.join("\n", told));
            return DONE;
        }

        private Map<TopicPartition, List<Integer>> moves(Cluster cluster, int replicas) {
            List<Broker> brokers = cluster.brokers().stream()
                    .filter(broker -> !broker.fenced())
                    .toList();
            if (replicas < 1 || replicas > brokers.size()) {
                throw new ToolException(
                        "A replication factor of " + replicas + " is not possible: " + brokers.size()
                                + " brokers serve.",
                        "Take a number from 1 to " + brokers.size() + ", or start more brokers.");
            }
            Collection<Partition> now = cluster.topics(List.of(name)).getFirst().partitions();
            return ReplicaCount.change(name, now, brokers, replicas);
        }
    }
}
