package io.moldau.ops.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.Words;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WordsTest {

    @ParameterizedTest
    @CsvSource({
        "1234, 1234",
        "1970-01-01T00:16:40Z, 1000000",
        "1970-01-01T00:16:40, 1000000",
        "1970-01-01T01:16:40+01:00, 1000000",
        "1970-01-02, 86400000",
        "-1s, 999000",
        "-5m, 700000",
        "-1h30m, -4400000",
        "-1d, -85400000",
        "-PT1S, 999000",
    })
    void timesAreRead(String text, long ms) {
        assertThat(Given.timestamp(text, 1_000_000)).isEqualTo(ms);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-soon", "2026-13-01", "99999999999999999999", "2026-11-30T25:00:00Z"})
    void whatIsNoTimeIsRefused(String text) {
        assertThatThrownBy(() -> Given.timestamp(text, 0))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void sizesAreShort() {
        assertThat(Words.bytes(-1)).isEqualTo("-");
        assertThat(Words.bytes(1023)).isEqualTo("1023 B");
        assertThat(Words.bytes(1536)).isEqualTo("1.5 KiB");
        assertThat(Words.bytes(3L << 40)).isEqualTo("3.0 TiB");
    }

    @Test
    void partitionsHaveDashesInTheirNames() {
        assertThat(Given.partition("a-b-12")).isEqualTo(new TopicPartition("a-b", 12));
        assertThatThrownBy(() -> Given.partition("orders")).isInstanceOf(ToolException.class);
    }

    @Test
    void addressesWhereNobodyIsAreNamedBeforeAnythingWaits() {
        var machine = new FakeMachine();
        machine.unreachable.put("a:1", "refused");
        machine.unreachable.put("b:2", "unknown name");
        var properties = new Properties();
        properties.put("bootstrap.servers", "a:1, b:2");

        assertThatThrownBy(() -> Bootstrap.check(properties, machine))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("a:1: refused; b:2: unknown name");

        machine.unreachable.remove("b:2");
        Bootstrap.check(properties, machine);
    }
}
