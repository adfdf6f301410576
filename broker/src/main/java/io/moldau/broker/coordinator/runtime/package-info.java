/// Runs replicated state machines whose log is one partition of an internal topic: loading, writing, timers, unloading.
@NullMarked
package io.moldau.broker.coordinator.runtime;

import org.jspecify.annotations.NullMarked;
