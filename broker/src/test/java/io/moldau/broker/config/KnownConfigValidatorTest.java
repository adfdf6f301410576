package io.moldau.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiError;
import io.moldau.common.Errors;
import io.moldau.metadata.image.ConfigResource;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KnownConfigValidatorTest {

    private final KnownConfigValidator validator = new KnownConfigValidator(NodeConfig.fromProperties(Map.of()));

    private void assertRefused(ConfigResource resource, String key, String value, Errors error, String text) {
        assertThat(validator.validate(resource, Map.of(key, value))).hasValueSatisfying(refusal -> {
            assertThat(refusal.error()).isEqualTo(error);
            assertThat(refusal.message()).contains(text);
        });
    }

    private void assertFine(ConfigResource resource, String key, String value) {
        assertThat(validator.validate(resource, Map.of(key, value)).map(ApiError::message))
                .isEmpty();
    }

    @Test
    void topics() {
        var topic = ConfigResource.topic("t");
        assertFine(topic, "retention.ms", "-1");
        assertFine(topic, "cleanup.policy", "compact");
        assertRefused(topic, "retention.mss", "1", Errors.INVALID_CONFIG, "nearest valid name is retention.ms");
        assertRefused(topic, "retention.ms", "x", Errors.INVALID_CONFIG, "Not a number of type LONG");
        assertRefused(topic, "segment.bytes", "1", Errors.INVALID_CONFIG, "at least 1048576");
        assertRefused(topic, "remote.storage.enable", "true", Errors.INVALID_CONFIG, "Tiered storage");
        assertFine(topic, "remote.storage.enable", "false");
        assertRefused(topic, "max.compaction.lag.ms", "0", Errors.INVALID_CONFIG, "at least 1");
        assertThat(validator.validate(topic, Map.of("min.compaction.lag.ms", "10", "max.compaction.lag.ms", "5")))
                .isPresent();
        assertFine(topic, "leader.replication.throttled.replicas", "0:1,1:2");
        assertRefused(
                topic, "leader.replication.throttled.replicas", "0", Errors.INVALID_CONFIG, "it must be * or a list");
    }

    @Test
    void brokers() {
        var all = ConfigResource.brokerDefault();
        var one = ConfigResource.broker(1);
        assertFine(all, "log.retention.ms", "1000");
        assertFine(one, "log.retention.ms", "1000");
        assertRefused(
                one, "log.dirs", "/x", Errors.INVALID_REQUEST, "Cannot update these configs dynamically: [log.dirs]");
        assertRefused(all, "log.retention.ms", "x", Errors.INVALID_REQUEST, "Not a number");
        assertRefused(all, "ssl.keystore.location", "/x", Errors.INVALID_REQUEST, "Name one broker");
        assertRefused(one, "ssl.keystore.location", "/x", Errors.INVALID_REQUEST, "TLS is not built yet");
        assertRefused(all, "log.retention.hour", "1", Errors.INVALID_CONFIG, "log.retention.hours");
    }

    @Test
    void groupsStayWithinTheBrokersLimits() {
        var group = new ConfigResource(ConfigResource.Type.GROUP, "g");
        assertFine(group, "consumer.session.timeout.ms", "50000");
        assertRefused(
                group,
                "consumer.session.timeout.ms",
                "5",
                Errors.INVALID_CONFIG,
                "must be in the range 45000 to 60000");
        assertRefused(group, "share.auto.offset.reset", "by_duration:x", Errors.INVALID_CONFIG, "ISO 8601");
        assertFine(group, "share.auto.offset.reset", "by_duration:PT1H");
        assertFine(group, "streams.num.standby.replicas", "2");
        assertRefused(group, "streams.num.standby.replicas", "3", Errors.INVALID_CONFIG, "in the range 0 to 2");
        assertRefused(group, "streams.task.offset.interval.ms", "1", Errors.INVALID_CONFIG, "in the range 15000 to");
        assertFine(group, "streams.assignor.name", "sticky");
        assertRefused(group, "streams.assignor.name", "own", Errors.INVALID_CONFIG, "group.streams.assignors");
        assertRefused(group, "streams.rack.aware.assignment.tags", "a,b,a", Errors.INVALID_CONFIG, "twice");
        assertRefused(group, "errors.deadletterqueue.topic.name", "__x", Errors.INVALID_CONFIG, "begin with __");
    }

    @Test
    void aGroupsSessionIsLongerThanItsHeartbeatInterval() {
        var lax = new KnownConfigValidator(NodeConfig.fromProperties(Map.of(
                "group.consumer.min.session.timeout.ms", "1000",
                "group.consumer.min.heartbeat.interval.ms", "1000")));
        var group = new ConfigResource(ConfigResource.Type.GROUP, "g");
        assertThat(lax.validate(group, Map.of("consumer.session.timeout.ms", "5000")))
                .hasValueSatisfying(refusal -> assertThat(refusal.message()).contains("must be greater than"));
        assertThat(lax.validate(
                        group, Map.of("consumer.session.timeout.ms", "5000", "consumer.heartbeat.interval.ms", "1000")))
                .isEmpty();
    }

    @Test
    void clientMetrics() {
        var metrics = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "m");
        assertFine(metrics, "interval.ms", "5000");
        assertFine(metrics, "match", "client_id=app-.*");
        assertRefused(metrics, "interval.ms", "5", Errors.INVALID_REQUEST, "at least 100");
        assertRefused(metrics, "match", "foo=bar", Errors.INVALID_CONFIG, "'foo=bar' must be one of");
    }
}
