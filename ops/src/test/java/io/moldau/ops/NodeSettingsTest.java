package io.moldau.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeSettingsTest {

    @TempDir
    Path folder;

    @Test
    void withoutAnythingTheDataIsBesideTheCaller() {
        assertThat(settings())
                .isEqualTo(Map.of("log.dirs", Path.of("data").toAbsolutePath().toString()));
    }

    @Test
    void singleKeysWinOverTheFileAndDataWinsOverBoth() throws Exception {
        var file = Files.writeString(folder.resolve("p"), """
                # a comment
                num.partitions = 3
                node.id=7
                log.dirs=/from/file
                """);

        assertThat(settings("--config", file.toString(), "-o", "num.partitions=4", "-o", "log.dirs=/from/key"))
                .isEqualTo(Map.of("num.partitions", "4", "node.id", "7", "log.dirs", "/from/key"));
        assertThat(settings("--config", file.toString(), "--data", "/from/option"))
                .containsEntry("log.dirs", "/from/option");
    }

    @Test
    void theEnvironmentWinsOverTheFileAndTheCommandLineOverTheEnvironment() throws Exception {
        var file = Files.writeString(folder.resolve("p"), "num.partitions=3\nnode.id=7\nlog.dirs=/from/file\n");
        var arguments = StartArguments.parse(List.of("--config", file.toString(), "-o", "node.id=9"));

        var settings = NodeSettings.of(
                arguments,
                Map.of("MOLDAU_NUM_PARTITIONS", "5", "MOLDAU_NODE_ID", "8", "MOLDAU_LOG_DIRS", "/from/variable"));

        assertThat(settings).isEqualTo(Map.of("num.partitions", "5", "node.id", "9", "log.dirs", "/from/variable"));
    }

    @Test
    void aFolderWithACommaIsRefusedSinceItWouldBeTwo() {
        assertThatThrownBy(() -> settings("--data", "/one, two"))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("/one, two", "comma", "choose another");
    }

    @Test
    void theOlderNameOfTheDataDirectoryCounts() throws Exception {
        var file = Files.writeString(folder.resolve("p"), "log.dir=/older\n");

        assertThat(settings("--config", file.toString())).isEqualTo(Map.of("log.dir", "/older"));
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> settings("--config", folder.resolve("none").toString()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("none");
    }

    private static Map<String, String> settings(String... words) {
        return NodeSettings.of(StartArguments.parse(List.of(words)), Map.of("PATH", "/bin"));
    }
}
