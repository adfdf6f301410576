package io.moldau.broker.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoriesTest {

    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";

    @TempDir
    private Path temp;

    private DataDirectories open(int nodeId, @Nullable String cluster, String... names) {
        return DataDirectories.open(
                List.of(names).stream().map(temp::resolve).toList(), nodeId, cluster, new SplittableRandom(1));
    }

    @Test
    void theFirstStartWritesAnIdentityThatLaterOnesFind() throws IOException {
        var first = open(1, null, "a", "b");
        assertThat(first.firstStart()).isTrue();
        assertThat(first.directoryIds().values()).hasSize(2).doesNotHaveDuplicates();
        String cluster = first.clusterId();
        assertThat(Files.readString(temp.resolve("a/meta.properties")))
                .contains("cluster.id=" + cluster, "node.id=1", "version=1", "directory.id=");
        var second = open(1, null, "a", "b");
        assertThat(second.firstStart()).isFalse();
        assertThat(second.clusterId()).isEqualTo(cluster);
    }

    @Test
    void theReferencesFileIsRead() throws IOException {
        Files.createDirectories(temp.resolve("a"));
        Files.writeString(
                temp.resolve("a/meta.properties"),
                "#\n#Mon Nov 30 09:00:00 UTC 2026\ncluster.id=" + CLUSTER
                        + "\ndirectory.id=6cVTxrkW6EaeIAXtQhCGcw\nnode.id=1\nversion=1\n");
        var directories = open(1, null, "a");
        assertThat(directories.clusterId()).isEqualTo(CLUSTER);
    }

    @Test
    void aNewDirectoryJoinsTheOthers() {
        open(1, CLUSTER, "a");
        var directories = open(1, null, "a", "new");
        assertThat(directories.clusterId()).isEqualTo(CLUSTER);
        assertThat(directories.firstStart()).isFalse();
    }

    @Test
    void aDirectoryOfAnotherNodeIsRefused() {
        open(1, CLUSTER, "a");
        assertThatThrownBy(() -> open(2, null, "a"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("belongs to node 1, this node has node.id=2");
    }

    @Test
    void aDirectoryOfAnotherClusterIsRefused() {
        open(1, CLUSTER, "a");
        assertThatThrownBy(() -> open(1, "AAAAAAAAAAAAAAAAAAAAAQ", "a"))
                .hasMessageContaining("belongs to cluster " + CLUSTER + ", this node is configured for cluster");
        open(1, "AAAAAAAAAAAAAAAAAAAAAQ", "b");
        assertThatThrownBy(() -> open(1, null, "a", "b")).hasMessageContaining("belongs to cluster");
    }

    @Test
    void aCopyOfADirectoryIsRefused() throws IOException {
        open(1, CLUSTER, "a");
        Files.createDirectories(temp.resolve("copy"));
        Files.copy(temp.resolve("a/meta.properties"), temp.resolve("copy/meta.properties"));
        assertThatThrownBy(() -> open(1, null, "a", "copy")).hasMessageContaining("one is a copy of the other");
    }

    @Test
    void aDirectoryInUseIsRefused() throws IOException {
        open(1, CLUSTER, "a");
        try (var channel = FileChannel.open(temp.resolve("a/.lock"), StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThatThrownBy(() -> open(1, null, "a")).hasMessageContaining("is in use by another node");
        }
        assertThat(open(1, null, "a").clusterId()).isEqualTo(CLUSTER);
    }

    @Test
    void aFileThatSaysSomethingElseIsRefused() throws IOException {
        Files.createDirectories(temp.resolve("a"));
        Files.writeString(temp.resolve("a/meta.properties"), "version=0\nbroker.id=1\n");
        assertThatThrownBy(() -> open(1, null, "a")).hasMessageContaining("has version 0, Moldau reads version 1");
        Files.writeString(temp.resolve("a/meta.properties"), "version=1\nnode.id=1\n");
        assertThatThrownBy(() -> open(1, null, "a")).hasMessageContaining("has no cluster.id");
    }

    @Test
    void aPathThatIsNoDirectoryIsRefused() throws IOException {
        Files.writeString(temp.resolve("file"), "");
        assertThatThrownBy(() -> open(1, null, "file")).hasMessageContaining("cannot be created");
    }
}
