package io.moldau.common.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;

/// How the text of a setting becomes a value, and which values are allowed. Immutable.
public final class ConfigType<T> {

    /// Kafka's types of settings, with their codes in DescribeConfigs.
    public enum Kind {
        BOOLEAN(1),
        STRING(2),
        INT(3),
        SHORT(4),
        LONG(5),
        DOUBLE(6),
        LIST(7),
        CLASS(8),
        PASSWORD(9);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        public byte code() {
            return code;
        }
    }

    /// Tells what is wrong with a value.
    @FunctionalInterface
    public interface Check<T> {
        /// @return the reason, or the empty string if the value is fine
        String reasonAgainst(T value);
    }

    private final Kind kind;
    private final Function<String, T> parser;
    private final Function<T, String> printer;
    private final Check<T> check;
    private final String allowed;

    private ConfigType(
            Kind kind, Function<String, T> parser, Function<T, String> printer, Check<T> check, String allowed) {
        this.kind = kind;
        this.parser = parser;
        this.printer = printer;
        this.check = check;
        this.allowed = allowed;
    }

    public static ConfigType<Boolean> bool() {
        return new ConfigType<>(Kind.BOOLEAN, ConfigType::parseBoolean, String::valueOf, v -> "", "true, false");
    }

    public static ConfigType<Integer> anyInt() {
        return new ConfigType<>(Kind.INT, Integer::parseInt, String::valueOf, v -> "", "");
    }

    public static ConfigType<Integer> intAtLeast(int min) {
        return anyInt().checked(v -> v < min ? atLeast(min) : "", "at least " + min);
    }

    public static ConfigType<Integer> intBetween(int min, int max) {
        return anyInt().checked(v -> v < min ? atLeast(min) : v > max ? atMost(max) : "", min + " to " + max);
    }

    public static ConfigType<Short> anyShort() {
        return new ConfigType<>(Kind.SHORT, Short::parseShort, String::valueOf, v -> "", "");
    }

    public static ConfigType<Short> shortAtLeast(int min) {
        return anyShort().checked(v -> v < min ? atLeast(min) : "", "at least " + min);
    }

    public static ConfigType<Long> anyLong() {
        return new ConfigType<>(Kind.LONG, Long::parseLong, String::valueOf, v -> "", "");
    }

    public static ConfigType<Long> longAtLeast(long min) {
        return anyLong().checked(v -> v < min ? atLeast(min) : "", "at least " + min);
    }

    public static ConfigType<Double> anyDouble() {
        return new ConfigType<>(Kind.DOUBLE, Double::parseDouble, String::valueOf, v -> "", "");
    }

    public static ConfigType<Double> doubleBetween(double min, double max) {
        return anyDouble().checked(v -> v < min ? atLeast(min) : v > max ? atMost(max) : "", min + " to " + max);
    }

    public static ConfigType<String> string() {
        return new ConfigType<>(Kind.STRING, Function.identity(), Function.identity(), v -> "", "");
    }

    public static ConfigType<String> oneOf(String... values) {
        return oneOf(List.of(values));
    }

    public static ConfigType<String> oneOf(List<String> values) {
        String list = String.join(", ", values);
        return string().checked(v -> values.contains(v) ? "" : "it must be one of " + list, list);
    }

    public static ConfigType<String> oneOfIgnoringCase(String... values) {
        String list = String.join(", ", values);
        return string().checked(
                        v -> Arrays.stream(values).anyMatch(v::equalsIgnoreCase) ? "" : "it must be one of " + list,
                        list);
    }

    /// The name of a class; nothing is loaded.
    public static ConfigType<String> className() {
        return new ConfigType<>(Kind.CLASS, Function.identity(), Function.identity(), v -> "", "");
    }

    /// A secret: never printed.
    public static ConfigType<String> password() {
        return new ConfigType<>(Kind.PASSWORD, Function.identity(), v -> v.isEmpty() ? "" : "[hidden]", v -> "", "");
    }

    /// Values separated by commas; blanks around them do not count, and no text is an empty list.
    public static ConfigType<List<String>> list() {
        return new ConfigType<>(Kind.LIST, ConfigType::parseList, v -> String.join(",", v), v -> "", "");
    }

    public static ConfigType<List<String>> listOf(String... values) {
        String allowed = String.join(", ", values);
        return list().checked(
                        v -> List.of(values).containsAll(v) ? "" : "each entry must be one of " + allowed,
                        "any of " + allowed);
    }

    /// The same type with a further check.
    ///
    /// @param allowed the allowed values, for the documentation
    public ConfigType<T> checked(Check<T> further, String allowed) {
        return new ConfigType<>(
                kind,
                parser,
                printer,
                value -> {
                    String reason = check.reasonAgainst(value);
                    return reason.isEmpty() ? further.reasonAgainst(value) : reason;
                },
                allowed);
    }

    public Kind kind() {
        return kind;
    }

    /// The allowed values in words, empty if there is nothing to say.
    public String allowed() {
        return allowed;
    }

    public String format(T value) {
        return printer.apply(value);
    }

    /// @param key for the message
    /// @throws ConfigException if the text is no such value or the value is not allowed
    public T parse(String key, String text) {
        T value;
        try {
            value = parser.apply(kind == Kind.PASSWORD ? text : text.strip());
        } catch (NumberFormatException e) {
            throw ConfigException.invalid(key, text, "Not a number of type " + kind);
        } catch (IllegalArgumentException e) {
            throw ConfigException.invalid(key, text, Objects.requireNonNullElse(e.getMessage(), "not valid"));
        }
        String reason = check.reasonAgainst(value);
        if (!reason.isEmpty()) {
            throw ConfigException.invalid(key, kind == Kind.PASSWORD ? "[hidden]" : text, reason);
        }
        return value;
    }

    private static String atLeast(Object min) {
        return "Value must be at least " + min;
    }

    private static String atMost(Object max) {
        return "Value must be no more than " + max;
    }

    private static Boolean parseBoolean(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("Expected value to be either true or false");
        };
    }

    private static List<String> parseList(String text) {
        if (text.isEmpty()) {
            return List.of();
        }
        List<String> values = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            values.add(part.strip());
        }
        return List.copyOf(values);
    }
}
