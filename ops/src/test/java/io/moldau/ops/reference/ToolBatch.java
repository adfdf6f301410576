package io.moldau.ops.reference;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.utils.internals.Exit;

/// Runs many command-line tools of Apache Kafka one after the other in one JVM, a class and its arguments a line,
/// separated by tabs, with what it reads from standard input as the last column. Prints what each printed, and its
/// exit status.
public final class ToolBatch {

    static final String MARK = "=== status ";

    private ToolBatch() {}

    /// A tool wants to end the process.
    private static final class Exited extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final int status;

        Exited(int status) {
            super("exit " + status, null, false, false);
            this.status = status;
        }
    }

    public static void main(String[] args) throws Exception {
        Exit.setExitProcedure((status, message) -> {
            throw new Exited(status);
        });
        Exit.setHaltProcedure((status, message) -> {
            throw new Exited(status);
        });
        PrintStream out = System.out;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            List<String> words = List.of(line.split("\t", -1));
            var printed = new ByteArrayOutputStream();
            int status = run(
                    words.getFirst(),
                    words.subList(1, words.size() - 1).toArray(String[]::new),
                    words.getLast().replace("\\n", "\n").replace("\\t", "\t"),
                    printed);
            out.println(MARK + status);
            out.println(printed.toString(StandardCharsets.UTF_8));
        }
        out.flush();
        // Some tools leave threads behind.
        Runtime.getRuntime().halt(0);
    }

    private static int run(String tool, String[] arguments, String input, ByteArrayOutputStream printed)
            throws ReflectiveOperationException {
        InputStream in = System.in;
        PrintStream out = System.out;
        PrintStream err = System.err;
        try (var capture = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
            System.setOut(capture);
            System.setErr(capture);
            Class.forName(tool).getMethod("main", String[].class).invoke(null, (Object) arguments);
            return 0;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exited exited) {
                return exited.status;
            }
            throw new IllegalStateException(tool + " " + Arrays.toString(arguments) + " failed", e);
        } finally {
            System.setIn(in);
            System.setOut(out);
            System.setErr(err);
        }
    }
}
