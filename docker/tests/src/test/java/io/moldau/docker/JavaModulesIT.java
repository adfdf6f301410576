package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The runtime of the image has every module of the JDK that a class of the distribution names.
class JavaModulesIT {

    /// Of a part of Micrometer that looks at applications with windows.
    private static final Set<String> NOT_NEEDED = Set.of("java.desktop");

    @Test
    void theRuntimeHasWhatTheJarsNeed() throws IOException {
        Set<String> linked = linked();

        assertThat(needed())
                .isNotEmpty()
                .allSatisfy(module -> assertThat(linked.contains(module) || NOT_NEEDED.contains(module))
                        .as("%s is in image/base/jlink.options", module)
                        .isTrue());
    }

    private static Set<String> linked() throws IOException {
        String options = Files.readString(Checkout.DOCKER.resolve("image/base/jlink.options"));
        String modules = options.lines()
                .filter(line -> line.startsWith("--add-modules "))
                .findFirst()
                .orElseThrow();
        return new TreeSet<>(
                Arrays.asList(modules.substring("--add-modules ".length()).split(",")));
    }

    private static Set<String> needed() throws IOException {
        Path lib = Checkout.ROOT.resolve("ops/target/dist/lib");
        List<String> words =
                new ArrayList<>(List.of("--ignore-missing-deps", "--multi-release", "25", "--print-module-deps"));
        for (Path folder : List.of(lib, lib.resolve("tools"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.map(Path::toString).filter(name -> name.endsWith(".jar")).forEach(words::add);
            }
        }
        var out = new ByteArrayOutputStream();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        int status =
                jdeps.run(new PrintStream(out, true, StandardCharsets.UTF_8), System.err, words.toArray(String[]::new));
        String answer = out.toString(StandardCharsets.UTF_8).strip();
        assertThat(status).as(answer).isZero();
        // Before it come warnings.
        String modules = answer.substring(answer.lastIndexOf('\n') + 1);
        return new TreeSet<>(Arrays.asList(modules.split(",")));
    }
}
