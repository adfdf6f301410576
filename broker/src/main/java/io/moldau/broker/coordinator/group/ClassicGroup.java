package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.consumer.EmbeddedProtocol;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Invariant;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.JoinGroupResponseData.JoinGroupResponseMember;
import io.moldau.wire.message.SyncGroupResponseData;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One group of the classic protocol: its members, generation and state. Owned by its [GroupShard].
///
/// Holds what is so and keeps its parts consistent; when to change it is decided in [ClassicGroups]. Nothing here knows
/// the time, and answers to waiting members go into the operation's result.
public final class ClassicGroup implements Group {

    /// The protocol type under which the members' metadata can be read: that of consumers.
    static final String CONSUMER_PROTOCOL_TYPE = EmbeddedProtocol.TYPE;

    private final String groupId;
    private ClassicGroupState state;
    private ClassicGroupState previousState;
    private long stateSinceMs;
    private @Nullable String protocolType;
    private @Nullable String protocolName;
    private int generationId;
    private @Nullable String leaderId;

    // In order of joining, so that equal histories choose equal leaders and protocols.
    private final Map<String, ClassicGroupMember> members = new LinkedHashMap<>();
    private final Map<String, String> staticMembers = new HashMap<>();
    private final Map<String, Integer> supportedProtocols = new LinkedHashMap<>();

    // Ids handed out with MEMBER_ID_REQUIRED whose owners have not come back yet (KIP-394).
    private final Set<String> pendingJoinMembers = new LinkedHashSet<>();
    // Members of this generation that have not asked for their assignment yet (KAFKA-9801's successor).
    private final Set<String> pendingSyncMembers = new LinkedHashSet<>();
    private int storedGeneration = -1;

    private int awaitingJoin;
    private boolean newMemberAdded;
    private @Nullable Set<String> subscribedTopics;

    public ClassicGroup(String groupId, long nowMs) {
        this(groupId, ClassicGroupState.EMPTY, 0, null, null, null, nowMs);
    }

    /// A group as a record describes it.
    ///
    /// @param stateSinceMs when it came into its state, or -1
    ClassicGroup(
            String groupId,
            ClassicGroupState state,
            int generationId,
            @Nullable String protocolType,
            @Nullable String protocolName,
            @Nullable String leaderId,
            long stateSinceMs) {
        this.groupId = groupId;
        this.state = state;
        this.previousState = ClassicGroupState.DEAD;
        this.generationId = generationId;
        this.protocolType = protocolType;
        this.protocolName = protocolName;
        this.leaderId = leaderId;
        this.stateSinceMs = stateSinceMs;
    }

    @Override
    public String groupId() {
        return groupId;
    }

    @Override
    public Type type() {
        return Type.CLASSIC;
    }

    @Override
    public String stateName() {
        return state.toString();
    }

    @Override
    public String protocolTypeName() {
        return protocolType == null ? "" : protocolType;
    }

    @Override
    public boolean isDead() {
        return is(ClassicGroupState.DEAD);
    }

    @Override
    public boolean isUnused() {
        return is(ClassicGroupState.EMPTY) && pendingJoinMembers.isEmpty();
    }

    public ClassicGroupState state() {
        return state;
    }

    ClassicGroupState previousState() {
        return previousState;
    }

    boolean is(ClassicGroupState other) {
        return state == other;
    }

    public int generationId() {
        return generationId;
    }

    public @Nullable String protocolType() {
        return protocolType;
    }

    public @Nullable String protocolName() {
        return protocolName;
    }

    public @Nullable String leaderId() {
        return leaderId;
    }

    /// When the group came into its state, or -1 if an old record did not say.
    long stateSinceMs() {
        return stateSinceMs;
    }

    boolean isLeader(String memberId) {
        return memberId.equals(leaderId);
    }

    boolean usesConsumerProtocol() {
        return CONSUMER_PROTOCOL_TYPE.equals(protocolType);
    }

    /// Whether the group only stores offsets of a consumer that assigns partitions to itself.
    boolean isSimple() {
        return is(ClassicGroupState.EMPTY) && pendingJoinMembers.isEmpty() && protocolType == null;
    }

    @Override
    public int size() {
        return members.size();
    }

    Collection<ClassicGroupMember> members() {
        return members.values();
    }

    public Set<String> memberIds() {
        return members.keySet();
    }

    boolean has(String memberId) {
        return members.containsKey(memberId);
    }

