package io.moldau.broker.coordinator.group;

/// Settings that a single group may have for itself, as they are in effect now (resource type GROUP, KIP-848).
///
/// Read anew whenever one is needed, for they change while the group lives. Thread-safe.
public interface GroupSettings {

    /// `consumer.session.timeout.ms`: how long a member may be silent before it is removed.
    int sessionTimeoutMs(String groupId);

    /// `consumer.heartbeat.interval.ms`: how often members are told to send heartbeats.
    int heartbeatIntervalMs(String groupId);

    /// `consumer.assignment.interval.ms`: the shortest time between two assignments; 0 for none.
    int assignmentIntervalMs(String groupId);

    /// The same for every group.
    static GroupSettings fixed(int sessionTimeoutMs, int heartbeatIntervalMs, int assignmentIntervalMs) {
        return new Fixed(sessionTimeoutMs, heartbeatIntervalMs, assignmentIntervalMs);
    }

    /// See [#fixed].
    record Fixed(int sessionTimeout, int heartbeatInterval, int assignmentInterval) implements GroupSettings {

        @Override
        public int sessionTimeoutMs(String groupId) {
            return sessionTimeout;
        }

        @Override
        public int heartbeatIntervalMs(String groupId) {
            return heartbeatInterval;
        }

        @Override
        public int assignmentIntervalMs(String groupId) {
            return assignmentInterval;
        }
    }
}
