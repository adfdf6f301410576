package io.moldau.broker.coordinator.group.consumer;

import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a member of a consumer group says of itself.
///
/// @param instanceId of a static member
/// @param topics subscribed to by name, sorted
/// @param regex for further topics, or null
/// @param rebalanceTimeoutMs how long it may take to give partitions up, -1 if it did not say
/// @param assignor it would have, or null
/// @param classic how it joined, if it speaks the classic protocol
public record MemberMetadata(
        @Nullable String instanceId,
        @Nullable String rackId,
        String clientId,
        String clientHost,
        List<String> topics,
        @Nullable String regex,
        int rebalanceTimeoutMs,
        @Nullable String assignor,
        @Nullable Classic classic) {

    /// Of somebody who has said nothing yet.
    public static final MemberMetadata NONE = new MemberMetadata(null, null, "", "", List.of(), null, -1, null, null);

    /// @param protocols as in its JoinGroup, the most wanted first
    public record Classic(int sessionTimeoutMs, List<JoinGroupRequestProtocol> protocols) {

        /// The protocol whose metadata counts.
        public JoinGroupRequestProtocol first() {
            return protocols.getFirst();
        }
    }

    /// This, with what a heartbeat says anew; null and -1 leave a field as it was, and an empty expression ends one.
    public MemberMetadata updated(
            @Nullable String newInstanceId,
            @Nullable String newRackId,
            String newClientId,
            String newClientHost,
            @Nullable List<String> newTopics,
            @Nullable String newRegex,
            int newRebalanceTimeoutMs,
            @Nullable String newAssignor,
            @Nullable Classic newClassic) {
        return new MemberMetadata(
                newInstanceId == null ? instanceId : newInstanceId,
                newRackId == null ? rackId : newRackId,
                newClientId,
                newClientHost,
                newTopics == null
                        ? topics
                        : newTopics.stream().distinct().sorted().toList(),
                newRegex == null ? regex : newRegex.isEmpty() ? null : newRegex,
                newRebalanceTimeoutMs == -1 ? rebalanceTimeoutMs : newRebalanceTimeoutMs,
                newAssignor == null ? assignor : newAssignor,
                newClassic);
    }
}
