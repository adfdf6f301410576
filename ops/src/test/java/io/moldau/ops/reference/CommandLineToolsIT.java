package io.moldau.ops.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.Broker;
import io.moldau.ops.node.SharedNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What people type at Apache Kafka's own tools works here, and prints what they expect.
@ExtendWith(SharedNode.class)
class CommandLineToolsIT {

    private static final String RUN =
            "tools-" + Long.toString(ProcessHandle.current().pid(), 36) + "-";
    private static final String TOOLS = "org.apache.kafka.tools.";

    private final Broker broker;

    CommandLineToolsIT(Broker broker) {
        this.broker = broker;
    }

    private Tool tool(String name) {
        return Tool.named(TOOLS + name).with("--bootstrap-server", broker.bootstrap());
    }

    @Test
    void topicsAndTheirSettings() throws Exception {
        var topic = RUN + "topic";
        assertThat(tool("TopicCommand")
                        .with("--create", "--topic", topic, "--partitions", "3", "--config", "retention.ms=7200000")
                        .succeeds())
                .contains("Created topic " + topic);
        assertThat(tool("TopicCommand").with("--create", "--topic", topic).fails())
                .contains("already exists");
        tool("TopicCommand")
                .with("--alter", "--topic", topic, "--partitions", "4")
                .succeeds();
        assertThat(tool("TopicCommand").with("--describe", "--topic", topic).succeeds())
                .contains("PartitionCount: 4", "ReplicationFactor: 1", "retention.ms=7200000", "TopicId: ");
        tool("ConfigCommand")
                .with(
                        "--alter",
                        "--entity-type",
                        "topics",
                        "--entity-name",
                        topic,
                        "--add-config",
                        "max.message.bytes=65536,cleanup.policy=[compact,delete]")
                .succeeds();
        assertThat(tool("ConfigCommand")
                        .with("--describe", "--entity-type", "topics", "--entity-name", topic)
                        .succeeds())
                .contains("max.message.bytes=65536", "cleanup.policy=compact,delete", "DYNAMIC_TOPIC_CONFIG");
        assertThat(tool("TopicCommand").with("--list").succeeds()).contains(topic);
        tool("TopicCommand").with("--delete", "--topic", topic).succeeds();
        assertThat(tool("TopicCommand").with("--list").succeeds()).doesNotContain(topic);
    }

    @Test
    void theBrokerAndItsSettings() throws Exception {
        assertThat(tool("BrokerApiVersionsCommand").succeeds())
                .contains("Produce(0): 0 to", "Fetch(1): 4 to", "ApiVersions(18): 0 to");
        tool("ConfigCommand")
                .with(
                        "--alter",
                        "--entity-type",
                        "brokers",
                        "--entity-default",
                        "--add-config",
                        "log.cleaner.threads=2")
                .succeeds();
        assertThat(tool("ConfigCommand")
                        .with("--describe", "--entity-type", "brokers", "--entity-default")
                        .succeeds())
                .contains("log.cleaner.threads=2");
        tool("ConfigCommand")
                .with(
                        "--alter",
                        "--entity-type",
                        "brokers",
                        "--entity-default",
                        "--delete-config",
                        "log.cleaner.threads")
                .succeeds();
        assertThat(tool("ConfigCommand")
                        .with("--describe", "--all", "--entity-type", "brokers", "--entity-name", "1")
                        .succeeds())
                .contains("log.dirs=", "num.partitions=", "STATIC_BROKER_CONFIG");
    }

