package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.coordinator.group.GroupCensus;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.report.GroupReport.Member;
import io.moldau.wire.message.ConsumerProtocolAssignment;
import io.moldau.wire.message.DescribeGroupsRequestData;
import io.moldau.wire.message.DescribeGroupsResponseData;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroup;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroupMember;
import io.moldau.wire.message.ListGroupsRequestData;
import io.moldau.wire.message.ListGroupsResponseData;
import io.moldau.wire.message.ListGroupsResponseData.ListedGroup;
import io.moldau.wire.message.OffsetFetchRequestData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchResponseData;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.MalformedMessageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The groups of the whole cluster with their members and lag: this node's coordinator is looked at, the other brokers
/// are asked. Only when somebody wants to see them. Thread-safe; one look at a time, and none within two seconds of the
/// last.
public final class ClusterGroups {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long LOCAL_SECONDS = 2;

    private static final int MOST_GROUPS = 1_000;
    private static final int MOST_OFFSETS = 20_000;

    private static final short LIST_VERSION = 5;
    private static final short DESCRIBE_VERSION = 5;

    /// The first that has several groups, and the last that names topics by name.
    private static final short OFFSETS_VERSION = 8;

    private static final long UNKNOWN = -1;

    /// A group as its coordinator knows it, and how far it is behind.
    ///
    /// @param still for how many seconds, as far as anybody has looked, it has stood where it stands; by partition
    public record Entry(GroupReport.Group group, GroupLags.Group lags, Map<TopicPartition, Long> still) {

        /// The same as a report.
        public GroupReport report() {
            Map<TopicPartition, Long> ends = new HashMap<>();
            for (GroupLags.Lag lag : lags.lags()) {
                if (lag.isKnown()) {
                    ends.put(new TopicPartition(lag.topic(), lag.partition()), lag.endOffset());
                }
            }
            return GroupReport.of(group, ends);
        }
    }

    /// All of them, by id.
    ///
    /// @param atMs when the look began; ages are as of then
    /// @param leftOff how many more there are
    /// @param loadingShards of this node's coordinator
    /// @param silent brokers that serve and did not answer
    public record Report(long atMs, List<Entry> groups, int leftOff, int loadingShards, List<Integer> silent) {

        public @Nullable Entry find(String id) {
            return groups.stream()
                    .filter(entry -> entry.group().id().equals(id))
                    .findFirst()
                    .orElse(null);
        }
    }

    /// What one broker coordinates.
    private record Coordinated(
            int broker, List<ListedGroup> listed, Map<String, DescribedGroup> described, GroupCensus census) {}

    /// Where a group stands, and since when it was seen there.
    private record Stand(long offset, long sinceNanos) {}

    private final NodeView node;
    private final NodeView.Broker broker;
    private final Time time;
    private final BrokerCalls calls;
    private final LagReader reader;

    private @Nullable Report last;
    private long lastNanos;
    private Map<String, Map<TopicPartition, Stand>> stands = new HashMap<>();

    public ClusterGroups(NodeView node, NodeView.Broker broker, BrokerCalls calls) {
        this.node = node;
        this.broker = broker;
        this.time = node.time();
        this.calls = calls;
        this.reader = new LagReader(broker, new LeaderReads(node, calls));
    }

    /// As of now, or of the two seconds before.
    public synchronized Report report() {
        Report fresh = last;
        if (fresh != null && time.nanoseconds() - lastNanos < FRESH_NANOS) {
            return fresh;
        }
        long atMs = time.milliseconds();
        List<Coordinated> all = new ArrayList<>();
        List<Integer> silent = new ArrayList<>();
        for (BrokerRegistration other : node.image().get().cluster().brokers()) {
            if (other.id() == node.config().nodeId()) {
                all.add(here(other.id()));
            } else if (!other.fenced()) {
                Coordinated there = there(other.id());
                if (there == null) {
                    silent.add(other.id());
                } else {
                    all.add(there);
                }
            }
        }
        Report report = together(atMs, all, silent);
        last = report;
        lastNanos = time.nanoseconds();
        return report;
    }

