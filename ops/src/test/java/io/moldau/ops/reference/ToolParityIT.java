package io.moldau.ops.reference;

import static io.moldau.ops.reference.ToolParity.command;
import static io.moldau.ops.reference.ToolParity.typing;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ToolParity.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One list of commands, asked of Apache Kafka and of Moldau through Apache Kafka's own tools: they print the same, but
/// for ids, addresses, folders and times, and the differences that `tool-differences.txt` lists with their reasons.
class ToolParityIT {

    /// For both. The topic and group defaults are the reference's.
    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=5",
            "offsets.topic.replication.factor=1",
            "group.initial.rebalance.delay.ms=0",
            "num.partitions=2");

    private static final String CONSUMER = "consumer.ConsoleConsumer";
    private static final String GROUPS = "consumer.group.ConsumerGroupCommand";

    private static final List<Command> COMMANDS = List.of(
            command("TopicCommand", "--create", "--topic", "plain", "--partitions", "2"),
            command("TopicCommand", "--create", "--topic", "plain"),
            command("TopicCommand", "--create", "--topic", "bad name"),
            command("TopicCommand", "--create", "--topic", "wide", "--replication-factor", "3"),
            command("TopicCommand", "--create", "--topic", "none", "--partitions", "0"),
            command("TopicCommand", "--create", "--topic", "odd", "--config", "no.such.key=1"),
            command("TopicCommand", "--create", "--topic", "odd", "--config", "retention.ms=soon"),
            command("TopicCommand", "--create", "--topic", "odd", "--config", "min.insync.replicas=0"),
            command("TopicCommand", "--create", "--topic", "a.b", "--config", "cleanup.policy=compact"),
            command("TopicCommand", "--create", "--topic", "a_b"),
            command("TopicCommand", "--create", "--topic", "set", "--replica-assignment", "1,1,1"),
            command("TopicCommand", "--create", "--topic", "lost", "--replica-assignment", "7"),
            command("TopicCommand", "--list"),
            command("TopicCommand", "--describe", "--topic", "a.b"),
            command("TopicCommand", "--describe", "--topic", "absent"),
            command("TopicCommand", "--describe", "--under-replicated-partitions"),
            command("TopicCommand", "--alter", "--topic", "plain", "--partitions", "4"),
            command("TopicCommand", "--alter", "--topic", "plain", "--partitions", "3"),
            command("TopicCommand", "--alter", "--topic", "absent", "--partitions", "3"),
            command("TopicCommand", "--delete", "--topic", "absent"),
            command("TopicCommand", "--delete", "--topic", "set"),
            command("TopicCommand", "--list", "--exclude-internal"),
            command("ConfigCommand", "--describe", "--all", "--entity-type", "topics", "--entity-name", "a.b"),
            command(
                    "ConfigCommand",
                    "--alter",
                    "--entity-type",
                    "topics",
                    "--entity-name",
                    "plain",
                    "--add-config",
                    "retention.ms=7200000,cleanup.policy=[compact,delete]"),
            command("ConfigCommand", "--describe", "--entity-type", "topics", "--entity-name", "plain"),
            command(
                    "ConfigCommand",
                    "--alter",
                    "--entity-type",
                    "topics",
                    "--entity-name",
                    "plain",
                    "--add-config",
                    "cleanup.policy=shred"),
            command(
                    "ConfigCommand",
                    "--alter",
                    "--entity-type",
                    "topics",
                    "--entity-name",
                    "plain",
                    "--delete-config",
                    "cleanup.policy,retention.ms"),
            command("ConfigCommand", "--describe", "--entity-type", "topics", "--entity-name", "plain"),
            command(
                    "ConfigCommand",
                    "--alter",
                    "--entity-type",
                    "brokers",
                    "--entity-default",
                    "--add-config",
                    "log.cleaner.threads=2"),
            command("ConfigCommand", "--describe", "--entity-type", "brokers", "--entity-default"),
            command(
                    "ConfigCommand",
                    "--alter",
                    "--entity-type",
                    "brokers",
                    "--entity-default",
                    "--delete-config",
                    "log.cleaner.threads"),
            command(
                    "ConfigCommand",
                    "--alter",
                    "--entity-type",
                    "brokers",
                    "--entity-name",
                    "1",
                    "--add-config",
                    "node.id=2"),
            typing(
                    "k1\\tone\\nk2\\ttwo\\nk3\\tthree\\n",
                    "ConsoleProducer",
                    "--topic",
                    "a.b",
                    "--reader-property",
                    "parse.key=true"),
            typing("no key\\n", "ConsoleProducer", "--topic", "plain"),
            command(
                    CONSUMER,
                    "--topic",
                    "a.b",
                    "--partition",
                    "0",
                    "--offset",
                    "earliest",
                    "--max-messages",
                    "3",
                    "--timeout-ms",
                    "20000",
                    "--formatter-property",
                    "print.key=true",
                    "--formatter-property",
                    "print.offset=true",
                    "--formatter-property",
                    "print.partition=true"),
            command("GetOffsetShell", "--topic", "a.b"),
            command("GetOffsetShell", "--topic", "a.b", "--time", "earliest"),
            command("GetOffsetShell", "--topic", "a.b", "--time", "max-timestamp"),
            command("GetOffsetShell", "--topic", "a.b", "--time", "earliest-local"),
            command("GetOffsetShell", "--topic", "absent"),
            command(
                    CONSUMER,
                    "--topic",
                    "a.b",
                    "--group",
                    "readers",
                    "--from-beginning",
                    "--max-messages",
                    "3",
                    "--timeout-ms",
                    "20000"),
            command(GROUPS, "--list", "--state"),
            command(GROUPS, "--describe", "--group", "readers"),
            command(GROUPS, "--describe", "--group", "readers", "--state"),
            command(GROUPS, "--describe", "--group", "readers", "--members", "--verbose"),
            command(GROUPS, "--describe", "--group", "nobody"),
            command(GROUPS, "--reset-offsets", "--group", "readers", "--topic", "a.b", "--to-earliest", "--dry-run"),
            command(GROUPS, "--reset-offsets", "--group", "readers", "--topic", "a.b", "--shift-by", "-1", "--execute"),
            command(
                    GROUPS,
                    "--reset-offsets",
                    "--group",
                    "readers",
                    "--topic",
                    "a.b",
                    "--to-datetime",
                    "2020-01-01T00:00:00.000",
                    "--execute"),
            command(GROUPS, "--describe", "--group", "readers", "--offsets"),
            command(GROUPS, "--delete-offsets", "--group", "readers", "--topic", "a.b"),
            command(GROUPS, "--delete-offsets", "--group", "nobody", "--topic", "a.b"),
            command(GROUPS, "--delete", "--group", "readers"),
            command(GROUPS, "--delete", "--group", "readers"),
            command("GroupsCommand", "--list"),
            command("DeleteRecordsCommand", "--offset-json-file", "FOLDER/delete.json"),
            command("DeleteRecordsCommand", "--offset-json-file", "FOLDER/beyond.json"),
            command("GetOffsetShell", "--topic", "a.b", "--time", "earliest"),
            command("LogDirsCommand", "--describe", "--topic-list", "a.b"),
            command("VerifiableProducer", "--topic", "verified", "--max-messages", "3", "--acks", "-1"),
            command("TopicCommand", "--describe", "--topic", "verified"),
            command("ClientMetricsCommand", "--list"));

    @Test
    void printsWhatTheReferencePrints(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("delete.json"), """
                {"version":1,"partitions":[{"topic":"a.b","partition":0,"offset":2}]}""");
        Files.writeString(folder.resolve("beyond.json"), """
                {"version":1,"partitions":[{"topic":"a.b","partition":0,"offset":99}]}""");
        List<String> reference;
        try (var node = ReferenceNode.start(Files.createDirectory(folder.resolve("reference")), SETTINGS)) {
            reference = ToolParity.run(COMMANDS, node.bootstrap(), folder);
        }
        List<String> ours;
        try (var node = NodeProcess.start(folder.resolve("ours").resolve("data"), SETTINGS.toArray(String[]::new))) {
            ours = ToolParity.run(COMMANDS, node.bootstrap(), folder);
            node.stop();
        }
        ToolParity.assertSame(COMMANDS, reference, ours, "/tool-differences.txt");
    }
}
