package io.moldau.ops.faults;

import io.moldau.broker.lifecycle.StartException;
import io.moldau.ops.AdministeredNode;
import io.moldau.ops.faults.Fault.Told;
import io.moldau.ops.state.AdvertisedCheck;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataRequestData.MetadataRequestTopic;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What goes wrong between nodes. In this order: nodes are stopped one after the other.
final class ClusterFaults {

    private static final List<Fault> ALL = new ArrayList<>();

    private ClusterFaults() {}

    static List<Fault> all() {
        return ALL;
    }

    private static void fault(String id, String staged, String told, List<String> words, Fault.Stage stage) {
        fault(id, staged, Fault.NONE, told, words, stage);
    }

    private static void fault(
            String id, String staged, String code, String told, List<String> words, Fault.Stage stage) {
        ALL.add(new Fault(id, staged, code, told, words, stage));
    }

    static {
        allThere();
        brokersGo();
        controllerGoes();
    }

    /// Topics that are affected in different ways when brokers go.
    private static void create(Wire wire, String name, int... replicas) {
        Wire.untilNone(() -> {
            Told told = wire.call(
                    ApiKey.CREATE_TOPICS,
                    7,
                    new CreateTopicsRequestData()
                            .setTimeoutMs(20_000)
                            .setTopics(List.of(new CreatableTopic()
                                    .setName(name)
                                    .setNumPartitions(-1)
                                    .setReplicationFactor((short) -1)
                                    .setAssignments(List.of(new CreatableReplicaAssignment()
                                            .setPartitionIndex(0)
                                            .setBrokerIds(IntStream.of(replicas)
                                                    .boxed()
                                                    .toList()))))),
                    CreateTopicsResponseData.class);
            return told.code().equals("TOPIC_ALREADY_EXISTS") ? new Told("NONE", told.text()) : told;
        });
    }

    private static void allThere() {
        fault(
                "clocks-apart",
                "the clock of one of two nodes is ten minutes ahead",
                "`doctor --node URL --node URL`",
                List.of("is 600 s ahead of that of", "chrony", "retention"),
                stages -> {
                    SmallCluster cluster = stages.cluster();
                    return Told.text(cluster.moldau(
                            "doctor",
                            "--node",
                            Stages.admin(cluster.node(1)),
                            "--node",
                            Stages.admin(cluster.node(2))));
                });
        fault(
                "disk-nearly-full",
                "the disk of a broker has 100 MB left",
                "`doctor`, `explain broker`",
                List.of("Log directory", "of broker 3 is on a disk with 95.4 MiB of", "retention.bytes", "add disk"),
                stages -> {
                    stages.cluster().disks().leave(100_000_000);
                    String said = stages.cluster().moldau("explain", "broker", "3");
                    stages.cluster().disks().leave(-1);
                    return Told.text(said);
                });
        fault(
                "broker-id-twice",
                "a second node starts with the `node.id` of a broker that runs",
                "`start`",
                List.of("node.id", "1", "another"),
                stages -> Told.text(refusal(
                        stages,
                        stages.cluster().broker(1, stages.folder().toString()),
                        "broker.session.timeout.ms",
                        "2000",
                        "broker.heartbeat.interval.ms",
                        "500",
                        "initial.broker.registration.timeout.ms",
                        "3000")));
        fault(
                "broker-of-another-cluster",
                "a broker with the directory of another cluster comes to these controllers",
                "`start`",
                List.of("cluster"),
                stages -> Told.text(refusal(
                        stages,
                        stages.cluster().broker(4, stages.folder().toString()),
                        "moldau.cluster.id",
                        "AAAAAAAAAAAAAAAAAAAAAQ",
                        "initial.broker.registration.timeout.ms",
                        "3000")));
        fault(
                "advertised-to-another-broker",
                "`advertised.listeners` with the address of another broker of the cluster",
                "a warning of `start` in its log",
                List.of("another broker of this cluster answers, not node 5", "an address of its own"),
                stages -> {
                    SmallCluster cluster = stages.cluster();
                    Map<String, String> settings =
                            cluster.broker(5, stages.folder().toString());
                    settings.put("advertised.listeners", "PLAINTEXT://" + cluster.bootstrap());
                    try (AdministeredNode node = stages.start(settings)) {
                        List<AdvertisedCheck.Problem> problems =
                                node.dialItself().get(Stages.SOON.toSeconds(), TimeUnit.SECONDS);
                        return Told.text(problems.stream()
                                .map(AdvertisedCheck.Problem::toString)
                                .collect(Collectors.joining("\n")));
                    }
                });
        fault(
                "log-directory-failed",
                "one of the disks of a broker fails",
                "`explain broker`, `doctor`",
                List.of("Log directory", "of broker 3 cannot be used", "Mend the disk"),
                stages -> {
                    SmallCluster cluster = stages.cluster();
                    try (var wire = new Wire(cluster.bootstrap());
                            var third = new Wire(Stages.bootstrap(cluster.node(3)))) {
                        // Directories are filled evenly: two topics are in both.
                        create(wire, "disk-a", 3);
                        create(wire, "disk-b", 3);
                        Wire.untilNone(() -> third.produce(9, 1, "disk-a", 0, Wire.batch(0, "x")));
                        Wire.untilNone(() -> third.produce(9, 1, "disk-b", 0, Wire.batch(0, "x")));
                        cluster.disks().breakDown(cluster.badDisk());
                        third.produce(9, 1, "disk-a", 0, Wire.batch(0, "x"));
                        third.produce(9, 1, "disk-b", 0, Wire.batch(0, "x"));
                        return Told.text(cluster.until("cannot be used", "explain", "broker", "3"));
                    }
                });
        fault(
                "write-to-a-failed-disk",
                "Produce to a partition that is on it",
                "KAFKA_STORAGE_ERROR",
                "`explain error KAFKA_STORAGE_ERROR`, `explain partition`",
                List.of("explain broker ID", "mend the disk", "cannot use its log directory"),
                stages -> {
                    SmallCluster cluster = stages.cluster();
                    try (var third = new Wire(Stages.bootstrap(cluster.node(3)))) {
                        String failed = third.produce(9, 1, "disk-a", 0, Wire.batch(0, "x"))
                                        .code()
                                        .equals("NONE")
                                ? "disk-b"
                                : "disk-a";
                        Told told = third.produce(9, 1, failed, 0, Wire.batch(0, "x"));
                        return new Told(
                                told.code(),
                                stages.moldau("explain", "error", told.code())
                                        + cluster.until("offline", "explain", "partition", failed + "-0"));
                    }
                });
    }

