package io.moldau.ops.json;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Writes records, maps with text keys, collections, texts, words of enums, numbers, truth values and null as JSON.
/// Functions.
///
/// A library would do more, and cost a start and an archive more than the answers of one small interface are worth.
public final class Json {

    private final StringBuilder text = new StringBuilder();

    /// What begins a line of the value that is being written; empty for JSON in one line.
    private String newLine;

    private Json(String newLine) {
        this.newLine = newLine;
    }

    /// In one line, without an end of it.
    ///
    /// @throws IllegalArgumentException for a value that JSON has no form for
    public static String line(@Nullable Object value) {
        return written(value, "");
    }

    /// Indented, for people.
    ///
    /// @throws IllegalArgumentException for a value that JSON has no form for
    public static String indented(@Nullable Object value) {
        return written(value, "\n");
    }

    private static String written(@Nullable Object value, String newLine) {
        var json = new Json(newLine);
        json.write(value);
        return json.text.toString();
    }

    private void write(@Nullable Object value) {
        switch (value) {
            case null -> text.append("null");
            case CharSequence it -> string(it);
            case Enum<?> it -> string(it.toString());
            case Boolean it -> text.append(it);
            case Integer it -> text.append(it);
            case Long it -> text.append(it);
            case Short it -> text.append(it);
            case Byte it -> text.append(it);
            case Float it -> number(it);
            case Double it -> number(it);
            case Collection<?> it -> between('[', it, ']', this::write);
            case Map<?, ?> it ->
                between('{', it.entrySet(), '}', entry -> field(String.valueOf(entry.getKey()), entry.getValue()));
            case Record it ->
                between(
                        '{',
                        List.of(it.getClass().getRecordComponents()),
                        '}',
                        component -> field(component.getName(), read(component, it)));
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private void number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("no JSON for " + value);
        }
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            text.append((long) value);
        } else {
            text.append(value);
        }
    }

    private <T> void between(char begin, Collection<T> parts, char end, Consumer<T> writer) {
        text.append(begin);
        String outer = newLine;
        newLine = outer.isEmpty() ? "" : outer + "  ";
        String comma = "";
        for (T part : parts) {
            text.append(comma).append(newLine);
            comma = ",";
            writer.accept(part);
        }
        newLine = outer;
        if (!parts.isEmpty()) {
            text.append(newLine);
        }
        text.append(end);
    }

    private void field(String name, @Nullable Object value) {
        string(name);
        text.append(newLine.isEmpty() ? ":" : ": ");
        write(value);
    }

    private static @Nullable Object read(RecordComponent component, Record value) {
        try {
            // The record may be known in its own package only.
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(value.getClass() + " cannot be read", e);
        }
    }

    private void string(CharSequence value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    // Also what has no form of its own, and what a script would take for the end of a line.
                    if (c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029 || loneSurrogate(value, i)) {
                        text.append(String.format("\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }

    private static boolean loneSurrogate(CharSequence value, int at) {
        char c = value.charAt(at);
        if (Character.isHighSurrogate(c)) {
            return at + 1 >= value.length() || !Character.isLowSurrogate(value.charAt(at + 1));
        }
        return Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(value.charAt(at - 1)));
    }
}
