package io.moldau.broker.metadata;

import java.util.Set;

/// What topics may be called, and which names are the broker's own.
public final class TopicNames {

    public static final String CONSUMER_OFFSETS = "__consumer_offsets";
    public static final String TRANSACTION_STATE = "__transaction_state";
    public static final String SHARE_GROUP_STATE = "__share_group_state";

    private static final int MAX_LENGTH = 249;
    private static final Set<String> INTERNAL = Set.of(CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE);

    private TopicNames() {}

    public static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }

    public static boolean isValid(String name) {
        return reasonAgainst(name).isEmpty();
    }

    /// Why a topic must not be called so; empty if it may.
    public static String reasonAgainst(String name) {
        if (name.isEmpty()) {
            return "Topic name is invalid: it is empty.";
        }
        if (name.equals(".") || name.equals("..")) {
            return "Topic name is invalid: '" + name + "' would be a directory of its own meaning.";
        }
        if (name.length() > MAX_LENGTH) {
            return "Topic name is invalid: '" + name + "' has more than " + MAX_LENGTH + " characters.";
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean fine = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '.'
                    || c == '_'
                    || c == '-';
            if (!fine) {
                return "Topic name is invalid: '" + name
                        + "' has characters other than ASCII letters, digits, '.', '_' and '-'.";
            }
        }
        return "";
    }
}
