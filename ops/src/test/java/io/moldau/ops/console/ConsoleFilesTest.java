package io.moldau.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleFilesTest {

    private static final Path FOLDER = Path.of("src/main/resources/io/moldau/ops/console");
    private static final Pattern REFERENCE = Pattern.compile("(?:from '\\./|=\"/console/)([^'\"]+)['\"]");

    private final ConsoleFiles files = new ConsoleFiles();

    private static List<String> names() throws IOException {
        try (var listed = Files.list(FOLDER)) {
            return listed.map(file -> file.getFileName().toString()).toList();
        }
    }

    private String text(String name) {
        return new String(Objects.requireNonNull(files.find("/console/" + name)).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void everyFileIsServedAndEveryReferenceLeadsToOne() throws IOException {
        for (String name : names()) {
            assertThat(files.find("/console/" + name)).as(name).isNotNull();
            Matcher reference = REFERENCE.matcher(text(name));
            while (reference.find()) {
                assertThat(files.find("/console/" + reference.group(1)))
                        .as("%s in %s", reference.group(1), name)
                        .isNotNull();
            }
        }
        assertThat(files.find("/")).isSameAs(files.find("/console/index.html"));
    }

    @Test
    void nothingComesFromElsewhereAndNoTextBecomesMarkup() throws IOException {
        for (String name : names()) {
            assertThat(text(name).replace("http://www.w3.org/2000/svg", ""))
                    .as(name)
                    .doesNotContain("http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval(")
                    .doesNotContain("document.write", " style=");
        }
    }

    @Test
    void theTagIsOfTheBytes() {
        ConsoleFile script = Objects.requireNonNull(files.find("/console/app.js"));
        assertThat(script.type()).isEqualTo("text/javascript; charset=utf-8");
        assertThat(script.tag()).matches("\"[0-9a-f]{16}\"");
        assertThat(Objects.requireNonNull(new ConsoleFiles().find("/console/app.js"))
                        .tag())
                .isEqualTo(script.tag());
        assertThat(Objects.requireNonNull(files.find("/console/dom.js")).tag()).isNotEqualTo(script.tag());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/console",
                "/console/",
                "/console/../Main.class",
                "/console//app.js",
                "/app.js",
                "/console/APP.JS"
            })
    void nothingElseIs(String path) {
        assertThat(files.find(path)).isNull();
    }
}
