package io.moldau.ops.report;

import io.moldau.common.Uuid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/// The metadata quorum at one moment, for people and for scripts. A value; `now` comes from outside.
///
/// @param highWatermark the first offset of the metadata log that is not committed
/// @param members the leader first, then voters, then observers
public record QuorumReport(String clusterId, int leaderId, long epoch, long highWatermark, List<Member> members) {

    public enum Role {
        LEADER,
        VOTER,
        OBSERVER;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Where a controller listens.
    public record Address(String listener, String host, int port) {

        @Override
        public String toString() {
            return listener + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /// What the leader of the quorum tells.
    ///
    /// @param leaderId -1 if there is none
    /// @param addresses where members listen, as far as it is told, by node
    public record Quorum(
            int leaderId,
            long epoch,
            long highWatermark,
            List<Replica> voters,
            List<Replica> observers,
            Map<Integer, List<Address>> addresses) {}

    /// @param directoryId zero if it has none
    /// @param logEndOffset the first offset it does not have; -1 if unknown
    /// @param lastFetchMs by the leader's wall clock
    public record Replica(
            int id, Uuid directoryId, long logEndOffset, OptionalLong lastFetchMs, OptionalLong lastCaughtUpMs) {}

    /// @param logEndOffset the first offset it does not have; -1 if unknown
    /// @param lag how many entries the leader has that it has not; -1 if unknown
    /// @param sinceFetchMs how long ago it asked for entries; empty if it never did, and for the
    ///     leader
    /// @param sinceCaughtUpMs how long ago it had all of them
    public record Member(
            int id,
            Role role,
            Uuid directoryId,
            long logEndOffset,
            long lag,
            OptionalLong sinceFetchMs,
            OptionalLong sinceCaughtUpMs,
            List<Address> addresses) {}

    public QuorumReport {
        members = List.copyOf(members);
    }

    /// @param registered addresses the quorum's answer need not have: those of controllers that are
    ///     no voters
    public static QuorumReport of(String clusterId, Quorum quorum, Map<Integer, List<Address>> registered, long nowMs) {
        long end = quorum.voters().stream()
                .filter(voter -> voter.id() == quorum.leaderId())
                .mapToLong(Replica::logEndOffset)
                .findFirst()
                .orElse(-1);
        var members = new ArrayList<Member>();
        quorum.voters().forEach(voter -> {
            Role role = voter.id() == quorum.leaderId() ? Role.LEADER : Role.VOTER;
            members.add(member(voter, role, end, addresses(voter.id(), quorum, registered), nowMs));
        });
        quorum.observers()
                .forEach(observer -> members.add(
                        member(observer, Role.OBSERVER, end, addresses(observer.id(), quorum, registered), nowMs)));
        members.sort(Comparator.comparing(Member::role).thenComparing(Member::id));
        return new QuorumReport(clusterId, quorum.leaderId(), quorum.epoch(), quorum.highWatermark(), members);
    }

    private static List<Address> addresses(int id, Quorum quorum, Map<Integer, List<Address>> registered) {
        List<Address> told = quorum.addresses().getOrDefault(id, List.of());
        return told.isEmpty() ? registered.getOrDefault(id, List.of()) : told;
    }

    private static Member member(Replica state, Role role, long leaderEnd, List<Address> addresses, long nowMs) {
        boolean known = state.logEndOffset() >= 0 && leaderEnd >= 0;
        boolean leads = role == Role.LEADER;
        return new Member(
                state.id(),
                role,
                state.directoryId(),
                state.logEndOffset(),
                known ? Math.max(0, leaderEnd - state.logEndOffset()) : -1,
                leads ? OptionalLong.empty() : since(state.lastFetchMs(), nowMs),
                leads ? OptionalLong.empty() : since(state.lastCaughtUpMs(), nowMs),
                addresses);
    }

    private static OptionalLong since(OptionalLong timestampMs, long nowMs) {
        return timestampMs.isPresent() && timestampMs.getAsLong() >= 0
                ? OptionalLong.of(Math.max(0, nowMs - timestampMs.getAsLong()))
                : OptionalLong.empty();
    }

    public List<Member> voters() {
        return members.stream().filter(member -> member.role() != Role.OBSERVER).toList();
    }

    public List<Member> observers() {
        return members.stream().filter(member -> member.role() == Role.OBSERVER).toList();
    }

    public String text() {
        var table = new TextTable("ID", "ROLE", "DIRECTORY", "LOG END", "LAG", "LAST FETCH", "CAUGHT UP", "ENDPOINTS");
        for (Member member : members) {
            table.row(
                    member.id(),
                    member.role().word(),
                    member.directoryId().equals(Uuid.ZERO) ? "-" : member.directoryId(),
                    member.logEndOffset() < 0 ? "-" : member.logEndOffset(),
                    member.lag() < 0 ? "-" : member.lag(),
                    ago(member.sinceFetchMs()),
                    ago(member.sinceCaughtUpMs()),
                    member.addresses().isEmpty()
                            ? "-"
                            : String.join(
                                    ",",
                                    member.addresses().stream()
                                            .map(Address::toString)
                                            .toList()));
        }
        String leader = leaderId < 0 ? "none" : Integer.toString(leaderId);
        return "cluster %s, leader %s, epoch %d, high watermark %d%n%n%s"
                .formatted(clusterId, leader, epoch, highWatermark, table);
    }

    private static String ago(OptionalLong ms) {
        if (ms.isEmpty()) {
            return "-";
        }
        long millis = ms.getAsLong();
        if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.1f s ago", millis / 1000.0);
        }
        long seconds = millis / 1000;
        return seconds < 120 ? seconds + " s ago" : seconds / 60 + " min ago";
    }

    public Map<String, Object> json() {
        var json = new LinkedHashMap<String, Object>();
        json.put("clusterId", clusterId);
        json.put("leaderId", leaderId);
        json.put("leaderEpoch", epoch);
        json.put("highWatermark", highWatermark);
        json.put("members", members.stream().map(QuorumReport::json).toList());
        return json;
    }

    private static Map<String, Object> json(Member member) {
        var json = new LinkedHashMap<String, Object>();
        json.put("id", member.id());
        json.put("role", member.role().word());
        json.put("directoryId", member.directoryId().toString());
        json.put("logEndOffset", member.logEndOffset());
        json.put("lag", member.lag());
        member.sinceFetchMs().ifPresent(ms -> json.put("sinceLastFetchMs", ms));
        member.sinceCaughtUpMs().ifPresent(ms -> json.put("sinceCaughtUpMs", ms));
        json.put("endpoints", member.addresses().stream().map(Address::toString).toList());
        return json;
    }
}
