/// Tests of the group coordinator, on a harness that carries out its effects by hand.
@NullMarked
package io.moldau.broker.coordinator.group;

import org.jspecify.annotations.NullMarked;
