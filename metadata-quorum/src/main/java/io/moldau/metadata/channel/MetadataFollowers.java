package io.moldau.metadata.channel;

import io.moldau.common.Uuid;
import io.moldau.metadata.quorum.QuorumDescription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Who follows the metadata log by fetching it here, and how far each is. Any thread.
///
/// Whoever was not heard of for five minutes is forgotten, as in Kafka, and so is the one that was silent longest when
/// there are too many.
final class MetadataFollowers {

    static final long FORGET_AFTER_MS = 300_000;
    static final int MAX_FOLLOWERS = 10_000;

    /// A controller whose disk was replaced is another follower than before.
    record Key(int nodeId, Uuid directoryId) {}

    private record Follower(long nextIndex, long lastFetchMs, long lastCaughtUpMs, boolean waits) {}

    /// In the order in which they were heard of last.
    private final Map<Key, Follower> followers = new LinkedHashMap<>();

    /// @param waits whether the answer has to wait for news
    synchronized void fetched(Key key, long nextIndex, long appliedIndex, long nowMs, boolean waits) {
        if (key.nodeId() < 0) {
            return;
        }
        Follower before = followers.remove(key);
        long caughtUpMs = nextIndex > appliedIndex ? nowMs : before == null ? -1 : before.lastCaughtUpMs();
        followers.put(key, new Follower(nextIndex, nowMs, caughtUpMs, waits));
        if (followers.size() > MAX_FOLLOWERS) {
            followers.remove(followers.keySet().iterator().next());
        }
    }

    /// What this one waited for has come, or it waited long enough.
    synchronized void answered(Key answered, long nowMs) {
        followers.computeIfPresent(
                answered, (key, follower) -> new Follower(follower.nextIndex(), nowMs, nowMs, false));
    }

    synchronized List<QuorumDescription.Replica> list(long nowMs) {
        followers.values().removeIf(follower -> !follower.waits() && nowMs - follower.lastFetchMs() > FORGET_AFTER_MS);
        var list = new ArrayList<QuorumDescription.Replica>();
        followers.forEach((key, follower) -> list.add(new QuorumDescription.Replica(
                key.nodeId(),
                key.directoryId(),
                follower.nextIndex(),
                follower.waits() ? nowMs : follower.lastFetchMs(),
                follower.waits() ? nowMs : follower.lastCaughtUpMs())));
        return list;
    }
}
