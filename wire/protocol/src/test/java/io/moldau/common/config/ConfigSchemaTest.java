package io.moldau.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.testing.Seeds;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigSchemaTest {

    private static final ConfigKey<Integer> SEGMENT_BYTES =
            ConfigKey.of("log.segment.bytes", ConfigType.intAtLeast(14)).defaultTo(1 << 30);
    private static final ConfigKey<Long> RETENTION_MS =
            ConfigKey.of("log.retention.ms", ConfigType.longAtLeast(-1)).defaultTo(604_800_000L);
    private static final ConfigKey<Boolean> AUTO_CREATE =
            ConfigKey.of("auto.create.topics.enable", ConfigType.bool()).defaultTo(true);
    private static final ConfigKey<List<String>> CLEANUP = ConfigKey.of(
                    "log.cleanup.policy", ConfigType.listOf("compact", "delete"))
            .defaultTo(List.of("delete"));
    private static final ConfigKey<Double> RATIO = ConfigKey.of(
                    "log.cleaner.min.cleanable.ratio", ConfigType.doubleBetween(0, 1))
            .defaultTo(0.5);
    private static final ConfigKey<Short> REPLICATION =
            ConfigKey.of("offsets.topic.replication.factor", ConfigType.shortAtLeast(1));
    private static final ConfigKey<String> SECRET = ConfigKey.of(
            "ssl.keystore.password",
            ConfigType.password().checked(v -> v.length() < 6 ? "too short" : "", "6 or more"));
    private static final ConfigKey<Integer> NODE_ID =
            ConfigKey.of("node.id", ConfigType.intAtLeast(0)).require().describedAs("The id of this node.");

    private static final ConfigSchema SCHEMA = ConfigSchema.of(
            List.of(SEGMENT_BYTES, RETENTION_MS, AUTO_CREATE, CLEANUP, RATIO, REPLICATION, SECRET, NODE_ID));

    @Test
    void whatIsSetComesBeforeWhatIsDefault() {
        ConfigValues values = SCHEMA.parse(Map.of(
                "node.id", " 7 ", "log.cleanup.policy", "compact , delete", "auto.create.topics.enable", "FALSE"));
        assertThat(values.get(NODE_ID)).isEqualTo(7);
        assertThat(values.get(CLEANUP)).containsExactly("compact", "delete");
        assertThat(values.get(AUTO_CREATE)).isFalse();
        assertThat(values.get(SEGMENT_BYTES)).isEqualTo(1 << 30);
        assertThat(values.get(RATIO)).isEqualTo(0.5);
        assertThat(values.find(REPLICATION)).isNull();
        assertThat(values.isSet(NODE_ID)).isTrue();
        assertThat(values.isSet(SEGMENT_BYTES)).isFalse();
        assertThatThrownBy(() -> values.get(REPLICATION)).isInstanceOf(NoSuchElementException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "log.segment.bytes                | 13          | at least 14",
                "log.segment.bytes                | 1.5         | Not a number of type INT",
                "log.segment.bytes                | 2147483648  | Not a number of type INT",
                "log.segment.bytes                | ''          | Not a number of type INT",
                "log.retention.ms                 | -2          | at least -1",
                "log.retention.ms                 | 7d          | Not a number of type LONG",
                "auto.create.topics.enable        | yes         | either true or false",
                "log.cleanup.policy               | delete,drop | one of compact, delete",
                "log.cleaner.min.cleanable.ratio  | 1.01        | no more than 1.0",
                "offsets.topic.replication.factor | 0           | at least 1",
                "offsets.topic.replication.factor | 40000       | Not a number of type SHORT",
            })
    void aValueThatDoesNotFitIsRefusedWithKeyValueAndReason(String key, String value, String reason) {
        assertThatThrownBy(() -> SCHEMA.parse(Map.of("node.id", "1", key, value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Invalid value " + value + " for configuration " + key)
                .hasMessageContaining(reason);
    }

    @Test
    void aRefusedSecretIsNotShown() {
        assertThatThrownBy(() -> SCHEMA.parse(Map.of("node.id", "1", "ssl.keystore.password", "tiny")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ssl.keystore.password")
                .hasMessageNotContaining("tiny");
        assertThat(SECRET.defaultTo("default-secret").defaultText()).isEqualTo("[hidden]");
    }

    @Test
    void aMissingRequiredKeyIsNamed() {
        assertThatThrownBy(() -> SCHEMA.parse(Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("node.id")
                .hasMessageContaining("The id of this node.");
    }

    @ParameterizedTest
    @CsvSource({
        "log.segmet.bytes, log.segment.bytes",
        "log.retention.mss, log.retention.ms",
        "nodeid, node.id",
        "AUTO.create.topics.enabled, auto.create.topics.enable",
    })
    void anUnknownKeyLeadsToTheNearestOne(String unknown, String nearest) {
        assertThatThrownBy(() -> SCHEMA.parse(Map.of("node.id", "1", unknown, "1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Unknown configuration " + unknown)
                .hasMessageContaining(nearest);
    }

    @Test
    void twoKeysOfOneNameAreRefused() {
        assertThatThrownBy(() -> ConfigSchema.of(List.of(NODE_ID, NODE_ID)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node.id");
    }

    /// The distance by its definition, without a table and without a bound.
    private static int distance(String a, String b) {
        if (a.isEmpty() || b.isEmpty()) {
            return a.length() + b.length();
        }
        if (a.charAt(0) == b.charAt(0)) {
            return distance(a.substring(1), b.substring(1));
        }
        return 1
                + Math.min(
                        distance(a.substring(1), b.substring(1)),
                        Math.min(distance(a.substring(1), b), distance(a, b.substring(1))));
    }

    @Seeds(count = 200)
    void theNearestIsTheNearestByDefinition(long seed) {
        var random = new Random(seed);
        List<String> names = random.ints(8, 0, 1 << 12)
                .distinct()
                .mapToObj(Integer::toString)
                .toList();
        ConfigSchema schema = ConfigSchema.of(names.stream()
                .map(name -> ConfigKey.of(name, ConfigType.string()))
                .toList());
        String wanted = Integer.toString(random.nextInt(1 << 12));
        int least =
                names.stream().mapToInt(name -> distance(wanted, name)).min().orElseThrow();
        String nearest = schema.nearest(wanted);
        assertThat(nearest).isNotNull().isIn(names);
        assertThat(distance(wanted, nearest == null ? "" : nearest)).isEqualTo(least);
    }
}
