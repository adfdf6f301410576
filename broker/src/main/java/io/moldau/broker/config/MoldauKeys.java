package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys that Kafka does not have.
public final class MoldauKeys {

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

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(CLUSTER_ID),
            KnownKey.used(PRODUCE_VALIDATION),
            KnownKey.used(TAIL_CACHE_BYTES),
            KnownKey.used(TAIL_CACHE_PARTITION_BYTES));

    private MoldauKeys() {}
}
