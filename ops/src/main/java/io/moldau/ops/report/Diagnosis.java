package io.moldau.ops.report;

import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.QuorumReport.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What is wrong with a cluster as a whole, or soon will be. Functions.
public final class Diagnosis {

    /// A voter that was not heard of for so long does not count on.
    private static final long SILENT_MS = 10_000;

    /// Clocks are compared by headers that have whole seconds.
    private static final long SKEW_MS = 3_000;

    private static final double FILES_IN_USE = 0.8;
    private static final int FEW_FILES = 10_000;
    private static final double IMBALANCE = 0.10;

    /// Of findings that are alike, so many are told one by one.
    private static final int MOST_ALIKE = 10;

    /// What a node's admin listener says.
    ///
    /// @param answer of `/ready`
    /// @param metrics of `/metrics`
    /// @param aheadMs how far its clock is ahead of this machine's
    public record NodeAnswer(String url, boolean ready, String answer, Scraped metrics, long aheadMs) {}

    private Diagnosis() {}

    /// @param quorum null if nobody could tell
    public static List<Finding> quorum(@Nullable QuorumReport quorum) {
        String look = "'moldau quorum status --bootstrap-controller HOST:PORT' shows who is there.";
        if (quorum == null) {
            return List.of(Finding.problem(
                    "The metadata quorum does not answer: topics, settings and leaders cannot change.",
                    "Start controllers until a majority runs. " + look));
        }
        List<Finding> findings = new ArrayList<>();
        if (quorum.leaderId() < 0) {
            findings.add(Finding.problem(
                    "The metadata quorum has no leader: topics, settings and leaders cannot change.",
                    "Start controllers until a majority runs. " + look));
        }
        List<Member> voters = quorum.voters();
        for (Member voter : voters) {
            boolean leads = voter.id() == quorum.leaderId();
            if (!leads && voter.sinceFetchMs().orElse(Long.MAX_VALUE) > SILENT_MS && quorum.leaderId() >= 0) {
                findings.add(Finding.warning(
                        "Controller " + voter.id() + " is a voter, and the leader has not heard of it lately.",
                        "Start it, or take its vote away: 'moldau quorum remove " + voter.id() + "'."));
            }
        }
        if (voters.size() % 2 == 0 && !voters.isEmpty()) {
            findings.add(Finding.note(
                    "The metadata quorum has " + voters.size() + " voters: it survives as many failures as with "
                            + (voters.size() - 1) + ".",
                    "Add or remove one with 'moldau quorum'."));
        }
        return findings;
    }

    public static List<Finding> brokers(Picture picture) {
        List<Finding> findings = new ArrayList<>();
        for (Broker broker : picture.brokers()) {
            if (broker.fenced()) {
                findings.addAll(Explanation.broker(picture, broker.id()));
            } else {
                findings.addAll(Explanation.disks(picture, broker));
            }
        }
        return findings;
    }

    public static List<Finding> partitions(Picture picture) {
        Map<String, List<Finding>> alike = new LinkedHashMap<>();
        int total = 0;
        int elsewhere = 0;
        List<String> single = new ArrayList<>();
        long serving =
                picture.brokers().stream().filter(broker -> !broker.fenced()).count();
        for (Topic topic : picture.topics().values()) {
            if (topic.replicationFactor() == 1 && serving >= 3) {
                single.add(topic.name());
            }
            for (Partition partition : topic.partitions()) {
                total++;
                Finding finding = Explanation.partition(picture, topic, partition);
                switch (finding.severity()) {
                    case PROBLEM, WARNING ->
                        alike.computeIfAbsent(kind(picture, topic, partition), _ -> new ArrayList<>())
                                .add(finding);
                    case NOTE -> elsewhere++;
                    case OK -> {}
                }
            }
        }
        List<Finding> findings = new ArrayList<>();
        alike.forEach((kind, all) -> {
            all.stream().limit(MOST_ALIKE).forEach(findings::add);
            if (all.size() > MOST_ALIKE) {
                findings.add(new Finding(
                        all.getFirst().severity(),
                        (all.size() - MOST_ALIKE) + " more partitions are " + kind + ".",
                        "'moldau topics describe --unhealthy' shows all.",
                        List.of()));
            }
        });
        if (total > 0 && (double) elsewhere / total > IMBALANCE) {
            findings.add(Finding.warning(
                    elsewhere + " of " + total
                            + " partitions are not led by their preferred broker: the load is uneven.",
                    "It evens out by itself where auto.leader.rebalance.enable is on; 'moldau brokers' shows who leads"
                            + " how much."));
        }
        if (!single.isEmpty()) {
            findings.add(Finding.note(
                    Words.count(single.size(), "topic") + " with a single replica, though " + serving
                            + " brokers serve: " + single.stream().limit(5).collect(Collectors.joining(", "))
                            + (single.size() > 5 ? " and more" : "") + ".",
                    "'moldau topics alter TOPIC -r 3' adds replicas."));
        }
        return findings;
    }

    private static String kind(Picture picture, Topic topic, Partition partition) {
        if (partition.offline()) {
            return "offline";
        }
        return partition.isr().size()
                        < Math.min(
                                picture.minInsync(topic), partition.replicas().size())
                ? "under min.insync.replicas"
                : "under-replicated";
    }

    public static List<Finding> groups(List<GroupReport> groups) {
        List<Finding> findings = new ArrayList<>();
        int more = 0;
        for (GroupReport report : groups) {
            if (report.group().members().isEmpty() && report.lag() > 0) {
                if (findings.size() == MOST_ALIKE) {
                    more++;
                    continue;
                }
                findings.add(Finding.warning(
                        "Group " + report.group().id() + " has no members, and " + Words.count(report.lag(), "record")
                                + " to read.",
                        "Start its consumers, or delete it: 'moldau groups delete "
                                + report.group().id() + "'."));
            }
        }
        if (more > 0) {
            findings.add(Finding.warning(more + " more groups have no members, and records to read.", ""));
        }
        return findings;
    }

