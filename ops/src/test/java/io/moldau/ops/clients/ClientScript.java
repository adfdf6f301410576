package io.moldau.ops.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.moldau.ops.node.Broker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;

/// A script that runs checks with one client library and prints a line for each: `ok NAME` or `FAIL NAME: why`.
///
/// @param command the interpreter and the script
public record ClientScript(List<String> command) {

    private static final long DEADLINE_SECONDS = 300;

    static ClientScript python(String module, String script) {
        return new ClientScript(List.of(
                ClientTools.python(module), ClientTools.script("py/" + script).toString()));
    }

    public static ClientScript node(String script) {
        return new ClientScript(List.of(
                ClientTools.node(),
                "--no-warnings",
                ClientTools.script("js/" + script).toString()));
    }

    /// Runs every check and hands each on as a test of its own, so that a report names what failed.
    List<DynamicTest> tests(Broker broker, String prefix) {
        var tests = new ArrayList<DynamicTest>();
        for (var line : run(broker.bootstrap(), prefix, "all")) {
            tests.add(DynamicTest.dynamicTest(name(line), () -> assertThat(line).startsWith("ok ")));
        }
        return tests;
    }

    /// Runs one phase, in which every check must hold.
    void runPhase(Broker broker, String prefix, String phase) {
        assertThat(run(broker.bootstrap(), prefix, phase))
                .allSatisfy(line -> assertThat(line).startsWith("ok "));
    }

    private static String name(String line) {
        var rest = line.substring(line.indexOf(' ') + 1);
        int end = line.startsWith("ok ") ? rest.lastIndexOf(" (") : rest.indexOf(": ");
        return end < 0 ? rest : rest.substring(0, end);
    }

    /// The lines of a run; how many checks there are, and what they are told, is the script's.
    public List<String> run(String... arguments) {
        var words = new ArrayList<>(command);
        words.addAll(List.of(arguments));
        try {
            Path out = Files.createTempFile("client", ".out");
            Path err = Files.createTempFile("client", ".err");
            var builder = new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile());
            builder.environment().put("NODE_PATH", ClientTools.nodeModules().toString());
            builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
            var process = builder.start();
            boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            var lines = Files.readAllLines(out, StandardCharsets.UTF_8).stream()
                    .filter(line -> line.startsWith("ok ") || line.startsWith("FAIL "))
                    .toList();
            // A script that ends early must not pass for one that had nothing to say.
            boolean failed = lines.stream().anyMatch(line -> line.startsWith("FAIL "));
            if (!ended || lines.isEmpty() || process.exitValue() != (failed ? 1 : 0)) {
                fail(
                        "%s ended early (%s) after:%n%s%n%s",
                        words,
                        ended ? "exit " + process.exitValue() : "deadline",
                        String.join("\n", lines),
                        Files.readString(err));
            }
            Files.delete(out);
            Files.delete(err);
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