    ClassicGroupMember member(String memberId) {
        var member = members.get(memberId);
        if (member == null) {
            throw Invariant.unreachable("group " + groupId + " has no member " + memberId);
        }
        return member;
    }

    @Nullable
    String staticMemberId(String groupInstanceId) {
        return staticMembers.get(groupInstanceId);
    }

    int awaitingJoin() {
        return awaitingJoin;
    }

    boolean isPending(String memberId) {
        return pendingJoinMembers.contains(memberId);
    }

    int pendingJoinCount() {
        return pendingJoinMembers.size();
    }

    void addPending(String memberId) {
        Invariant.check(!has(memberId), () -> "member " + memberId + " of " + groupId + " cannot be pending");
        pendingJoinMembers.add(memberId);
    }

    /// Whether an assignment of this generation is on its way to the log. A second one would be what the next
    /// coordinator finds, when members have been told the first.
    boolean isStoringAssignment() {
        return storedGeneration == generationId;
    }

    void storesAssignment() {
        storedGeneration = generationId;
    }

    Set<String> pendingSyncMembers() {
        return pendingSyncMembers;
    }

    void awaitSyncOf(String memberId) {
        Invariant.check(has(memberId), () -> memberId + " is no member of " + groupId);
        pendingSyncMembers.add(memberId);
    }

    /// Whether no member's sync is awaited any more.
    boolean hasAllSyncs() {
        return pendingSyncMembers.isEmpty();
    }

    boolean newMemberAdded() {
        return newMemberAdded;
    }

    void markNewMemberAdded(boolean value) {
        newMemberAdded = value;
    }

    void add(ClassicGroupMember member, @Nullable Reply<JoinGroupResponseData> reply) {
        var instanceId = member.groupInstanceId();
        if (instanceId != null) {
            var other = staticMembers.putIfAbsent(instanceId, member.memberId());
            Invariant.check(other == null, () -> "instance " + instanceId + " of " + groupId + " joined twice");
        }
        if (members.isEmpty()) {
            protocolType = member.protocolType();
        }
        if (leaderId == null) {
            leaderId = member.memberId();
        }
        members.put(member.memberId(), member);
        countProtocols(member, 1);
        member.swapJoin(reply);
        if (reply != null) {
            awaitingJoin++;
        }
        pendingJoinMembers.remove(member.memberId());
    }

    /// Removes a member, a pending member, or nobody. Whoever of it waits must have been answered before.
    void remove(String memberId) {
        var member = members.remove(memberId);
        if (member != null) {
            Invariant.check(!member.isAwaitingSync(), () -> memberId + " leaves " + groupId + " with a sync waiting");
            countProtocols(member, -1);
            if (member.isAwaitingJoin()) {
                awaitingJoin--;
            }
            if (member.groupInstanceId() != null) {
                staticMembers.remove(member.groupInstanceId());
            }
        }
        if (isLeader(memberId)) {
            leaderId = members.isEmpty() ? null : members.keySet().iterator().next();
        }
        pendingJoinMembers.remove(memberId);
        pendingSyncMembers.remove(memberId);
    }

    void update(
            ClassicGroupMember member,
            List<JoinGroupRequestProtocol> protocols,
            int rebalanceTimeoutMs,
            int sessionTimeoutMs) {
        countProtocols(member, -1);
        member.update(protocols, rebalanceTimeoutMs, sessionTimeoutMs);
        countProtocols(member, 1);
    }

    /// The member's join waits from now on. A reply it already waits with belongs to a request the client has given up.
    void awaitJoin(ClassicGroupMember member, Reply<JoinGroupResponseData> reply, CoordinatorResult.Builder out) {
        var abandoned = member.swapJoin(reply);
        if (abandoned == null) {
            awaitingJoin++;
        } else {
            out.answer(abandoned, ClassicGroupMember.joinError(member.memberId(), Errors.REBALANCE_IN_PROGRESS));
        }
    }

    /// The member's sync waits from now on; as for joins.
    void awaitSync(ClassicGroupMember member, Reply<SyncGroupResponseData> reply, CoordinatorResult.Builder out) {
        var abandoned = member.swapSync(reply);
        if (abandoned != null) {
            out.answer(abandoned, ClassicGroupMember.syncError(Errors.REBALANCE_IN_PROGRESS));
        }
    }

    /// Answers the member's join, if it waits.
    boolean answerJoin(ClassicGroupMember member, JoinGroupResponseData response, CoordinatorResult.Builder out) {
        var reply = member.swapJoin(null);
        if (reply == null) {
            return false;
        }
        awaitingJoin--;
        out.answer(reply, response);
        return true;
    }

