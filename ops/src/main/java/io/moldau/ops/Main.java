package io.moldau.ops;

import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.common.config.ConfigException;
import io.moldau.ops.logging.LoggingProvider;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/// Where a node's process begins and ends. The launcher `bin/moldau` calls it.
///
/// Exit status: 1 when the node cannot start, 2 when the command line or the configuration is wrong; after a signal
/// the JVM's own, 128 and the signal's number.
public final class Main {

    private static final int CANNOT_START = 1;
    private static final int WRONG_USE = 2;
    private static final Duration READY_TIMEOUT = Duration.ofMinutes(2);

    private Main() {}

    /// @param words the command and its arguments
    public static void main(String[] words) throws InterruptedException {
        LoggingProvider.use();
        var arguments = List.of(words);
        var command = arguments.isEmpty() ? "" : arguments.getFirst();
        switch (command) {
            case "start" -> start(arguments.subList(1, arguments.size()));
            case "version" -> System.out.println("Moldau " + version());
            default -> refuse("Unknown command '" + command + "'; it is one of start, version.", WRONG_USE);
        }
    }

    private static void start(List<String> words) throws InterruptedException {
        try {
            var settings = NodeSettings.of(StartArguments.parse(words), System.getenv());
            var node = AdministeredNode.start(NodeConfig.fromProperties(settings), version());
            // SIGTERM, SIGINT and System.exit all come by here.
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("moldau-stop").unstarted(() -> stop(node)));
            node.node().awaitReady(READY_TIMEOUT);
            System.out.println(Announcement.of(node.node(), node.adminUrl(), version(), NodeSettings.dataOf(settings)));
            var _ = node.dialItself();
            // Until a signal ends the process.
            new CountDownLatch(1).await();
        } catch (UsageException | ConfigException e) {
            refuse(Objects.requireNonNullElse(e.getMessage(), e.toString()), WRONG_USE);
        } catch (StartException e) {
            refuse(Objects.requireNonNullElse(e.getMessage(), e.toString()), CANNOT_START);
        }
    }

    private static void stop(AdministeredNode node) {
        node.close();
        System.out.println("Moldau has stopped.");
    }

    private static void refuse(String message, int status) {
        System.err.println("moldau: " + message);
        System.exit(status);
    }

    private static String version() {
        return Objects.requireNonNullElse(Main.class.getPackage().getImplementationVersion(), "(from classes)");
    }
}
