package io.moldau.ops.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// `moldau completion`: what a shell needs to complete commands and options.
@Command(
        name = "completion",
        description = "Prints a script that lets bash or zsh complete commands and options.",
        footer = {
            "",
            "Examples:",
            "  source <(moldau completion)",
            "  moldau completion > /etc/bash_completion.d/moldau"
        })
final class CompletionCommand implements Callable<Integer> {

    private final ToolContext context;

    CompletionCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        // The launcher's own are not among the tool's commands.
        var start = CommandSpec.create();
        for (String option : List.of("--data", "--config", "-o")) {
            start.addOption(OptionSpec.builder(option).type(Path.class).build());
        }
        CommandLine root = Tool.commands(context)
                .addSubcommand("start", new CommandLine(start))
                .addSubcommand("version", new CommandLine(CommandSpec.create()));
        context.out().print(AutoComplete.bash("moldau", root));
        context.out().flush();
        return ClusterCommand.DONE;
    }
}
