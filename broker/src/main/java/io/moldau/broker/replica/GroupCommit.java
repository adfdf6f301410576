package io.moldau.broker.replica;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/// Has one partition's records forced to the disk, once for all who ask for it until the disk is free.
///
/// Who asks does not wait. What was appended before [#request] is durable when the next force that
/// begins after it has ended; while one is under way, however many requests make one more. Any
/// thread.
final class GroupCommit {

    private enum State {
        IDLE,
        /// A force will begin that covers what is asked for now.
        QUEUED,
        FORCING,
        /// Another one is wanted after this one.
        FORCING_BEHIND
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    private final Supplier<Executor> threads;
    private final Runnable force;

    /// @param threads those of the directory the log is in, where waiting for the disk is allowed
    /// @param force forces what is in the log now and tells whoever waits for it, also if that failed
    GroupCommit(Supplier<Executor> threads, Runnable force) {
        this.threads = threads;
        this.force = force;
    }

    void request() {
        while (true) {
            State now = Objects.requireNonNull(state.get());
            switch (now) {
                case QUEUED, FORCING_BEHIND -> {
                    return;
                }
                case IDLE -> {
                    if (state.compareAndSet(now, State.QUEUED)) {
                        threads.get().execute(this::run);
                        return;
                    }
                }
                case FORCING -> {
                    if (state.compareAndSet(now, State.FORCING_BEHIND)) {
                        return;
                    }
                }
            }
        }
    }

    private void run() {
        state.set(State.FORCING);
        try {
            force.run();
        } finally {
            if (!state.compareAndSet(State.FORCING, State.IDLE)) {
                // Behind whatever else waits for this disk by now.
                state.set(State.QUEUED);
                threads.get().execute(this::run);
            }
        }
    }
}
