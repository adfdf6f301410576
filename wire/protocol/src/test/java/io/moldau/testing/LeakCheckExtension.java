package io.moldau.testing;

import io.netty.buffer.PooledByteBufAllocator;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Fails a test class that leaked a Netty buffer. Applies to every test class of every module that has this test jar:
/// JUnit finds it as a service.
public final class LeakCheckExtension implements AfterAllCallback {

    private static final long COLLECTION_MS = 20_000;

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        if (context.getTestClass().filter(Class::isMemberClass).isPresent()) {
            return; // the outer class will be along
        }
        var leaks = findLeaks();
        if (!leaks.isEmpty()) {
            throw new AssertionError(leaks.size() + " buffers leaked in or before " + context.getDisplayName()
                    + "; the first:\n" + leaks.getFirst());
        }
    }

    /// Collects garbage, lets Netty look at what was collected, and takes what it found.
    static List<String> findLeaks() throws InterruptedException {
        // The collector hands over all references of one round in no certain order and before those of the next round.
        awaitCollection();
        awaitCollection();
        // Netty reports what is pending whenever it begins to track a buffer.
        PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        return LeakRecorder.takeLeaks();
    }

    private static void awaitCollection() throws InterruptedException {
        var queue = new ReferenceQueue<Object>();
        var sentinel = new WeakReference<>(new Object(), queue);
        System.gc();
        if (queue.remove(COLLECTION_MS) != sentinel) {
            throw new AssertionError(
                    "no garbage was collected within " + COLLECTION_MS + " ms, so leaks cannot be seen");
        }
    }
}
