package io.moldau.ops.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A command-line tool of Apache Kafka, run in a JVM of its own with the class path of this test.
public final class Tool {

    private static final long DEADLINE_SECONDS = 60;

    private final String mainClass;
    private final List<String> arguments = new ArrayList<>();
    private String input = "";

    private Tool(String mainClass) {
        this.mainClass = mainClass;
    }

    public static Tool named(String mainClass) {
        return new Tool(mainClass);
    }

    public Tool with(String... words) {
        Collections.addAll(arguments, words);
        return this;
    }

    public Tool input(String lines) {
        this.input = lines;
        return this;
    }

    /// Runs it to its end and returns what it printed.
    public String succeeds() throws IOException, InterruptedException {
        var result = run();
        assertThat(result.status())
                .as("%s %s said%n%s", mainClass, arguments, result.output())
                .isZero();
        return result.output();
    }

    /// Runs it to its end, which must not be a success, and returns what it printed.
    public String fails() throws IOException, InterruptedException {
        var result = run();
        assertThat(result.status())
                .as("%s %s said%n%s", mainClass, arguments, result.output())
                .isNotZero();
        return result.output();
    }

    private record Result(int status, String output) {}

    private Result run() throws IOException, InterruptedException {
        Path in = Files.writeString(Files.createTempFile("tool", ".in"), input);
        Path out = Files.createTempFile("tool", ".out");
        try {
            var command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                    "-cp",
                    classPath(),
                    mainClass));
            command.addAll(arguments);
            var process = new ProcessBuilder(command)
                    .redirectInput(in.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                return new Result(-1, "not done within " + DEADLINE_SECONDS + " s: " + text(out));
            }
            return new Result(process.exitValue(), text(out));
        } finally {
            Files.delete(in);
            Files.delete(out);
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    /// Test runners may pass the class path in a jar's manifest; a child JVM reads it from there as well.
    public static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
