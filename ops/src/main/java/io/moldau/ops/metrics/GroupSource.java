package io.moldau.ops.metrics;

import io.moldau.broker.coordinator.group.GroupCensus;
import io.moldau.ops.state.GroupLags;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Tells the groups this node coordinates, and how far behind they are.
final class GroupSource implements MetricSource {

    private final Supplier<GroupLags.Report> lags;

    GroupSource(Supplier<GroupLags.Report> lags) {
        this.lags = lags;
    }

    @Override
    public void collect(Samples into) {
        GroupLags.Report report = lags.get();
        GroupCensus census = report.census();
        into.add(Metrics.GROUPS, census.groups().size() + (double) census.groupsLeftOff());
        into.add(Metrics.LEFT_OFF, census.groupsLeftOff(), "groups");
        into.add(Metrics.LEFT_OFF, census.offsetsLeftOff(), "group_partitions");
        into.add(Metrics.SHARDS_LOADING, census.loadingShards());
        into.add(Metrics.GROUP_LAG_AT, report.atMs() / 1e3);
        Map<String, Integer> states = new HashMap<>();
        for (GroupLags.Group group : report.groups()) {
            states.merge(group.state(), 1, Integer::sum);
            tell(group, into);
        }
        into.add(Metrics.GROUPS_EMPTY, states.getOrDefault("Empty", 0));
        into.add(Metrics.GROUPS_STABLE, states.getOrDefault("Stable", 0));
        into.add(Metrics.GROUPS_PREPARING, states.getOrDefault("PreparingRebalance", 0));
        into.add(Metrics.GROUPS_COMPLETING, states.getOrDefault("CompletingRebalance", 0));
        into.add(Metrics.GROUPS_DEAD, states.getOrDefault("Dead", 0));
        Map<String, Integer> types = new TreeMap<>(Map.of("classic", 0, "consumer", 0));
        Map<String, Integer> consumers =
                new TreeMap<>(Map.of("empty", 0, "assigning", 0, "reconciling", 0, "stable", 0));
        for (GroupCensus.Group group : census.groups()) {
            types.merge(group.type(), 1, Integer::sum);
            if (group.type().equals("consumer")) {
                consumers.merge(group.state().toLowerCase(Locale.ROOT), 1, Integer::sum);
            }
        }
        types.forEach((type, count) -> into.add(Metrics.GROUPS_BY_PROTOCOL, count, type));
        consumers.forEach((state, count) -> into.add(Metrics.CONSUMER_GROUPS, count, state));
    }

    private static void tell(GroupLags.Group group, Samples into) {
        String id = group.groupId();
        into.add(Metrics.GROUP_STATE, 1, id, group.state());
        into.add(Metrics.GROUP_MEMBERS, group.members(), id);
        Map<String, Long> offsets = new TreeMap<>();
        Map<String, Long> byTopic = new TreeMap<>();
        double oldest = 0;
        int unknown = 0;
        for (GroupLags.Lag lag : group.lags()) {
            var labels = Samples.labels(Metrics.GROUP_OFFSET, id, lag.topic(), Integer.toString(lag.partition()));
            into.addLabelled(Metrics.GROUP_OFFSET, labels, lag.offset());
            offsets.merge(lag.topic(), lag.offset(), Long::sum);
            if (!lag.isKnown()) {
                unknown++;
                continue;
            }
            into.addLabelled(Metrics.GROUP_LAG, labels, lag.records());
            byTopic.merge(lag.topic(), lag.records(), Long::sum);
            if (lag.seconds() >= 0) {
                into.addLabelled(Metrics.GROUP_LAG_SECONDS, labels, lag.seconds());
                oldest = Math.max(oldest, lag.seconds());
            }
        }
        offsets.forEach((topic, sum) -> into.add(Metrics.GROUP_OFFSET_SUM, sum, id, topic));
        byTopic.forEach((topic, sum) -> into.add(Metrics.GROUP_LAG_SUM, sum, id, topic));
        into.add(Metrics.GROUP_LAG_SECONDS_MAX, oldest, id);
        into.add(Metrics.GROUP_UNKNOWN, unknown, id);
    }
}
