/// Consumer groups: the state machines of the classic protocol, committed offsets, and the shell that serves them.
@NullMarked
package io.moldau.broker.coordinator.group;

import org.jspecify.annotations.NullMarked;
