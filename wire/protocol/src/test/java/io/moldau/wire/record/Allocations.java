package io.moldau.wire.record;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/// How much heap code takes, by the JVM's own count.
final class Allocations {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocations() {}

    static long ofThisThread() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
