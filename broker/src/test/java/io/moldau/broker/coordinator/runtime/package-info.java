/// Tests of the coordinator runtime, against a log in memory.
@NullMarked
package io.moldau.broker.coordinator.runtime;

import org.jspecify.annotations.NullMarked;
