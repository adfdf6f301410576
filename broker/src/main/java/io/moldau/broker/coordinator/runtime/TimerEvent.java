package io.moldau.broker.coordinator.runtime;

/// What a shard asked to be told later. Scheduling an event replaces the pending one with an equal [#key].
public interface TimerEvent {

    Object key();
}
