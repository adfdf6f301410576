/// Tests of the assignors, against naive twins and against the reference's.
@NullMarked
package io.moldau.broker.coordinator.group.assignor;

import org.jspecify.annotations.NullMarked;
