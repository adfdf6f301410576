package io.moldau.ops.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// `docs/faults.md` is made of the faults that [FaultsIT] stages. Run with `-Dmoldau.docs.write=true` to write it anew.
class FaultsDocumentTest {

    private static final Path FILE = Path.of("docs", "faults.md");

    @Test
    void theDocumentIsUpToDate() throws IOException {
        String text = document();
        // The fast way to run tests starts them in the project's folder.
        Path file = Files.isDirectory(Path.of("ops")) ? Path.of("ops").resolve(FILE) : FILE;
        if (Boolean.getBoolean("moldau.docs.write")) {
            Files.writeString(file, text);
        }
        assertThat(Files.readString(file))
                .as("run the test FaultsDocumentTest with -Dmoldau.test.flags=-Dmoldau.docs.write=true")
                .isEqualTo(text);
    }

    @Test
    void thereAreEnoughAndEachHasANameAndACodeOfKafka() {
        List<Fault> all = Faults.all().toList();
        assertThat(all).hasSizeGreaterThanOrEqualTo(60);
        assertThat(all.stream().map(Fault::id)).doesNotHaveDuplicates().allMatch(id -> id.matches("[a-z-]+"));
        List<String> known = Arrays.stream(Errors.values()).map(Errors::name).toList();
        assertThat(all).allSatisfy(fault -> {
            assertThat(fault.words()).isNotEmpty();
            if (!List.of(Fault.NONE, Fault.CLOSED).contains(fault.code())) {
                assertThat(known).contains(fault.code());
            }
        });
    }

    private static String document() {
        var text = new StringBuilder("""
                # Faults

                Generated from `io.moldau.ops.faults`; do not edit. `FaultsIT` stages each of them against real nodes, and
                checks the code and what is said. Codes are Kafka's: `ReferenceFaultsIT` sends those of the chapter *Requests* to
                Apache Kafka as well, and both answer alike; the other chapters are not compared with it.

                *Said* are pieces of the text, separated by " · ": what is concerned, why, and what to do about it. A code
                that a client reports is explained by `moldau explain error CODE`; a node that closes a connection counts
                it, and `moldau doctor --node URL` tells of it.

                """);
        text.append("There are ").append(Faults.all().count()).append(" of them.\n");
        for (Faults.Chapter chapter : Faults.CHAPTERS) {
            text.append("\n## ").append(chapter.title()).append("\n\n");
            text.append("| fault | staged by | error code | who says it | said |\n|---|---|---|---|---|\n");
            for (Fault fault : chapter.faults()) {
                text.append("| ")
                        .append(String.join(
                                " | ",
                                fault.id(),
                                cell(fault.staged()),
                                fault.code(),
                                fault.told(),
                                fault.words().stream()
                                        .map(FaultsDocumentTest::cell)
                                        .collect(Collectors.joining(" · "))))
                        .append(" |\n");
            }
        }
        return text.toString();
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
