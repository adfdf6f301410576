package io.moldau.broker.config;

import io.moldau.broker.config.DescribedConfig.Synonym;
import io.moldau.common.config.ConfigKey;
import io.moldau.log.LogConfig;
import io.moldau.metadata.controller.TopicConfigDescriber;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.ConfigurationsImage;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.TimestampType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What settings are in effect, from all the places that may hold them: a topic's or group's overrides, those of this
/// broker, those of all brokers, the node's file, the default. Immutable and without state of its own.
public final class ConfigResolver implements TopicConfigDescriber {

    private final NodeConfig node;

    public ConfigResolver(NodeConfig node) {
        this.node = node;
    }

    /// The dynamic settings of this broker, as the metadata image has them.
    private record Dynamic(Map<String, String> ofBroker, Map<String, String> ofAll) {}

    private Dynamic dynamic(ConfigurationsImage configs) {
        return new Dynamic(
                configs.overrides(ConfigResource.broker(node.nodeId())),
                configs.overrides(ConfigResource.brokerDefault()));
    }

    /// This broker's settings, hidden ones left out. Those that can be set for a running broker only
    /// are there when they are set.
    public List<DescribedConfig> describeBroker(ConfigurationsImage configs) {
        Dynamic dynamic = dynamic(configs);
        List<DescribedConfig> described = new ArrayList<>();
        for (BrokerConfigKeys.Area area : BrokerConfigKeys.AREAS) {
            for (KnownKey known : area.keys()) {
                if (!known.key().isHidden()) {
                    described.add(describe(known.key(), brokerSynonyms(known.key(), dynamic), !known.isDynamic()));
                }
            }
        }
        for (KnownKey known : BrokerConfigKeys.DYNAMIC_ONLY) {
            List<Synonym> synonyms = new ArrayList<>();
            addSet(synonyms, known.key(), dynamic);
            if (!synonyms.isEmpty()) {
                described.add(describe(known.key(), synonyms, !known.isDynamic()));
            }
        }
        return described;
    }

    /// The settings all brokers share that were set while they ran.
    public List<DescribedConfig> describeBrokerDefault(ConfigurationsImage configs) {
        List<DescribedConfig> described = new ArrayList<>();
        configs.overrides(ConfigResource.brokerDefault()).forEach((name, value) -> {
            KnownKey known = BrokerConfigKeys.find(name);
            if (known != null) {
                @Nullable String shown = shown(known.key(), value);
                described.add(new DescribedConfig(
                        known.key(),
                        shown,
                        ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
                        !known.isDynamic(),
                        List.of(new Synonym(name, shown, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG))));
            }
        });
        return described;
    }

    public List<DescribedConfig> describeTopic(String topic, ConfigurationsImage configs) {
        return describeTopic(configs.overrides(ConfigResource.topic(topic)), dynamic(configs));
    }

    @Override
    public List<Entry> describe(Map<String, String> overrides, Map<String, String> brokerOverrides) {
        return describeTopic(overrides, new Dynamic(Map.of(), brokerOverrides)).stream()
                .map(config -> new Entry(
                        config.key().name(),
                        config.value(),
                        config.readOnly(),
                        config.source().code(),
                        config.key().isSensitive()))
                .toList();
    }

    private List<DescribedConfig> describeTopic(Map<String, String> overrides, Dynamic dynamic) {
        List<DescribedConfig> described = new ArrayList<>();
        for (KnownKey known : TopicConfigKeys.ALL) {
            if (!known.key().isHidden()) {
                described.add(describe(known.key(), topicSynonyms(known.key(), overrides, dynamic), false));
            }
        }
        return described;
    }

