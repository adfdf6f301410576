package io.moldau.ops.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.moldau.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonTest {

    record Point(int x, @Nullable Double y, List<String> names) {}

    @Test
    void recordsAreObjects() {
        assertThat(Json.line(new Point(1, null, List.of("a", "\"b\"\n"))))
                .isEqualTo("{\"x\":1,\"y\":null,\"names\":[\"a\",\"\\\"b\\\"\\n\"]}");
        assertThat(Json.line(new Point(1, 2.0, List.of()))).isEqualTo("{\"x\":1,\"y\":2,\"names\":[]}");
    }

    @Seeds(count = 200)
    void anotherLibraryReadsTheSame(long seed) throws IOException {
        var random = new Random(seed);
        Object value = value(random, 4);

        JsonNode expected = new ObjectMapper().readTree(new ObjectMapper().writeValueAsString(value));
        assertThat(new ObjectMapper().readTree(Json.line(value))).isEqualTo(expected);
        assertThat(new ObjectMapper().readTree(Json.indented(value))).isEqualTo(expected);
    }

    @Test
    void forPeopleItIsIndented() {
        assertThat(Json.indented(Map.of("a\"b", "c\\d\n\u0001"))).isEqualTo("{\n  \"a\\\"b\": \"c\\\\d\\n\\u0001\"\n}");
        assertThat(Json.indented(Map.of())).isEqualTo("{}");
        assertThat(Json.indented(List.of(true, 1, List.of()))).isEqualTo("[\n  true,\n  1,\n  []\n]");
        assertThat(Json.indented(null)).isEqualTo("null");
    }

    private static @Nullable Object value(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> null;
            case 1 -> random.nextBoolean();
            case 2 -> random.nextLong();
            case 3 -> random.nextInt(3) + 0.5;
            case 4 -> text(random);
            case 5 -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    list.add(value(random, depth - 1));
                }
                yield list;
            }
            default -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    map.put(text(random), value(random, depth - 1));
                }
                yield map;
            }
        };
    }

    private static String text(Random random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.appendCodePoint(
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextInt(0x20);
                        case 1 -> 0x1F600 + random.nextInt(16);
                        case 2 -> "\"\\</'\u2028".codePointAt(random.nextInt(6));
                        default -> 'a' + random.nextInt(26);
                    });
        }
        return text.toString();
    }
}
