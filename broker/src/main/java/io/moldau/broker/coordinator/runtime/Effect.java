package io.moldau.broker.coordinator.runtime;

/// What a shard wants done besides records: carried out by the [CoordinatorRuntime], in order, right after the
/// operation.
public sealed interface Effect {

    /// Sends a response that depends on nothing the log still has to confirm.
    record Answer<T>(Reply<T> reply, T response) implements Effect {
        void deliver() {
            reply.complete(response);
        }
    }

    /// Hands the event back to the shard after the delay.
    record Schedule(TimerEvent event, long delayMs) implements Effect {}

    /// Forgets the pending event with this key, if there is one.
    record Cancel(Object timerKey) implements Effect {}
}
