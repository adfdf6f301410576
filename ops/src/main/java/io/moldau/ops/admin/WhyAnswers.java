package io.moldau.ops.admin;

import io.moldau.broker.NodeView;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.image.TopicImage;
import io.moldau.ops.report.Diagnosis;
import io.moldau.ops.report.Explanation;
import io.moldau.ops.report.Finding;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.report.Picture;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.Words;
import io.moldau.ops.state.ClusterGroups;
import io.moldau.ops.state.ClusterPicture;
import io.moldau.ops.state.LeaderReads;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Answers what is wrong and why, by the explanations that `moldau explain` and `moldau doctor` give. Thread-safe; the
/// whole cluster is looked at by one request at a time, and not within two seconds of the last time.
final class WhyAnswers {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// A group that has stood where it stands for less says nothing.
    private static final long STILL_SECONDS = 3;

    private final NodeView node;
    private final Observation observation;
    private final GroupAnswers groups;
    private final ClusterPicture pictures;
    private final LeaderReads leaders;

    private Answers.@Nullable Findings last;
    private long lastNanos;

    WhyAnswers(
            NodeView node, Observation observation, GroupAnswers groups, ClusterPicture pictures, LeaderReads leaders) {
        this.node = node;
        this.observation = observation;
        this.groups = groups;
        this.pictures = pictures;
        this.leaders = leaders;
    }

    /// Everything that is wrong with the cluster.
    synchronized Answers.Findings cluster() {
        Answers.Findings fresh = last;
        if (fresh != null && node.time().nanoseconds() - lastNanos < FRESH_NANOS) {
            return fresh;
        }
        QuorumReport quorum = observation.quorumReport();
        Picture picture = pictures.take(topic -> true, leader(quorum));
        List<Finding> findings = new ArrayList<>(Diagnosis.quorum(quorum));
        findings.addAll(Diagnosis.brokers(picture));
        findings.addAll(Diagnosis.partitions(picture));
        ClusterGroups.Report report = groups.report();
        findings.addAll(Diagnosis.groups(
                report.groups().stream().map(ClusterGroups.Entry::report).toList()));
        for (int silent : report.silent()) {
            findings.add(Finding.warning(
                    "Broker " + silent + " does not say which groups it coordinates.",
                    "Check that its advertised address can be reached from here, and that the process is not stuck."));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok("Nothing is wrong with "
                    + Words.count(picture.brokers().size(), "broker") + " and "
                    + Words.count(picture.topics().size(), "topic") + "."));
        }
        Answers.Findings answer = answer("cluster", findings);
        last = answer;
        lastNanos = node.time().nanoseconds();
        return answer;
    }

    private static int leader(@Nullable QuorumReport quorum) {
        return quorum == null ? Picture.UNKNOWN : quorum.leaderId();
    }

    private Picture picture(Predicate<String> topics) {
        return pictures.take(topics, leader(observation.quorumReport()));
    }

    Answers.Findings partition(TopicImage topic, int id) {
        Picture picture = picture(topic.name()::equals);
        var partition = new TopicPartition(topic.name(), id);
        List<Finding> findings = new ArrayList<>();
        findings.add(Explanation.partition(picture, partition, Set.of(topic.name())));
        var broker = node.broker();
        var uncleanable = broker == null ? null : broker.logs().cleaner().uncleanable(partition);
        if (uncleanable != null) {
            findings.add(Explanation.uncleanable(
                    partition,
                    uncleanable.failures(),
                    uncleanable.retryAtMs() - node.time().milliseconds(),
                    uncleanable.reason()));
        }
        return answer("partition " + partition, findings);
    }

    Answers.Findings broker(int id) {
        return answer("broker " + id, Explanation.broker(picture(topic -> true), id));
    }

    Answers.Findings group(String id) {
        Finding nobody = Explanation.coordinator(picture("__consumer_offsets"::equals), id);
        if (nobody != null) {
            return answer("group " + id, List.of(nobody));
        }
        ClusterGroups.Report report = groups.report();
        ClusterGroups.Entry entry = report.find(id);
        if (entry == null) {
            List<String> others =
                    report.groups().stream().map(it -> it.group().id()).toList();
            return answer("group " + id, List.of(Explanation.noGroup(id, others)));
        }
        GroupReport now = entry.report();
        Set<String> topics = new TreeSet<>();
        now.positions().forEach(position -> topics.add(position.partition().topic()));
        Map<TopicPartition, Long> still = new HashMap<>(entry.still());
        still.values().removeIf(seconds -> seconds < STILL_SECONDS);
        Map<TopicPartition, Long> starts = leaders.starts(
                now.positions().stream().map(GroupReport.Position::partition).collect(Collectors.toSet()));
        return answer("group " + id, Explanation.group(picture(topics::contains), now, starts, still));
    }

    private Answers.Findings answer(String subject, List<Finding> findings) {
        List<Finding> worstFirst = findings.stream()
                .sorted((one, other) -> other.severity().compareTo(one.severity()))
                .toList();
        return new Answers.Findings(
                subject,
                Finding.worst(findings).name().toLowerCase(Locale.ROOT),
                node.time().milliseconds(),
                worstFirst.stream().map(Finding::json).toList());
    }
}