    public List<DescribedConfig> describeGroup(String group, ConfigurationsImage configs) {
        Map<String, String> overrides = configs.overrides(new ConfigResource(ConfigResource.Type.GROUP, group));
        Dynamic dynamic = dynamic(configs);
        List<DescribedConfig> described = new ArrayList<>();
        for (KnownKey known : GroupConfigKeys.ALL) {
            ConfigKey<?> key = known.key();
            if (key.isHidden()) {
                continue;
            }
            List<Synonym> synonyms = new ArrayList<>();
            add(synonyms, key, key.name(), overrides.get(key.name()), ConfigSource.DYNAMIC_GROUP_CONFIG);
            for (String name : key.synonyms()) {
                synonyms.addAll(brokerSynonyms(brokerKey(name), dynamic));
            }
            if (key.synonyms().isEmpty()) {
                add(synonyms, key, key.name(), key.defaultText(), ConfigSource.DEFAULT_CONFIG);
            }
            described.add(describe(key, synonyms, false));
        }
        return described;
    }

    public List<DescribedConfig> describeClientMetrics(String subscription, ConfigurationsImage configs) {
        Map<String, String> overrides =
                configs.overrides(new ConfigResource(ConfigResource.Type.CLIENT_METRICS, subscription));
        List<DescribedConfig> described = new ArrayList<>();
        for (KnownKey known : ClientMetricsConfigKeys.ALL) {
            ConfigKey<?> key = known.key();
            List<Synonym> synonyms = new ArrayList<>();
            add(synonyms, key, key.name(), overrides.get(key.name()), ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG);
            described.add(describe(key, synonyms, false));
        }
        return described;
    }

    /// What a topic's logs on this broker go by.
    public LogConfig logConfig(String topic, ConfigurationsImage configs) {
        Map<String, String> overrides = configs.overrides(ConfigResource.topic(topic));
        Dynamic dynamic = dynamic(configs);
        TopicReader reader = new TopicReader(overrides, dynamic);
        List<String> policy = reader.get(TopicConfigKeys.CLEANUP_POLICY);
        String compression = reader.get(TopicConfigKeys.COMPRESSION_TYPE);
        Integer internalSegmentBytes = reader.find(TopicConfigKeys.INTERNAL_SEGMENT_BYTES);
        return new LogConfig.Builder()
                .segmentBytes(
                        internalSegmentBytes != null ? internalSegmentBytes : reader.get(TopicConfigKeys.SEGMENT_BYTES))
                .segmentMs(reader.get(TopicConfigKeys.SEGMENT_MS))
                .segmentJitterMs(reader.get(TopicConfigKeys.SEGMENT_JITTER_MS))
                .segmentIndexBytes(reader.get(TopicConfigKeys.SEGMENT_INDEX_BYTES))
                .indexIntervalBytes(reader.get(TopicConfigKeys.INDEX_INTERVAL_BYTES))
                .flushMessages(reader.get(TopicConfigKeys.FLUSH_MESSAGES))
                .flushMs(reader.get(TopicConfigKeys.FLUSH_MS))
                .retentionMs(reader.get(TopicConfigKeys.RETENTION_MS))
                .retentionBytes(reader.get(TopicConfigKeys.RETENTION_BYTES))
                .maxMessageBytes(reader.get(TopicConfigKeys.MAX_MESSAGE_BYTES))
                .fileDeleteDelayMs(reader.get(TopicConfigKeys.FILE_DELETE_DELAY_MS))
                .deleteRetentionMs(reader.get(TopicConfigKeys.DELETE_RETENTION_MS))
                .minCompactionLagMs(reader.get(TopicConfigKeys.MIN_COMPACTION_LAG_MS))
                .maxCompactionLagMs(reader.get(TopicConfigKeys.MAX_COMPACTION_LAG_MS))
                .minCleanableDirtyRatio(reader.get(TopicConfigKeys.MIN_CLEANABLE_DIRTY_RATIO))
                .delete(policy.contains("delete"))
                .compact(policy.contains("compact"))
                .compression(compression(compression))
                .gzipLevel(reader.get(TopicConfigKeys.COMPRESSION_GZIP_LEVEL))
                .lz4Level(reader.get(TopicConfigKeys.COMPRESSION_LZ4_LEVEL))
                .zstdLevel(reader.get(TopicConfigKeys.COMPRESSION_ZSTD_LEVEL))
                .preallocate(reader.get(TopicConfigKeys.PREALLOCATE))
                .timestampType(Objects.requireNonNull(
                        TimestampType.forConfigName(reader.get(TopicConfigKeys.MESSAGE_TIMESTAMP_TYPE))))
                .timestampBeforeMaxMs(reader.get(TopicConfigKeys.MESSAGE_TIMESTAMP_BEFORE_MAX_MS))
                .timestampAfterMaxMs(reader.get(TopicConfigKeys.MESSAGE_TIMESTAMP_AFTER_MAX_MS))
                .storageBudgetBytes(reader.get(TopicConfigKeys.STORAGE_BUDGET_BYTES))
                .fullValidation(node.get(MoldauKeys.PRODUCE_VALIDATION).equals("full"))
                .build();
    }

