package io.moldau.ops.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class RoutesTest {

    private final Routes routes = new Routes()
            .add("/topics", asked -> "all")
            .add("/topics/{topic}", asked -> asked.named("topic"))
            .add("/topics/{topic}/partitions/{partition}", asked -> asked.numberNamed("partition"));

    private Object answer(String path, String query) {
        Routes.Match match = Objects.requireNonNull(routes.find(path, query));
        return match.handler().answer(match.parameters());
    }

    @Test
    void namesAreWhatTheyWereBeforeTheyWereEncoded() {
        assertThat(answer("/topics", "")).isEqualTo("all");
        assertThat(answer("/topics/a%2Fb%20c+d", "")).isEqualTo("a/b c+d");
        assertThat(answer("/topics/%C3%BC", "")).isEqualTo("ü");
        assertThat(answer("/topics/a/partitions/12", "")).isEqualTo(12);
        assertThat(routes.find("/topics/a/partitions", null)).isNull();
        assertThat(routes.find("/topics/", null)).isNotNull();
        assertThat(routes.find("/", null)).isNull();
    }

    @Test
    void queriesAreReadStrictly() {
        Parameters asked = Objects.requireNonNull(routes.find("/topics", "key=a%26b+c&limit=7&empty="))
                .parameters();
        assertThat(asked.text("key")).isEqualTo("a&b c");
        assertThat(asked.number("limit", 1, 1, 10)).isEqualTo(7);
        assertThat(asked.number("other", 3, 1, 10)).isEqualTo(3);
        assertThat(asked.number("empty", 3, 1, 10)).isEqualTo(3);
        assertThatThrownBy(() -> asked.number("limit", 1, 1, 6)).hasMessageContaining("from 1 to 6");
        assertThatThrownBy(() -> asked.number("key", 1, 1, 6)).hasMessageContaining("is 'a&b c'");
        assertThatThrownBy(() -> asked.only("key", "limit")).hasMessageContaining("no empty");
        assertThatThrownBy(() -> routes.find("/topics", "a=1&a=2")).hasMessageContaining("a twice");
        assertThatThrownBy(() -> routes.find("/topics/%zz", null)).hasMessageContaining("'%zz'");
    }
}
