package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The README's Java stands in a test that is compiled and run.
class ReadmeExamplesTest {

    private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```java\\n(.*?)^```");

    @Test
    void everyExampleIsPartOfATest() throws IOException {
        List<String> tests = tests();
        List<String> examples = EXAMPLE.matcher(Files.readString(Checkout.DOCKER.resolve("README.md")))
                .results()
                .map(example -> words(example.group(1)))
                .toList();

        assertThat(examples)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(example ->
                        assertThat(tests).anySatisfy(test -> assertThat(test).contains(example)));
    }

    private static List<String> tests() throws IOException {
        try (Stream<Path> files = Files.walk(Checkout.DOCKER)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(ReadmeExamplesTest::read)
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return words(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Line breaks and indentation are the formatter's.
    private static String words(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