    /// A topic's `min.insync.replicas` in effect.
    public int minInsyncReplicas(String topic, ConfigurationsImage configs) {
        return new TopicReader(configs.overrides(ConfigResource.topic(topic)), dynamic(configs))
                .get(TopicConfigKeys.MIN_INSYNC_REPLICAS);
    }

    /// A topic's `moldau.durability` in effect.
    public String durability(String topic, ConfigurationsImage configs) {
        return new TopicReader(configs.overrides(ConfigResource.topic(topic)), dynamic(configs))
                .get(TopicConfigKeys.DURABILITY);
    }

    /// Which replicas of a topic are throttled, by either of the two keys for that: `*`, or pairs
    /// of partition and broker.
    public List<String> throttledReplicas(String topic, ConfigKey<List<String>> key, ConfigurationsImage configs) {
        @Nullable String own = configs.overrides(ConfigResource.topic(topic)).get(key.name());
        return own == null ? List.of() : key.parse(own);
    }

    /// A setting of this broker in effect, of those that can be set while it runs.
    public <T> T ofBroker(ConfigKey<T> key, ConfigurationsImage configs) {
        String value = setForBroker(key.name(), dynamic(configs));
        return Objects.requireNonNull(value != null ? key.parse(value) : key.defaultValue(), key.name());
    }

    private @Nullable String setForBroker(String name, Dynamic dynamic) {
        String value = dynamic.ofBroker().get(name);
        value = value != null ? value : dynamic.ofAll().get(name);
        return value != null ? value : node.texts().get(name);
    }

    /// A group's setting in effect: its own as far as brokers allow it by now, else the one of the brokers (KIP-848).
    ///
    /// @param key of [GroupConfigKeys], with a key of brokers that stands in for it
    public int ofGroup(ConfigKey<Integer> key, String group, ConfigurationsImage configs) {
        String own = configs.overrides(new ConfigResource(ConfigResource.Type.GROUP, group))
                .get(key.name());
        if (own != null) {
            return Math.toIntExact(GroupLimits.of(key.name(), node).clamp(key.parse(own)));
        }
        String value = setForBroker(key.synonyms().getFirst(), dynamic(configs));
        return value == null ? Objects.requireNonNull(key.defaultValue(), key.name()) : key.parse(value);
    }

    private static @Nullable Compression compression(String name) {
        return switch (name) {
            case "producer" -> null;
            case "uncompressed" -> Compression.NONE;
            default -> Compression.forConfigName(name);
        };
    }

    /// Reads one topic's settings.
    private final class TopicReader {
        private final Map<String, String> overrides;
        private final Dynamic dynamic;

        TopicReader(Map<String, String> overrides, Dynamic dynamic) {
            this.overrides = overrides;
            this.dynamic = dynamic;
        }

        <T> T get(ConfigKey<T> key) {
            return Objects.requireNonNull(find(key), key.name());
        }

        <T> @Nullable T find(ConfigKey<T> key) {
            String own = overrides.get(key.name());
            if (own != null) {
                return key.parse(own);
            }
            for (String name : key.synonyms()) {
                String value = setForBroker(name, dynamic);
                if (value != null) {
                    return key.parse(inUnitOf(key, name, value));
                }
            }
            return key.defaultValue();
        }
    }