    private static String refusal(Stages stages, Map<String, String> settings, String... more) throws Exception {
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        try (AdministeredNode node = stages.start(settings)) {
            return "It started, as node " + node.node().config().nodeId();
        } catch (StartException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void brokersGo() {
        fault(
                "broker-gone",
                "a broker is stopped",
                "`explain broker`, `doctor`",
                List.of("Broker 3 is registered and does not serve (fenced)", "Start it", "127.0.0.1:"),
                stages -> {
                    SmallCluster cluster = stages.cluster();
                    try (var wire = new Wire(cluster.bootstrap())) {
                        create(wire, "wide", 1, 2, 3);
                        create(wire, "pair", 1, 3);
                        create(wire, "single", 3);
                        Wire.untilNone(() -> wire.produce("wide", 0, Wire.batch(0, "x")));
                    }
                    try (var coordinator = cluster.coordinator("readers")) {
                        Wire.untilNone(() -> coordinator.commit("readers", "single", 0));
                    }
                    cluster.stop(3);
                    return Told.text(cluster.until("fenced", "explain", "broker", "3"));
                });
        fault(
                "under-replicated",
                "a partition has fewer in-sync replicas than replicas",
                "`explain partition`, `doctor`",
                List.of("wide-0 is under-replicated: 2 of 3", "It serves", "because broker 3"),
                stages -> Told.text(stages.cluster().until("under-replicated", "explain", "partition", "wide-0")));
        fault(
                "under-min-isr",
                "a partition has fewer in-sync replicas than `min.insync.replicas`",
                "NOT_ENOUGH_REPLICAS",
                "`explain partition`, `doctor`",
                List.of("pair-0 takes no writes with acks=all: 1 of 2", "because broker 3", "Start it"),
                stages -> {
                    String said = stages.cluster().until("takes no writes", "explain", "partition", "pair-0");
                    try (var wire = new Wire(stages.cluster().bootstrap())) {
                        return new Told(
                                wire.produce("pair", 0, Wire.batch(0, "x")).code(), said);
                    }
                });
        fault(
                "producer-without-replicas",
                "`moldau produce` to that partition",
                "`produce`",
                List.of("1 of 1 records were not acknowledged", "topic pair", "exit status 1"),
                stages -> Told.text(stages.moldau(
                        "lost\n",
                        List.of(
                                "produce",
                                "pair",
                                "--timeout",
                                "2",
                                "-b",
                                stages.cluster().bootstrap()))));
        fault(
                "partition-offline",
                "the only replica of a partition is on a broker that is gone",
                "LEADER_NOT_AVAILABLE",
                "`explain partition`, `doctor`",
                List.of(
                        "single-0 is offline: it has no leader",
                        "none of its replicas",
                        "because broker 3",
                        "Start it"),
                stages -> {
                    String said = stages.cluster().until("is offline", "explain", "partition", "single-0");
                    try (var wire = new Wire(stages.cluster().bootstrap())) {
                        return new Told(
                                wire.call(
                                                ApiKey.METADATA,
                                                9,
                                                new MetadataRequestData()
                                                        .setTopics(
                                                                List.of(new MetadataRequestTopic().setName("single"))),
                                                MetadataResponseData.class)
                                        .code(),
                                said);
                    }
                });
        fault(
                "group-of-an-offline-partition",
                "a group reads a partition without leader",
                "`explain group`",
                List.of("Nobody can read single-0", "because single-0 is offline", "because broker 3"),
                stages -> Told.text(stages.cluster().moldau("explain", "group", "readers")));
        fault(
                "doctor-finds-them-all",
                "all of these at once",
                "`doctor`",
                List.of(
                        "Broker 3 is registered and does not serve",
                        "single-0 is offline",
                        "pair-0 takes no writes",
                        "wide-0 is under-replicated",
                        "exit status 1"),
                stages -> Told.text(stages.cluster().moldau("doctor")));
        fault(
                "leader-elsewhere",
                "Produce to a broker that does not lead the partition",
                "NOT_LEADER_OR_FOLLOWER",
                "`explain error NOT_LEADER_OR_FOLLOWER`",
                List.of("goes to the leader by itself", "moldau doctor"),
                stages -> {
                    try (var wire = new Wire(Stages.bootstrap(stages.cluster().node(2)))) {
                        Told told = wire.produce("wide", 0, Wire.batch(0, "x"));
                        return new Told(told.code(), stages.moldau("explain", "error", told.code()));
                    }
                });
        fault(
                "coordinator-elsewhere",
                "OffsetCommit to a broker that does not coordinate the group",
                "NOT_COORDINATOR",
                "`explain error NOT_COORDINATOR`",
                List.of("looks for the new coordinator by itself", "groups describe"),
                stages -> {
                    SmallCluster cluster = stages.cluster();
                    try (var coordinator = cluster.coordinator("readers");
                            var other = cluster.other(coordinator)) {
                        Told told = other.commit("readers", "wide", 0);
                        return new Told(told.code(), stages.moldau("explain", "error", told.code()));
                    }
                });
    }

    private static void controllerGoes() {
        fault(
                "quorum-gone",
                "the only voter of the metadata quorum is stopped",
                "`doctor`",
                List.of(
                        "The metadata quorum does not answer",
                        "topics, settings and leaders cannot change",
                        "Start controllers until a majority runs",
                        "quorum status"),
                stages -> {
                    stages.cluster().stop(SmallCluster.CONTROLLER);
                    return Told.text(stages.cluster().moldau("doctor", "--timeout", "3"));
                });
        fault(
                "topic-without-quorum",
                "CreateTopics without an active controller",
                "REQUEST_TIMED_OUT",
                "`explain error REQUEST_TIMED_OUT`",
                List.of("quorum status", "active controller"),
                stages -> {
                    try (var wire = new Wire(stages.cluster().bootstrap())) {
                        Told told = wire.call(
                                ApiKey.CREATE_TOPICS,
                                7,
                                new CreateTopicsRequestData()
                                        .setTimeoutMs(2_000)
                                        .setTopics(List.of(Wire.topic("late", 1))),
                                CreateTopicsResponseData.class);
                        return new Told(told.code(), told.text() + stages.moldau("explain", "error", told.code()));
                    }
                });
        fault(
                "command-without-quorum",
                "`topics create` without an active controller",
                "`topics create`",
                List.of("topic late", "quorum status", "exit status 1"),
                stages -> Told.text(stages.cluster().moldau("topics", "create", "late", "--timeout", "2")));
    }
}
