package io.moldau.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class ConfigSchemaTest {

    private static final ConfigKey<Integer> COUNT =
            ConfigKey.of("thread.count", ConfigType.intBetween(1, 9)).defaultTo(3);
    private static final ConfigKey<List<String>> NAMES =
            ConfigKey.of("some.names", ConfigType.listOf("a", "b")).defaultTo(List.of());
    private static final ConfigKey<String> SECRET = ConfigKey.of("a.secret", ConfigType.password());
    private static final ConfigKey<Boolean> NEEDED =
            ConfigKey.of("is.needed", ConfigType.bool()).require().describedAs("Something nobody can guess.");

    private static final ConfigSchema SCHEMA = ConfigSchema.of(List.of(COUNT, NAMES, SECRET));

    @Test
    void valuesAreParsedAndDefaultsStandBehindThem() {
        ConfigValues values = SCHEMA.parse(Map.of("some.names", " a , b "));
        assertThat(values.get(NAMES)).containsExactly("a", "b");
        assertThat(values.isSet(NAMES)).isTrue();
        assertThat(values.get(COUNT)).isEqualTo(3);
        assertThat(values.isSet(COUNT)).isFalse();
        assertThat(values.find(SECRET)).isNull();
        assertThatThrownBy(() -> values.get(SECRET)).isInstanceOf(NoSuchElementException.class);
        assertThat(values.texts()).isEqualTo(Map.of("some.names", " a , b "));
    }

    @Test
    void anUnknownKeyNamesTheNearest() {
        assertThatThrownBy(() -> SCHEMA.parse(Map.of("thread.cuont", "1")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("Unknown configuration thread.cuont. The nearest valid name is thread.count.");
    }

    @Test
    void wrongValuesNameKeyValueAndReason() {
        assertThatThrownBy(() -> SCHEMA.parse(Map.of("thread.count", "x")))
                .hasMessage("Invalid value x for configuration thread.count: Not a number of type INT");
        assertThatThrownBy(() -> SCHEMA.parse(Map.of("thread.count", "10"))).hasMessageContaining("no more than 9");
        assertThatThrownBy(() -> SCHEMA.parse(Map.of("some.names", "c"))).hasMessageContaining("one of a, b");
    }

    @Test
    void aMissingRequiredKeyIsNamed() {
        assertThatThrownBy(() -> ConfigSchema.of(List.of(NEEDED)).parse(Map.of()))
                .hasMessageContaining("is.needed")
                .hasMessageContaining("Something nobody can guess.");
    }

    @Test
    void twoKeysOfOneNameAreAMistake() {
        assertThatThrownBy(() -> ConfigSchema.of(List.of(COUNT, COUNT))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void textsOfEveryType() {
        assertThat(ConfigType.bool().parse("k", " TRUE ")).isTrue();
        assertThat(ConfigType.longAtLeast(-1).parse("k", "-1")).isEqualTo(-1L);
        assertThat(ConfigType.shortAtLeast(1).parse("k", "7")).isEqualTo((short) 7);
        assertThat(ConfigType.doubleBetween(0, 1).parse("k", "0.5")).isEqualTo(0.5);
        assertThat(ConfigType.list().parse("k", "")).isEmpty();
        assertThat(ConfigType.oneOfIgnoringCase("On", "Off").parse("k", "off")).isEqualTo("off");
        assertThat(SECRET.type().format("x")).isEqualTo("[hidden]");
        assertThatThrownBy(() -> ConfigType.bool().parse("k", "yes")).hasMessageContaining("true or false");
    }
}
