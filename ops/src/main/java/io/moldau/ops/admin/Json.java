package io.moldau.ops.admin;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes records, maps with text keys, collections, texts, numbers and booleans as JSON.
///
/// A library would do more, and cost a start and an archive more than the answers of one small interface are worth.
public final class Json {

    private final StringBuilder text = new StringBuilder();

    private Json() {}

    /// @throws IllegalArgumentException for a value that JSON has no form for
    public static String of(@Nullable Object value) {
        var json = new Json();
        json.write(value);
        return json.text.append('\n').toString();
    }

    private void write(@Nullable Object value) {
        switch (value) {
            case null -> text.append("null");
            case CharSequence it -> string(it);
            case Boolean it -> text.append(it);
            case Integer it -> text.append(it);
            case Long it -> text.append(it);
            case Short it -> text.append(it);
            case Double it -> number(it);
            case Collection<?> it -> array(it);
            case Map<?, ?> it -> map(it);
            case Record it -> record(it);
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

    private void array(Collection<?> values) {
        text.append('[');
        String comma = "";
        for (Object value : values) {
            text.append(comma);
            comma = ",";
            write(value);
        }
        text.append(']');
    }

    private void map(Map<?, ?> values) {
        text.append('{');
        String comma = "";
        for (var entry : values.entrySet()) {
            text.append(comma);
            comma = ",";
            field(String.valueOf(entry.getKey()), entry.getValue());
        }
        text.append('}');
    }

    private void record(Record value) {
        text.append('{');
        String comma = "";
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            text.append(comma);
            comma = ",";
            try {
                field(component.getName(), component.getAccessor().invoke(value));
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException(value.getClass() + " cannot be read", e);
            }
        }
        text.append('}');
    }

    private void field(String name, @Nullable Object value) {
        string(name);
        text.append(':');
        write(value);
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
                    // Lone surrogates, and what could end a script a text is put into.
                    if (c < 0x20 || c == 0x7f || c == '<' || c == 0x2028 || c == 0x2029 || loneSurrogate(value, i)) {
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
