package io.moldau.ops.admin;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What the path and the query of a request say. Whatever is not as it has to be is a [Refusal].
record Parameters(Map<String, String> path, Map<String, String> query) {

    /// A part of the path.
    String named(String name) {
        return path.getOrDefault(name, "");
    }

    int numberNamed(String name) {
        return (int) number(name, named(name), 0, Integer.MAX_VALUE);
    }

    @Nullable
    String text(String name) {
        return query.get(name);
    }

    /// Null if the query does not have it.
    @Nullable
    Long number(String name, long least, long most) {
        String text = query.get(name);
        return text == null || text.isEmpty() ? null : Long.valueOf(number(name, text, least, most));
    }

    int number(String name, int otherwise, int least, int most) {
        Long number = number(name, (long) least, (long) most);
        return number == null ? otherwise : number.intValue();
    }

    /// False if the query does not have it.
    boolean flag(String name) {
        return switch (query.getOrDefault(name, "false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new Refusal(400, name + " must be true or false");
        };
    }

    private static long number(String name, String text, long least, long most) {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The same as a number that is not allowed.
        }
        throw new Refusal(400, name + " must be a number from " + least + " to " + most + ", and is '" + text + "'");
    }

    /// Whatever else the query says was meant to do something, and would do nothing.
    Parameters only(String... names) {
        var others = new TreeSet<>(query.keySet());
        others.removeAll(Set.of(names));
        if (!others.isEmpty()) {
            throw new Refusal(400, "the query has no " + others.first() + "; it may have " + String.join(", ", names));
        }
        return this;
    }
}
