package io.moldau.ops.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.wire.protocol.ApiKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Every class, file and folder that a document names exists, so that a rename cannot leave a stale map behind.
class DocumentsTest {

    private static final Path ROOT = root();

    /// Fenced blocks hold commands and examples; names in them are not looked up.
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");

    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern CLASS = Pattern.compile("(?:[A-Z][a-z0-9]+){2,}(?:\\.(?:[A-Z][a-z0-9]+)+)*");
    /// A class of ours, or one of others that some source imports.
    private static final Pattern DECLARATION =
            Pattern.compile("\\b(?:(?:class|interface|record|enum)\\s+|import [\\w.]+\\.)([A-Z]\\w+)");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(?:#[^)]*)?\\)");
    private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", "node_modules");

    /// Generated from the keys themselves, and full of values that look like classes.
    private static final String CONFIGURATION = "configuration.md";

    @TestFactory
    Stream<DynamicTest> namesExist() throws IOException {
        var declared = declaredNames();
        return documents().stream()
                .map(file -> DynamicTest.dynamicTest(ROOT.relativize(file).toString(), () -> {
                    assertThat(missingNames(Files.readString(file), declared))
                            .as("classes that %s names and no source declares", file)
                            .isEmpty();
                    assertThat(deadLinks(file))
                            .as("files that %s links to and that do not exist", file)
                            .isEmpty();
                }));
    }

    private static Set<String> missingNames(String text, Set<String> declared) {
        var missing = new TreeSet<String>();
        var code = CODE.matcher(FENCE.matcher(text).replaceAll(""));
        while (code.find()) {
            var word = code.group(1);
            if (CLASS.matcher(word).matches() && !declared.containsAll(List.of(word.split("\\.")))) {
                missing.add(word);
            }
        }
        return missing;
    }

    private static Set<String> deadLinks(Path file) throws IOException {
        var dead = new TreeSet<String>();
        var link = LINK.matcher(FENCE.matcher(Files.readString(file)).replaceAll(""));
        while (link.find()) {
            if (!Files.exists(file.resolveSibling(link.group(1)))) {
                dead.add(link.group(1));
            }
        }
        return dead;
    }

    private static Set<String> declaredNames() throws IOException {
        var names = new HashSet<String>();
        // Kafka's names for its APIs are no classes, and stand in documents beside them.
        Arrays.stream(ApiKey.values()).map(ApiKey::apiName).forEach(names::add);
        for (var source : files(ROOT, ".java")) {
            var declaration = DECLARATION.matcher(Files.readString(source));
            while (declaration.find()) {
                names.add(declaration.group(1));
            }
        }
        // Generated when the module was built; on the class path whatever folder it comes from.
        for (var api : ApiKey.values()) {
            names.add(api.newRequest().getClass().getSimpleName());
            names.add(api.newResponse().getClass().getSimpleName());
        }
        return names;
    }

    private static List<Path> documents() throws IOException {
        var documents = files(ROOT, ".md").stream()
                .filter(file -> !file.endsWith(CONFIGURATION))
                .toList();
        assertThat(documents).contains(ROOT.resolve("README.md"), ROOT.resolve("ARCHITECTURE.md"));
        return documents;
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .filter(file -> {
                        for (var part : folder.relativize(file)) {
                            if (SKIPPED_FOLDERS.contains(part.toString())) {
                                return false;
                            }
                        }
                        // Where a node of this checkout keeps its topics.
                        return !file.startsWith(ROOT.resolve("data"));
                    })
                    .sorted()
                    .toList();
        }
    }

    private static Path root() {
        var folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("LICENSE"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("Run the test from inside the checkout.");
            }
        }
        return folder;
    }
}
