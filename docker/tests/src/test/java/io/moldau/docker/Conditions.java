package io.moldau.docker;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/// Waits for what a cluster of real processes comes to.
final class Conditions {

    private Conditions() {}

    /// Asks again and again; an exception is the answer "not yet", and told if it stays so.
    static void await(String what, Duration atMost, Callable<Boolean> condition) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        Exception last = null;
        while (true) {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                last = e;
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("waited " + atMost + " in vain for " + what, last);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
