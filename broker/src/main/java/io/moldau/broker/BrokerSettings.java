package io.moldau.broker;

import io.moldau.broker.config.ClusterKeys;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.GroupKeys;
import io.moldau.broker.config.LogKeys;
import io.moldau.broker.config.MoldauKeys;
import io.moldau.broker.config.NetworkKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.config.ReplicationKeys;
import io.moldau.broker.config.TopicDefaultKeys;
import io.moldau.broker.config.TransactionKeys;
import io.moldau.broker.coordinator.group.ConsumerGroupConfig;
import io.moldau.broker.coordinator.group.GroupCoordinatorConfig;
import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.transaction.TransactionCoordinatorConfig;
import io.moldau.broker.coordinator.transaction.TransactionsTopic;
import io.moldau.broker.lifecycle.BrokerRegistrar.BrokerTiming;
import io.moldau.broker.metadata.TopicCreator.InternalTopic;
import io.moldau.broker.net.NetworkConfig;
import io.moldau.common.config.ConfigException;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.space.MarkSettings;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.ConfigurationsImage;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.image.VersionRange;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;

/// Turns a node's settings into those of its parts. Pure.
final class BrokerSettings {

    /// The level of `metadata.version` this release writes and reads: that of Kafka 4.4.
    private static final short METADATA_VERSION = 33;

    /// On in new clusters, as in Kafka since 4.1.
    private static final short ELIGIBLE_LEADER_REPLICAS = 1;

    /// With an epoch for each transaction (KIP-890).
    private static final short TRANSACTION_VERSION = 2;

    /// With consumer groups of the new protocol (KIP-848).
    private static final short GROUP_VERSION = 1;

    /// The features this node supports (KIP-584).
    static final Map<String, VersionRange> FEATURES = Map.of(
            FeaturesImage.METADATA_VERSION, new VersionRange(METADATA_VERSION, METADATA_VERSION),
            FeaturesImage.ELIGIBLE_LEADER_REPLICAS, new VersionRange((short) 0, ELIGIBLE_LEADER_REPLICAS),
            FeaturesImage.TRANSACTION_VERSION, new VersionRange((short) 0, TRANSACTION_VERSION),
            FeaturesImage.GROUP_VERSION, new VersionRange((short) 0, GROUP_VERSION));

    private static final int MEBIBYTE = 1 << 20;

    private final NodeConfig config;
    private final long heapBytes;

    /// @param heapBytes the most the heap can be: buffers that nobody sized are sized by it
    BrokerSettings(NodeConfig config, long heapBytes) {
        this.config = config;
        this.heapBytes = heapBytes;
    }

    NetworkConfig network() {
        long queued = config.get(NetworkKeys.QUEUED_MAX_REQUEST_BYTES);
        long requestMemory = queued > 0
                ? queued
                : Math.clamp(
                        heapBytes / 4,
                        NetworkConfig.DEFAULTS.requestMemoryBytes() / 8,
                        NetworkConfig.DEFAULTS.requestMemoryBytes());
        return new NetworkConfig(
                config.isSet(NetworkKeys.NUM_NETWORK_THREADS) ? config.get(NetworkKeys.NUM_NETWORK_THREADS) : 0,
                config.get(NetworkKeys.MAX_CONNECTIONS),
                config.get(NetworkKeys.MAX_CONNECTIONS_PER_IP),
                perIpOverrides(config.get(NetworkKeys.MAX_CONNECTIONS_PER_IP_OVERRIDES)),
                config.get(NetworkKeys.CONNECTIONS_MAX_IDLE_MS),
                config.get(NetworkKeys.SOCKET_REQUEST_MAX_BYTES),
                requestMemory,
                NetworkConfig.DEFAULTS.maxRequestsInFlight(),
                NetworkConfig.DEFAULTS.maxPendingResponseBytes(),
                // Left to the kernel unless somebody insists: a fixed size switches its tuning off and costs
                // throughput.
                config.isSet(NetworkKeys.SOCKET_RECEIVE_BUFFER_BYTES)
                        ? config.get(NetworkKeys.SOCKET_RECEIVE_BUFFER_BYTES)
                        : -1,
                config.isSet(NetworkKeys.SOCKET_SEND_BUFFER_BYTES)
                        ? config.get(NetworkKeys.SOCKET_SEND_BUFFER_BYTES)
                        : -1,
                config.get(NetworkKeys.SOCKET_LISTEN_BACKLOG_SIZE));
    }

