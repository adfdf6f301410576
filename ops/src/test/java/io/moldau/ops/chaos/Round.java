package io.moldau.ops.chaos;

import io.moldau.ops.chaos.load.History.Gaps;
import java.time.Duration;
import java.util.Locale;

/// What one fault did.
///
/// @param fault its gaps until every client was served in every partition again, or, when that is not possible while it
///     lasts, until it had ended and they were
/// @param after the gaps of coming back: of the node into the replicas, and of leaders to where they were
/// @param inSync from the end of the fault until all replicas were in sync
public record Round(String what, Gaps fault, Gaps after, Duration inSync) {

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: gap %.2f s (partition %d, producer %d), cluster %.2f s; coming back %.2f s; in sync after %.1f s",
                what,
                fault.partition().seconds(),
                fault.partition().partition(),
                fault.partition().producer(),
                fault.cluster().seconds(),
                after.partition().seconds(),
                inSync.toMillis() / 1e3);
    }
}
