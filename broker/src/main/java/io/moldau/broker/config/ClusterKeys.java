package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;
import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about the node, its broker's session with the controller, and the metadata quorum.
public final class ClusterKeys {

    public static final ConfigKey<List<String>> PROCESS_ROLES = ConfigKey.of(
                    "process.roles", ConfigType.listOf("broker", "controller"))
            .defaultTo(List.of("broker", "controller"))
            .importance(HIGH)
            .describedAs("What this node does: `broker`, `controller`, or both in one process.");

    public static final ConfigKey<Integer> NODE_ID = ConfigKey.of("node.id", ConfigType.intAtLeast(0))
            .defaultTo(1)
            .importance(HIGH)
            .describedAs("Number of this node, unique in the cluster. Written into the data directory at the first "
                    + "start and checked ever after.");

    public static final ConfigKey<Integer> BROKER_ID = ConfigKey.of("broker.id", ConfigType.anyInt())
            .defaultTo(-1)
            .importance(HIGH)
            .describedAs("Older name of `node.id`. When both are given they must agree.");

    public static final ConfigKey<String> BROKER_RACK = ConfigKey.of("broker.rack", ConfigType.string())
            .describedAs("Name of the rack or zone this broker stands in; replicas are spread over racks and "
                    + "consumers may read from the nearest one.");

    public static final ConfigKey<Integer> BROKER_HEARTBEAT_INTERVAL_MS = ConfigKey.of(
                    "broker.heartbeat.interval.ms", ConfigType.anyInt())
            .defaultTo(2000)
            .describedAs("How often a broker tells the controller that it lives.");

    public static final ConfigKey<Integer> BROKER_SESSION_TIMEOUT_MS = ConfigKey.of(
                    "broker.session.timeout.ms", ConfigType.anyInt())
            .defaultTo(9000)
            .describedAs("How long the controller waits for a heartbeat before it fences a broker.");

    public static final ConfigKey<Integer> INITIAL_BROKER_REGISTRATION_TIMEOUT_MS = ConfigKey.of(
                    "initial.broker.registration.timeout.ms", ConfigType.anyInt())
            .defaultTo(60_000)
            .describedAs("How long a starting broker tries to register with the controller before it gives up.");

    public static final ConfigKey<Boolean> CONTROLLED_SHUTDOWN_ENABLE = ConfigKey.of(
                    "controlled.shutdown.enable", ConfigType.bool())
            .defaultTo(true)
            .describedAs("Whether a stopping broker first hands its partitions to other replicas.");

    public static final ConfigKey<List<String>> CONTROLLER_QUORUM_VOTERS = ConfigKey.of(
                    "controller.quorum.voters", ConfigType.list())
            .defaultTo(List.of())
            .importance(HIGH)
            .describedAs("The voters of the metadata quorum, each as `id@host:port`; the same on every node. Left "
                    + "empty, a controller that is told of no other one forms a quorum of itself.");

    public static final ConfigKey<List<String>> CONTROLLER_QUORUM_BOOTSTRAP_SERVERS = ConfigKey.of(
                    "controller.quorum.bootstrap.servers", ConfigType.list())
            .defaultTo(List.of())
            .importance(HIGH)
            .describedAs("Addresses (`host:port`) by which a node finds the metadata quorum.");

    public static final ConfigKey<Boolean> CONTROLLER_QUORUM_AUTO_JOIN_ENABLE = ConfigKey.of(
                    "controller.quorum.auto.join.enable", ConfigType.bool())
            .defaultTo(false)
            .importance(LOW)
            .describedAs("Whether a controller that is no voter becomes one by itself, once it has the metadata log.");

    public static final ConfigKey<Integer> CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS = ConfigKey.of(
                    "controller.quorum.election.timeout.ms", ConfigType.intAtLeast(0))
            .defaultTo(1000)
            .importance(HIGH)
            .describedAs("How long a voter goes without an election's outcome before it starts another.");

    public static final ConfigKey<String> METADATA_LOG_DIR = ConfigKey.of("metadata.log.dir", ConfigType.string())
            .importance(HIGH)
            .describedAs("Directory of the metadata log. Unset, the first log directory holds it.");

    public static final ConfigKey<Long> METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS = ConfigKey.of(
                    "metadata.log.max.record.bytes.between.snapshots", ConfigType.longAtLeast(1L))
            .defaultTo(20_971_520L)
            .importance(HIGH)
            .describedAs("How many bytes of metadata records may follow a snapshot before the next one is taken.");

