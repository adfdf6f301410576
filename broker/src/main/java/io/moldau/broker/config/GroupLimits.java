package io.moldau.broker.config;

/// The bounds that brokers put on what a group may set: `group.X.min.Y` and `group.X.max.Y` for a group's `X.Y`
/// (`X.num.Y` for numbers of replicas).
record GroupLimits(long min, long max) {

    static GroupLimits of(String groupKey, NodeConfig node) {
        int dot = groupKey.indexOf('.');
        String kind = groupKey.substring(0, dot);
        String rest = groupKey.substring(dot + 1);
        rest = rest.startsWith("num.") ? rest.substring("num.".length()) : rest;
        return new GroupLimits(
                limit("group." + kind + ".min." + rest, 0, node),
                limit("group." + kind + ".max." + rest, Long.MAX_VALUE, node));
    }

    private static long limit(String brokerKey, long otherwise, NodeConfig node) {
        KnownKey known = BrokerConfigKeys.find(brokerKey);
        return known != null && node.find(known.key()) instanceof Number number ? number.longValue() : otherwise;
    }

    boolean contain(long value) {
        return value >= min && value <= max;
    }

    long clamp(long value) {
        return Math.clamp(value, min, Math.max(min, max));
    }
}
