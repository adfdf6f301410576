package io.moldau.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What a log directory does about files that are damaged, missing, empty or somebody else's:
/// beside each start there is a model of what was acknowledged, and the directory shows exactly
/// that, or refuses the partition with a message that names the file. Ten thousand flips:
/// `-Dmoldau.seeds=10000`.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DamagedFilesTest {

    /// What kind of file a name is; two of a kind can be mistaken for each other.
    private static String kind(String name) {
        var file = name.substring(name.lastIndexOf('/') + 1);
        if (file.startsWith("moldau-log-journal-")) {
            return "moldau-log-journal";
        }
        int dot = file.lastIndexOf('.');
        return dot == 20 ? file.substring(dot) : file;
    }

    private record Node(SampleLogs.Ending ending, SampleLogs logs, Map<String, List<String>> byKind) {}

    private final List<Node> nodes = new ArrayList<>();
    private final Map<SampleLogs.Ending, SampleLogs> others = new TreeMap<>();

    @BeforeAll
    void write() throws IOException {
        for (var ending : SampleLogs.Ending.values()) {
            var logs = SampleLogs.write(ending, 1);
            var byKind = logs.storage().files(SampleLogs.DIRECTORY).keySet().stream()
                    .filter(name -> !name.endsWith(".lock") && !name.equals("meta.properties"))
                    .collect(Collectors.groupingBy(DamagedFilesTest::kind, TreeMap::new, Collectors.toList()));
            nodes.add(new Node(ending, logs, byKind));
            others.put(ending, SampleLogs.write(ending, 2));
        }
        // Each kind of file that a directory can have is among them.
        assertThat(nodes.stream().flatMap(node -> node.byKind().keySet().stream()))
                .contains(
                        ".log",
                        ".index",
                        ".timeindex",
                        ".txnindex",
                        ".snapshot",
                        "leader-epoch-checkpoint",
                        "partition.metadata",
                        "recovery-point-offset-checkpoint",
                        "replication-offset-checkpoint",
                        "log-start-offset-checkpoint",
                        "cleaner-offset-checkpoint",
                        ".kafka_cleanshutdown",
                        "moldau-log-checkpoint",
                        "moldau-log-journal");
    }

    @Test
    void undamagedTheyAreAllThere() throws IOException {
        for (var node : nodes) {
            var outcome = node.logs().start(node.logs().storage().copy(), false);
            assertThat(outcome.refused()).as("%s", node.ending()).isEmpty();
            assertThat(outcome.wrong()).as("%s", node.ending()).isEmpty();
        }
    }

    @Seeds(count = 1_500)
    void aFlippedBitInAnyFile(long seed) throws IOException {
        var random = new Random(seed);
        var node = nodes.get(random.nextInt(nodes.size()));
        var kinds = List.copyOf(node.byKind().keySet());
        var names = Objects.requireNonNull(node.byKind().get(kinds.get(random.nextInt(kinds.size()))));
        var name = names.get(random.nextInt(names.size()));
        var storage = node.logs().storage().copy();
        var path = SampleLogs.DIRECTORY.resolve(name);
        if (storage.size(path) == 0) {
            return;
        }
        long bit = random.nextLong(storage.size(path) * 8);
        storage.flipBit(path, bit);
        check(node, storage, name, "bit " + bit + " (byte " + bit / 8 + ") of " + name + ", " + node.ending());
    }

    @Test
    void eachFileMissing() throws IOException {
        for (var node : nodes) {
            for (var name : names(node)) {
                var storage = node.logs().storage().copy();
                storage.delete(SampleLogs.DIRECTORY.resolve(name));
                check(node, storage, name, name + " missing, " + node.ending());
            }
        }
    }

    @Test
    void eachFileEmpty() throws IOException {
        for (var node : nodes) {
            for (var name : names(node)) {
                var storage = node.logs().storage().copy();
                storage.overwrite(SampleLogs.DIRECTORY.resolve(name), new byte[0]);
                check(node, storage, name, name + " empty, " + node.ending());
            }
        }
    }

    @Test
    void eachFileSwappedWithOneOfItsKind() throws IOException {
        for (var node : nodes) {
            for (var names : node.byKind().values()) {
                for (var name : names) {
                    for (var other : names) {
                        if (!name.equals(other)) {
                            var storage = node.logs().storage().copy();
                            var one = SampleLogs.DIRECTORY.resolve(name);
                            var two = SampleLogs.DIRECTORY.resolve(other);
                            var content = storage.readAll(one);
                            storage.overwrite(one, storage.readAll(two));
                            storage.overwrite(two, content);
                            check(node, storage, name, name + " and " + other + " swapped, " + node.ending());
                        }
                    }
                }
            }
        }
    }

    @Test
    void eachFileFromAnotherNode() throws IOException {
        for (var node : nodes) {
            var other = Objects.requireNonNull(others.get(node.ending()));
            var theirs = other.storage().files(SampleLogs.DIRECTORY);
            for (var name : names(node)) {
                if (theirs.containsKey(name)) {
                    var storage = node.logs().storage().copy();
                    storage.overwrite(SampleLogs.DIRECTORY.resolve(name), theirs.get(name));
                    check(node, storage, name, name + " of another node, " + node.ending());
                }
            }
        }
    }

    @Test
    void eachPartitionsDirectorySwappedWithAnother() throws IOException {
        for (var node : nodes) {
            for (var one : node.logs().partitions()) {
                for (var two : node.logs().partitions()) {
                    if (one != two) {
                        var storage = node.logs().storage().copy();
                        var a = SampleLogs.directory(one);
                        var b = SampleLogs.directory(two);
                        var aside = SampleLogs.DIRECTORY.resolve("aside");
                        storage.rename(a, aside);
                        storage.rename(b, a);
                        storage.rename(aside, b);
                        check(node, storage, a.getFileName().toString(), a + " and " + b + ", " + node.ending());
                    }
                }
            }
        }
    }

    @Test
    void eachPartitionsDirectoryMissing() throws IOException {
        for (var node : nodes) {
            for (var partition : node.logs().partitions()) {
                var storage = node.logs().storage().copy();
                storage.delete(SampleLogs.directory(partition));
                var outcome = node.logs().start(storage, false);
                assertThat(outcome.refused())
                        .as("%s %s", partition, node.ending())
                        .containsOnlyKeys(partition);
                assertThat(outcome.wrong()).isEmpty();
            }
        }
    }

    private static List<String> names(Node node) {
        return node.byKind().values().stream().flatMap(List::stream).toList();
    }

    private static void check(Node node, SimulatedStorage storage, String name, String fault) throws IOException {
        boolean noNotes = name.startsWith("moldau-log-") && !fault.startsWith("bit");
        var outcome = node.logs().start(storage, noNotes);
        outcome.refused().forEach((partition, refusal) -> {
            assertThat(refusal.error()).as(fault).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
            assertThat(refusal.getMessage())
                    .as(fault)
                    .contains(SampleLogs.directory(partition).toString());
        });
        assertThat(outcome.wrong()).as(fault).isEmpty();
        // Damage stays where it is.
        if (name.contains("/")) {
            var names = outcome.refused().keySet().stream()
                    .map(TopicIdPartition::topicPartition)
                    .map(Object::toString)
                    .toList();
            assertThat(names.size()).as(fault).isLessThanOrEqualTo(2);
        }
    }
}
