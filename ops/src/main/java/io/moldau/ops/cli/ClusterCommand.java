package io.moldau.ops.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/// A command that asks a cluster: opens it, does its work, closes it.
abstract class ClusterCommand implements Callable<Integer> {

    static final int DONE = 0;

    private final ToolContext context;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    ClusterCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public final Integer call() {
        check();
        try (Cluster cluster = context.clusters().apply(options.properties())) {
            return run(cluster);
        }
    }

    /// Looks at what was asked for before anybody is asked.
    void check() {}

    /// @return the exit status
    abstract int run(Cluster cluster);

    ToolContext context() {
        return context;
    }

    ClusterOptions options() {
        return options;
    }

    void print(Map<String, ?> value, String text) {
        context.print(options.json(), value, text);
    }
}
