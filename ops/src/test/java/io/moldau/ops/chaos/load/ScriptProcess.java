package io.moldau.ops.chaos.load;

import io.moldau.ops.clients.ClientTools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A client of another library in a process of its own: it runs until its input ends, prints a line for each event, and
/// `end` last. One thread here reads the lines. Owned by the test that starts it.
public final class ScriptProcess implements AutoCloseable {

    private static final long FINISH_SECONDS = 180;

    private final Process process;
    private final Thread reader;
    private volatile boolean ended;
    private volatile boolean closed;

    /// @param lines told every line but `end`, from the reading thread
    /// @param failure told when it ends early
    public ScriptProcess(
            String python, String script, List<String> arguments, Consumer<String> lines, Consumer<String> failure) {
        var command = new ArrayList<>(
                List.of(python, ClientTools.script("py/" + script).toString()));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = Thread.ofPlatform().daemon().name(script).start(() -> read(lines, failure));
    }

    private void read(Consumer<String> lines, Consumer<String> failure) {
        try (var in = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("end")) {
                    ended = true;
                } else {
                    lines.accept(line);
                }
            }
        } catch (IOException e) {
            failure.accept(e.toString());
        }
        if (!ended && !closed) {
            failure.accept("ended early");
        }
    }

    /// Ends its input, and waits until it has ended and everything that it said was taken.
    ///
    /// @return whether it ended by itself
    public boolean finish() throws InterruptedException, IOException {
        process.getOutputStream().close();
        boolean inTime = process.waitFor(FINISH_SECONDS, TimeUnit.SECONDS);
        if (!inTime) {
            process.destroyForcibly().waitFor();
        }
        reader.join(TimeUnit.SECONDS.toMillis(10));
        return inTime;
    }

    @Override
    public void close() {
        closed = true;
        process.destroyForcibly();
    }
}
