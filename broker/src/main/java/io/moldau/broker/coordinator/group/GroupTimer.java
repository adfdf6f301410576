package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.TimerEvent;

/// What the groups of a shard ask to be told later.
sealed interface GroupTimer extends TimerEvent {

    /// A member, or the owner of a pending member id, has been silent for its session.
    record SessionTimeout(String groupId, String memberId) implements GroupTimer {
        @Override
        public Object key() {
            return this;
        }
    }

    /// The barrier of one group's joins: there is one timer for it, whatever it was set for.
    record JoinBarrier(String groupId) {}

    /// An empty group has waited for its first members; `remainingMs` may still be waited if more keep coming.
    record InitialRebalance(String groupId, long delayMs, long remainingMs) implements GroupTimer {
        @Override
        public Object key() {
            return new JoinBarrier(groupId);
        }
    }

    /// The members had their time to join again.
    record JoinTimeout(String groupId) implements GroupTimer {
        @Override
        public Object key() {
            return new JoinBarrier(groupId);
        }
    }

    /// The members had their time to ask for their assignment.
    record SyncTimeout(String groupId, int generationId) implements GroupTimer {
        @Override
        public Object key() {
            return new SyncBarrier(groupId);
        }
    }

    /// As [JoinBarrier].
    record SyncBarrier(String groupId) {}

    /// A member of a consumer group had its time to give partitions up; without meaning once it has another epoch.
    record RevocationTimeout(String groupId, String memberId, int memberEpoch) implements GroupTimer {
        @Override
        public Object key() {
            return new Revocation(groupId, memberId);
        }
    }

    /// As [JoinBarrier], of one member.
    record Revocation(String groupId, String memberId) {}

    /// A member of the classic protocol in a consumer group had its time to join again.
    record RejoinTimeout(String groupId, String memberId) implements GroupTimer {
        @Override
        public Object key() {
            return this;
        }
    }

    /// A member of the classic protocol in a consumer group had its time to ask for its assignment.
    record FetchAssignmentTimeout(String groupId, String memberId) implements GroupTimer {
        @Override
        public Object key() {
            return this;
        }
    }

    /// Time to look for expired offsets and groups nobody needs.
    record Cleanup() implements GroupTimer {
        @Override
        public Object key() {
            return this;
        }
    }
}
