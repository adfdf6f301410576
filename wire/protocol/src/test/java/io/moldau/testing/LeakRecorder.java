package io.moldau.testing;

import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Netty's leak detector, with the leaks kept so that a test can fail of them. The build names it to Netty in
/// `io.netty.customResourceLeakDetector`.
///
/// Thread-safe: Netty reports a leak on whatever thread happens to allocate next.
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {

    private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

    // The two shapes of constructor that Netty looks for.

    public LeakRecorder(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    public LeakRecorder(Class<?> resourceType, int samplingInterval, long maxActive) {
        super(resourceType, samplingInterval);
    }

    /// The leaks reported since the last call.
    public static List<String> takeLeaks() {
        var leaks = List.copyOf(LEAKS);
        LEAKS.removeAll(leaks);
        return leaks;
    }

    /// Netty's own detector looks only where errors are logged.
    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        LEAKS.add(resourceType + " was not released before it was garbage-collected; it was used at" + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        LEAKS.add(resourceType + " was not released before it was garbage-collected");
    }
}