    /// Answers the member's sync, if it waits.
    boolean answerSync(ClassicGroupMember member, SyncGroupResponseData response, CoordinatorResult.Builder out) {
        var reply = member.swapSync(null);
        if (reply == null) {
            return false;
        }
        pendingSyncMembers.remove(member.memberId());
        out.answer(reply, response);
        return true;
    }

    /// Gives a static member a new id. Requests that wait under the old one are fenced: two clients use one instance
    /// id.
    ClassicGroupMember replaceStatic(
            String groupInstanceId, String oldMemberId, String newMemberId, CoordinatorResult.Builder out) {
        var old = member(oldMemberId);
        answerJoin(old, ClassicGroupMember.joinError(oldMemberId, Errors.FENCED_INSTANCE_ID), out);
        answerSync(old, ClassicGroupMember.syncError(Errors.FENCED_INSTANCE_ID), out);
        members.remove(oldMemberId);
        pendingSyncMembers.remove(oldMemberId);
        var renamed = old.renamed(newMemberId);
        members.put(newMemberId, renamed);
        if (isLeader(oldMemberId)) {
            leaderId = newMemberId;
        }
        staticMembers.put(groupInstanceId, newMemberId);
        return renamed;
    }

    /// @throws ApiException UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID if the instance id has another member by now
    void validateMember(String memberId, @Nullable String groupInstanceId) {
        if (groupInstanceId != null) {
            var current = staticMembers.get(groupInstanceId);
            if (current == null) {
                throw new ApiException(
                        Errors.UNKNOWN_MEMBER_ID, "Group " + groupId + " has no instance " + groupInstanceId + ".");
            }
            if (!current.equals(memberId)) {
                throw new ApiException(
                        Errors.FENCED_INSTANCE_ID,
                        "Instance " + groupInstanceId + " of group " + groupId + " is member " + current
                                + " by now, no longer " + memberId + ".");
            }
        }
        if (!has(memberId)) {
            throw new ApiException(Errors.UNKNOWN_MEMBER_ID, "Group " + groupId + " has no member '" + memberId + "'.");
        }
    }

    /// @throws ApiException ILLEGAL_GENERATION
    void validateGeneration(int generation) {
        if (generation != generationId) {
            throw new ApiException(
                    Errors.ILLEGAL_GENERATION,
                    "Group " + groupId + " is in generation " + generationId + ", not " + generation + ".");
        }
    }

    @Override
    public CommitCheck validateOffsetCommit(
            String memberId,
            @Nullable String groupInstanceId,
            int generation,
            boolean transactional,
            short apiVersion) {
        if (is(ClassicGroupState.DEAD)) {
            throw new ApiException(Errors.COORDINATOR_NOT_AVAILABLE);
        }
        if (generation < 0 && is(ClassicGroupState.EMPTY)) {
            return CommitCheck.ANY; // An admin client, or a consumer that assigns partitions to itself.
        }
        if (generation >= 0 || !memberId.isEmpty() || groupInstanceId != null) {
            validateMember(memberId, groupInstanceId);
            validateGeneration(generation);
        } else if (!transactional && !is(ClassicGroupState.EMPTY)) {
            throw new ApiException(
                    Errors.UNKNOWN_MEMBER_ID,
                    "Group " + groupId + " has members, so only they can commit offsets for it.");
        }
        if (!transactional && is(ClassicGroupState.COMPLETING_REBALANCE)) {
            // The member knows the generation but not yet its assignment: it commits again after the sync.
            throw new ApiException(Errors.REBALANCE_IN_PROGRESS);
        }
        return CommitCheck.ANY;
    }

    @Override
    public void validateOffsetFetch(@Nullable String memberId, int memberEpoch) {
        // Who is in which epoch is a question of the consumer protocol.
    }

    /// Whether a member with these protocols can be in the group.
    boolean supports(String memberProtocolType, List<JoinGroupRequestProtocol> protocols) {
        if (is(ClassicGroupState.EMPTY)) {
            return !memberProtocolType.isEmpty() && !protocols.isEmpty();
        }
        if (!memberProtocolType.equals(protocolType)) {
            return false;
        }
        for (var protocol : protocols) {
            if (supportedProtocols.getOrDefault(protocol.name(), 0) == members.size()) {
                return true;
            }
        }
        return false;
    }

