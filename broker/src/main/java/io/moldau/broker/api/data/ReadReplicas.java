package io.moldau.broker.api.data;

import io.moldau.broker.replica.FollowerPosition;
import io.moldau.broker.replica.LeaderState;
import io.moldau.broker.replica.Partition;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ClusterImage;
import io.moldau.metadata.image.MetadataImage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Chooses the replica a consumer should read from: one in its own rack, if the leader is not (KIP-392). Immutable.
///
/// A replica is eligible if it is in sync, has the offset, and its broker is not fenced and listens where the client
/// asks. Of several the one that is furthest is chosen.
public final class ReadReplicas {

    /// Everybody reads from the leader.
    public static final ReadReplicas LEADER_ONLY = new ReadReplicas(() -> MetadataImage.EMPTY, false);

    private final Supplier<MetadataImage> image;
    private final boolean on;

    private ReadReplicas(Supplier<MetadataImage> image, boolean on) {
        this.image = image;
        this.on = on;
    }

    /// By rack.
    public static ReadReplicas rackAware(Supplier<MetadataImage> image) {
        return new ReadReplicas(image, true);
    }

    boolean isOn() {
        return on;
    }

    /// The broker a client in that rack should rather ask; -1 if this one is as good, or does not lead.
    int nearest(Partition partition, String rack, long fetchOffset, String listenerName) {
        if (!on) {
            return -1;
        }
        LeaderState state = partition.leaderState();
        if (state == null || !state.hasFollowers()) {
            return -1;
        }
        ClusterImage cluster = image.get().cluster();
        if (isIn(rack, cluster.broker(partition.leaderId()))) {
            return -1;
        }
        int best = -1;
        long bestEnd = -1;
        for (int broker : state.isr()) {
            FollowerPosition position = state.follower(broker);
            BrokerRegistration registration = cluster.broker(broker);
            if (position != null
                    && registration != null
                    && isIn(rack, registration)
                    && !registration.fenced()
                    && registration.listener(listenerName) != null
                    && position.logStartOffset() <= fetchOffset
                    && position.logEndOffset() >= fetchOffset
                    && position.logEndOffset() > bestEnd) {
                best = broker;
                bestEnd = position.logEndOffset();
            }
        }
        return best;
    }

    private static boolean isIn(String rack, @Nullable BrokerRegistration broker) {
        return broker != null && rack.equals(broker.rack());
    }
}
