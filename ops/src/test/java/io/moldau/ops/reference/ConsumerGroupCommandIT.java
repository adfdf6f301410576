package io.moldau.ops.reference;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ToolParity.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Apache Kafka's ConsumerGroupCommand in all its options, and what ConfigCommand does for groups,
/// asked of Apache Kafka and of Moldau while groups of every kind are there ([GroupScene]): they
/// print the same, but for what `group-tool-differences.txt` lists with its reasons.
class ConsumerGroupCommandIT {

    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=5",
            "offsets.topic.replication.factor=1",
            "group.initial.rebalance.delay.ms=0",
            "log.retention.ms=-1");

    private static final List<Command> COMMANDS = Stream.of(looking(), resettingOffsets(), deleting(), settings())
            .flatMap(List::stream)
            .toList();

    private static List<Command> looking() {
        return List.of(
                groups("--list"),
                groups("--list --state"),
                groups("--list --state Empty"),
                groups("--list --state stable,empty"),
                groups("--list --state nonsense"),
                groups("--list --type"),
                groups("--list --type classic"),
                groups("--list --type consumer"),
                groups("--list --type classic,consumer --state"),
                groups("--list --type share"),
                groups("--list --state Stable --type classic"),
                groups("--describe --group live"),
                groups("--describe --group live --offsets --verbose"),
                groups("--describe --group live --members"),
                groups("--describe --group live --members --verbose"),
                groups("--describe --group live --state"),
                groups("--describe --group live --state --verbose"),
                groups("--describe --group static --members --verbose"),
                groups("--describe --group static --offsets"),
                groups("--describe --group modern"),
                groups("--describe --group modern --offsets --verbose"),
                groups("--describe --group modern --members"),
                groups("--describe --group modern --members --verbose"),
                groups("--describe --group modern --state"),
                groups("--describe --group modern --state --verbose"),
                groups("--describe --group idle"),
                groups("--describe --group idle --members"),
                groups("--describe --group idle --members --verbose"),
                groups("--describe --group idle --state"),
                groups("--describe --group outsiders"),
                groups("--describe --group outsiders --state"),
                groups("--describe --group absent"),
                groups("--describe --group absent --state"),
                groups("--describe --group absent --members"),
                groups("--describe --group live --group idle --state"),
                groups("--describe --all-groups --state"),
                groups("--describe --all-groups --offsets"),
                groups("--describe --all-groups --members"),
                groups("--describe --group live --timeout 5000"),
                groups("--describe --offsets --members --group live"),
                groups("--describe"),
                groups("--validate-regex or.*"),
                groups("--validate-regex or(*"),
                new Command("GroupsCommand", List.of("--list"), ""),
                new Command("GroupsCommand", List.of("--list", "--group-type", "classic"), ""),
                new Command("GroupsCommand", List.of("--list", "--consumer"), ""),
                new Command("GroupsCommand", List.of("--list", "--protocol", "consumer"), ""));
    }

    private static List<Command> resettingOffsets() {
        return List.of(
                groups("--reset-offsets --group live --topic orders --to-earliest --execute"),
                groups("--reset-offsets --group modern --topic orders --to-earliest --execute"),
                groups("--reset-offsets --group idle --topic orders --to-earliest"),
                groups("--reset-offsets --group idle --topic orders --to-earliest --dry-run"),
                groups("--reset-offsets --group idle --topic orders:0,2 --to-latest --dry-run"),
                groups("--reset-offsets --group idle --topic orders:0 --topic payments --to-current --dry-run"),
                groups("--reset-offsets --group idle --topic orders --to-offset 1 --dry-run"),
                groups("--reset-offsets --group idle --topic orders --to-offset 99 --dry-run"),
                groups("--reset-offsets --group idle --topic orders:0,1 --shift-by 1 --dry-run"),
                groups("--reset-offsets --group idle --topic orders:0,1 --shift-by -1 --dry-run"),
                groups("--reset-offsets --group idle --topic orders:0,1 --shift-by -99 --dry-run"),
                groups("--reset-offsets --group idle --topic orders --to-datetime 2026-01-01T01:30:00.000 --dry-run"),
                groups("--reset-offsets --group idle --topic orders --to-datetime 2099-01-01T01:30:00.000 --dry-run"),
                groups("--reset-offsets --group idle --topic orders --to-datetime soon --dry-run"),
                groups("--reset-offsets --group idle --topic orders --by-duration PT1H --dry-run"),
                groups("--reset-offsets --group idle --topic orders --by-duration P400D --dry-run"),
                groups("--reset-offsets --group idle --topic orders --by-duration x --dry-run"),
                groups("--reset-offsets --group idle --all-topics --to-earliest --dry-run"),
                groups("--reset-offsets --group idle --all-topics --to-current --export"),
                groups("--reset-offsets --group idle --group outsiders --all-topics --to-current --export"),
                groups("--reset-offsets --all-groups --all-topics --to-current --dry-run"),
                groups("--reset-offsets --group idle --from-file FOLDER/offsets.csv --dry-run"),
                groups("--reset-offsets --group idle --group outsiders --from-file FOLDER/groups.csv --dry-run"),
                groups("--reset-offsets --group idle --from-file FOLDER/bad.csv --dry-run"),
                groups("--reset-offsets --group idle --topic absent --to-earliest --dry-run"),
                groups("--reset-offsets --group idle --topic orders:9 --to-earliest --dry-run"),
                groups("--reset-offsets --group idle --topic orders"),
                groups("--reset-offsets --group idle --to-earliest"),
                groups("--reset-offsets --group idle --topic orders --to-earliest --to-latest"),
                groups("--reset-offsets --group idle --topic orders --to-earliest --dry-run --execute"),
                groups("--reset-offsets --group new --topic orders --to-latest --execute"),
                groups("--describe --group new"),
                groups("--describe --group new --state"),
                groups("--reset-offsets --group idle --topic orders:0,1 --shift-by -1 --execute"),
                groups("--reset-offsets --group idle --topic payments:1 --to-offset 1 --execute"),
                groups("--describe --group idle"),
                groups("--reset-offsets --group idle --from-file FOLDER/offsets.csv --execute"),
                groups("--reset-offsets --group outsiders --all-topics --by-duration PT1H --execute"),
                groups("--describe --group idle --group outsiders"));
    }

    private static List<Command> deleting() {
        return List.of(
                groups("--delete-offsets --group live --topic orders"),
                groups("--delete-offsets --group modern --topic orders"),
                groups("--delete-offsets --group live --topic payments"),
                groups("--delete-offsets --group idle --topic orders:1"),
                groups("--delete-offsets --group idle --topic orders:9"),
                groups("--delete-offsets --group idle --topic absent"),
                groups("--delete-offsets --group idle --topic payments --topic orders:0"),
                groups("--delete-offsets --group idle --all-topics"),
                groups("--describe --group idle"),
                groups("--delete --group live"),
                groups("--delete --group modern"),
                groups("--delete --group absent"),
                groups("--delete --group new --group absent"),
                groups("--delete --group outsiders --group idle"),
                groups("--delete --all-groups"),
                groups("--delete"),
                groups("--list --state"));
    }

    private static List<Command> settings() {
        return List.of(
                configs("--describe --entity-name live"),
                configs("--describe --all --entity-name live"),
                configs("--alter --entity-name live --add-config consumer.session.timeout.ms=50000"),
                configs("--alter --entity-name live --add-config consumer.session.timeout.ms=5"),
                configs("--alter --entity-name live --add-config consumer.session.timeout.ms=x"),
                configs("--alter --entity-name live --add-config consumer.session.timeout=50000"),
                configs("--alter --entity-name live"
                        + " --add-config consumer.heartbeat.interval.ms=6000,share.auto.offset.reset=earliest"),
                configs("--alter --entity-name live --add-config share.auto.offset.reset=nowhere"),
                configs("--alter --entity-name live --add-config share.isolation.level=read_committed"),
                configs("--alter --entity-name live --add-config streams.num.standby.replicas=9"),
                configs("--alter --entity-name live --add-config streams.assignor.name=own"),
                configs("--describe --entity-name live"),
                configs("--describe"),
                configs("--alter --entity-name live --delete-config consumer.session.timeout.ms"),
                configs("--alter --entity-name live --delete-config no.such.key"),
                configs("--describe --entity-name live"),
                configs("--describe --entity-name absent"),
                configs("--alter --entity-default --add-config consumer.session.timeout.ms=50000"));
    }

    private static Command groups(String words) {
        return new Command("consumer.group.ConsumerGroupCommand", Arrays.asList(words.split(" ")), "");
    }

    private static Command configs(String words) {
        return new Command("ConfigCommand", Arrays.asList(("--entity-type groups " + words).split(" ")), "");
    }

    @Test
    void printsWhatTheReferencePrints(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("offsets.csv"), "orders,0,2\norders,1,1\n");
        Files.writeString(folder.resolve("groups.csv"), "idle,orders,0,2\noutsiders,orders,1,1\n");
        Files.writeString(folder.resolve("bad.csv"), "orders\n");
        List<String> reference;
        try (var node = ReferenceNode.start(Files.createDirectory(folder.resolve("reference")), SETTINGS);
                var scene = GroupScene.on(node.bootstrap())) {
            reference = ToolParity.run(COMMANDS, node.bootstrap(), folder);
            scene.check();
        }
        List<String> ours;
        try (var node = NodeProcess.start(folder.resolve("ours").resolve("data"), SETTINGS.toArray(String[]::new));
                var scene = GroupScene.on(node.bootstrap())) {
            ours = ToolParity.run(COMMANDS, node.bootstrap(), folder);
            scene.check();
        }
        ToolParity.assertSame(COMMANDS, sorted(reference), sorted(ours), "/group-tool-differences.txt");
    }

    /// Groups and members come in the order of random ids, or of hash tables.
    private static List<String> sorted(List<String> outputs) {
        return outputs.stream()
                .map(output -> output.lines().sorted().collect(Collectors.joining("\n")))
                .toList();
    }
}
