package io.moldau.ops.cli;

import java.util.List;
import java.util.function.BooleanSupplier;

/// What several threads of a bench do at the same time.
interface BenchWork {

    /// One for each thread.
    List<BenchTally> tallies();

    /// Does the work of one thread, and returns when it is done.
    ///
    /// @param index of the thread
    /// @param beganNanos when the warm-up began
    /// @param stop whether to end early
    void work(int index, long beganNanos, BooleanSupplier stop);
}