    private static Map<String, Integer> perIpOverrides(String text) {
        Map<String, Integer> overrides = new HashMap<>();
        for (String pair : text.split(",", -1)) {
            if (pair.isBlank()) {
                continue;
            }
            int colon = pair.lastIndexOf(':');
            try {
                overrides.put(
                        pair.substring(0, Math.max(0, colon)).strip(),
                        Integer.parseInt(pair.substring(colon + 1).strip()));
            } catch (NumberFormatException e) {
                throw new ConfigException("Invalid value " + text
                        + " for configuration max.connections.per.ip.overrides: '" + pair.strip()
                        + "' must be address:count");
            }
        }
        return overrides;
    }

    /// @param producerIdExpirationMs `producer.id.expiration.ms` as it is set now
    LogDirsConfig logDirs(RandomGenerator random, IntSupplier producerIdExpirationMs) {
        return new LogDirsConfig(
                config.get(ReplicationKeys.REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS),
                config.get(LogKeys.LOG_RETENTION_CHECK_INTERVAL_MS),
                config.get(LogKeys.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS),
                producerIdExpirationMs,
                config.get(LogKeys.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS),
                config.get(LogKeys.NUM_RECOVERY_THREADS_PER_DATA_DIR),
                config.get(MoldauKeys.READ_CHECK_INTERVAL_MS),
                config.get(MoldauKeys.LOG_DIR_PLACEMENT).equals("free-bytes"),
                random);
    }

    /// When the disks count as short of space and as full.
    MarkSettings spaceMarks(ConfigResolver resolver, ConfigurationsImage configs) {
        return new MarkSettings(
                resolver.ofBroker(MoldauKeys.STORAGE_SHORT_BYTES, configs),
                resolver.ofBroker(MoldauKeys.STORAGE_FULL_BYTES, configs),
                resolver.ofBroker(MoldauKeys.STORAGE_RESERVE_BYTES, configs));
    }

    /// What the cleaner goes by, out of the metadata as it is now.
    CleanerThreads.Settings cleaner(ConfigResolver resolver, ConfigurationsImage configs) {
        int threads = resolver.ofBroker(LogKeys.LOG_CLEANER_THREADS, configs);
        int share = Math.max(threads, 1);
        long keys = Math.min(resolver.ofBroker(LogKeys.LOG_CLEANER_DEDUPE_BUFFER_SIZE, configs), heapBytes / 8);
        return new CleanerThreads.Settings(
                threads,
                resolver.ofBroker(LogKeys.LOG_CLEANER_BACKOFF_MS, configs),
                resolver.ofBroker(LogKeys.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND, configs),
                new CleanerConfig(
                        Math.max(keys / share, MEBIBYTE),
                        resolver.ofBroker(LogKeys.LOG_CLEANER_IO_BUFFER_LOAD_FACTOR, configs),
                        resolver.ofBroker(LogKeys.LOG_CLEANER_IO_BUFFER_SIZE, configs) / share));
    }

    ControllerSettings controller() {
        return new ControllerSettings(
                config.get(TopicDefaultKeys.NUM_PARTITIONS),
                config.get(TopicDefaultKeys.DEFAULT_REPLICATION_FACTOR),
                config.get(TopicDefaultKeys.DELETE_TOPIC_ENABLE),
                config.get(TopicDefaultKeys.UNCLEAN_LEADER_ELECTION_ENABLE),
                config.get(TopicDefaultKeys.MIN_INSYNC_REPLICAS),
                config.get(MoldauKeys.DURABILITY).equals("flushed"),
                config.get(ClusterKeys.BROKER_SESSION_TIMEOUT_MS),
                // Raft has heartbeats of its own; a record that says nothing would only keep disks awake.
                0,
                new ControllerSettings.LeaderBalance(
                        config.get(TopicDefaultKeys.AUTO_LEADER_REBALANCE_ENABLE),
                        TimeUnit.SECONDS.toMillis(
                                config.get(TopicDefaultKeys.LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS))),
                config.interBrokerListener(),
                Map.of(
                        FeaturesImage.METADATA_VERSION, METADATA_VERSION,
                        FeaturesImage.ELIGIBLE_LEADER_REPLICAS, ELIGIBLE_LEADER_REPLICAS,
                        FeaturesImage.TRANSACTION_VERSION, TRANSACTION_VERSION,
                        FeaturesImage.GROUP_VERSION, GROUP_VERSION));
    }