    private List<Synonym> topicSynonyms(ConfigKey<?> key, Map<String, String> overrides, Dynamic dynamic) {
        List<Synonym> synonyms = new ArrayList<>();
        add(synonyms, key, key.name(), overrides.get(key.name()), ConfigSource.DYNAMIC_TOPIC_CONFIG);
        for (int i = 0; i < key.synonyms().size(); i++) {
            String name = key.synonyms().get(i);
            ConfigKey<?> broker = brokerKey(name);
            addSet(synonyms, broker, dynamic);
            if (i == 0) {
                add(synonyms, broker, name, broker.defaultText(), ConfigSource.DEFAULT_CONFIG);
            }
        }
        return synonyms;
    }

    private List<Synonym> brokerSynonyms(ConfigKey<?> key, Dynamic dynamic) {
        List<Synonym> synonyms = new ArrayList<>();
        addSet(synonyms, key, dynamic);
        for (String name : standIns(key.name())) {
            addSet(synonyms, brokerKey(name), dynamic);
        }
        add(synonyms, key, key.name(), key.defaultText(), ConfigSource.DEFAULT_CONFIG);
        return synonyms;
    }

    private void addSet(List<Synonym> synonyms, ConfigKey<?> key, Dynamic dynamic) {
        String name = key.name();
        add(synonyms, key, name, dynamic.ofBroker().get(name), ConfigSource.DYNAMIC_BROKER_CONFIG);
        add(synonyms, key, name, dynamic.ofAll().get(name), ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
        add(synonyms, key, name, fromFile(name), ConfigSource.STATIC_BROKER_CONFIG);
    }

    /// What the node's file says. The two names of the node's number always say the same.
    private @Nullable String fromFile(String name) {
        return name.equals("node.id") || name.equals("broker.id")
                ? Integer.toString(node.nodeId())
                : node.texts().get(name);
    }

    private static void add(
            List<Synonym> synonyms, ConfigKey<?> key, String name, @Nullable String value, ConfigSource source) {
        if (value != null) {
            synonyms.add(new Synonym(name, shown(key, value), source));
        }
    }

    private static DescribedConfig describe(ConfigKey<?> key, List<Synonym> synonyms, boolean readOnly) {
        if (synonyms.isEmpty()) {
            return new DescribedConfig(
                    key, shown(key, key.defaultText()), ConfigSource.DEFAULT_CONFIG, readOnly, synonyms);
        }
        Synonym first = synonyms.getFirst();
        String value = first.value();
        if (value != null) {
            value = inUnitOf(key, first.name(), value);
        }
        return new DescribedConfig(key, value, first.source(), readOnly, List.copyOf(synonyms));
    }

    private static @Nullable String shown(ConfigKey<?> key, @Nullable String value) {
        return key.isSensitive() ? null : value;
    }

    private static ConfigKey<?> brokerKey(String name) {
        KnownKey known = BrokerConfigKeys.find(name);
        if (known == null) {
            throw new IllegalStateException("no broker key is called " + name);
        }
        return known.key();
    }

    /// Broker keys that speak of the same thing in a larger unit, or in general.
    private static List<String> standIns(String name) {
        return switch (name) {
            case "log.roll.ms" -> List.of("log.roll.hours");
            case "log.roll.jitter.ms" -> List.of("log.roll.jitter.hours");
            case "log.retention.ms" -> List.of("log.retention.minutes", "log.retention.hours");
            case "log.flush.interval.ms" -> List.of("log.flush.scheduler.interval.ms");
            default -> List.of();
        };
    }

    /// Turns hours and minutes of a stand-in into the milliseconds of the key it stands in for.
    private static String inUnitOf(ConfigKey<?> key, String from, String value) {
        if (from.equals(key.name()) || !key.name().endsWith("ms")) {
            return value;
        }
        TimeUnit unit = from.endsWith(".hours")
                ? TimeUnit.HOURS
                : from.endsWith(".minutes") ? TimeUnit.MINUTES : TimeUnit.MILLISECONDS;
        if (unit == TimeUnit.MILLISECONDS) {
            return value;
        }
        long amount = Long.parseLong(value.strip());
        return Long.toString(amount < 0 ? amount : unit.toMillis(amount));
    }
}
