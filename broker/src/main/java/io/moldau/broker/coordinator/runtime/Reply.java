package io.moldau.broker.coordinator.runtime;

/// Where one answer goes. Completed exactly once, on any thread.
@FunctionalInterface
public interface Reply<T> {

    void complete(T response);
}
