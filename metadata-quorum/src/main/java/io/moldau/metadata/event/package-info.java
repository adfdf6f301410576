/// Threads that work through a queue of tasks and timers, as something that can be stepped by hand in a simulation.
@NullMarked
package io.moldau.metadata.event;

import org.jspecify.annotations.NullMarked;
