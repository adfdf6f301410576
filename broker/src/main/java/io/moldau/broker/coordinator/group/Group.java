package io.moldau.broker.coordinator.group;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import org.jspecify.annotations.Nullable;

/// A group of either protocol: one id is one group. What requests ask of any group is answered here.
public sealed interface Group permits ClassicGroup, ConsumerGroup {

    /// What ListGroups calls a group of this kind.
    enum Type {
        CLASSIC("classic"),
        CONSUMER("consumer");

        private final String name;

        Type(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /// Whether an offset of one partition may be committed.
    @FunctionalInterface
    interface CommitCheck {

        CommitCheck ANY = (topic, partition) -> Errors.NONE;

        /// NONE, or why not.
        Errors refusal(Uuid topic, int partition);
    }

    String groupId();

    Type type();

    /// Kafka's name for the state the group is in.
    String stateName();

    /// `consumer` for a group of consumers; empty for one that only has offsets.
    String protocolTypeName();

    /// How many members there are.
    int size();

    /// Whether the group is gone and only looked at by those who had it in their hands.
    boolean isDead();

    /// Whether it has no members, and nobody is about to become one.
    boolean isUnused();

    /// @param generation or epoch of the member, negative for somebody outside the group
    /// @param apiVersion of OffsetCommit, where it is not transactional
    /// @throws ApiException why nothing of this commit is taken
    CommitCheck validateOffsetCommit(
            String memberId, @Nullable String groupInstanceId, int generation, boolean transactional, short apiVersion);

    /// @param memberId null, and the epoch negative, for somebody who does not say who they are
    /// @throws ApiException why this member is told no offsets
    void validateOffsetFetch(@Nullable String memberId, int memberEpoch);

    /// Whether members read the topic, as far as can be known.
    boolean isSubscribedTo(String topic);
}
