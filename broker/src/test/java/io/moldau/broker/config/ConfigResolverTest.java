package io.moldau.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.config.DescribedConfig.Synonym;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.ConfigurationsImage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pcollections.HashTreePMap;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

class ConfigResolverTest {

    private static ConfigurationsImage image(Map<ConfigResource, Map<String, String>> resources) {
        var result = HashTreePMap.<ConfigResource, PSortedMap<String, String>>empty();
        for (var entry : resources.entrySet()) {
            result = result.plus(entry.getKey(), TreePMap.from(entry.getValue()));
        }
        return new ConfigurationsImage(result);
    }

    private static ConfigResolver resolver(Map<String, String> settings) {
        return new ConfigResolver(NodeConfig.fromProperties(settings));
    }

    private static DescribedConfig find(List<DescribedConfig> configs, String name) {
        return configs.stream()
                .filter(config -> config.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aTopicKeyComesFromTheNearestPlaceThatSetsIt() {
        var resolver = resolver(Map.of("log.segment.bytes", "2000000"));
        var configs = image(Map.of(
                ConfigResource.topic("t"), Map.of("segment.bytes", "5000000"),
                ConfigResource.broker(1), Map.of("log.segment.bytes", "4000000"),
                ConfigResource.brokerDefault(), Map.of("log.segment.bytes", "3000000")));
        var described = find(resolver.describeTopic("t", configs), "segment.bytes");
        assertThat(described.value()).isEqualTo("5000000");
        assertThat(described.source()).isEqualTo(ConfigSource.DYNAMIC_TOPIC_CONFIG);
        assertThat(described.synonyms())
                .containsExactly(
                        new Synonym("segment.bytes", "5000000", ConfigSource.DYNAMIC_TOPIC_CONFIG),
                        new Synonym("log.segment.bytes", "4000000", ConfigSource.DYNAMIC_BROKER_CONFIG),
                        new Synonym("log.segment.bytes", "3000000", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
                        new Synonym("log.segment.bytes", "2000000", ConfigSource.STATIC_BROKER_CONFIG),
                        new Synonym("log.segment.bytes", "1073741824", ConfigSource.DEFAULT_CONFIG));
        assertThat(resolver.logConfig("t", configs).segmentBytes()).isEqualTo(5_000_000);
        assertThat(resolver.logConfig("other", configs).segmentBytes()).isEqualTo(4_000_000);
        assertThat(resolver.logConfig("other", ConfigurationsImage.EMPTY).segmentBytes())
                .isEqualTo(2_000_000);
    }

    @Test
    void retentionInHoursBecomesMilliseconds() {
        var resolver = resolver(Map.of("log.retention.hours", "2"));
        assertThat(resolver.logConfig("t", ConfigurationsImage.EMPTY).retentionMs())
                .isEqualTo(7_200_000);
        var described = find(resolver.describeTopic("t", ConfigurationsImage.EMPTY), "retention.ms");
        assertThat(described.value()).isEqualTo("7200000");
        assertThat(described.source()).isEqualTo(ConfigSource.STATIC_BROKER_CONFIG);
    }

    @Test
    void aTopicWithoutAnySettingHasKafkasDefaults() {
        assertThat(resolver(Map.of()).logConfig("t", ConfigurationsImage.EMPTY))
                .isEqualTo(io.moldau.log.LogConfig.DEFAULTS);
    }

    @Test
    void aTopicsCleanupPolicyIsAList() {
        var configs = image(Map.of(ConfigResource.topic("t"), Map.of("cleanup.policy", "compact,delete")));
        var log = resolver(Map.of()).logConfig("t", configs);
        assertThat(log.compact()).isTrue();
        assertThat(log.delete()).isTrue();
    }

    @Test
    void describingABrokerNamesEveryKeyButTheHiddenOnes() {
        var described = resolver(Map.of("num.partitions", "4")).describeBroker(ConfigurationsImage.EMPTY);
        assertThat(described).hasSize(350 + MoldauKeys.ALL.size());
        var partitions = find(described, "num.partitions");
        assertThat(partitions.value()).isEqualTo("4");
        assertThat(partitions.readOnly()).isTrue();
        assertThat(partitions.synonyms())
                .containsExactly(
                        new Synonym("num.partitions", "4", ConfigSource.STATIC_BROKER_CONFIG),
                        new Synonym("num.partitions", "1", ConfigSource.DEFAULT_CONFIG));
        assertThat(find(described, "log.retention.ms").readOnly()).isFalse();
    }

    /// Admin clients tell by that whether a throttle is set (KIP-73).
    @Test
    void throttlesAreShownWhereTheyAreSet() {
        var resolver = resolver(Map.of());
        var configs = image(Map.of(
                ConfigResource.broker(1),
                Map.of("leader.replication.throttled.rate", "500"),
                ConfigResource.brokerDefault(),
                Map.of("leader.replication.throttled.rate", "700", "num.replica.fetchers", "3"),
                ConfigResource.topic("t"),
                Map.of("follower.replication.throttled.replicas", "0:1,2:1")));
        var shown = find(resolver.describeBroker(configs), "leader.replication.throttled.rate");
        assertThat(shown.value()).isEqualTo("500");
        assertThat(shown.source()).isEqualTo(ConfigSource.DYNAMIC_BROKER_CONFIG);
        assertThat(shown.readOnly()).isFalse();
        assertThat(resolver.describeBroker(configs))
                .noneMatch(it -> it.key().name().equals("follower.replication.throttled.rate"));

        assertThat(resolver.ofBroker(BrokerConfigKeys.LEADER_REPLICATION_THROTTLED_RATE, configs))
                .isEqualTo(500);
        assertThat(resolver.ofBroker(BrokerConfigKeys.FOLLOWER_REPLICATION_THROTTLED_RATE, configs))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(resolver.ofBroker(ReplicationKeys.NUM_REPLICA_FETCHERS, configs))
                .isEqualTo(3);
        assertThat(resolver.throttledReplicas("t", TopicConfigKeys.FOLLOWER_REPLICATION_THROTTLED_REPLICAS, configs))
                .containsExactly("0:1", "2:1");
        assertThat(resolver.throttledReplicas("t", TopicConfigKeys.LEADER_REPLICATION_THROTTLED_REPLICAS, configs))
                .isEmpty();
    }

    @Test
    void secretsAreNotShown() {
        var configs = image(Map.of(ConfigResource.broker(1), Map.of("ssl.keystore.password", "geheim")));
        var described = find(resolver(Map.of()).describeBroker(configs), "ssl.keystore.password");
        assertThat(described.value()).isNull();
        assertThat(described.synonyms())
                .containsExactly(new Synonym("ssl.keystore.password", null, ConfigSource.DYNAMIC_BROKER_CONFIG));
    }

    @Test
    void aGroupFallsBackToTheBrokersKey() {
        var resolver = resolver(Map.of("group.consumer.session.timeout.ms", "50000"));
        var described = find(resolver.describeGroup("g", ConfigurationsImage.EMPTY), "consumer.session.timeout.ms");
        assertThat(described.value()).isEqualTo("50000");
        assertThat(resolver.describeGroup("g", ConfigurationsImage.EMPTY)).hasSize(21);
        assertThat(resolver.describeClientMetrics("m", ConfigurationsImage.EMPTY))
                .hasSize(3);
        assertThat(resolver.describeTopic("t", ConfigurationsImage.EMPTY)).hasSize(39);
    }

    @Test
    void aGroupsOwnSettingStaysWithinWhatBrokersAllowNow() {
        var group = new ConfigResource(ConfigResource.Type.GROUP, "g");
        var configs = image(Map.of(
                group,
                Map.of("consumer.session.timeout.ms", "60000", "consumer.heartbeat.interval.ms", "6000"),
                ConfigResource.brokerDefault(),
                Map.of("group.consumer.assignment.interval.ms", "200")));
        var resolver = resolver(Map.of("group.consumer.max.session.timeout.ms", "50000"));

        assertThat(resolver.ofGroup(GroupConfigKeys.CONSUMER_SESSION_TIMEOUT_MS, "g", configs))
                .isEqualTo(50_000);
        assertThat(resolver.ofGroup(GroupConfigKeys.CONSUMER_HEARTBEAT_INTERVAL_MS, "g", configs))
                .isEqualTo(6_000);
        assertThat(resolver.ofGroup(GroupConfigKeys.CONSUMER_ASSIGNMENT_INTERVAL_MS, "g", configs))
                .isEqualTo(200);
        assertThat(resolver.ofGroup(GroupConfigKeys.CONSUMER_SESSION_TIMEOUT_MS, "other", configs))
                .isEqualTo(45_000);
    }
}
