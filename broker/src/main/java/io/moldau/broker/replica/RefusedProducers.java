package io.moldau.broker.replica;

import io.moldau.common.Errors;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Producers whose records one partition refused lately, for a reason that passes.
///
/// A producer has several requests under way. When one is refused for the moment, and the next comes when the reason
/// is gone, its sequence shows a gap: an error that librdkafka cannot recover from. So for a while that next one is
/// refused alike, and the producer sends both again in order.
///
/// Keeps the last [#MOST] producers. Owned by the partition's mailbox.
final class RefusedProducers {

    /// Longer than producers wait before they send refused records again.
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// A producer that is pushed out gets the plain answer.
    static final int MOST = 1000;

    private record Refusal(Errors error, long nanos) {}

    private final Map<Long, Refusal> refusals = new LinkedHashMap<>();

    /// Records of that producer are refused now.
    void refused(long producerId, Errors error, long nowNanos) {
        refusals.remove(producerId); // the newest goes to the end
        refusals.put(producerId, new Refusal(error, nowNanos));
        var oldest = refusals.values().iterator();
        while (oldest.hasNext()) {
            Refusal first = oldest.next();
            if (refusals.size() <= MOST && nowNanos - first.nanos() < KEPT_NANOS) {
                return;
            }
            oldest.remove();
        }
    }

    /// Why its records were refused last, [Errors#NONE] if they were not, or long ago.
    Errors lately(long producerId, long nowNanos) {
        Refusal last = refusals.get(producerId);
        return last != null && nowNanos - last.nanos() < KEPT_NANOS ? last.error() : Errors.NONE;
    }
}
