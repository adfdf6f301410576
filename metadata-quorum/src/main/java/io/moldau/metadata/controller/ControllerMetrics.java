package io.moldau.metadata.controller;

/// Events of the active controller worth counting. Called on its thread.
public interface ControllerMetrics {

    ControllerMetrics NONE = new ControllerMetrics() {};

    default void activated(int epoch) {}

    default void deactivated() {}

    /// A batch was committed: how many operations it answered, how many records it had, how long it took.
    default void batchCommitted(int operations, int records, long nanos) {}

    /// An operation was answered; the time since it was asked.
    default void operationDone(String name, long nanos) {}

    /// An operation was refused because too many wait.
    default void overloaded() {}

    default void brokerFenced(int brokerId) {}
}
