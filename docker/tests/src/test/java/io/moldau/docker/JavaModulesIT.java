package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
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

    /// Named by classes that nobody calls here: observation by JMX over RMI, compilers, desktop.
    private static final Set<String> NOT_NEEDED = Set.of("java.desktop", "java.compiler");

    @Test
    void theRuntimeHasWhatTheJarsNeed() throws IOException {
        Set<String> linked = linked();

        assertThat(needed()).isNotEmpty().allSatisfy(module -> assertThat(linked.contains(module)
                        || NOT_NEEDED.contains(module))
                .as("%s is in image/base/jlink.options", module)
                .isTrue());
    }

    private static Set<String> linked() throws IOException {
        String options = Files.readString(Checkout.DOCKER.resolve("image/base/jlink.options"));
        String modules = options.lines()
                .filter(line -> line.startsWith("--add-modules "))
                .findFirst()
                .orElseThrow();
        return new TreeSet<>(Arrays.asList(modules.substring("--add-modules ".length()).split(",")));
    }

    private static Set<String> needed() throws IOException {
        Path lib = Checkout.ROOT.resolve("ops/target/dist/lib");
        List<String> words = new ArrayList<>(List.of(
                "--ignore-missing-deps", "--multi-release", "25", "--print-module-deps", "--class-path", ""));
        try (Stream<Path> files = Stream.concat(Files.list(lib), Files.list(lib.resolve("tools")))) {
            List<String> jars = files.map(Path::toString).filter(name -> name.endsWith(".jar")).toList();
            words.set(words.size() - 1, String.join(File.pathSeparator, jars));
            words.addAll(jars);
        }
        var out = new ByteArrayOutputStream();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        int status = jdeps.run(new PrintStream(out, true, StandardCharsets.UTF_8), System.err, words.toArray(String[]::new));
        String answer = out.toString(StandardCharsets.UTF_8).strip();
        assertThat(status).as(answer).isZero();
        return new TreeSet<>(Arrays.asList(answer.split(",")));
    }
}
