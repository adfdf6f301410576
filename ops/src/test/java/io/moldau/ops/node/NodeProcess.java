package io.moldau.ops.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// One node in a process of its own, started through the launcher. Owned by the test that starts it.
public final class NodeProcess implements AutoCloseable {

    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 30;
    private static final String LAST_LINE_OF_ANNOUNCEMENT = "  stop  Ctrl-C";

    private final Process process;
    private final Path data;
    private final String bootstrap;
    private final List<String> words;
    private final Map<String, String> environment;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final StringBuffer output = new StringBuffer();
    private final Thread reader;

    private NodeProcess(Path data, String bootstrap, List<String> words, Map<String, String> environment)
            throws IOException {
        this.data = data;
        this.bootstrap = bootstrap;
        this.words = List.copyOf(words);
        this.environment = Map.copyOf(environment);
        var command = new ArrayList<>(List.of(launcher().toString(), "start"));
        command.addAll(words);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        process = builder.start();
        reader = Thread.ofPlatform().daemon().name("node-output").start(this::readOutput);
    }

    /// Starts a node on a free port of the loopback interface and waits until it serves.
    public static NodeProcess start(Path data, String... options) {
        return start(Map.of(), data, options);
    }

    /// The same, with settings of the launcher such as `MOLDAU_HEAP`.
    public static NodeProcess start(Map<String, String> environment, Path data, String... options) {
        var bootstrap = "127.0.0.1:" + freePort();
        var words = new ArrayList<>(List.of(
                "--data",
                data.toString(),
                "-o",
                "listeners=PLAINTEXT://" + bootstrap,
                "-o",
                "group.initial.rebalance.delay.ms=0"));
        List.of(options).forEach(option -> words.addAll(List.of("-o", option)));
        return startAndAwait(data, bootstrap, words, environment);
    }

    /// Starts a node with a file of properties and nothing else, and waits until it serves.
    public static NodeProcess startWithFile(Path file) {
        return startAndAwait(file.resolveSibling("data"), "", List.of("--config", file.toString()), Map.of());
    }

    private static NodeProcess startAndAwait(
            Path data, String bootstrap, List<String> words, Map<String, String> environment) {
        try {
            var node = new NodeProcess(data, bootstrap, words, environment);
            node.awaitReady();
            return node;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The launcher under test; the build passes its place.
    public static Path launcher() {
        var launcher =
                Path.of(System.getProperty("moldau.launcher", "bin/moldau")).toAbsolutePath();
        if (!Files.isExecutable(launcher)) {
            throw new IllegalStateException("No launcher at " + launcher + "; run the test from the ops module.");
        }
        return launcher;
    }

    public String bootstrap() {
        return bootstrap;
    }

    public Path data() {
        return data;
    }

    /// What the process has printed so far, both streams together.
    public String output() {
        return output.toString();
    }

    public long pid() {
        return process.pid();
    }

    /// Asks the process to stop, as Ctrl-C and service supervisors do, and returns its exit status.
    public int stop() {
        // Process.destroy would close our end of the streams, and with it the process's last words.
        process.toHandle().destroy();
        return awaitExit();
    }

    /// Ends the process without giving it a chance to write anything.
    public void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /// Starts the same node again on the same port and data; it must have ended before.
    public NodeProcess startAgain() {
        return startAndAwait(data, bootstrap, words, environment);
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }

    private int awaitExit() {
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("The node did not end within " + STOP_SECONDS + " s; it said:\n" + output);
            }
            reader.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void awaitReady() {
        try {
            ready.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new AssertionError("The node did not start; it said:\n" + output, e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void readOutput() {
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                output.append(line).append('\n');
                // The announcement has several lines; a test that reads them must not see the first ones only.
                if (line.equals(LAST_LINE_OF_ANNOUNCEMENT)) {
                    ready.complete(null);
                }
            }
            ready.completeExceptionally(new IOException("the process ended"));
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
    }

    /// A port below the range that the kernel gives to outgoing connections, so that it is still free after a restart.
    public static int freePort() {
        return freePort(20_000 + (int) (ProcessHandle.current().pid() % 5_000));
    }

    /// The first free one from `first` on.
    public static int freePort(int first) {
        for (int port = first; port < 32_000; port++) {
            try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            } catch (BindException e) {
                continue;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new IllegalStateException("No free port between " + first + " and 32000");
    }
}
