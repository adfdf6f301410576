package io.moldau.ops.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One list of commands, asked of Apache Kafka and of Moldau through Apache Kafka's own tools: they print the same, but
/// for ids, addresses, folders and times, and the differences that `tool-differences.txt` lists with their reasons.
class ToolParityIT {

    private static final long DEADLINE_SECONDS = 240;
    private static final String TOOLS = "org.apache.kafka.tools.";

    /// For both. The topic and group defaults are the reference's.
    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=5",
            "offsets.topic.replication.factor=1",
            "group.initial.rebalance.delay.ms=0",
            "num.partitions=2");

    /// What may differ by nature, in this order.
    private static final List<Mask> MASKS = List.of(
            Mask.of("127\\.0\\.0\\.1:\\d+", "HOST"),
            Mask.of("(?<=[\\[\" (=:/])/\\S*?/data(?=[\"\\] ,/]|$)", "FOLDER"),
            Mask.of("(?<=TopicId: )\\S+", "ID"),
            Mask.of("consumer-[\\w-]+-[0-9a-f]{8}-[0-9a-f-]{27}", "MEMBER"),
            Mask.of("(CreateTime:|LogAppendTime:)\\d{13}", "TIME"),
            Mask.of("\"timestamp\":\\d{13}", "TIME"),
            // A producer without keys stays with a partition that it drew.
            Mask.of("\"producer_send_success\",\"key\":null,\"value\":\"(\\d+)\",\"partition\":\\d+", "SENT $1"),
            Mask.of("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d:\\d+", "TIME"),
            Mask.of("\\[\\d{4}-\\d\\d-\\d\\d[^]]*]", "TIME"),
            // A timestamp's distance from the first one of its batch takes a byte more or less.
            Mask.of("(?<=\"size\":)\\d+", "SIZE"),
            Mask.of("\"avg_throughput\":[^,}]+", "RATE"),
            // The tools' own log; what they print themselves says the same.
            Mask.of("(?m)^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} [A-Z]+ .*$", "LOG"),
            Mask.of(" +", " "),
            Mask.of("(?m)[ \t]+$", ""));

    private record Mask(Pattern pattern, String name) {
        static Mask of(String pattern, String name) {
            return new Mask(Pattern.compile(pattern), name);
        }
    }

    private record Command(String tool, List<String> arguments, String input) {
        String line(String bootstrap, Path folder) {
            var words = new ArrayList<String>();
            words.add(TOOLS + tool);
            words.add("--bootstrap-server");
            words.add(bootstrap);
            arguments.forEach(word -> words.add(word.replace("FOLDER", folder.toString())));
            words.add(input);
            return String.join("\t", words);
        }
    }

    private static Command command(String tool, String... arguments) {
        return new Command(tool, List.of(arguments), "");
    }

    private static Command typing(String input, String tool, String... arguments) {
        return new Command(tool, List.of(arguments), input);
    }

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
            reference = run(node.bootstrap(), folder);
        }
        List<String> ours;
        try (var node = NodeProcess.start(folder.resolve("ours").resolve("data"), SETTINGS.toArray(String[]::new))) {
            ours = run(node.bootstrap(), folder);
            node.stop();
        }
        assertThat(ours).hasSize(COMMANDS.size());
        assertThat(reference).hasSize(COMMANDS.size());
        var listed = new ArrayList<>(listedDifferences());
        var unlisted = new ArrayList<String>();
        for (int i = 0; i < COMMANDS.size(); i++) {
            Command command = COMMANDS.get(i);
            List<String> theirLines = reference.get(i).lines().toList();
            List<String> ourLines = ours.get(i).lines().toList();
            for (int at = 0; at < Math.max(theirLines.size(), ourLines.size()); at++) {
                String theirs = at < theirLines.size() ? theirLines.get(at) : "";
                String own = at < ourLines.size() ? ourLines.get(at) : "";
                if (!theirs.equals(own) && !listed.remove(theirs + "\n" + own)) {
                    unlisted.add(command.tool() + " " + String.join(" ", command.arguments()) + "\n  reference: "
                            + theirs + "\n  Moldau:    " + own);
                }
            }
        }
        assertThat(unlisted)
                .as("differences that tool-differences.txt does not list")
                .isEmpty();
        assertThat(listed).as("differences that are listed but not there").isEmpty();
    }

    /// Pairs of lines, the reference's and ours; lines that begin with `#` give the reason.
    private static List<String> listedDifferences() throws Exception {
        List<String> lines;
        try (var in = ToolParityIT.class.getResourceAsStream("/tool-differences.txt")) {
            assertThat(in).isNotNull();
            lines = new String(in.readAllBytes())
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
        var pairs = new ArrayList<String>();
        for (int i = 0; i + 1 < lines.size(); i++) {
            if (lines.get(i).startsWith("< ")) {
                pairs.add(lines.get(i).substring(2) + "\n" + lines.get(i + 1).replaceFirst("> ?", ""));
            }
        }
        return pairs;
    }

    private static List<String> run(String bootstrap, Path folder) throws Exception {
        var commands = Files.write(
                folder.resolve("commands"),
                COMMANDS.stream().map(it -> it.line(bootstrap, folder)).toList());
        var out = folder.resolve("out");
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Duser.timezone=UTC",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                        "-cp",
                        Tool.classPath(),
                        ToolBatch.class.getName(),
                        commands.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError(
                    "The tools were not done within " + DEADLINE_SECONDS + " s:\n" + Files.readString(out));
        }
        return List.of(mask(Files.readString(out)).split(ToolBatch.MARK)).stream()
                .skip(1)
                .toList();
    }

    private static String mask(String text) {
        String masked = text;
        for (Mask mask : MASKS) {
            masked = mask.pattern().matcher(masked).replaceAll(mask.name());
        }
        return masked;
    }
}
