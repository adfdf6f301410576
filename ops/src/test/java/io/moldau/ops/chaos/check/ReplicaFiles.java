package io.moldau.ops.chaos.check;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Compares the segment files of a partition's replicas, byte by byte, below its high watermark. The nodes must not
/// run.
public final class ReplicaFiles {

    private static final int BATCH_HEADER = 61;
    private static final int LENGTH_AT = 8;
    private static final int LAST_OFFSET_DELTA_AT = 23;
    private static final int BEFORE_LENGTH = 12;

    private ReplicaFiles() {}

    /// @param folders the data folder of each broker
    /// @param highWatermarks by partition
    /// @return a line for each difference
    public static List<String> compare(
            String topic, Map<Integer, Path> folders, Map<Integer, Long> highWatermarks, int replicas)
            throws IOException {
        var differences = new ArrayList<String>();
        for (var partition : new TreeMap<>(highWatermarks).entrySet()) {
            var name = topic + "-" + partition.getKey();
            var copies = new TreeMap<Integer, byte[]>();
            for (var folder : folders.entrySet()) {
                var directory = folder.getValue().resolve(name);
                if (Files.isDirectory(directory)) {
                    copies.put(folder.getKey(), below(partition.getValue(), directory));
                }
            }
            if (copies.size() != replicas) {
                differences.add(name + " has " + copies.size() + " replicas on disk, at nodes " + copies.keySet());
            }
            compareCopies(name, copies, differences);
        }
        return differences;
    }

    private static void compareCopies(String name, TreeMap<Integer, byte[]> copies, List<String> differences) {
        if (copies.isEmpty()) {
            return;
        }
        int first = copies.firstKey();
        byte[] expected = Objects.requireNonNull(copies.get(first));
        copies.forEach((node, bytes) -> {
            int at = Arrays.mismatch(expected, bytes);
            if (at >= 0) {
                differences.add(
                        "%s differs between node %d (%d bytes) and node %d (%d bytes) at byte %d, near offset %s"
                                .formatted(
                                        name, first, expected.length, node, bytes.length, at, offsetAt(expected, at)));
            }
        });
    }

    /// The bytes of all whole batches that end below the high watermark, over all segments.
    private static byte[] below(long highWatermark, Path directory) throws IOException {
        List<Path> segments;
        try (var files = Files.list(directory)) {
            segments =
                    files.filter(it -> it.toString().endsWith(".log")).sorted().toList();
        }
        var bytes = new ByteArrayOutputStream();
        for (var segment : segments) {
            var content = Files.readAllBytes(segment);
            bytes.write(content, 0, lengthBelow(content, highWatermark));
        }
        return bytes.toByteArray();
    }

    private static int lengthBelow(byte[] content, long highWatermark) {
        var buffer = ByteBuffer.wrap(content);
        int at = 0;
        while (content.length - at >= BATCH_HEADER) {
            int length = BEFORE_LENGTH + buffer.getInt(at + LENGTH_AT);
            long last = buffer.getLong(at) + buffer.getInt(at + LAST_OFFSET_DELTA_AT);
            if (length < BATCH_HEADER || at + length > content.length || last >= highWatermark) {
                break;
            }
            at += length;
        }
        return at;
    }

    private static @Nullable Long offsetAt(byte[] content, int position) {
        var buffer = ByteBuffer.wrap(content);
        @Nullable Long offset = null;
        for (int at = 0; content.length - at >= BATCH_HEADER && at <= position; ) {
            offset = buffer.getLong(at);
            at += BEFORE_LENGTH + buffer.getInt(at + LENGTH_AT);
        }
        return offset;
    }
}
