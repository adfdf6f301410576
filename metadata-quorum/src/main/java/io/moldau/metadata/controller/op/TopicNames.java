package io.moldau.metadata.controller.op;

import io.moldau.metadata.image.TopicsImage;
import java.util.Optional;

/// Which names a topic may have.
public final class TopicNames {

    public static final int MAX_LENGTH = 249;

    private TopicNames() {}

    /// What is wrong with the name by itself.
    public static Optional<String> problem(String name) {
        if (name.isEmpty()) {
            return Optional.of("Topic name is invalid: the empty string is not allowed");
        }
        if (name.equals(".") || name.equals("..")) {
            return Optional.of("Topic name is invalid: '" + name + "' is not allowed");
        }
        if (name.length() > MAX_LENGTH) {
            return Optional.of("Topic name is invalid: the length of '" + name
                    + "' is longer than the max allowed length " + MAX_LENGTH);
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean legal = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '.'
                    || c == '_'
                    || c == '-';
            if (!legal) {
                return Optional.of("Topic name is invalid: '" + name + "' contains one or more characters other than "
                        + "ASCII alphanumerics, '.', '_' and '-'");
            }
        }
        return Optional.empty();
    }

    /// A topic whose name differs from this one only in '.' against '_': their metrics could not be told apart.
    static Optional<String> collision(TopicsImage topics, String name) {
        if (name.indexOf('.') < 0 && name.indexOf('_') < 0) {
            return Optional.empty();
        }
        String unified = unify(name);
        // The names that collide differ in the first '.' or '_' at the earliest: look only behind that prefix.
        int first = firstCollisionChar(name);
        String prefix = name.substring(0, first);
        for (String other : topics.byName().tailMap(prefix, true).keySet()) {
            if (!other.startsWith(prefix)) {
                break;
            }
            if (other.length() == name.length()
                    && !other.equals(name)
                    && unify(other).equals(unified)) {
                return Optional.of(other);
            }
        }
        return Optional.empty();
    }

    private static int firstCollisionChar(String name) {
        int i = 0;
        while (name.charAt(i) != '.' && name.charAt(i) != '_') {
            i++;
        }
        return i;
    }

    private static String unify(String name) {
        return name.replace('.', '_');
    }
}
