package io.moldau.broker.replica;

import io.moldau.log.AppendOutcome;

/// Told what became of an append: on the caller's thread before the call returns, or on another thread that was
/// inside the partition and did it in passing. Must be quick and must not block.
@FunctionalInterface
public interface AppendCallback {

    void appended(AppendOutcome outcome);
}
