package io.moldau.ops.chaos.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CopyCheckTest {

    private static final List<String> ORIGINAL = List.of("a", "b", "c");

    @Test
    void aCopyIsEqual() {
        assertThat(differences("a", "b", "c")).isEmpty();
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThat(differences("a", "c")).containsExactly("p: lost: b");
        assertThat(differences("a", "b", "b", "c")).containsExactly("p: there twice: b");
        assertThat(differences("a", "c", "b")).containsExactly("p: out of order: b");
        assertThat(differences("a", "b", "x", "c")).containsExactly("p: not of the original: x");
    }

    private static List<String> differences(String... copy) {
        return CopyCheck.differences("p", ORIGINAL, List.of(copy));
    }
}
