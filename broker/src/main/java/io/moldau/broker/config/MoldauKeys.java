package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Keys that Kafka does not have.
public final class MoldauKeys {

    private static final Pattern ADMIN_ADDRESS =
            Pattern.compile("http://([^/:\\[\\]]+|\\[[0-9a-fA-F:.%]+])?:(\\d{1,5})/?");

    /// What nobody guesses at a few tries a second.
    private static final int SHORTEST_TOKEN = 16;

    public static final ConfigKey<String> CLUSTER_ID = ConfigKey.of(
                    "moldau.cluster.id",
                    ConfigType.string().checked(NodeConfig::reasonAgainstClusterId, "22 characters of URL-safe base64"))
            .importance(LOW)
            .describedAs(
                    "Id of the cluster this node belongs to. Unset, the data directory's word counts; a node without "
                            + "a past asks the controllers, a node alone draws one, and the first voters of a cluster derive "
                            + "one from `controller.quorum.voters`.");

    public static final ConfigKey<String> PRODUCE_VALIDATION = ConfigKey.of(
                    "moldau.produce.validation", ConfigType.oneOf("header", "full"))
            .defaultTo("header")
            .describedAs("How a compressed batch is checked: `header` by its header and checksum, `full` by unpacking "
                    + "it and looking at each record, as Kafka does. Compacted topics and `LogAppendTime` unpack where "
                    + "they must in either case.");

    public static final ConfigKey<Long> TAIL_CACHE_BYTES = ConfigKey.of(
                    "moldau.tail.cache.bytes", ConfigType.longAtLeast(-1))
            .defaultTo(-1L)
            .describedAs("Memory for the newest records of partitions that are read at their end, so that many "
                    + "consumers share one copy; -1 takes an eighth of the heap's size, at most 64 MiB.");

    public static final ConfigKey<Integer> TAIL_CACHE_PARTITION_BYTES = ConfigKey.of(
                    "moldau.tail.cache.partition.bytes", ConfigType.intAtLeast(0))
            .defaultTo(131_072)
            .importance(LOW)
            .describedAs("Most of that memory for one partition.");

    public static final ConfigKey<String> ADMIN_LISTENER = ConfigKey.of(
                    "admin.listener",
                    ConfigType.string()
                            .checked(MoldauKeys::reasonAgainstAdminListener, "http://HOST:PORT, or empty for none"))
            .defaultTo("http://127.0.0.1:9644")
            .describedAs("Where metrics, health, the console and the HTTP interface behind it are. Left unset, a free "
                    + "port is taken if this one is in use, and the log says which; set, a port in use stops the "
                    + "start. Port 0 takes a free one. Bound beyond loopback, it shows metrics and health to "
                    + "everybody, the rest to those with `admin.token`.");

    public static final ConfigKey<String> ADMIN_TOKEN = ConfigKey.of(
                    "admin.token",
                    ConfigType.password()
                            .checked(
                                    value -> value.isEmpty() || value.length() >= SHORTEST_TOKEN
                                            ? ""
                                            : "it must have at least " + SHORTEST_TOKEN + " characters",
                                    "empty, or " + SHORTEST_TOKEN + " characters and more"))
            .defaultTo("")
            .describedAs(
                    "What a browser's login (any name, this as the password) or a script's `Authorization: Bearer` "
                            + "has to say to see the console and `/api/`. Empty, those are for this machine only, and need no "
                            + "login.");

    public static final ConfigKey<Integer> METRICS_PARTITIONS = ConfigKey.of(
                    "moldau.metrics.max.partitions", ConfigType.intAtLeast(0))
            .defaultTo(20_000)
            .describedAs("How many partitions have metrics of their own; 0 for none. What is left off is counted in "
                    + "`moldau_metrics_left_off`.");

    public static final ConfigKey<Integer> METRICS_TOPICS = ConfigKey.of(
                    "moldau.metrics.max.topics", ConfigType.intAtLeast(0))
            .defaultTo(5_000)
            .describedAs("How many topics have metrics of their own; 0 for none. Traffic of the others is counted "
                    + "together.");

    public static final ConfigKey<Integer> METRICS_GROUPS = ConfigKey.of(
                    "moldau.metrics.max.groups", ConfigType.intAtLeast(0))
            .defaultTo(1_000)
            .describedAs("How many groups of this node's coordinator have metrics of their own; 0 for none.");

    public static final ConfigKey<Integer> METRICS_GROUP_PARTITIONS = ConfigKey.of(
                    "moldau.metrics.max.group.partitions", ConfigType.intAtLeast(0))
            .defaultTo(20_000)
            .importance(LOW)
            .describedAs("For how many partitions of groups, over all groups, lag is told.");

