package io.moldau.ops.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes maps, lists, text, numbers, truth values and null as JSON, indented for people.
final class Json {

    private Json() {}

    static String write(@Nullable Object value) {
        var out = new StringBuilder();
        write(value, "\n", out);
        return out.toString();
    }

    /// The same in one line.
    static String line(@Nullable Object value) {
        var out = new StringBuilder();
        write(value, "", out);
        return out.toString();
    }

    private static String inner(String newLine) {
        return newLine.isEmpty() ? "" : newLine + "  ";
    }

    private static void write(@Nullable Object value, String newLine, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case Map<?, ?> map when map.isEmpty() -> out.append("{}");
            case Map<?, ?> map -> {
                String separator = "{";
                for (var entry : map.entrySet()) {
                    out.append(separator).append(inner(newLine));
                    quote(String.valueOf(entry.getKey()), out);
                    out.append(newLine.isEmpty() ? ":" : ": ");
                    write(entry.getValue(), inner(newLine), out);
                    separator = ",";
                }
                out.append(newLine).append('}');
            }
            case List<?> list when list.isEmpty() -> out.append("[]");
            case List<?> list -> {
                String separator = "[";
                for (Object element : list) {
                    out.append(separator).append(inner(newLine));
                    write(element, inner(newLine), out);
                    separator = ",";
                }
                out.append(newLine).append(']');
            }
            case Number number -> out.append(number);
            case Boolean truth -> out.append(truth);
            default -> quote(value.toString(), out);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
