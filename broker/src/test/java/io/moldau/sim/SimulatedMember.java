package io.moldau.sim;

import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.JoinGroupResponseData.JoinGroupResponseMember;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetFetchResponseData;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import io.moldau.wire.message.SyncGroupResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A member of a group of the classic protocol: joins, calculates the assignment if it leads, beats, commits and looks
/// at what is committed for its partitions. Leaves now and then, dies, or stops for so long that the group goes on
/// without it, and then acts as if nothing had been.
final class SimulatedMember extends SimulatedClient {

    static final int SESSION_MS = 2_500;
    private static final int REBALANCE_MS = 3_000;

    private final String group;
    private final @Nullable String instance;
    private final List<TopicIdPartition> partitions;
    private final GroupChecker checker;
    private final Map<Integer, Long> positions = new HashMap<>();
    private String memberId = "";
    private int generation = -1;
    private int generationBefore = -1;
    private List<Integer> assigned = List.of();
    private int commits;
    private boolean calm;

    SimulatedMember(
            SimulatedCluster cluster, String group, int number, boolean isStatic, List<TopicIdPartition> partitions) {
        super(cluster, group + "-" + number, 500 + 10 * group.charAt(group.length() - 1) + number);
        this.group = group;
        this.instance = isStatic ? "instance-" + number : null;
        this.partitions = partitions;
        this.checker = cluster.checks().groups();
    }

    String group() {
        return group;
    }

    /// -1 while it is in none.
    int generation() {
        return generation;
    }

    /// How many commits were acknowledged.
    int commits() {
        return commits;
    }

    boolean isAssigned() {
        return !assigned.isEmpty();
    }

    /// From now on it neither leaves nor dies.
    void calmDown() {
        calm = true;
        pauseUntil(0);
    }

    @Override
    void start() {
        later(random().nextInt(500), "member", this::act);
    }

    private GroupChecker.Identity identity(@Nullable String instanceId, String id) {
        return new GroupChecker.Identity(instanceId == null ? id : instanceId);
    }

    private GroupChecker.Identity identity() {
        return identity(instance, memberId);
    }

    private void act() {
        int coordinator = coordinator(OffsetsTopic.NAME, group);
        if (coordinator < 0) {
            again(Errors.LEADER_NOT_AVAILABLE);
            return;
        }
        int dice = random().nextInt(100);
        if (!calm && dice == 0) {
            cluster().log().note(this, "dies", "", generation);
            forget("");
            again(Errors.NONE);
        } else if (!calm && dice == 1) {
            long forMs = random().nextInt(500, 3 * SESSION_MS);
            cluster().log().note(this, "pause", "", forMs);
            pauseUntil(scheduler().now() + forMs * 1_000_000);
            again(Errors.NONE);
        } else if (generation < 0) {
            join(coordinator);
        } else if (!calm && dice == 2) {
            leave(coordinator);
        } else if (dice < 6 && generationBefore >= 0 && generationBefore < generation) {
            // Left over from before the last rebalance.
            commit(coordinator, random().nextInt(partitions.size()), generationBefore, random().nextInt(1_000));
        } else if (assigned.isEmpty() || dice < 40) {
            heartbeat(coordinator);
        } else if (dice < 80) {
            commit(coordinator, assigned.get(random().nextInt(assigned.size())));
        } else {
            look(coordinator, assigned.get(random().nextInt(assigned.size())));
        }
    }

    private void forget(String nextId) {
        memberId = nextId;
        generationBefore = generation < 0 ? generationBefore : generation;
        generation = -1;
        assigned = List.of();
        positions.clear();
    }

    private void again(Errors error) {
        switch (error) {
            case NONE, MEMBER_ID_REQUIRED -> {}
            case COORDINATOR_LOAD_IN_PROGRESS,
                    COORDINATOR_NOT_AVAILABLE,
                    NOT_COORDINATOR,
                    LEADER_NOT_AVAILABLE,
                    REQUEST_TIMED_OUT,
                    NETWORK_EXCEPTION,
                    UNKNOWN_TOPIC_OR_PARTITION -> refreshMetadata();
            case REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION -> forget(memberId);
            case UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID -> forget("");
            default -> cluster().fail(this + " was answered " + error, null);
        }
        later(20 + random().nextInt(200), "member", this::act);
    }

