package io.moldau.ops.crash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// Takes away from a killed process's files what a power cut would have: all bytes that were not
/// forced to the disk. The process runs with `src/test/native/powercut.c` preloaded, which notes
/// both.
///
/// Not modelled: names that were not made durable, and what stood where unforced bytes were written
/// over others (they become zeros). The simulated storage of the unit tests has the first.
final class PowerCut {

    private record Range(long offset, long length) {}

    private final Path library;
    private final Path journal;
    private final Path bootId;

    private PowerCut(Path library, Path journal, Path bootId) {
        this.library = library;
        this.journal = journal;
        this.bootId = bootId;
    }

    /// Whether there is a compiler to build the library with, and a system that takes it.
    static boolean isPossible() {
        return List.of("/usr/bin/gcc", "/usr/local/bin/gcc").stream().anyMatch(it -> Files.isExecutable(Path.of(it)))
                && Files.exists(Path.of("/proc/sys/kernel/random/boot_id"));
    }

    /// Builds the library, with files of its own in the folder.
    static PowerCut in(Path folder) throws IOException, InterruptedException {
        var library = folder.resolve("powercut.so");
        var source = Path.of("src", "test", "native", "powercut.c").toAbsolutePath();
        var compiler = new ProcessBuilder("gcc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                .inheritIO()
                .start();
        if (!compiler.waitFor(60, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            throw new IOException("gcc cannot build " + source);
        }
        var cut = new PowerCut(library, folder.resolve("powercut.journal"), folder.resolve("boot_id"));
        cut.boot();
        return cut;
    }

    /// What the process is to be started with.
    Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", library.toString(),
                "POWERCUT_JOURNAL", journal.toString(),
                "POWERCUT_BOOT_ID", bootId.toString(),
                "POWERCUT_SYNC_US", "2000");
    }

    private void boot() throws IOException {
        Files.deleteIfExists(journal);
        Files.writeString(bootId, UUID.randomUUID() + "\n");
    }

    /// To be called when the process is dead and before it starts again.
    ///
    /// @return how many bytes were taken away
    long strike(Path data) throws IOException {
        Map<Long, List<Range>> unforced = unforced();
        long taken = 0;
        try (var files = Files.walk(data)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var ranges = unforced.remove((Long) Files.getAttribute(file, "unix:ino"));
                if (ranges != null) {
                    taken += strike(file, ranges);
                }
            }
        }
        boot();
        return taken;
    }

    private Map<Long, List<Range>> unforced() throws IOException {
        var written = new HashMap<Long, List<Range>>();
        // By inode and number: how much had been written when the force began.
        var begun = new HashMap<String, Integer>();
        var forced = new HashMap<Long, Integer>();
        try (var lines = Files.lines(journal)) {
            lines.forEach(line -> {
                var words = line.split(" ");
                if (words.length < 4) {
                    return;
                }
                long inode = Long.parseLong(words[1]);
                var ranges = written.computeIfAbsent(inode, key -> new ArrayList<>());
                switch (words[0]) {
                    case "W" -> ranges.add(new Range(Long.parseLong(words[2]), Long.parseLong(words[3])));
                    case "B" -> begun.put(inode + " " + words[2], ranges.size());
                    default -> forced.merge(inode, begun.getOrDefault(inode + " " + words[2], 0), Math::max);
                }
            });
        }
        forced.forEach((inode, count) -> written.computeIfPresent(
                inode, (key, ranges) -> count == ranges.size() ? null : ranges.subList(count, ranges.size())));
        written.values().removeIf(List::isEmpty);
        return written;
    }

    /// What lies behind the first unforced byte and was unforced to the end goes with the file's end; the rest of it
    /// becomes zeros.
    private static long strike(Path file, List<Range> ranges) throws IOException {
        long taken = 0;
        try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var sorted = new ArrayList<>(ranges);
            sorted.sort((a, b) -> Long.compare(b.offset() + b.length(), a.offset() + a.length()));
            for (var range : sorted) {
                long size = channel.size();
                long end = Math.min(size, range.offset() + range.length());
                if (range.offset() >= end) {
                    continue;
                }
                taken += end - range.offset();
                if (end == size) {
                    channel.truncate(range.offset());
                } else {
                    channel.write(ByteBuffer.allocate((int) (end - range.offset())), range.offset());
                }
            }
        }
        return taken;
    }
}
