package io.moldau.ops.cli;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `moldau stop`: stops a node of this machine in order, if wanted only when nobody is hurt by it.
@Command(
        name = "stop",
        description = {
            "Stops a node of this machine in order, as Ctrl-C does, and waits until it has ended.",
            "",
            "With --when-safe it first waits until the node says that no quorum and no min.insync.replicas would be"
                    + " broken. The node is found by its admin listener; the process that listens there is asked to stop."
        },
        footer = {
            "",
            "Examples:",
            "  moldau stop --when-safe",
            "  moldau stop --node http://127.0.0.1:9645 --when-safe --timeout 600",
            "  moldau stop --pid 4711"
        })
final class StopCommand implements Callable<Integer> {

    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Pattern REASONS = Pattern.compile("\"reasons\"\\s*:\\s*\\[([^]]*)]");

    private static final int MOST_REASONS = 3;

    private final ToolContext context;

    @Option(
            names = "--node",
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:9644",
            description = "The node's admin listener, as it says when it starts (default: ${DEFAULT-VALUE}).")
    private URI node = URI.create("http://127.0.0.1:9644");

    @Option(
            names = "--pid",
            paramLabel = "PID",
            description = "The node's process, where the system does not tell who listens.")
    private @Nullable Long pid;

    @Option(names = "--when-safe", description = "Wait until it is safe.")
    private boolean whenSafe;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "300",
            description =
                    "How long to wait until it is safe, and again until it has ended (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    StopCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        long process = process();
        if (whenSafe) {
            awaitSafe();
        }
        if (!context.machine().terminate(process)) {
            throw new ToolException(
                    "Process " + process + " cannot be asked to stop: it is gone, or another user's.",
                    "Run the command as the user that runs the node.");
        }
        for (int second = 0; context.machine().isAlive(process); second++) {
            if (second >= timeoutSeconds) {
                throw new ToolException(
                        "Process " + process + " has been asked to stop and runs still after " + timeoutSeconds + " s.",
                        "It may be writing much; its log says more. --timeout waits longer.");
            }
            if (second > 0 && second % 10 == 0) {
                context.note("process " + process + " is stopping, " + second + " s");
            }
            context.machine().pause(STEP);
        }
        context.print(json, Map.of("pid", process, "stopped", true), "The node (process " + process + ") has stopped.");
        return ClusterCommand.DONE;
    }

    private long process() {
        Long given = pid;
        if (given != null) {
            if (!context.machine().isAlive(given)) {
                throw new ToolException("There is no process " + given + ".", "Look with 'ps' for the node's process.");
            }
            return given;
        }
        int port = node.getPort();
        OptionalLong listener =
                port < 0 ? OptionalLong.empty() : context.machine().listener(port);
        if (listener.isEmpty()) {
            throw new ToolException(
                    "No process of this machine and user is known to listen at " + node + ".",
                    "Give the node's admin listener with --node, or its process with --pid.");
        }
        return listener.getAsLong();
    }

    private void awaitSafe() {
        URI question = node.resolve("/safe-to-stop");
        String told = "";
        for (int second = 0; ; second++) {
            Machine.Answer answer = context.machine().get(question);
            if (answer.status() == 200) {
                return;
            }
            if (answer.status() != 503) {
                throw new ToolException(
                        question + " does not say whether it is safe: "
                                + (answer.status() == 0 ? answer.body() : "status " + answer.status()) + ".",
                        "Is that the node's admin listener? It is told when the node starts.");
            }
            String reasons = reasons(answer.body());
            if (second >= timeoutSeconds) {
                throw new ToolException(
                        "It is not safe to stop the node, after " + timeoutSeconds + " s: " + reasons + ".",
                        "'moldau doctor' says what is wrong with the cluster. Without --when-safe it stops nevertheless.");
            }
            if (!reasons.equals(told)) {
                context.note("not safe yet: " + reasons);
                told = reasons;
            }
            context.machine().pause(STEP);
        }
    }

    private static String reasons(String body) {
        Matcher matcher = REASONS.matcher(body);
        if (!matcher.find()) {
            return body;
        }
        List<String> reasons = List.of(
                matcher.group(1).replace("\",\"", "\n").replace("\"", "").split("\n", -1));
        return reasons.stream().limit(MOST_REASONS).collect(Collectors.joining("; "))
                + (reasons.size() > MOST_REASONS ? "; and more" : "");
    }
}
