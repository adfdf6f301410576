package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.common.Errors;
import io.moldau.common.Invariant;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroupMember;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.SyncGroupResponseData;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A member of a classic group. Owned by its [ClassicGroup].
///
/// While a join or a sync of the member waits, its reply is kept here.
final class ClassicGroupMember {

    static final byte[] NO_BYTES = {};

    private final String memberId;
    private final @Nullable String groupInstanceId;
    private final String clientId;
    private final String clientHost;
    private final String protocolType;
    private int rebalanceTimeoutMs;
    private int sessionTimeoutMs;
    private List<JoinGroupRequestProtocol> protocols;
    private byte[] assignment = NO_BYTES;
    private boolean isNew;
    private @Nullable Reply<JoinGroupResponseData> awaitingJoin;
    private @Nullable Reply<SyncGroupResponseData> awaitingSync;

    ClassicGroupMember(
            String memberId,
            @Nullable String groupInstanceId,
            String clientId,
            String clientHost,
            int rebalanceTimeoutMs,
            int sessionTimeoutMs,
            String protocolType,
            List<JoinGroupRequestProtocol> protocols) {
        this.memberId = memberId;
        this.groupInstanceId = groupInstanceId;
        this.clientId = clientId;
        this.clientHost = clientHost;
        this.rebalanceTimeoutMs = rebalanceTimeoutMs;
        this.sessionTimeoutMs = sessionTimeoutMs;
        this.protocolType = protocolType;
        this.protocols = protocols;
    }

    /// The same static member under another id.
    ClassicGroupMember renamed(String newMemberId) {
        var member = new ClassicGroupMember(
                newMemberId,
                groupInstanceId,
                clientId,
                clientHost,
                rebalanceTimeoutMs,
                sessionTimeoutMs,
                protocolType,
                protocols);
        member.assignment = assignment;
        return member;
    }

    String memberId() {
        return memberId;
    }

    @Nullable
    String groupInstanceId() {
        return groupInstanceId;
    }

    boolean isStatic() {
        return groupInstanceId != null;
    }

    String clientId() {
        return clientId;
    }

    String clientHost() {
        return clientHost;
    }

    String protocolType() {
        return protocolType;
    }

    int rebalanceTimeoutMs() {
        return rebalanceTimeoutMs;
    }

    int sessionTimeoutMs() {
        return sessionTimeoutMs;
    }

    List<JoinGroupRequestProtocol> protocols() {
        return protocols;
    }

    byte[] assignment() {
        return assignment;
    }

    void assign(byte[] newAssignment) {
        assignment = newAssignment;
    }

    /// Whether the member is in its first join, before it could know its id and send heartbeats.
    boolean isNew() {
        return isNew;
    }

    void markNew(boolean value) {
        isNew = value;
    }

    boolean isAwaitingJoin() {
        return awaitingJoin != null;
    }

    boolean isAwaitingSync() {
        return awaitingSync != null;
    }

    /// Who waits for the join, replaced by `reply`.
    @Nullable
    Reply<JoinGroupResponseData> swapJoin(@Nullable Reply<JoinGroupResponseData> reply) {
        var previous = awaitingJoin;
        awaitingJoin = reply;
        return previous;
    }

    /// Who waits for the sync, replaced by `reply`.
    @Nullable
    Reply<SyncGroupResponseData> swapSync(@Nullable Reply<SyncGroupResponseData> reply) {
        var previous = awaitingSync;
        awaitingSync = reply;
        return previous;
    }

    /// Whether silence is excused: a member whose request is held here cannot send heartbeats. A new member is not
    /// excused, because a client that gave up its first join leaves nothing else behind to notice it by.
    boolean isExcusedFromHeartbeat() {
        return !isNew && (isAwaitingJoin() || isAwaitingSync());
    }

    void update(List<JoinGroupRequestProtocol> newProtocols, int newRebalanceTimeoutMs, int newSessionTimeoutMs) {
        protocols = newProtocols;
        rebalanceTimeoutMs = newRebalanceTimeoutMs;
        sessionTimeoutMs = newSessionTimeoutMs;
    }

    /// Whether the member would join with exactly what it has already joined with.
    boolean matches(List<JoinGroupRequestProtocol> others) {
        if (protocols.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < others.size(); i++) {
            var mine = protocols.get(i);
            var other = others.get(i);
            if (!mine.name().equals(other.name()) || !Arrays.equals(mine.metadata(), other.metadata())) {
                return false;
            }
        }
        return true;
    }

    /// The member's metadata in the protocol the group chose.
    byte[] metadata(String protocolName) {
        for (var protocol : protocols) {
            if (protocol.name().equals(protocolName)) {
                return protocol.metadata();
            }
        }
        throw Invariant.unreachable("member " + memberId + " does not support the group's protocol " + protocolName);
    }

    /// The first of the member's protocols among the candidates.
    String vote(Set<String> candidates) {
        for (var protocol : protocols) {
            if (candidates.contains(protocol.name())) {
                return protocol.name();
            }
        }
        throw Invariant.unreachable("member " + memberId + " supports none of " + candidates);
    }

    /// @param protocolName whose metadata is shown, null for none; an assignment is shown as long as there is one
    DescribedGroupMember describe(@Nullable String protocolName) {
        var described = new DescribedGroupMember()
                .setMemberId(memberId)
                .setGroupInstanceId(groupInstanceId)
                .setClientId(clientId)
                .setClientHost(clientHost)
                .setMemberAssignment(assignment);
        return protocolName == null ? described : described.setMemberMetadata(metadata(protocolName));
    }

    static JoinGroupResponseData joinError(String memberId, Errors error) {
        return new JoinGroupResponseData()
                .setMemberId(memberId)
                .setProtocolName(null)
                .setErrorCode(error.code());
    }

    static SyncGroupResponseData syncError(Errors error) {
        return new SyncGroupResponseData().setErrorCode(error.code());
    }
}
