package io.moldau.broker.metadata;

import io.moldau.common.time.Time;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Brokers that ended the connection on which this node followed them, and that the controller has not judged yet.
///
/// A broker's death is seen by its followers at once, by the controller some moments later. A client that lost its
/// connection asks for metadata in between. To be told the dead leader once more is bad for it: librdkafka then dials
/// that address until its next periodic refresh, which is minutes away. So such a broker is not named as a leader
/// until the controller has decided, or it answers again, or [#HOLD_NANOS] have passed; what clients do then is ask
/// again soon. It changes an answer to clients, nothing else.
///
/// Callable from any thread. Holds at most one entry for each registered broker.
public final class HungUpBrokers {

    /// Longer than the controller needs, failover included. A broker that is still registered after it may be
    /// reachable for clients though not from here.
    static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// @param epoch of the registration that hung up: one that came later is another process
    private record HungUp(long epoch, long sinceNanos) {}

    private final Supplier<MetadataImage> image;
    private final Time time;
    private final Map<Integer, HungUp> brokers = new ConcurrentHashMap<>();

    public HungUpBrokers(Supplier<MetadataImage> image, Time time) {
        this.image = image;
        this.time = time;
    }

    /// The connection to that broker, on which it had answered, broke. Does nothing if that is known: attempts that
    /// fail later do not prolong it.
    public void hungUp(int brokerId) {
        BrokerRegistration broker = image.get().cluster().broker(brokerId);
        if (broker != null && !broker.fenced()) {
            brokers.compute(
                    brokerId,
                    (id, known) -> known != null && known.epoch() == broker.epoch()
                            ? known
                            : new HungUp(broker.epoch(), time.nanoseconds()));
        }
    }

    /// It answers.
    public void answered(int brokerId) {
        if (!brokers.isEmpty()) {
            brokers.remove(brokerId);
        }
    }

    /// The ids of those that are not to be named as leaders now, by that image.
    public Set<Integer> in(MetadataImage current) {
        if (brokers.isEmpty()) {
            return Set.of();
        }
        long now = time.nanoseconds();
        Set<Integer> ids = new HashSet<>();
        brokers.forEach((id, hungUp) -> {
            BrokerRegistration broker = current.cluster().broker(id);
            if (broker != null
                    && broker.epoch() == hungUp.epoch()
                    && !broker.fenced()
                    && now - hungUp.sinceNanos() < HOLD_NANOS) {
                ids.add(id);
            }
        });
        return ids;
    }
}
