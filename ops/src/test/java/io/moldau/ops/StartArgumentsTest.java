package io.moldau.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartArgumentsTest {

    @Test
    void takesPathsAndKeysInBothForms() {
        var arguments = StartArguments.parse(List.of(
                "--data",
                "d",
                "--config=server.properties",
                "-o",
                "num.partitions=3",
                "-o",
                "a=b=c",
                "-o",
                "num.partitions=4"));

        assertThat(arguments.data()).contains(Path.of("d"));
        assertThat(arguments.config()).contains(Path.of("server.properties"));
        assertThat(arguments.overrides()).containsEntry("num.partitions", "4").containsEntry("a", "b=c");
    }

    @Test
    void nothingGivenIsNothingSet() {
        var arguments = StartArguments.parse(List.of());

        assertThat(arguments.data()).isEmpty();
        assertThat(arguments.config()).isEmpty();
        assertThat(arguments.overrides()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--dta x,   Unknown option '--dta'",
        "x,         Unknown option 'x'",
        "--data,    Option --data needs a value",
        "-o novalue, like -o num.partitions=3",
        "-o =3,     like -o num.partitions=3",
        "--data=,   needs a path",
    })
    void refusalsNameTheWordAndTheRemedy(String line, String part) {
        assertThatThrownBy(() -> StartArguments.parse(List.of(line.strip().split(" "))))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(part);
    }
}
