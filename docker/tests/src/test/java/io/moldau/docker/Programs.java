package io.moldau.docker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/// Programs of this machine that tests call.
final class Programs {

    private static final long SECONDS = 180;

    /// @param output both streams
    record Result(int status, String output) {}

    private Programs() {}

    /// Whether it can be started at all. Where a test cannot do without, use [#require].
    static boolean isThere(String... command) throws InterruptedException {
        try {
            return run(Path.of("."), Map.of(), List.of(command)).status() == 0;
        } catch (IOException e) {
            // There is no such program: that is the answer.
            return false;
        }
    }

    /// Skips the test where the program is missing, and fails it in CI, which installs it.
    static void require(String... command) throws InterruptedException {
        if (!isThere(command)) {
            String message = command[0] + " is not installed; .ci/run installs it.";
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError(message);
            }
            throw new TestAbortedException(message);
        }
    }

    static Result run(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        return run(folder, environment, command, "");
    }

    static Result run(Path folder, Map<String, String> environment, List<String> command, String input)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (var in = process.outputWriter(StandardCharsets.UTF_8)) {
            in.write(input);
        }
        process.onExit().orTimeout(SECONDS, TimeUnit.SECONDS).exceptionally(_ -> process.destroyForcibly());
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
