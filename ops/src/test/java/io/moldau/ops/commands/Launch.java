package io.moldau.ops.commands;

import io.moldau.ops.node.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// One run of the launcher.
///
/// @param out standard output alone
record Launch(int status, String out, String error) {

    private static final long WAIT_SECONDS = 90;

    /// @param folder for what it prints
    /// @param input what it reads
    static Launch of(Path folder, String input, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(NodeProcess.launcher().toString()));
        command.addAll(Arrays.asList(words));
        Path in = Files.writeString(Files.createTempFile(folder, "in", ""), input);
        Path out = Files.createTempFile(folder, "out", "");
        Path error = Files.createTempFile(folder, "error", "");
        var process = new ProcessBuilder(command)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(error.toFile())
                .start();
        if (!process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return new Launch(process.exitValue(), Files.readString(out), Files.readString(error));
    }
}