    private Coordinated here(int id) {
        var listed = new CompletableFuture<ListGroupsResponseData>();
        broker.groups().list(Set.of(), Set.of(), listed::complete);
        var census = new CompletableFuture<GroupCensus>();
        broker.groups().census(MOST_GROUPS, MOST_OFFSETS, census::complete);
        List<ListedGroup> groups = within(listed, new ListGroupsResponseData()).groups();
        var described = new CompletableFuture<List<DescribedGroup>>();
        broker.groups().describe(some(groups), false, described::complete);
        return new Coordinated(
                id, groups, byId(within(described, List.of())), within(census, new GroupCensus(List.of(), 0, 0, 0)));
    }

    private static <T> T within(CompletableFuture<T> answer, T otherwise) {
        return answer.completeOnTimeout(otherwise, LOCAL_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private static List<String> some(List<ListedGroup> groups) {
        return groups.stream().map(ListedGroup::groupId).limit(MOST_GROUPS).toList();
    }

    private static Map<String, DescribedGroup> byId(List<DescribedGroup> groups) {
        Map<String, DescribedGroup> byId = new HashMap<>();
        groups.forEach(group -> byId.put(group.groupId(), group));
        return byId;
    }

    private @Nullable Coordinated there(int id) {
        List<ListedGroup> listed;
        try (PeerResponse response = calls.ask(id, LIST_VERSION, new ListGroupsRequestData())) {
            if (response == null) {
                return null;
            }
            listed = response.as(ListGroupsResponseData.class).groups();
        }
        List<String> ids = some(listed);
        if (ids.isEmpty()) {
            return new Coordinated(id, List.of(), Map.of(), new GroupCensus(List.of(), 0, 0, 0));
        }
        var describing = calls.send(id, DESCRIBE_VERSION, new DescribeGroupsRequestData().setGroups(ids));
        var fetching = calls.send(
                id,
                OFFSETS_VERSION,
                new OffsetFetchRequestData()
                        .setGroups(ids.stream()
                                .map(group -> new OffsetFetchRequestGroup()
                                        .setGroupId(group)
                                        .setTopics(null))
                                .toList()));
        try (PeerResponse described = BrokerCalls.await(describing);
                PeerResponse offsets = BrokerCalls.await(fetching)) {
            if (described == null || offsets == null) {
                return null;
            }
            var groups = byId(described.as(DescribeGroupsResponseData.class).groups());
            return new Coordinated(
                    id, listed, groups, census(listed, groups, offsets.as(OffsetFetchResponseData.class)));
        }
    }

    /// The same as a coordinator in this process gives, but for the times of commits.
    private static GroupCensus census(
            List<ListedGroup> listed, Map<String, DescribedGroup> described, OffsetFetchResponseData fetched) {
        Map<String, List<GroupCensus.Offset>> offsets = new HashMap<>();
        for (var group : fetched.groups()) {
            List<GroupCensus.Offset> of = offsets.computeIfAbsent(group.groupId(), id -> new ArrayList<>());
            group.topics()
                    .forEach(topic -> topic.partitions().stream()
                            .filter(it -> it.errorCode() == Errors.NONE.code() && it.committedOffset() >= 0)
                            .forEach(it -> of.add(new GroupCensus.Offset(
                                    topic.name(), it.partitionIndex(), it.committedOffset(), UNKNOWN, it.metadata()))));
        }
        List<GroupCensus.Group> groups = listed.stream()
                .limit(MOST_GROUPS)
                .map(group -> new GroupCensus.Group(
                        group.groupId(),
                        group.groupType(),
                        group.groupState(),
                        group.protocolType(),
                        described
                                .getOrDefault(group.groupId(), new DescribedGroup())
                                .members()
                                .size(),
                        offsets.getOrDefault(group.groupId(), List.of())))
                .toList();
        return new GroupCensus(groups, 0, 0, 0);
    }

    private Report together(long atMs, List<Coordinated> all, List<Integer> silent) {
        int total = 0;
        int loading = 0;
        List<GroupCensus.Group> some = new ArrayList<>();
        Map<String, Coordinated> coordinators = new HashMap<>();
        Map<String, ListedGroup> listed = new HashMap<>();
        for (Coordinated one : all) {
            total += one.listed().size();
            loading += one.census().loadingShards();
            one.listed().forEach(group -> listed.put(group.groupId(), group));
            one.census().groups().stream().limit(MOST_GROUPS - some.size()).forEach(group -> {
                // While a coordinator moves two brokers may tell of a group.
                if (coordinators.putIfAbsent(group.groupId(), one) == null) {
                    some.add(group);
                }
            });
        }
        List<Entry> entries = new ArrayList<>();
        Map<String, Map<TopicPartition, Stand>> seen = new HashMap<>();
        // All at once: leaders are asked once, and what was read is known the next time.
        for (GroupLags.Group lags : reader.groups(atMs, new GroupCensus(some, 0, 0, 0))) {
            Coordinated one = coordinators.get(lags.groupId());
            if (one != null) {
                GroupReport.Group group =
                        group(lags, listed.get(lags.groupId()), one.described().get(lags.groupId()), one.broker());
                entries.add(new Entry(group, lags, still(group, seen)));
            }
        }
        stands = seen;
        entries.sort(Comparator.comparing(entry -> entry.group().id()));
        return new Report(
                atMs, List.copyOf(entries), Math.max(0, total - entries.size()), loading, List.copyOf(silent));
    }

    private Map<TopicPartition, Long> still(GroupReport.Group group, Map<String, Map<TopicPartition, Stand>> seen) {
        long now = time.nanoseconds();
        Map<TopicPartition, Stand> before = stands.getOrDefault(group.id(), Map.of());
        Map<TopicPartition, Stand> after = new HashMap<>();
        Map<TopicPartition, Long> still = new HashMap<>();
        group.committed().forEach((partition, offset) -> {
            Stand stand = before.get(partition);
            Stand kept = stand != null && stand.offset() == offset ? stand : new Stand(offset, now);
            after.put(partition, kept);
            still.put(partition, TimeUnit.NANOSECONDS.toSeconds(now - kept.sinceNanos()));
        });
        seen.put(group.id(), after);
        return Map.copyOf(still);
    }

    private static GroupReport.Group group(
            GroupLags.Group lags, @Nullable ListedGroup listed, @Nullable DescribedGroup described, int coordinator) {
        Map<TopicPartition, Long> committed = new HashMap<>();
        lags.lags().forEach(lag -> committed.put(new TopicPartition(lag.topic(), lag.partition()), lag.offset()));
        return new GroupReport.Group(
                lags.groupId(),
                listed == null ? "" : listed.groupType(),
                described == null || described.groupState().isEmpty() ? lags.state() : described.groupState(),
                described == null ? "" : described.protocolData(),
                coordinator,
                described == null
                        ? List.of()
                        : described.members().stream()
                                .map(ClusterGroups::member)
                                .sorted(Comparator.comparing(Member::id))
                                .toList(),
                committed);
    }

    private static Member member(DescribedGroupMember member) {
        return new Member(
                member.memberId(), member.clientId(), member.clientHost(), assigned(member.memberAssignment()));
    }

    /// Empty also for a member that uses this place for something of its own.
    private static Set<TopicPartition> assigned(byte[] assignment) {
        if (assignment.length < Short.BYTES) {
            return Set.of();
        }
        var in = new ByteBufferReadable(ByteBuffer.wrap(assignment));
        try {
            int version = Math.min(in.readShort(), ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION);
            Set<TopicPartition> assigned = new HashSet<>();
            for (var topic : new ConsumerProtocolAssignment(in, (short) version).assignedPartitions()) {
                topic.partitions().forEach(partition -> assigned.add(new TopicPartition(topic.topic(), partition)));
            }
            return assigned;
        } catch (MalformedMessageException e) {
            return Set.of();
        }
    }
}
