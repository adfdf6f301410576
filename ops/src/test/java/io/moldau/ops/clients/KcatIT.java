package io.moldau.ops.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.Broker;
import io.moldau.ops.node.SharedNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// kcat, the command-line client that the README tells people to try first.
@ExtendWith(SharedNode.class)
class KcatIT {

    private static final String RUN =
            "kcat-" + Long.toString(ProcessHandle.current().pid(), 36) + "-";

    @TempDir
    Path folder;

    private final Broker broker;

    KcatIT(Broker broker) {
        this.broker = broker;
    }

    @BeforeAll
    static void find() {
        ClientTools.kcat();
    }

    @Test
    void aTopicIsCreatedByUse() throws Exception {
        kcat("hello\n", "-P", "-t", RUN + "auto");

        assertThat(text(kcat("", "-C", "-t", RUN + "auto", "-o", "beginning", "-e")))
                .isEqualTo("hello\n");
        assertThat(text(kcat("", "-L"))).contains("topic \"" + RUN + "auto\" with");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void linesComeBackInOrder(String codec) throws Exception {
        var lines = IntStream.range(0, 5_000)
                .mapToObj(i -> i + " some text that packs well\n")
                .collect(Collectors.joining());

        kcat(lines, "-P", "-t", RUN + codec, "-p", "0", "-z", codec, "-X", "linger.ms=20");

        assertThat(text(kcat("", "-C", "-t", RUN + codec, "-p", "0", "-o", "beginning", "-e")))
                .isEqualTo(lines);
    }

    @Test
    void keysHeadersAndNullsAreKept() throws Exception {
        kcat(
                "k1:\nk2:v2\n",
                "-P",
                "-t",
                RUN + "parts",
                "-p",
                "0",
                "-K:",
                "-Z",
                "-H",
                "a=1",
                "-H",
                "b=two",
                "-H",
                "a=3");

        assertThat(text(kcat("", "-C", "-t", RUN + "parts", "-p", "0", "-o", "beginning", "-e", "-f", "%k %S %h;")))
                .isEqualTo("k1 -1 a=1,b=two,a=3;k2 2 a=1,b=two,a=3;");
    }

    @Test
    void aLargeBinaryValueComesBackAsItWas() throws Exception {
        var bytes = new byte[900_000];
        new Random(7).nextBytes(bytes);
        Path file = Files.write(folder.resolve("blob"), bytes);

        kcat("", "-P", "-t", RUN + "blob", "-p", "0", file.toString());

        assertThat(kcat("", "-C", "-t", RUN + "blob", "-p", "0", "-o", "beginning", "-D", "", "-c", "1"))
                .isEqualTo(bytes);
    }

    @Test
    void offsetsAreFoundByEndTimeAndDistance() throws Exception {
        kcat("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", "-P", "-t", RUN + "offsets", "-p", "0");

        assertThat(text(kcat("", "-Q", "-t", RUN + "offsets:0:-1"))).contains("offset 10");
        assertThat(text(kcat("", "-Q", "-t", RUN + "offsets:0:-2"))).contains("offset 0");
        assertThat(text(kcat("", "-Q", "-t", RUN + "offsets:0:1000"))).contains("offset 0");
        assertThat(text(kcat("", "-C", "-t", RUN + "offsets", "-p", "0", "-o", "-2", "-e")))
                .isEqualTo("8\n9\n");
    }

    @Test
    void aGroupGoesOnWhereItsLastMemberStopped() throws Exception {
        kcat("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", "-P", "-t", RUN + "resume", "-p", "0");
        var group = new String[] {"-G", RUN + "group", "-X", "auto.offset.reset=earliest", "-c", "5", RUN + "resume"};

        assertThat(text(kcat("", group))).isEqualTo("0\n1\n2\n3\n4\n");
        assertThat(text(kcat("", group))).isEqualTo("5\n6\n7\n8\n9\n");
    }

    private byte[] kcat(String input, String... arguments) throws IOException, InterruptedException {
        Path in = Files.writeString(Files.createTempFile(folder, "in", ""), input);
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        var command = new ArrayList<>(List.of(ClientTools.kcat(), "-q", "-b", broker.bootstrap()));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        if (!process.waitFor(40, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        assertThat(process.exitValue())
                .as("%s said %s", command, Files.readString(err))
                .isZero();
        return Files.readAllBytes(out);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
