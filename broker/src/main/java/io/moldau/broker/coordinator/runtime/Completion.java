package io.moldau.broker.coordinator.runtime;

import io.moldau.common.Errors;
import java.util.function.Function;

/// The rest of an operation, run inside the shard once the fate of its records is known. Exactly one of the two is
/// called, once.
public interface Completion {

    /// The records, and everything written before them, are committed.
    CoordinatorResult onCommitted(long nowMs);

    /// The records are not in the log, or nobody knows (`REQUEST_TIMED_OUT`).
    CoordinatorResult onFailed(Errors error, long nowMs);

    /// Sends the response when the records are committed, and else what `failure` makes of the error.
    static <T> Completion answer(Reply<T> reply, T response, Function<Errors, T> failure) {
        return new Completion() {
            @Override
            public CoordinatorResult onCommitted(long nowMs) {
                return CoordinatorResult.of(new Effect.Answer<>(reply, response));
            }

            @Override
            public CoordinatorResult onFailed(Errors error, long nowMs) {
                return CoordinatorResult.of(new Effect.Answer<>(reply, failure.apply(error)));
            }
        };
    }
}