    /// The protocol the members would choose: of those that all support, the one that most prefer.
    /// A tie is broken by the order of a `HashMap`, as in Kafka: a group that moves between the two
    /// is not rebalanced for it.
    String selectProtocol() {
        var candidates = new LinkedHashSet<String>();
        supportedProtocols.forEach((name, count) -> {
            if (count == members.size()) {
                candidates.add(name);
            }
        });
        Invariant.check(!candidates.isEmpty(), () -> "no protocol is supported by all members of " + groupId);
        var votes = new HashMap<String, Integer>();
        for (var member : members.values()) {
            votes.merge(member.vote(candidates), 1, Integer::sum);
        }
        String best = null;
        int most = 0;
        for (var entry : votes.entrySet()) {
            if (entry.getValue() > most) {
                best = entry.getKey();
                most = entry.getValue();
            }
        }
        return java.util.Objects.requireNonNull(best);
    }

    boolean canRebalance() {
        return ClassicGroupState.PREPARING_REBALANCE.canFollow(state);
    }

    /// Whether everybody the group knows, or has given an id to, waits in a join.
    boolean hasAllMembersJoined() {
        return members.size() == awaitingJoin && pendingJoinMembers.isEmpty();
    }

    /// The longest time a member may need to join again.
    int rebalanceTimeoutMs() {
        int longest = 0;
        for (var member : members.values()) {
            longest = Math.max(longest, member.rebalanceTimeoutMs());
        }
        return longest;
    }

    void transitionTo(ClassicGroupState next, long nowMs) {
        Invariant.check(next.canFollow(state), () -> "group " + groupId + " cannot go from " + state + " to " + next);
        previousState = state;
        state = next;
        stateSinceMs = nowMs;
    }

    /// Makes sure that the leader is one of those who joined.
    ///
    /// @return false if nobody has joined
    boolean electJoinedLeader() {
        if (leaderId == null) {
            return false;
        }
        if (member(leaderId).isAwaitingJoin()) {
            return true;
        }
        for (var member : members.values()) {
            if (member.isAwaitingJoin()) {
                leaderId = member.memberId();
                return true;
            }
        }
        return false;
    }

    /// Forms the next generation of those who are members now.
    void startNextGeneration(long nowMs) {
        generationId++;
        if (members.isEmpty()) {
            protocolName = null;
            transitionTo(ClassicGroupState.EMPTY, nowMs);
        } else {
            protocolName = selectProtocol();
            transitionTo(ClassicGroupState.COMPLETING_REBALANCE, nowMs);
        }
        refreshSubscribedTopics();
        pendingSyncMembers.clear();
    }

    /// Takes the protocol the members would choose, outside a rebalance.
    void chooseProtocol() {
        protocolName = selectProtocol();
        refreshSubscribedTopics();
    }

    /// What the leader needs to know of everybody to compute an assignment.
    List<JoinGroupResponseMember> joinResponseMembers() {
        var name = protocolName;
        Invariant.check(name != null, () -> "group " + groupId + " has no protocol");
        return members.values().stream()
                .map(member -> new JoinGroupResponseMember()
                        .setMemberId(member.memberId())
                        .setGroupInstanceId(member.groupInstanceId())
                        .setMetadata(member.metadata(java.util.Objects.requireNonNull(name))))
                .toList();
    }

    /// The topics the members' subscriptions name, or null if they cannot be known.
    @Nullable
    Set<String> subscribedTopics() {
        return subscribedTopics;
    }

    /// Whether the topic's offsets are in use. A subscription that cannot be read counts as one to everything.
    @Override
    public boolean isSubscribedTo(String topic) {
        return subscribedTopics == null ? usesConsumerProtocol() : subscribedTopics.contains(topic);
    }

    void refreshSubscribedTopics() {
        if (protocolType == null || !usesConsumerProtocol()) {
            subscribedTopics = null;
        } else if (members.isEmpty()) {
            subscribedTopics = Set.of();
        } else if (protocolName == null) {
            subscribedTopics = null;
        } else {
            var name = protocolName;
            subscribedTopics = ConsumerSubscriptions.topics(members.values().stream()
                    .map(member -> member.metadata(name))
                    .toList());
        }
    }

    private void countProtocols(ClassicGroupMember member, int change) {
        for (var protocol : member.protocols()) {
            supportedProtocols.merge(protocol.name(), change, Integer::sum);
            supportedProtocols.remove(protocol.name(), 0);
        }
    }
}
