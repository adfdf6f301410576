package io.moldau.ops.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files with the frames of batches; what is inside does not matter to the comparison.
class ReplicaFilesTest {

    private static final int BATCH = 80;

    @TempDir
    private Path folder;

    @Test
    void equalWhateverTheSegments() throws Exception {
        write(1, 0, batches(0, 4));
        write(2, 0, batches(0, 2));
        write(2, 2, batches(2, 2));
        assertThat(compare(4)).isEmpty();
    }

    @Test
    void whatIsNotBelowTheHighWatermarkDoesNotCount() throws Exception {
        write(1, 0, batches(0, 4));
        write(2, 0, batches(0, 3));
        assertThat(compare(3)).isEmpty();
        assertThat(compare(4)).hasSize(1);
    }

    @Test
    void oneByteIsFound() throws Exception {
        write(1, 0, batches(0, 4));
        var damaged = batches(0, 4);
        damaged[2 * BATCH + 70] ^= 1;
        write(2, 0, damaged);
        assertThat(compare(4)).singleElement().asString().contains("near offset 2");
    }

    @Test
    void aMissingReplicaIsFound() throws Exception {
        write(1, 0, batches(0, 1));
        assertThat(compare(1)).singleElement().asString().contains("1 replicas on disk");
    }

    private List<String> compare(long highWatermark) throws Exception {
        return ReplicaFiles.compare(
                "t", Map.of(1, folder.resolve("1"), 2, folder.resolve("2")), Map.of(0, highWatermark), 2);
    }

    private void write(int node, long base, byte[] content) throws Exception {
        var directory =
                Files.createDirectories(folder.resolve(Integer.toString(node)).resolve("t-0"));
        Files.write(directory.resolve("%020d.log".formatted(base)), content);
    }

    private static byte[] batches(long first, int count) {
        var bytes = ByteBuffer.allocate(count * BATCH);
        for (int i = 0; i < count; i++) {
            bytes.putLong(i * BATCH, first + i).putInt(i * BATCH + 8, BATCH - 12);
        }
        return bytes.array();
    }
}