    public static final ConfigKey<Long> METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS = ConfigKey.of(
                    "metadata.log.max.snapshot.interval.ms", ConfigType.longAtLeast(0L))
            .defaultTo(3_600_000L)
            .importance(HIGH)
            .describedAs("Longest time between two metadata snapshots while there are new records; 0 leaves it to "
                    + "the size alone.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(PROCESS_ROLES),
            KnownKey.used(NODE_ID),
            KnownKey.used(BROKER_ID),
            KnownKey.used(BROKER_RACK),
            KnownKey.used(BROKER_HEARTBEAT_INTERVAL_MS),
            KnownKey.used(BROKER_SESSION_TIMEOUT_MS),
            KnownKey.used(INITIAL_BROKER_REGISTRATION_TIMEOUT_MS),
            KnownKey.used(CONTROLLED_SHUTDOWN_ENABLE),
            KnownKey.used(CONTROLLER_QUORUM_VOTERS),
            KnownKey.used(CONTROLLER_QUORUM_BOOTSTRAP_SERVERS),
            KnownKey.accepted(
                    ConfigKey.of("controller.quorum.append.linger.ms", ConfigType.intAtLeast(0))
                            .defaultTo(25)
                            .describedAs(
                                    "How long the reference's quorum leader gathers writes before it flushes them."),
                    Reasons.RATIS),
            KnownKey.used(CONTROLLER_QUORUM_AUTO_JOIN_ENABLE),
            KnownKey.accepted(
                    ConfigKey.of("controller.quorum.election.backoff.max.ms", ConfigType.intAtLeast(0))
                            .defaultTo(1000)
                            .importance(HIGH)
                            .describedAs("Upper bound of the pause between two elections of the reference's quorum."),
                    Reasons.RATIS),
            KnownKey.used(CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS),
            KnownKey.accepted(
                    ConfigKey.of("controller.quorum.fetch.max.bytes", ConfigType.intAtLeast(1))
                            .defaultTo(1_048_576)
                            .importance(LOW)
                            .describedAs("Most bytes one fetch of the reference's metadata log returns."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("controller.quorum.fetch.snapshot.max.bytes", ConfigType.intAtLeast(1))
                            .defaultTo(1_048_576)
                            .importance(LOW)
                            .describedAs("Most bytes one fetch of a metadata snapshot returns."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("controller.quorum.fetch.timeout.ms", ConfigType.intAtLeast(0))
                            .defaultTo(2000)
                            .importance(HIGH)
                            .describedAs(
                                    "How long a voter goes without hearing from the quorum's leader before it stands for "
                                            + "election."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("controller.quorum.request.timeout.ms", ConfigType.intAtLeast(0))
                            .defaultTo(2000)
                            .describedAs("How long a request inside the metadata quorum waits for its answer."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("controller.quorum.retry.backoff.ms", ConfigType.intAtLeast(0))
                            .defaultTo(20)
                            .importance(LOW)
                            .describedAs("Pause before a failed request inside the reference's quorum is sent again."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("controller.performance.always.log.threshold.ms", ConfigType.longAtLeast(0L))
                            .defaultTo(2000L)
                            .hidden()
                            .describedAs("Controller events slower than this are logged by the reference."),
                    Reasons.OBSERVE),
            KnownKey.accepted(
                    ConfigKey.of("controller.performance.sample.period.ms", ConfigType.longAtLeast(100L))
                            .defaultTo(60_000L)
                            .hidden()
                            .describedAs("How often the reference logs a summary of its controller's event times."),
                    Reasons.OBSERVE),
            KnownKey.accepted(
                    ConfigKey.of("controller.socket.timeout.ms", ConfigType.anyInt())
                            .defaultTo(30_000)
                            .describedAs("Socket time-out of the reference's channel from the controller to brokers."),
                    Reasons.CHANNEL),
            KnownKey.used(METADATA_LOG_DIR),
            KnownKey.used(METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS),
            KnownKey.used(METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS),
            KnownKey.accepted(
                    ConfigKey.of("metadata.log.segment.bytes", ConfigType.intAtLeast(8_388_608))
                            .defaultTo(1_073_741_824)
                            .importance(HIGH)
                            .describedAs("Size of one file of the reference's metadata log."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("metadata.log.segment.ms", ConfigType.anyLong())
                            .defaultTo(604_800_000L)
                            .importance(HIGH)
                            .describedAs("Age at which the reference starts a new file of its metadata log."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("metadata.max.idle.interval.ms", ConfigType.intAtLeast(0))
                            .defaultTo(500)
                            .importance(LOW)
                            .describedAs(
                                    "How often the reference's controller writes an empty record when nothing else happens."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("metadata.max.retention.bytes", ConfigType.anyLong())
                            .defaultTo(104_857_600L)
                            .importance(HIGH)
                            .describedAs("Size to which the reference trims its metadata log and snapshots."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("metadata.max.retention.ms", ConfigType.anyLong())
                            .defaultTo(604_800_000L)
                            .importance(HIGH)
                            .describedAs(
                                    "Age after which the reference drops parts of its metadata log and snapshots."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("internal.metadata.delete.delay.millis", ConfigType.anyLong())
                            .defaultTo(60_000L)
                            .importance(LOW)
                            .hidden()
                            .describedAs("Delay before the reference removes a dropped file of its metadata log."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("internal.metadata.log.segment.bytes", ConfigType.anyInt())
                            .importance(LOW)
                            .hidden()
                            .describedAs("Test setting of the reference for the size of a metadata log file."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("internal.metadata.max.batch.size.in.bytes", ConfigType.anyInt())
                            .defaultTo(8_388_608)
                            .importance(LOW)
                            .hidden()
                            .describedAs("Test setting of the reference for the largest batch of its metadata log."),
                    Reasons.RATIS),
            KnownKey.accepted(
                    ConfigKey.of("server.max.startup.time.ms", ConfigType.longAtLeast(0L))
                            .defaultTo(Long.MAX_VALUE)
                            .hidden()
                            .describedAs("Longest time the start may take before the node gives up."),
                    Reasons.STARTUP),
            KnownKey.accepted(
                    ConfigKey.of("unstable.api.versions.enable", ConfigType.bool())
                            .defaultTo(false)
                            .importance(HIGH)
                            .hidden()
                            .describedAs("Whether the reference offers versions of requests that are not final."),
                    Reasons.UNSTABLE),
            KnownKey.accepted(
                    ConfigKey.of("unstable.feature.versions.enable", ConfigType.bool())
                            .defaultTo(false)
                            .importance(HIGH)
                            .hidden()
                            .describedAs("Whether the reference allows feature levels that are not final."),
                    Reasons.UNSTABLE));

    private ClusterKeys() {}
}