    @Test
    void recordsGroupsAndOffsets(@TempDir Path folder) throws Exception {
        var topic = RUN + "records";
        var group = RUN + "group";
        tool("TopicCommand")
                .with("--create", "--topic", topic, "--partitions", "2")
                .succeeds();
        tool("ConsoleProducer")
                .with("--topic", topic, "--reader-property", "parse.key=true")
                .input(IntStream.range(0, 50)
                        .mapToObj(i -> "k" + i + "\tv" + i + "\n")
                        .collect(Collectors.joining()))
                .succeeds();

        var consumed = tool("consumer.ConsoleConsumer")
                .with("--topic", topic, "--group", group, "--from-beginning", "--max-messages", "50")
                .with("--formatter-property", "print.key=true", "--formatter-property", "print.timestamp=true")
                .succeeds();
        assertThat(consumed).contains("CreateTime:", "Processed a total of 50 messages");
        IntStream.range(0, 50).forEach(i -> assertThat(consumed).contains("\tk" + i + "\tv" + i + "\n"));

        assertThat(tool("GetOffsetShell")
                        .with("--topic", topic, "--time", "earliest")
                        .succeeds())
                .contains(topic + ":0:0", topic + ":1:0");
        var ends = tool("GetOffsetShell")
                .with("--topic", topic)
                .succeeds()
                .lines()
                .filter(line -> line.startsWith(topic + ":"))
                .mapToInt(line -> Integer.parseInt(line.substring(line.lastIndexOf(':') + 1)))
                .sum();
        assertThat(ends).isEqualTo(50);

        var groups = "consumer.group.ConsumerGroupCommand";
        assertThat(tool(groups).with("--list").succeeds()).contains(group);
        assertThat(tool(groups).with("--describe", "--group", group).succeeds()).contains(topic, "CURRENT-OFFSET");
        assertThat(tool(groups).with("--describe", "--group", group, "--state").succeeds())
                .contains("Empty");
        assertThat(tool(groups)
                        .with("--reset-offsets", "--group", group, "--topic", topic, "--to-offset", "1", "--execute")
                        .succeeds())
                .containsPattern(topic + " +0 +1");
        assertThat(tool(groups)
                        .with("--delete-offsets", "--group", group, "--topic", topic)
                        .succeeds())
                .contains("Successful");
        assertThat(tool(groups).with("--delete", "--group", group).succeeds()).contains("successful");

        var file = Files.writeString(folder.resolve("delete.json"), """
                {"version":1,"partitions":[{"topic":"%s","partition":0,"offset":1}]}
                """.formatted(topic));
        assertThat(tool("DeleteRecordsCommand")
                        .with("--offset-json-file", file.toString())
                        .succeeds())
                .contains("low_watermark: 1");
        assertThat(tool("GetOffsetShell")
                        .with("--topic", topic, "--time", "earliest")
                        .succeeds())
                .contains(topic + ":0:1");
        assertThat(tool("LogDirsCommand")
                        .with("--describe", "--topic-list", topic)
                        .succeeds())
                .contains("\"logDirs\"", topic + "-0");
    }

    @Test
    void loadAndItsVerification() throws Exception {
        var topic = RUN + "load";
        tool("TopicCommand")
                .with("--create", "--topic", topic, "--partitions", "3")
                .succeeds();
        assertThat(tool("ProducerPerformance")
                        .with("--topic", topic, "--num-records", "50000", "--record-size", "100", "--throughput", "-1")
                        .succeeds())
                .contains("50000 records sent");
        assertThat(tool("ConsumerPerformance")
                        .with("--topic", topic, "--num-records", "50000", "--timeout", "20000")
                        .succeeds())
                .containsPattern("\\d{4}-\\d\\d-\\d\\d");
        var verified = RUN + "verified";
        assertThat(tool("VerifiableProducer")
                        .with("--topic", verified, "--max-messages", "500", "--throughput", "-1", "--acks", "-1")
                        .succeeds())
                .contains("\"acked\":500");
        assertThat(tool("VerifiableConsumer")
                        .with(
                                "--topic",
                                verified,
                                "--group-id",
                                verified,
                                "--max-messages",
                                "500",
                                "--reset-policy",
                                "earliest")
                        .succeeds())
                .contains("partitions_assigned", "records_consumed", "offsets_committed", "shutdown_complete");
    }
}
