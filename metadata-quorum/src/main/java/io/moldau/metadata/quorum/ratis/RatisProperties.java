package io.moldau.metadata.quorum.ratis;

import java.util.Map;
import java.util.TreeMap;
import org.apache.ratis.conf.RaftProperties;

/// The Ratis settings that differ from its defaults, and why. The README of this module has the same table.
final class RatisProperties {

    /// The largest entry. A larger one would make the leader step down, so we refuse it before (see
    /// [RatisQuorum#append]). All voters must agree on it.
    static final int APPENDER_BYTE_LIMIT = 4 << 20;

    private RatisProperties() {}

    static RaftProperties of(RatisQuorumConfig config, boolean invited) {
        var properties = new RaftProperties();
        settings(config, invited).forEach(properties::set);
        return properties;
    }

    /// Every key that is not at its default.
    ///
    /// @param invited a leader is about to make this controller a voter
    static Map<String, String> settings(RatisQuorumConfig config, boolean invited) {
        boolean alone = config.voters().size() == 1;
        var set = new TreeMap<String, String>();
        set.put("raft.rpc.type", TransportRpcType.class.getName());
        set.put("raft.server.rpc.timeout.min", config.rpcTimeoutMinMs() + "ms");
        set.put("raft.server.rpc.timeout.max", config.rpcTimeoutMaxMs() + "ms");
        if (invited) {
            // One that was a voter before has a log in which it is one. Should it stand for election before the leader
            // speaks to it, the others answer that it is no member, and Ratis closes its division for that. Not longer,
            // since Ratis looks at the clock only when this has passed: until then it neither stands for election after
            // a leader that hangs, nor learns that it was removed again.
            set.put("raft.server.rpc.first-election.timeout.min", "10s");
            set.put("raft.server.rpc.first-election.timeout.max", "15s");
        } else {
            // A lone voter waits for nobody. Otherwise a range narrower than this splits votes.
            set.put("raft.server.rpc.first-election.timeout.min", alone ? "5ms" : "100ms");
            set.put("raft.server.rpc.first-election.timeout.max", alone ? "10ms" : "300ms");
        }
        set.put("raft.server.rpc.slowness.timeout", "30s");
        // Drives the reset of connections that back off, see RatisQuorum.
        set.put("raft.server.notification.no-leader.timeout", "3s");
        // How long a leader that lost its majority refuses to stand again, even if only it has the newest log.
        set.put("raft.server.leaderelection.leader.step-down.wait-time", "1s");
        // A JVM that was paused for a minute must come back, not close its server for ever.
        set.put("raft.server.close.threshold", "24h");

        set.put("raft.server.storage.dir", config.directory().toString());
        // Its default is a folder under /tmp; nothing is ever moved there, but it must not be shared either.
        set.put(
                "raft.server.removed.groups.dir",
                config.directory().resolve("removed").toString());
        set.put("raft.server.storage.free-space.min", "64MB");
        set.put("raft.server.log.corruption.policy", "WARN_AND_RETURN"); // with CommitMark as its guard

        // Starts a thread for each entry on machines with few cores.
        set.put("raft.server.log.append-entries.compose.enabled", "false");
        // Would append a second entry after each commit.
        set.put("raft.server.log.log-metadata.enabled", "false");
        set.put("raft.server.log.segment.size.max", "16MB");
        set.put("raft.server.log.segment.cache.num.max", "2");
        set.put("raft.server.log.segment.cache.size.max", "32MB");
        set.put("raft.server.log.preallocated.size", "1MB");
        set.put("raft.server.log.write.buffer.size", Integer.toString(APPENDER_BYTE_LIMIT + 8));
        set.put("raft.server.log.appender.buffer.byte-limit", Integer.toString(APPENDER_BYTE_LIMIT));
        // One batch is in flight: waiting for more to join it only costs.
        set.put("raft.server.log.appender.wait-time.min", "0ms");
        set.put("raft.server.log.appender.retry.policy", "1ms,5, 50ms,40, 400ms,1000000000");
        set.put("raft.server.log.appender.snapshot.chunk.size.max", "4MB");
        set.put("raft.server.log.purge.upto.snapshot.index", "true");
        set.put("raft.server.log.purge.preservation.log.num", "20000");

        // Snapshots have their own scheduler and retention, see RatisSnapshots.
        set.put("raft.server.snapshot.auto.trigger.enabled", "false");
        set.put("raft.server.snapshot.retention.file.num", "3");
        // We never retry by call id.
        set.put("raft.server.retrycache.expirytime", "10s");
        set.put("raft.server.staging.timeout", "30s");
        set.putAll(config.raftProperties());
        return set;
    }
}
