package io.moldau.ops.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Runs lists of commands with Apache Kafka's own tools and compares what they print with two clusters.
final class ToolParity {

    private static final long DEADLINE_SECONDS = 240;
    private static final String TOOLS = "org.apache.kafka.tools.";

    /// What may differ by nature, in this order.
    private static final List<Mask> MASKS = List.of(
            Mask.of("127\\.0\\.0\\.1:\\d+", "HOST"),
            Mask.of("(?<=[\\[\" (=:/])/\\S*?/data(?=[\"\\] ,/]|$)", "FOLDER"),
            Mask.of("(?<=TopicId: )\\S+", "ID"),
            Mask.of("[\\w.-]+?-[0-9a-f]{8}-[0-9a-f-]{27}", "MEMBER"),
            // Of the consumer protocol: 16 bytes in base64.
            Mask.of("(?<= )(?=[\\w-]*[A-Z])(?=[\\w-]*[a-z])[\\w-]{22}(?= )", "MEMBER"),
            Mask.of("(CreateTime:|LogAppendTime:)\\d{13}", "TIME"),
            Mask.of("\"timestamp\":\\d{13}", "TIME"),
            // A producer without keys stays with a partition that it drew.
            Mask.of("\"producer_send_success\",\"key\":null,\"value\":\"(\\d+)\",\"partition\":\\d+", "SENT $1"),
            Mask.of("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d:\\d+", "TIME"),
            Mask.of("\\[\\d{4}-\\d\\d-\\d\\d[^]]*]", "TIME"),
            // A timestamp's distance from the first one of its batch takes a byte more or less.
            Mask.of("(?<=\"size\":)\\d+", "SIZE"),
            Mask.of("\"avg_throughput\":[^,}]+", "RATE"),
            // Sets in messages of the tools, in an order that changes from run to run.
            Mask.of("(?<=Valid states are: ).*", "STATES"),
            Mask.of("(?<=Valid types are: ).*", "TYPES"),
            Mask.of("\\[[a-z-]+](, \\[[a-z-]+])+", "OPTIONS"),
            // The tools' own log; what they print themselves says the same.
            Mask.of("(?m)^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} [A-Z]+ .*$", "LOG"),
            Mask.of(" +", " "),
            Mask.of("(?m)[ \t]+$", ""));

    private record Mask(Pattern pattern, String name) {
        static Mask of(String pattern, String name) {
            return new Mask(Pattern.compile(pattern), name);
        }
    }

    record Command(String tool, List<String> arguments, String input) {
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

    static Command command(String tool, String... arguments) {
        return new Command(tool, List.of(arguments), "");
    }

    static Command typing(String input, String tool, String... arguments) {
        return new Command(tool, List.of(arguments), input);
    }

    private ToolParity() {}

    /// The same outputs, but for settings of our own and for pairs of lines that the resource lists; and those are all
    /// there.
    static void assertSame(List<Command> commands, List<String> reference, List<String> ours, String resource)
            throws Exception {
        assertThat(ours).hasSize(commands.size());
        assertThat(reference).hasSize(commands.size());
        var listed = new ArrayList<>(listedDifferences(resource));
        var unlisted = new ArrayList<String>();
        for (int i = 0; i < commands.size(); i++) {
            Command command = commands.get(i);
            List<String> theirLines = reference.get(i).lines().toList();
            // The reference cannot have our own settings.
            List<String> ourLines = ours.get(i)
                    .lines()
                    .filter(line -> !line.strip().startsWith("moldau."))
                    .toList();
            for (int at = 0; at < Math.max(theirLines.size(), ourLines.size()); at++) {
                String theirs = at < theirLines.size() ? theirLines.get(at) : "";
                String own = at < ourLines.size() ? ourLines.get(at) : "";
                if (!theirs.equals(own) && !listed.remove(theirs + "\n" + own)) {
                    unlisted.add(command.tool() + " " + String.join(" ", command.arguments()) + "\n  reference: "
                            + theirs + "\n  Moldau:    " + own);
                }
            }
        }
        var target = Files.createDirectories(Path.of("target"));
        Files.write(target.resolve("unlisted-" + resource.substring(1)), unlisted);
        Files.writeString(target.resolve("printed-" + resource.substring(1)), String.join("\n", ours));
        assertThat(unlisted).as("differences that %s does not list", resource).isEmpty();
        assertThat(listed).as("differences that are listed but not there").isEmpty();
    }

    /// Pairs of lines, the reference's and ours; lines that begin with `#` give the reason.
    private static List<String> listedDifferences(String resource) throws Exception {
        List<String> lines;
        try (var in = ToolParity.class.getResourceAsStream(resource)) {
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

    static List<String> run(List<Command> commands, String bootstrap, Path folder) throws Exception {
        var file = Files.write(
                folder.resolve("commands"),
                commands.stream().map(it -> it.line(bootstrap, folder)).toList());
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
                        file.toString())
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