    BrokerTiming timing() {
        return new BrokerTiming(
                config.get(ClusterKeys.BROKER_HEARTBEAT_INTERVAL_MS),
                config.get(ClusterKeys.BROKER_SESSION_TIMEOUT_MS),
                config.get(ClusterKeys.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS));
    }

    GroupCoordinatorConfig groups() {
        return new GroupCoordinatorConfig(
                config.get(GroupKeys.GROUP_MIN_SESSION_TIMEOUT_MS),
                config.get(GroupKeys.GROUP_MAX_SESSION_TIMEOUT_MS),
                config.get(GroupKeys.GROUP_INITIAL_REBALANCE_DELAY_MS),
                config.get(GroupKeys.GROUP_MAX_SIZE),
                GroupCoordinatorConfig.DEFAULTS.newMemberJoinTimeoutMs(),
                config.get(GroupKeys.OFFSET_METADATA_MAX_BYTES),
                TimeUnit.MINUTES.toMillis(config.get(GroupKeys.OFFSETS_RETENTION_MINUTES)),
                config.get(GroupKeys.OFFSETS_RETENTION_CHECK_INTERVAL_MS),
                config.get(GroupKeys.OFFSETS_COMMIT_TIMEOUT_MS),
                GroupCoordinatorConfig.DEFAULTS.maxPendingMembers(),
                new ConsumerGroupConfig(
                        config.get(GroupKeys.GROUP_CONSUMER_MAX_SIZE),
                        ConsumerGroupConfig.assignors(config.get(GroupKeys.GROUP_CONSUMER_ASSIGNORS)),
                        ConsumerGroupConfig.MigrationPolicy.valueOf(
                                config.get(GroupKeys.GROUP_CONSUMER_MIGRATION_POLICY)
                                        .toUpperCase(Locale.ROOT)),
                        config.get(GroupKeys.GROUP_CONSUMER_REGEX_REFRESH_INTERVAL_MS),
                        ConsumerGroupConfig.DEFAULTS.regexMinRefreshIntervalMs()));
    }

    TransactionCoordinatorConfig transactions() {
        return new TransactionCoordinatorConfig(
                config.get(TransactionKeys.TRANSACTION_MAX_TIMEOUT_MS),
                config.get(TransactionKeys.ABORT_TIMED_OUT_INTERVAL_MS),
                config.get(TransactionKeys.TRANSACTIONAL_ID_EXPIRATION_MS),
                config.get(TransactionKeys.REMOVE_EXPIRED_INTERVAL_MS),
                TransactionCoordinatorConfig.DEFAULTS.maxTransactionalIds());
    }

    Map<String, InternalTopic> internalTopics() {
        return Map.of(
                OffsetsTopic.NAME,
                new InternalTopic(
                        config.get(GroupKeys.OFFSETS_TOPIC_NUM_PARTITIONS),
                        config.get(GroupKeys.OFFSETS_TOPIC_REPLICATION_FACTOR),
                        config.isSet(GroupKeys.OFFSETS_TOPIC_REPLICATION_FACTOR),
                        OffsetsTopic.configs(config.get(GroupKeys.OFFSETS_TOPIC_SEGMENT_BYTES))),
                TransactionsTopic.NAME,
                new InternalTopic(
                        config.get(TransactionKeys.TRANSACTION_STATE_LOG_NUM_PARTITIONS),
                        config.get(TransactionKeys.TRANSACTION_STATE_LOG_REPLICATION_FACTOR),
                        config.isSet(TransactionKeys.TRANSACTION_STATE_LOG_REPLICATION_FACTOR),
                        TransactionsTopic.configs(
                                config.get(TransactionKeys.TRANSACTION_STATE_LOG_MIN_ISR),
                                config.get(TransactionKeys.TRANSACTION_STATE_LOG_SEGMENT_BYTES))));
    }

    /// Bytes of the newest records kept in memory.
    long tailCacheBytes() {
        long given = config.get(MoldauKeys.TAIL_CACHE_BYTES);
        return given >= 0 ? given : Math.min(heapBytes / 8, 64L * MEBIBYTE);
    }
}
