package io.moldau.ops.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

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

    @Spec
    private CommandSpec spec = CommandSpec.create();

    CompletionCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        context.out().print(AutoComplete.bash("moldau", root));
        context.out().flush();
        return ClusterCommand.DONE;
    }
}