    public static final ConfigKey<Long> STORAGE_SHORT_BYTES = ConfigKey.of(
                    "moldau.storage.short.bytes", ConfigType.longAtLeast(-1L))
            .defaultTo(-1L)
            .describedAs("With less than this free where a log directory is, topics over their "
                    + "`moldau.storage.budget.bytes` take no records, and retention works at once, until half as much "
                    + "again is free. -1 takes a tenth of the disk, at most 5 GiB.");

    public static final ConfigKey<Long> STORAGE_FULL_BYTES = ConfigKey.of(
                    "moldau.storage.full.bytes", ConfigType.longAtLeast(-1L))
            .defaultTo(-1L)
            .describedAs("With less than this free its partitions take no records of clients, who get "
                    + "KAFKA_STORAGE_ERROR and try again; everything else goes on. -1 takes a twentieth of the disk, at "
                    + "most 1 GiB; 0 refuses only what the disk refuses.");

    public static final ConfigKey<Long> STORAGE_RESERVE_BYTES = ConfigKey.of(
                    "moldau.storage.reserve.bytes", ConfigType.longAtLeast(-1L))
            .defaultTo(-1L)
            .importance(LOW)
            .describedAs(
                    "Room kept ahead where logs and metadata are, as the file `.moldau-reserve`, and given up when "
                            + "nothing else is free, so that the node can write what it must. -1 takes a 32nd of the "
                            + "disk, at most 8 MiB; 0 keeps none.");

    public static final ConfigKey<String> DURABILITY = ConfigKey.of(
                    "moldau.durability", ConfigType.oneOf("replicated", "flushed"))
            .defaultTo("replicated")
            .describedAs("When a record is committed, and a write with acks=all answered: `replicated`, when all "
                    + "in-sync replicas have it, as in Kafka; `flushed`, when all of them have forced "
                    + "it to the disk, so that it survives a power cut. A topic can say otherwise. Set it "
                    + "alike on brokers and controllers, or for the cluster while it runs.");

    public static final ConfigKey<Integer> FLUSH_THREADS = ConfigKey.of(
                    "moldau.flush.threads.per.data.dir", ConfigType.intBetween(1, 64))
            .defaultTo(4)
            .importance(LOW)
            .describedAs("How many partitions of one log directory are forced to the disk at a time where "
                    + "`moldau.durability` is `flushed`.");

    public static final ConfigKey<Long> READ_CHECK_INTERVAL_MS = ConfigKey.of(
                    "moldau.read.check.interval.ms", ConfigType.longAtLeast(0))
            .defaultTo(3_600_000L)
            .importance(LOW)
            .describedAs("How long records that were checked against their checksums, or written by this process, are "
                    + "given to readers without another check. The first read after that checks them again, before "
                    + "anybody gets them.");

    public static final ConfigKey<String> LOG_DIR_PLACEMENT = ConfigKey.of(
                    "moldau.log.dir.placement", ConfigType.oneOf("count", "free-bytes"))
            .defaultTo("count")
            .importance(LOW)
            .describedAs("Which of several log directories a new replica gets: `count`, as in Kafka, the one with the "
                    + "fewest replicas; `free-bytes` the one with the most free bytes for each replica, for volumes of "
                    + "different sizes.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(CLUSTER_ID),
            KnownKey.used(PRODUCE_VALIDATION),
            KnownKey.used(DURABILITY).clusterWide(),
            KnownKey.used(FLUSH_THREADS),
            KnownKey.used(LOG_DIR_PLACEMENT),
            KnownKey.used(TAIL_CACHE_BYTES),
            KnownKey.used(TAIL_CACHE_PARTITION_BYTES),
            KnownKey.used(ADMIN_LISTENER),
            KnownKey.used(ADMIN_TOKEN),
            KnownKey.used(METRICS_PARTITIONS),
            KnownKey.used(METRICS_TOPICS),
            KnownKey.used(METRICS_GROUPS),
            KnownKey.used(METRICS_GROUP_PARTITIONS),
            KnownKey.used(STORAGE_SHORT_BYTES).clusterWide(),
            KnownKey.used(STORAGE_FULL_BYTES).clusterWide(),
            KnownKey.used(STORAGE_RESERVE_BYTES).clusterWide(),
            KnownKey.used(READ_CHECK_INTERVAL_MS));

    private MoldauKeys() {}

    /// Host and port of an `admin.listener`; null if it is empty.
    public static NodeConfig.@Nullable HostPort adminAddress(String listener) {
        Matcher matcher = ADMIN_ADDRESS.matcher(listener.strip());
        if (!matcher.matches()) {
            return null;
        }
        String host = matcher.group(1) == null ? "" : matcher.group(1);
        return new NodeConfig.HostPort(host.replace("[", "").replace("]", ""), Integer.parseInt(matcher.group(2)));
    }

    private static String reasonAgainstAdminListener(String value) {
        if (value.isBlank()) {
            return "";
        }
        NodeConfig.HostPort address = adminAddress(value);
        return address == null || address.port() > 65_535 ? "it must look like http://127.0.0.1:9644" : "";
    }
}
