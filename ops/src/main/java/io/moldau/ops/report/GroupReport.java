package io.moldau.ops.report;

import io.moldau.common.TopicPartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// A group at one moment, for people and for scripts. A value.
public record GroupReport(Group group, List<Position> positions) {

    /// @param coordinator -1 if it is not known
    /// @param committed the next offset to read
    public record Group(
            String id,
            String type,
            String state,
            String assignor,
            int coordinator,
            List<Member> members,
            Map<TopicPartition, Long> committed) {}

    public record Member(String id, String clientId, String host, Set<TopicPartition> assigned) {}

    /// @param committed -1 if nothing is
    /// @param end -1 if it is not known
    /// @param member whose partition it is, `-` if nobody's
    public record Position(TopicPartition partition, long committed, long end, String member) {

        /// -1 if it is not known.
        public long lag() {
            return committed < 0 || end < 0 ? -1 : Math.max(0, end - committed);
        }
    }

    /// @param ends as far as they are known
    public static GroupReport of(Group group, Map<TopicPartition, Long> ends) {
        return new GroupReport(
                group,
                partitions(group).stream()
                        .map(partition -> new Position(
                                partition,
                                group.committed().getOrDefault(partition, -1L),
                                ends.getOrDefault(partition, -1L),
                                owner(group.members(), partition)))
                        .toList());
    }

    private static String owner(List<Member> members, TopicPartition partition) {
        return members.stream()
                .filter(member -> member.assigned().contains(partition))
                .map(Member::id)
                .findFirst()
                .orElse("-");
    }

    /// What the group has committed or reads, in order.
    public static Set<TopicPartition> partitions(Group group) {
        Set<TopicPartition> partitions = new TreeSet<>();
        partitions.addAll(group.committed().keySet());
        group.members().forEach(member -> partitions.addAll(member.assigned()));
        return partitions;
    }

    public long lag() {
        return positions.stream()
                .mapToLong(position -> Math.max(0, position.lag()))
                .sum();
    }

    public String text() {
        var table = new TextTable("TOPIC", "PARTITION", "COMMITTED", "END", "LAG", "MEMBER");
        for (Position position : positions) {
            table.row(
                    position.partition().topic(),
                    position.partition().partition(),
                    known(position.committed()),
                    known(position.end()),
                    known(position.lag()),
                    position.member());
        }
        return head() + (positions.isEmpty() ? "Nothing is committed or assigned." : table);
    }

    public String membersText() {
        var table = new TextTable("MEMBER", "CLIENT", "HOST", "PARTITIONS");
        for (Member member : group.members()) {
            table.row(member.id(), member.clientId(), member.host(), assigned(member));
        }
        return head() + (group.members().isEmpty() ? "It has no members." : table);
    }

    private static String assigned(Member member) {
        return member.assigned().isEmpty()
                ? "-"
                : member.assigned().stream()
                        .sorted()
                        .map(TopicPartition::toString)
                        .collect(Collectors.joining(","));
    }

    private String head() {
        return "group %s, %s, state %s%s, coordinator %s, members %d, lag %d\n\n"
                .formatted(
                        group.id(),
                        group.type(),
                        group.state(),
                        group.assignor().isEmpty() ? "" : ", assignor " + group.assignor(),
                        group.coordinator() < 0 ? "unknown" : group.coordinator(),
                        group.members().size(),
                        lag());
    }

    private static String known(long number) {
        return number < 0 ? "-" : Long.toString(number);
    }

    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("group", group.id());
        json.put("type", group.type());
        json.put("state", group.state());
        json.put("assignor", group.assignor());
        json.put("coordinator", group.coordinator());
        json.put("lag", lag());
        json.put(
                "members",
                group.members().stream()
                        .map(member -> {
                            Map<String, Object> one = new LinkedHashMap<>();
                            one.put("id", member.id());
                            one.put("clientId", member.clientId());
                            one.put("host", member.host());
                            one.put(
                                    "partitions",
                                    member.assigned().stream()
                                            .sorted()
                                            .map(TopicPartition::toString)
                                            .toList());
                            return one;
                        })
                        .toList());
        json.put(
                "partitions",
                positions.stream()
                        .map(position -> {
                            Map<String, Object> one = new LinkedHashMap<>();
                            one.put("topic", position.partition().topic());
                            one.put("partition", position.partition().partition());
                            one.put("committedOffset", position.committed());
                            one.put("endOffset", position.end());
                            one.put("lag", position.lag());
                            one.put("member", position.member());
                            return one;
                        })
                        .toList());
        return json;
    }
}