    private void note(String what, Errors error, long... values) {
        cluster().log().note(this, what, error.toString(), values);
    }

    // ---- membership

    private void join(int coordinator) {
        int generationThen = checker.generation(group);
        var request = new JoinGroupRequestData()
                .setGroupId(group)
                .setSessionTimeoutMs(SESSION_MS)
                .setRebalanceTimeoutMs(REBALANCE_MS)
                .setMemberId(memberId)
                .setGroupInstanceId(instance)
                .setProtocolType("consumer");
        request.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[] {0}));
        this.send(
                        coordinator,
                        ApiKey.JOIN_GROUP,
                        9,
                        request,
                        JoinGroupResponseData.class,
                        REQUEST_TIMEOUT_MS + REBALANCE_MS)
                .whenComplete((response, failure) -> {
                    Errors error = response == null ? error(failure) : Errors.forCode(response.errorCode());
                    note("join", error, response == null ? -1 : response.generationId(), coordinator);
                    if (error == Errors.MEMBER_ID_REQUIRED && response != null) {
                        memberId = response.memberId();
                    }
                    if (error != Errors.NONE || response == null) {
                        again(error);
                        return;
                    }
                    memberId = response.memberId();
                    checker.joined(group, identity(), response.generationId(), generationThen);
                    sync(coordinator, response);
                });
    }

    private void sync(int coordinator, JoinGroupResponseData join) {
        int generationThen = checker.generation(group);
        int joined = join.generationId();
        var request = new SyncGroupRequestData()
                .setGroupId(group)
                .setGenerationId(joined)
                .setMemberId(memberId)
                .setGroupInstanceId(instance)
                .setProtocolType("consumer")
                .setProtocolName("range");
        if (join.leader().equals(memberId) && !join.skipAssignment()) {
            request.setAssignments(calculate(join.members()));
        }
        send(coordinator, ApiKey.SYNC_GROUP, 5, request, SyncGroupResponseData.class)
                .whenComplete((response, failure) -> {
                    Errors error = response == null ? error(failure) : Errors.forCode(response.errorCode());
                    note("sync", error, joined, coordinator);
                    if (error == Errors.NONE && response != null) {
                        GroupChecker.Assignment assignment = read(response.assignment());
                        generation = joined;
                        assigned = assignment.partitions();
                        checker.synced(group, identity(), joined, generationThen, assignment);
                    }
                    again(error);
                });
    }

    private List<SyncGroupRequestAssignment> calculate(List<JoinGroupResponseMember> members) {
        long nonce = random().nextLong();
        Set<GroupChecker.Identity> all = new HashSet<>();
        members.forEach(each -> all.add(identity(each.groupInstanceId(), each.memberId())));
        checker.calculates(nonce, all);
        List<SyncGroupRequestAssignment> assignments = new ArrayList<>();
        int first = random().nextInt(members.size());
        for (int i = 0; i < members.size(); i++) {
            List<Integer> share = new ArrayList<>();
            for (int partition = (first + i) % members.size();
                    partition < partitions.size();
                    partition += members.size()) {
                share.add(partition);
            }
            assignments.add(new SyncGroupRequestAssignment()
                    .setMemberId(members.get(i).memberId())
                    .setAssignment(write(new GroupChecker.Assignment(nonce, share))));
        }
        return assignments;
    }

    private static byte[] write(GroupChecker.Assignment assignment) {
        var bytes = ByteBuffer.allocate(
                Long.BYTES + Integer.BYTES * assignment.partitions().size());
        bytes.putLong(assignment.nonce());
        assignment.partitions().forEach(bytes::putInt);
        return bytes.array();
    }

    private GroupChecker.Assignment read(byte[] assignment) {
        if (assignment.length < Long.BYTES) {
            cluster().fail(this + " was given no assignment", null);
            return new GroupChecker.Assignment(0, List.of());
        }
        var bytes = ByteBuffer.wrap(assignment);
        long nonce = bytes.getLong();
        List<Integer> share = new ArrayList<>();
        while (bytes.hasRemaining()) {
            share.add(bytes.getInt());
        }
        return new GroupChecker.Assignment(nonce, List.copyOf(share));
    }

    private void heartbeat(int coordinator) {
        var request = new HeartbeatRequestData()
                .setGroupId(group)
                .setGenerationId(generation)
                .setMemberId(memberId)
                .setGroupInstanceId(instance);
        send(coordinator, ApiKey.HEARTBEAT, 4, request, HeartbeatResponseData.class)
                .whenComplete((response, failure) ->
                        again(response == null ? error(failure) : Errors.forCode(response.errorCode())));
    }

    private void leave(int coordinator) {
        var request = new LeaveGroupRequestData().setGroupId(group);
        request.members().add(new MemberIdentity().setMemberId(memberId).setGroupInstanceId(instance));
        send(coordinator, ApiKey.LEAVE_GROUP, 5, request, LeaveGroupResponseData.class)
                .whenComplete((response, failure) -> {
                    Errors error = response == null ? error(failure) : Errors.forCode(response.errorCode());
                    note("leave", error, generation);
                    forget("");
                    again(error);
                });
    }

    // ---- offsets

    private void commit(int coordinator, int partition) {
        Long position = positions.get(partition);
        if (position == null) {
            look(coordinator, partition);
            return;
        }
        long offset = position + 1 + random().nextInt(3);
        positions.put(partition, offset);
        commit(coordinator, partition, generation, offset);
    }

    private void commit(int coordinator, int partition, int within, long offset) {
        GroupChecker.Commit commit = checker.commits(group, partition, within, offset);
        var request = OffsetRequests.commit(group, within, partitions.get(partition), offset)
                .setMemberId(memberId)
                .setGroupInstanceId(instance);
        send(coordinator, ApiKey.OFFSET_COMMIT, 8, request, OffsetCommitResponseData.class)
                .whenComplete((response, failure) -> {
                    Errors error = response == null ? error(failure) : OffsetRequests.errorOf(response);
                    note("commit", error, partition, offset, within, coordinator);
                    if (within < generation && error == Errors.ILLEGAL_GENERATION) {
                        checker.refused(commit);
                        again(Errors.NONE);
                        return;
                    }
                    switch (error) {
                        case NONE -> {
                            commits++;
                            checker.acknowledged(group, commit);
                        }
                        case ILLEGAL_GENERATION,
                                UNKNOWN_MEMBER_ID,
                                FENCED_INSTANCE_ID,
                                REBALANCE_IN_PROGRESS,
                                COORDINATOR_LOAD_IN_PROGRESS -> checker.refused(commit);
                        // It may have been written all the same.
                        default -> {}
                    }
                    again(error);
                });
    }

    private void look(int coordinator, int partition) {
        int within = generation;
        GroupChecker.Look look = checker.looks(group, partition, generation);
        var request = OffsetRequests.fetch(group, partitions.get(partition));
        send(coordinator, ApiKey.OFFSET_FETCH, 8, request, OffsetFetchResponseData.class)
                .whenComplete((response, failure) -> {
                    if (response == null) {
                        again(error(failure));
                        return;
                    }
                    var answer = response.groups().getFirst();
                    Errors error = Errors.forCode(answer.errorCode());
                    if (error == Errors.NONE) {
                        long found = OffsetRequests.offsetOf(answer);
                        note("found", error, partition, found, within, coordinator);
                        if (cluster().checks().leads(coordinator, OffsetsTopic.NAME, group)) {
                            checker.found(look, found);
                        }
                        positions.merge(partition, Math.max(found, 0), Math::max);
                    }
                    again(error);
                });
    }
}
