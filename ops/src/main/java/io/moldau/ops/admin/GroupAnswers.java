package io.moldau.ops.admin;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.state.ClusterGroups;
import io.moldau.ops.state.GroupLags;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Answers questions about groups. Thread-safe.
final class GroupAnswers {

    private static final ClusterGroups.Report NONE = new ClusterGroups.Report(0, List.of(), 0, 0, List.of());

    private final @Nullable ClusterGroups groups;

    /// @param groups null on a node that is no broker
    GroupAnswers(@Nullable ClusterGroups groups) {
        this.groups = groups;
    }

    ClusterGroups.Report report() {
        return groups == null ? NONE : groups.report();
    }

    Answers.Groups list() {
        ClusterGroups.Report report = report();
        return new Answers.Groups(
                report.atMs(),
                report.groups().stream().map(GroupAnswers::summary).toList(),
                report.leftOff(),
                report.loadingShards(),
                report.silent());
    }

    private static Answers.GroupSummary summary(ClusterGroups.Entry entry) {
        GroupReport.Group group = entry.group();
        return new Answers.GroupSummary(
                group.id(),
                group.type(),
                group.state(),
                entry.lags().protocolType(),
                group.coordinator(),
                group.members().size(),
                entry.lags().lags().size(),
                lagRecords(entry.lags()),
                lagSeconds(entry.lags()));
    }

    private static long lagRecords(GroupLags.Group group) {
        return group.lags().stream()
                .mapToLong(lag -> Math.max(0, lag.records()))
                .sum();
    }

    /// The oldest unread record's age; null as long as one partition's is not known.
    private static @Nullable Double lagSeconds(GroupLags.Group group) {
        return group.lags().stream().allMatch(lag -> lag.seconds() >= 0)
                ? group.lags().stream()
                        .mapToDouble(GroupLags.Lag::seconds)
                        .max()
                        .orElse(0)
                : null;
    }

    private static ClusterGroups.Entry existing(ClusterGroups.Report report, String id) {
        ClusterGroups.Entry entry = report.find(id);
        if (entry == null) {
            throw new Refusal(
                    404,
                    report.silent().isEmpty()
                            ? "there is no group " + id
                            : "there is no group " + id + " that a broker tells of; no answer came from "
                                    + report.silent());
        }
        return entry;
    }

    Answers.Group one(String id) {
        ClusterGroups.Report report = report();
        ClusterGroups.Entry entry = existing(report, id);
        GroupReport.Group group = entry.group();
        Map<TopicPartition, String> members = new HashMap<>();
        group.members().forEach(member -> member.assigned().forEach(partition -> members.put(partition, member.id())));
        return new Answers.Group(
                group.id(),
                group.type(),
                group.state(),
                entry.lags().protocolType(),
                group.assignor(),
                group.coordinator(),
                report.atMs(),
                lagRecords(entry.lags()),
                lagSeconds(entry.lags()),
                group.members().stream()
                        .map(member -> new Answers.GroupMember(
                                member.id(),
                                member.clientId(),
                                member.host(),
                                member.assigned().size()))
                        .toList(),
                entry.lags().lags().stream()
                        .sorted(Comparator.comparing(GroupLags.Lag::topic).thenComparing(GroupLags.Lag::partition))
                        .map(lag -> partition(lag, entry, members))
                        .toList());
    }

    private static Answers.GroupPartition partition(
            GroupLags.Lag lag, ClusterGroups.Entry entry, Map<TopicPartition, String> members) {
        var partition = new TopicPartition(lag.topic(), lag.partition());
        return new Answers.GroupPartition(
                lag.topic(),
                lag.partition(),
                lag.offset(),
                lag.committedMs() < 0 ? null : lag.committedMs(),
                lag.isKnown() ? lag.endOffset() : null,
                lag.isKnown() ? lag.records() : null,
                lag.seconds() >= 0 ? lag.seconds() : null,
                entry.still().getOrDefault(partition, 0L),
                members.get(partition));
    }
}