    public static List<Finding> nodes(List<NodeAnswer> nodes) {
        List<Finding> findings = new ArrayList<>();
        for (NodeAnswer node : nodes) {
            if (!node.ready()) {
                findings.add(Finding.problem(
                        "The node at " + node.url() + " is not ready: " + node.answer(),
                        "Its log says what it waits for."));
            }
            findings.addAll(advertised(node));
            findings.addAll(dropped(node));
            findings.addAll(uncleanable(node));
            OptionalDouble openFiles = node.metrics().value("process_files_open_files");
            OptionalDouble mostFiles = node.metrics().value("process_files_max_files");
            if (mostFiles.isPresent() && openFiles.isPresent()) {
                double most = mostFiles.getAsDouble();
                double open = openFiles.getAsDouble();
                String text = "The node at " + node.url() + " may open " + Math.round(most) + " files and has "
                        + Math.round(open) + " open.";
                String remedy = "Raise the limit (ulimit -n, or LimitNOFILE of its service) to 100000 and restart it.";
                if (open > most * FILES_IN_USE) {
                    findings.add(Finding.problem(text, remedy));
                } else if (most < FEW_FILES) {
                    findings.add(Finding.warning(text, remedy));
                }
            }
        }
        // Against each other, not against this machine: its own clock may be the wrong one.
        if (nodes.size() > 1) {
            NodeAnswer first = nodes.getFirst();
            NodeAnswer last = nodes.getFirst();
            for (NodeAnswer node : nodes) {
                first = node.aheadMs() > first.aheadMs() ? node : first;
                last = node.aheadMs() < last.aheadMs() ? node : last;
            }
            skew(findings, first.aheadMs() - last.aheadMs(), first.url(), last.url());
        } else if (nodes.size() == 1) {
            long ahead = nodes.getFirst().aheadMs();
            String node = nodes.getFirst().url();
            skew(findings, Math.abs(ahead), ahead > 0 ? node : "this machine", ahead > 0 ? "this machine" : node);
        }
        return findings;
    }

    private static List<Finding> advertised(NodeAnswer node) {
        List<Finding> findings = new ArrayList<>();
        node.metrics().values("moldau_advertised_listener_reached").forEach((listener, itself) -> {
            if (itself == 0) {
                // A forwarded port is one that the node itself does not come by.
                findings.add(Finding.warning(
                        "The node at " + node.url() + " did not find itself where it tells clients of listener "
                                + listener + " to come; they fail, unless they come by a forwarded port.",
                        "Set its advertised.listeners to an address that clients reach; its log says what it found"
                                + " there (\"clients will fail\")."));
            }
        });
        return findings;
    }

    private static List<Finding> uncleanable(NodeAnswer node) {
        List<Finding> findings = new ArrayList<>();
        node.metrics()
                .values("kafka_log_logcleanermanager_uncleanable_partitions_count")
                .forEach((directory, logs) -> {
                    if (logs > 0) {
                        findings.add(Finding.warning(
                                "The node at " + node.url() + " cannot compact " + Words.count(Math.round(logs), "log")
                                        + " in " + directory + "; they grow. It tries again by itself.",
                                "Its log says which and why (\"cannot be compacted\"); so does"
                                        + " /api/v1/topics/TOPIC/partitions/N/why of its admin listener."));
                    }
                });
        return findings;
    }

    /// Connections the node closed for what came over them, or for their number.
    private static List<Finding> dropped(NodeAnswer node) {
        List<Finding> findings = new ArrayList<>();
        node.metrics().values("moldau_connections_dropped_total").forEach((key, count) -> {
            int blank = key.lastIndexOf(' ');
            String listener = blank < 0 ? key : key.substring(0, blank);
            String cause = key.substring(blank + 1);
            String look = " Who it was: 'moldau configs set logger NODE io.moldau.broker.net=DEBUG', and its log.";
            String remedy = switch (cause) {
                case "bad_frame" ->
                    "Something speaks HTTP or TLS to a plaintext port, or sends more than"
                            + " socket.request.max.bytes; check the client's address and security.protocol."
                            + look;
                case "bad_request" ->
                    "A client sends requests that do not exist here, or not in that version: is it older than"
                            + " Kafka 2.1, does it use SASL on a PLAINTEXT listener, or features that are not"
                            + " built yet?" + look;
                case "too_many_connections" -> "Raise max.connections, or find who opens so many." + look;
                case "too_many_connections_per_ip" ->
                    "Raise max.connections.per.ip or max.connections.per.ip.overrides, or find who opens so" + " many."
                            + look;
                default -> "";
            };
            if (count > 0 && !remedy.isEmpty()) {
                findings.add(Finding.warning(
                        "The node at " + node.url() + " closed " + Words.count(Math.round(count), "connection")
                                + " to listener " + listener + " since its start: " + cause.replace('_', ' ') + ".",
                        remedy));
            }
        });
        return findings;
    }

    private static void skew(List<Finding> findings, long ms, String ahead, String behind) {
        if (ms > SKEW_MS) {
            findings.add(
                    Finding.warning(
                            "The clock of " + ahead + " is " + Math.round(ms / 1000.0) + " s ahead of that of " + behind
                                    + ".",
                            "Have the machines keep time (chrony, systemd-timesyncd): retention and look-ups by time go by it."));
        }
    }
}
