package io.moldau.ops.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.faults.Fault.Told;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Stages every fault of `docs/faults.md`, one after the other, and reads what is said.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultsIT {

    private Stages stages;

    @BeforeAll
    void open(@TempDir Path folder) {
        stages = new Stages(folder);
    }

    @AfterAll
    void close() throws Exception {
        stages.close();
    }

    static Stream<Fault> faults() {
        return Faults.all();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void isToldWithSubjectCauseAndRemedy(Fault fault) throws Exception {
        Told told = fault.stage().on(stages);
        assertThat(told.code()).as("the error code, with%n%s", told.text()).isEqualTo(fault.code());
        assertThat(told.text()).contains(fault.words());
        assertThat(told.text()).doesNotContain("\tat ");
    }
}
