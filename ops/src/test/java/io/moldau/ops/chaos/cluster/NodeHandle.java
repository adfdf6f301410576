package io.moldau.ops.chaos.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The process of one node, or the place where it was. Any thread; the test's thread starts and ends it.
public final class NodeHandle {

    private static final long STOP_SECONDS = 60;

    private final Subject subject;
    private final NodePlan plan;
    private final Path log;
    private volatile @Nullable Process process;

    NodeHandle(Subject subject, NodePlan plan) {
        this.subject = subject;
        this.plan = plan;
        log = plan.folder().resolve("log");
    }

    public NodePlan plan() {
        return plan;
    }

    public int id() {
        return plan.id();
    }

    public boolean alive() {
        var running = process;
        return running != null && running.isAlive();
    }

    /// 0 when it does not run.
    public long pid() {
        var running = process;
        return running != null && running.isAlive() ? running.pid() : 0;
    }

    void prepare() throws IOException {
        Files.createDirectories(plan.folder());
        subject.prepare(plan);
    }

    /// Starts it and does not wait until it serves.
    public void start() {
        if (alive()) {
            throw new IllegalStateException("Node " + id() + " runs already.");
        }
        var command = new ArrayList<>(plan.enter());
        command.addAll(subject.command(plan));
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(subject.environment(plan));
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Ends it at once, whether it is paused or not; a node that does not run stays so.
    public void kill() {
        var running = process;
        if (running != null) {
            running.destroyForcibly();
            awaitEnd(running);
        }
    }

    /// Ends it at once and does not wait.
    void abandon() {
        var running = process;
        if (running != null) {
            running.destroyForcibly();
        }
    }

    /// Asks it to stop, and waits until it has.
    public void stop() {
        var running = process;
        if (running != null) {
            running.toHandle().destroy();
            awaitEnd(running);
        }
    }

    /// Stops its clock, as a machine that hangs: its connections stay, and it answers nothing.
    public void pause() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    /// The last lines it printed.
    public List<String> lastWords(int count) {
        try {
            var lines = Files.readAllLines(log);
            return lines.subList(Math.max(0, lines.size() - count), lines.size());
        } catch (IOException e) {
            return List.of("(no log: " + e.getMessage() + ")");
        }
    }

    private void signal(String name) {
        long pid = pid();
        if (pid == 0) {
            throw new IllegalStateException("Node " + id() + " does not run.");
        }
        try {
            int status = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid + " ended with " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void awaitEnd(Process running) {
        try {
            if (!running.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                running.destroyForcibly().waitFor();
                throw new AssertionError("Node " + id() + " did not end within " + STOP_SECONDS + " s; it said:\n"
                        + String.join("\n", lastWords(30)));
            }
        } catch (InterruptedException e) {
            running.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
