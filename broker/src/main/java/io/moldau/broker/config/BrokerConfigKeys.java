package io.moldau.broker.config;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigSchema;
import io.moldau.common.config.ConfigType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Every key a broker or controller knows, by area. Immutable.
public final class BrokerConfigKeys {

    /// A group of keys, one chapter of the documentation.
    record Area(String title, List<KnownKey> keys) {}

    static final List<Area> AREAS = List.of(
            new Area("Cluster", ClusterKeys.ALL),
            new Area("Network", NetworkKeys.ALL),
            new Area("Topics", TopicDefaultKeys.ALL),
            new Area("Log", LogKeys.ALL),
            new Area("Fetch and replication", ReplicationKeys.ALL),
            new Area("Groups", GroupKeys.ALL),
            new Area("Transactions", TransactionKeys.ALL),
            new Area("Quotas", QuotaKeys.ALL),
            new Area("Security", SecurityKeys.ALL),
            new Area("Observation", ObservationKeys.ALL),
            new Area("Tiered storage", TieredStorageKeys.ALL),
            new Area("Moldau's own", MoldauKeys.ALL));

    public static final ConfigKey<Long> LEADER_REPLICATION_THROTTLED_RATE = ConfigKey.of(
                    "leader.replication.throttled.rate", ConfigType.longAtLeast(0))
            .defaultTo(Long.MAX_VALUE)
            .describedAs("Most bytes per second a leader sends to throttled followers.");

    public static final ConfigKey<Long> FOLLOWER_REPLICATION_THROTTLED_RATE = ConfigKey.of(
                    "follower.replication.throttled.rate", ConfigType.longAtLeast(0))
            .defaultTo(Long.MAX_VALUE)
            .describedAs("Most bytes per second a throttled follower fetches.");

    public static final ConfigKey<Long> REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND = ConfigKey.of(
                    "replica.alter.log.dirs.io.max.bytes.per.second", ConfigType.longAtLeast(0))
            .defaultTo(Long.MAX_VALUE)
            .describedAs("Most bytes per second moved between log directories.");

    /// Keys that Kafka lets one set for a running broker only, never in its file.
    static final List<KnownKey> DYNAMIC_ONLY = List.of(
            KnownKey.used(LEADER_REPLICATION_THROTTLED_RATE).clusterWide(),
            KnownKey.used(FOLLOWER_REPLICATION_THROTTLED_RATE).clusterWide(),
            KnownKey.used(REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND).clusterWide());

    private static final Map<String, KnownKey> BY_NAME = byName();

    public static final ConfigSchema SCHEMA =
            KnownKey.schema(AREAS.stream().flatMap(area -> area.keys().stream()).toList());

    private BrokerConfigKeys() {}

    /// A key that may stand in a node's file or be set while it runs.
    static @Nullable KnownKey find(String name) {
        return BY_NAME.get(name);
    }

    private static Map<String, KnownKey> byName() {
        Map<String, KnownKey> keys = new LinkedHashMap<>();
        List<KnownKey> all = new ArrayList<>(DYNAMIC_ONLY);
        AREAS.forEach(area -> all.addAll(area.keys()));
        for (KnownKey key : all) {
            if (keys.put(key.name(), key) != null) {
                throw new IllegalStateException("two keys are called " + key.name());
            }
        }
        return keys;
    }

    /// gzip has levels 1 to 9 and a default of its own, -1.
    static String gzipLevel(int level) {
        return level == -1 || (level >= 1 && level <= 9) ? "" : "it must be 1 to 9, or -1 for gzip's own default";
    }
}
