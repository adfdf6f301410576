package io.moldau.ops.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.reference.Tool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Apache Kafka's tools for clusters, against three nodes that are brokers and controllers, through brokers and, where
/// a tool can do so, through controllers.
///
/// `-Dmoldau.chaos.subject=reference` asks the reference the same.
class ClusterToolsIT {

    private static final String TOOLS = "org.apache.kafka.tools.";
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static ClusterProcesses cluster;

    @BeforeAll
    static void start() throws Exception {
        var subject = Subject.valueOf(
                System.getProperty("moldau.chaos.subject", "moldau").toUpperCase(Locale.ROOT));
        cluster = ClusterProcesses.start(ClusterPlan.of(subject, folder).combined(3));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Tool byBroker(String name) {
        return Tool.named(TOOLS + name).with("--bootstrap-server", cluster.bootstrap());
    }

    private static Tool byController(String name) {
        return Tool.named(TOOLS + name).with("--bootstrap-controller", cluster.controllerBootstrap());
    }

    @Test
    void topicsAreSpreadOverTheBrokers() throws Exception {
        byBroker("TopicCommand")
                .with("--create", "--topic", "spread", "--partitions", "6", "--replication-factor", "3")
                .succeeds();
        awaitInSync("spread");
        var described =
                byBroker("TopicCommand").with("--describe", "--topic", "spread").succeeds();
        assertThat(described).contains("PartitionCount: 6", "ReplicationFactor: 3");
        for (int broker : new int[] {1, 2, 3}) {
            assertThat(Pattern.compile("Leader: " + broker + "\\b")
                            .matcher(described)
                            .results())
                    .as("partitions led by %d in%n%s", broker, described)
                    .hasSize(2);
        }
        assertThat(byBroker("TopicCommand")
                        .with("--create", "--topic", "wide", "--replication-factor", "4")
                        .fails())
                .contains("replication factor");
        assertThat(byBroker("TopicCommand")
                        .with("--describe", "--under-replicated-partitions")
                        .succeeds())
                .doesNotContain("Topic: spread");
        assertThat(byBroker("TopicCommand")
                        .with("--describe", "--unavailable-partitions")
                        .succeeds())
                .doesNotContain("Topic: spread");
    }

    @Test
    void replicasMove() throws Exception {
        byBroker("TopicCommand")
                .with("--create", "--topic", "moving", "--replica-assignment", "1:2,2:3")
                .succeeds();
        awaitInSync("moving");
        byBroker("ConsoleProducer")
                .with("--topic", "moving")
                .input("one\ntwo\nthree\n")
                .succeeds();
        var plan = Files.writeString(folder.resolve("moving.json"), """
                {"version":1,"partitions":[
                  {"topic":"moving","partition":0,"replicas":[3,2]},
                  {"topic":"moving","partition":1,"replicas":[1,3]}]}
                """);
        // Fast enough to end while the test waits: that a throttle slows down has tests of its own.
        assertThat(byBroker("reassign.ReassignPartitionsCommand")
                        .with("--execute", "--reassignment-json-file", plan.toString(), "--throttle", "50000000")
                        .succeeds())
                .contains(
                        "The inter-broker throttle limit was set to 50000000 B/s",
                        "Successfully started partition reassignments for moving-0,moving-1");
        assertThat(describeConfigs("brokers", "1"))
                .contains("leader.replication.throttled.rate=50000000", "follower.replication.throttled.rate=50000000");
        assertThat(describeConfigs("topics", "moving"))
                .contains("leader.replication.throttled.replicas=", "follower.replication.throttled.replicas=");
        cluster.await(
                "the replicas to have moved",
                SOON,
                () -> cluster.view().partitions("moving").stream()
                        .allMatch(it -> it.replicas().size() == 2
                                && it.isr().size() == 2
                                && it.replicas().getFirst().id() == (it.partition() == 0 ? 3 : 1)));
        assertThat(byBroker("reassign.ReassignPartitionsCommand")
                        .with("--verify", "--reassignment-json-file", plan.toString())
                        .succeeds())
                .contains(
                        "Reassignment of partition moving-0 is completed.",
                        "Reassignment of partition moving-1 is completed.",
                        "Clearing broker-level throttles on brokers 1,2,3",
                        "Clearing topic-level throttles on topic moving");
        assertThat(describeConfigs("brokers", "1")).doesNotContain("throttled.rate");
        assertThat(describeConfigs("topics", "moving")).doesNotContain("throttled.replicas");
        assertThat(byBroker("reassign.ReassignPartitionsCommand").with("--list").succeeds())
                .contains("No partition reassignments found.");
        assertThat(byBroker("consumer.ConsoleConsumer")
                        .with("--topic", "moving", "--from-beginning", "--max-messages", "3", "--timeout-ms", "30000")
                        .succeeds())
                .contains("one", "two", "three");
    }

    private static String describeConfigs(String type, String name) throws Exception {
        return byBroker("ConfigCommand")
                .with("--describe", "--entity-type", type, "--entity-name", name)
                .succeeds();
    }

    /// The tool starts moves through brokers only.
    @Test
    void aMoveIsCancelledThroughTheControllers() throws Exception {
        byBroker("TopicCommand")
                .with("--create", "--topic", "undecided", "--replica-assignment", "1:2")
                .succeeds();
        awaitInSync("undecided");
        var plan = Files.writeString(folder.resolve("undecided.json"), """
                {"version":1,"partitions":[{"topic":"undecided","partition":0,"replicas":[2,3]}]}
                """);
        assertThat(byBroker("reassign.ReassignPartitionsCommand")
                        .with("--execute", "--reassignment-json-file", plan.toString())
                        .succeeds())
                .contains("Successfully started");
        // It may have ended before: then there is nothing to cancel, and the tool says so.
        byController("reassign.ReassignPartitionsCommand")
                .with("--cancel", "--reassignment-json-file", plan.toString(), "--preserve-throttles")
                .succeeds();
        assertThat(byController("reassign.ReassignPartitionsCommand")
                        .with("--list")
                        .succeeds())
                .contains("No partition reassignments found.");
        cluster.await(
                "the partition to be settled",
                SOON,
                () -> cluster.view().partitions("undecided").stream()
                        .allMatch(it -> it.replicas().size() == 2 && it.isr().size() == 2));
    }

    @Test
    void aPlanIsGenerated() throws Exception {
        byBroker("TopicCommand")
                .with("--create", "--topic", "planned", "--replica-assignment", "1:2,1:2")
                .succeeds();
        var topics = Files.writeString(folder.resolve("topics.json"), """
                {"version":1,"topics":[{"topic":"planned"}]}
                """);
        assertThat(byBroker("reassign.ReassignPartitionsCommand")
                        .with("--generate", "--topics-to-move-json-file", topics.toString(), "--broker-list", "2,3")
                        .succeeds())
                .contains("Current partition replica assignment", "Proposed partition reassignment configuration");
    }

    @Test
    void leadersAreElected() throws Exception {
        byBroker("TopicCommand")
                .with("--create", "--topic", "led", "--replica-assignment", "2:1:3")
                .succeeds();
        awaitInSync("led");
        assertThat(byBroker("LeaderElectionCommand")
                        .with("--election-type", "preferred", "--topic", "led", "--partition", "0")
                        .succeeds())
                .contains("Valid replica already elected for partitions led-0");
        // The leader changes hands by a move that only puts another replica first.
        var plan = Files.writeString(folder.resolve("led.json"), """
                {"version":1,"partitions":[{"topic":"led","partition":0,"replicas":[3,2,1]}]}
                """);
        byBroker("reassign.ReassignPartitionsCommand")
                .with("--execute", "--reassignment-json-file", plan.toString())
                .succeeds();
        cluster.await(
                "the new preferred leader to be named",
                SOON,
                () -> cluster.view()
                                .partitions("led")
                                .getFirst()
                                .replicas()
                                .getFirst()
                                .id()
                        == 3);
        var election = byBroker("LeaderElectionCommand")
                .with("--election-type", "preferred", "--all-topic-partitions")
                .succeeds();
        assertThat(election).containsAnyOf("Successfully completed leader election", "Valid replica already elected");
        cluster.await("the preferred leader to lead", SOON, () -> cluster.view().leader("led", 0) == 3);
    }

    @Test
    void theQuorumIsDescribed() throws Exception {
        for (var tool : List.of(byBroker("MetadataQuorumCommand"), byController("MetadataQuorumCommand"))) {
            assertThat(tool.with("describe", "--status").succeeds())
                    .containsPattern("ClusterId: +\\S{22}")
                    .containsPattern("LeaderId: +[123]\\b")
                    .containsPattern("LeaderEpoch: +[1-9]")
                    .containsPattern("HighWatermark: +[1-9]")
                    .containsPattern("MaxFollowerLag: +\\d")
                    .contains("CurrentVoters:");
        }
        for (var tool : List.of(byBroker("MetadataQuorumCommand"), byController("MetadataQuorumCommand"))) {
            var replication = tool.with("describe", "--replication").succeeds();
            assertThat(replication).contains("NodeId", "LogEndOffset", "LastCaughtUpTimestamp");
            assertThat(Pattern.compile("\\bLeader\\b").matcher(replication).results())
                    .isNotEmpty();
            assertThat(Pattern.compile("\\bFollower\\b").matcher(replication).results())
                    .as(replication)
                    .hasSize(2);
        }
    }

    @Test
    void theClusterIsNamedAndListed() throws Exception {
        for (var words : List.of(
                new String[] {"--bootstrap-server", cluster.bootstrap()},
                new String[] {"--bootstrap-controller", cluster.controllerBootstrap()})) {
            assertThat(Tool.named(TOOLS + "ClusterTool")
                            .with("cluster-id")
                            .with(words)
                            .succeeds())
                    .contains("Cluster ID: ");
            var endpoints = Tool.named(TOOLS + "ClusterTool")
                    .with("list-endpoints")
                    .with(words)
                    .succeeds();
            for (int id : new int[] {1, 2, 3}) {
                assertThat(endpoints).containsPattern("(?m)^" + id + " +127\\.0\\.0\\.1");
            }
        }
        // A broker that lives cannot be taken out of the list for good: it registers again, or is refused.
        Tool.named(TOOLS + "ClusterTool")
                .with("unregister", "--bootstrap-server", cluster.bootstrap(), "--id", "99")
                .fails();
    }

    @Test
    void settingsAreChangedThroughBrokersAndControllers() throws Exception {
        byBroker("TopicCommand")
                .with("--create", "--topic", "set", "--partitions", "1")
                .succeeds();
        byController("ConfigCommand")
                .with("--alter", "--entity-type", "topics", "--entity-name", "set")
                .with("--add-config", "retention.ms=7200000")
                .succeeds();
        cluster.await(
                "brokers to know the setting",
                SOON,
                () -> byBroker("ConfigCommand")
                        .with("--describe", "--entity-type", "topics", "--entity-name", "set")
                        .succeeds()
                        .contains("retention.ms=7200000"));
        byController("ConfigCommand")
                .with("--alter", "--entity-type", "brokers", "--entity-default")
                .with("--add-config", "log.retention.ms=7100000")
                .succeeds();
        assertThat(byController("ConfigCommand")
                        .with("--describe", "--entity-type", "brokers", "--entity-default")
                        .succeeds())
                .contains("log.retention.ms=7100000");
        byBroker("ConfigCommand")
                .with("--alter", "--entity-type", "brokers", "--entity-name", "2")
                .with("--add-config", "log.cleaner.threads=2")
                .succeeds();
        assertThat(byBroker("ConfigCommand")
                        .with("--describe", "--entity-type", "brokers", "--entity-name", "2")
                        .succeeds())
                .contains("log.cleaner.threads=2");
        assertThat(byController("FeatureCommand").with("describe").succeeds()).contains("metadata.version");
    }

    @Test
    void everyBrokerSaysWhatItHolds() throws Exception {
        byBroker("TopicCommand")
                .with("--create", "--topic", "held", "--replica-assignment", "1:2:3")
                .succeeds();
        awaitInSync("held");
        var held = byBroker("LogDirsCommand")
                .with("--describe", "--topic-list", "held")
                .succeeds();
        assertThat(Pattern.compile("held-0").matcher(held).results()).as(held).hasSize(3);
        assertThat(byBroker("BrokerApiVersionsCommand").succeeds())
                .contains("(id: 1 rack: null", "(id: 2 rack: null", "(id: 3 rack: null");
    }

    private static void awaitInSync(String topic) {
        cluster.await(topic + " to be in sync", SOON, () -> cluster.view().allInSync(List.of(topic)));
    }
}
