/// The coordinators' view of the partitions this node leads.
@NullMarked
package io.moldau.broker.coordinator.log;

import org.jspecify.annotations.NullMarked;
