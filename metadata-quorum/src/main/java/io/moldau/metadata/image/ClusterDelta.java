package io.moldau.metadata.image;

import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which nodes changed. Owned by whoever owns the [MetadataDelta].
public final class ClusterDelta {

    private final ClusterImage base;
    private final ClusterImage image;
    private final Set<Integer> changedBrokers = new TreeSet<>();

    ClusterDelta(ClusterImage base, ClusterImage image) {
        this.base = base;
        this.image = image;
        if (base.brokerMap() != image.brokerMap()) {
            image.brokerMap().forEach((id, broker) -> {
                if (!broker.equals(base.broker(id))) {
                    changedBrokers.add(id);
                }
            });
            for (int id : base.brokerMap().keySet()) {
                if (image.broker(id) == null) {
                    changedBrokers.add(id);
                }
            }
        }
    }

    public boolean isEmpty() {
        return base.equals(image);
    }

    public ClusterImage image() {
        return image;
    }

    /// Brokers that registered, changed or went. The new registration is null for one that went.
    public Set<Integer> changedBrokers() {
        return Collections.unmodifiableSet(changedBrokers);
    }

    public @Nullable BrokerRegistration before(int brokerId) {
        return base.broker(brokerId);
    }

    public @Nullable BrokerRegistration after(int brokerId) {
        return image.broker(brokerId);
    }

    /// Whether the broker's process is another one than before.
    public boolean isReplaced(int brokerId) {
        BrokerRegistration before = before(brokerId);
        BrokerRegistration after = after(brokerId);
        return before != null && after != null && !Objects.equals(before.incarnationId(), after.incarnationId());
    }
}
