package io.moldau.wire.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionRangeTest {

    @ParameterizedTest
    @CsvSource({
        "0+,   0-9, true",
        "3+,   3-9, true",
        "3+,   0-9, version >= 3",
        "0-3,  0-9, version <= 3",
        "2-3,  0-9, version >= 2 && version <= 3",
        "5,    0-9, version >= 5 && version <= 5",
        "none, 0-9, false",
        "10+,  0-9, false",
    })
    void theConditionAsksOnlyWhatIsNotKnown(String range, String known, String condition) {
        assertThat(VersionRange.parse(range).condition(VersionRange.parse(known)))
                .isEqualTo(condition);
    }

    @Test
    void inlineVersionsEndWhereTheTagBegins() {
        assertThat(VersionRange.parse("1+").below(VersionRange.parse("3+"))).isEqualTo(new VersionRange(1, 2));
        assertThat(VersionRange.parse("1+").below(VersionRange.parse("1+"))).isEqualTo(VersionRange.NONE);
        assertThat(VersionRange.parse("1+").below(VersionRange.NONE)).isEqualTo(VersionRange.parse("1+"));
        assertThatThrownBy(() -> VersionRange.parse("1+").below(VersionRange.parse("2-3")))
                .isInstanceOf(SchemaException.class);
    }

    @ParameterizedTest
    @CsvSource({"x", "1-", "-1-x", "1++", "''"})
    void nonsenseIsRefused(String text) {
        assertThatThrownBy(() -> VersionRange.parse(text))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("is no version range");
    }
}
