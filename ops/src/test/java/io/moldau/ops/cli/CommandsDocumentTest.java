package io.moldau.ops.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.time.SystemTime;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/// `docs/cli.md` is made of the commands. Run with `-Dmoldau.docs.write=true` to write it anew.
class CommandsDocumentTest {

    private static final Path FILE = Path.of("docs", "cli.md");

    private final CommandLine root = Tool.commands(new ToolContext(
            new PrintWriter(new StringWriter()),
            new PrintWriter(new StringWriter()),
            InputStream.nullInputStream(),
            new SystemTime(),
            _ -> new FakeCluster(),
            new KafkaClients(new FakeMachine()),
            new FakeMachine()));

    @Test
    void theDocumentIsUpToDate() throws IOException {
        String text = document();
        Path file = file(FILE);
        if (Boolean.getBoolean("moldau.docs.write")) {
            Files.writeString(file, text);
        }
        assertThat(Files.readString(file))
                .as("run the test CommandsDocumentTest with -Dmoldau.test.flags=-Dmoldau.docs.write=true")
                .isEqualTo(text);
    }

    @Test
    void everyCommandHasADescriptionExamplesAndHelp() {
        for (CommandLine command : commands()) {
            var usage = command.getCommandSpec().usageMessage();
            assertThat(usage.description())
                    .as(command.getCommandSpec().qualifiedName())
                    .isNotEmpty();
            assertThat(String.join("\n", usage.footer()))
                    .as(command.getCommandSpec().qualifiedName())
                    .contains("Examples:", "moldau ");
        }
    }

    @Test
    void theLauncherKnowsEveryCommand() throws IOException {
        String launcher = Files.readString(file(Path.of("bin", "moldau")));
        for (String command : root.getSubcommands().keySet()) {
            assertThat(launcher)
                    .as(command)
                    .containsPattern("(?m)^  topics \\|.*[| ]" + command + "( \\||\\))|^  " + command + " \\|");
        }
    }

    /// The fast way to run tests starts them in the project's folder.
    private static Path file(Path path) {
        return Files.isDirectory(Path.of("ops")) ? Path.of("ops").resolve(path) : path;
    }

    /// Those that do something, in the order of the help.
    private List<CommandLine> commands() {
        List<CommandLine> commands = new ArrayList<>();
        collect(root, commands);
        return commands;
    }

    private static void collect(CommandLine command, List<CommandLine> into) {
        for (Map.Entry<String, CommandLine> below : command.getSubcommands().entrySet()) {
            if (below.getValue().getSubcommands().isEmpty()) {
                into.add(below.getValue());
            }
            collect(below.getValue(), into);
        }
    }

    private String document() {
        var text = new StringBuilder("""
                # The command line

                Generated from the commands in `io.moldau.ops.cli`; do not edit. `moldau start` and `moldau version` are not
                among them: the launcher's own help has them.

                Every command prints its result to standard output and nothing else there, and with `--json` as JSON for
                scripts; what went wrong, in two lines (what and why, and what to do about it), and progress go to standard
                error. Exit status: 0 done, 1 it failed or something is wrong, 2 the command line is wrong (and for
                `check-config`, the settings). `source <(moldau completion)` makes bash and zsh complete commands and
                options.

                Those that ask a cluster take `--bootstrap-server` (default `localhost:9092`) or `--bootstrap-controller`,
                `--command-config FILE` for what TLS and SASL need, and `--timeout SECONDS`.

                | command | what it does |
                |---|---|
                """);
        for (CommandLine command : commands()) {
            text.append("| [`%s`](#%s) | %s |\n"
                    .formatted(
                            command.getCommandSpec().qualifiedName(),
                            command.getCommandSpec().qualifiedName().replace(' ', '-'),
                            command.getCommandSpec().usageMessage().description()[0]));
        }
        for (CommandLine command : commands()) {
            text.append("\n## ")
                    .append(command.getCommandSpec().qualifiedName())
                    .append("\n\n```\n")
                    .append(command.setUsageHelpWidth(100)
                            .getUsageMessage(Ansi.OFF)
                            .strip()
                            .replaceAll("(?m) +$", ""))
                    .append("\n```\n");
        }
        return text.toString();
    }
}
