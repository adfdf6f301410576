package io.moldau.ops.faults;

import io.moldau.ops.faults.Fault.Told;
import io.moldau.wire.message.DeleteRecordsRequestData;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import io.moldau.wire.message.DeleteRecordsResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// What goes wrong with topics, groups and commands on one node that is well itself.
final class NodeFaults {

    private static final List<Fault> ALL = new ArrayList<>();

    private NodeFaults() {}

    static List<Fault> all() {
        return ALL;
    }

    /// A command that is asked of the node says it.
    private static void asked(String id, String staged, String told, List<String> words, String... command) {
        ALL.add(new Fault(id, staged, Fault.NONE, told, words, stages -> ask(stages, command)));
    }

    private static Told ask(Stages stages, String... command) throws Exception {
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of("-b", stages.node().bootstrap()));
        return Told.text(stages.moldau("", line));
    }

    static {
        topics();
        groups();
        commands();
    }

    private static void topics() {
        asked(
                "partition-of-a-misspelt-topic",
                "a topic's name is misspelt",
                "`explain partition`",
                List.of("no topic plian", "nearest name is plain"),
                "explain",
                "partition",
                "plian-0");
        asked(
                "partition-that-is-not-there",
                "a partition's number is too high",
                "`explain partition`",
                List.of("plain has no partition 9", "It has 0 to 1", "topics alter plain -p"),
                "explain",
                "partition",
                "plain-9");
        asked(
                "min-insync-above-replicas",
                "`min.insync.replicas` is above the number of replicas; writes are taken, as in Kafka",
                "`explain partition`",
                List.of(
                        "narrow-0 is well",
                        "1 replica",
                        "min.insync.replicas=2 counts as 1",
                        "topics alter narrow -r 2"),
                "explain",
                "partition",
                "narrow-0");
        asked(
                "broker-that-is-not-there",
                "a broker's id is wrong",
                "`explain broker`",
                List.of("no broker 7", "registered are 1", "node.id=7"),
                "explain",
                "broker",
                "7");
        asked(
                "fewer-partitions",
                "`topics alter -p` below the number there is",
                "`topics alter`",
                List.of("has 2 partitions", "Create another topic"),
                "topics",
                "alter",
                "plain",
                "-p",
                "1");
        asked(
                "more-replicas-than-brokers",
                "`topics alter -r` above the number of brokers",
                "`topics alter`",
                List.of("replication factor of 3", "1 brokers serve", "start more brokers"),
                "topics",
                "alter",
                "plain",
                "-r",
                "3");
        asked(
                "setting-misspelt",
                "`configs show` of a key that is not there",
                "`configs show`",
                List.of("no setting retention.mss", "nearest is retention.ms"),
                "configs",
                "show",
                "topic",
                "plain",
                "retention.mss");
    }

    private static void groups() {
        asked(
                "group-that-is-not-there",
                "a group's name is misspelt",
                "`explain group`",
                List.of("no group wram-up", "nearest name is warm-up"),
                "explain",
                "group",
                "wram-up");
        ALL.add(new Fault(
                "group-without-members",
                "a group has records to read, and nobody reads",
                Fault.NONE,
                "`explain group`, `doctor`",
                List.of("Group idle does not progress: it has no members", "1 record to read", "group.id=idle"),
                stages -> {
                    topicWithRecords(stages, "unread", 1);
                    commit(stages.node().wire(), "idle", "unread", 0);
                    return ask(stages, "explain", "group", "idle");
                }));
        ALL.add(new Fault(
                "group-behind-retention",
                "records went that a group had not read",
                Fault.NONE,
                "`explain group`",
                List.of("late-0", "before the first record that is left, 2", "2 records it had not read"),
                stages -> {
                    topicWithRecords(stages, "late", 3);
                    commit(stages.node().wire(), "slow", "late", 0);
                    stages.node()
                            .wire()
                            .call(
                                    ApiKey.DELETE_RECORDS,
                                    2,
                                    new DeleteRecordsRequestData()
                                            .setTimeoutMs(20_000)
                                            .setTopics(List.of(new DeleteRecordsTopic()
                                                    .setName("late")
                                                    .setPartitions(List.of(new DeleteRecordsPartition()
                                                            .setPartitionIndex(0)
                                                            .setOffset(2))))),
                                    DeleteRecordsResponseData.class);
                    return ask(stages, "explain", "group", "slow");
                }));
        ALL.add(new Fault(
                "group-past-the-end",
                "a group's offset is past the end of its partition, as after a topic was made again",
                Fault.NONE,
                "`explain group`",
                List.of("short-0", "past the end, 1", "reset-offsets"),
                stages -> {
                    topicWithRecords(stages, "short", 1);
                    commit(stages.node().wire(), "ahead", "short", 50);
                    return ask(stages, "explain", "group", "ahead");
                }));
        ALL.add(new Fault(
                "group-stuck-at-a-record",
                "a consumer has a partition, and neither reads on nor commits",
                Fault.NONE,
                "`explain group`",
                List.of("stuck", "has not moved in work-0 for 1 s", "fail at the record at offset 0", "moldau consume"),
                stages -> {
                    topicWithRecords(stages, "work", 4);
                    commit(stages.node().wire(), "stuck", "work", 0);
                    try (var consumer = consumer(stages, "stuck")) {
                        consumer.subscribe(List.of("work"));
                        while (consumer.assignment().isEmpty()) {
                            consumer.poll(Duration.ofMillis(100));
                        }
                        return ask(stages, "explain", "group", "stuck", "--watch", "1");
                    }
                }));
        ALL.add(new Fault(
                "group-with-too-many-members",
                "a group has more members than partitions",
                Fault.NONE,
                "`explain group`",
                List.of("1 member of 2 have no partition", "more partitions or fewer consumers"),
                stages -> {
                    topicWithRecords(stages, "crowded", 1);
                    commit(stages.node().wire(), "crowd", "crowded", 1);
                    try (var first = consumer(stages, "crowd");
                            var second = consumer(stages, "crowd")) {
                        first.subscribe(List.of("crowded"));
                        second.subscribe(List.of("crowded"));
                        while (first.assignment().isEmpty()
                                        == second.assignment().isEmpty()
                                || first.groupMetadata().generationId()
                                        != second.groupMetadata().generationId()) {
                            first.poll(Duration.ofMillis(50));
                            second.poll(Duration.ofMillis(50));
                        }
                        return ask(stages, "explain", "group", "crowd", "--watch", "1");
                    }
                }));
    }

    private static void topicWithRecords(Stages stages, String topic, int count) throws Exception {
        Wire wire = stages.node().wire();
        wire.createTopic(topic, 1);
        for (int i = 0; i < count; i++) {
            Wire.untilNone(() -> wire.produce(topic, 0, Wire.batch(0, "record")));
        }
    }

    private static void commit(Wire wire, String group, String topic, long offset) {
        Wire.untilNone(() -> wire.commit(group, topic, offset));
    }

    private static KafkaConsumer<byte[], byte[]> consumer(Stages stages, String group) throws Exception {
        var properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers",
                stages.node().bootstrap(),
                "group.id",
                group,
                "enable.auto.commit",
                "false",
                "max.poll.records",
                "1"));
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static void commands() {
        ALL.add(new Fault(
                "nobody-listens",
                "a command is given a port where nobody listens",
                Fault.NONE,
                "every command",
                List.of("nothing listens there", "moldau start", "--bootstrap-server"),
                stages -> Told.text(stages.moldau("topics", "list", "-b", "127.0.0.1:" + stages.port()))));
        ALL.add(new Fault(
                "bootstrap-host-unknown",
                "a command is given a host that nobody knows",
                Fault.NONE,
                "every command",
                List.of("no-such-host.invalid", "is not known here", "--bootstrap-server"),
                stages -> Told.text(stages.moldau("topics", "list", "-b", "no-such-host.invalid:9092"))));
        ALL.add(new Fault(
                "controller-taken-for-a-broker",
                "a controller's address is given with --bootstrap-server",
                Fault.NONE,
                "every command",
                List.of("--bootstrap-controller", "controller"),
                stages -> Told.text(stages.moldau(
                        "topics", "list", "--timeout", "3", "-b", stages.node().controller()))));
        ALL.add(new Fault(
                "admin-listener-silent",
                "`doctor` is given an admin listener that is not there",
                Fault.NONE,
                "`doctor`",
                List.of("admin listener http://127.0.0.1:", "does not answer", "admin.listener bound"),
                stages -> Told.text(stages.moldau(
                        "doctor", "-b", stages.node().bootstrap(), "--node", "http://127.0.0.1:" + stages.port()))));
        asked(
                "no-access-rights-kept",
                "`acls list` where there is no authorizer",
                "`acls`",
                List.of("keep no access rights (ACLs)", "no authorizer", "Everybody who reaches a listener"),
                "acls",
                "list");
        asked(
                "no-users-kept",
                "`users list` where there is no SASL",
                "`users`",
                List.of("keep no SCRAM credentials", "Everybody who reaches a listener"),
                "users",
                "list");
        asked(
                "unknown-transactional-id",
                "`explain transaction` of an id that nobody used",
                "`explain transaction`",
                List.of("transaction pay", "could not be found", "without an id lists those that are known"),
                "explain",
                "transaction",
                "pay");
        ALL.add(new Fault(
                "error-name-unknown",
                "`explain error` of something that is no error of Kafka's",
                Fault.NONE,
                "`explain error`",
                List.of("no error of Kafka's protocol", "NOT_ENOUGH_REPLICAS"),
                stages -> Told.text(stages.moldau("explain", "error", "NOT_ENOUGH_REPLICA"))));
    }
}
