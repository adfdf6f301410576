/// Server-side assignors of consumer groups (KIP-848): pure functions from who subscribes to what to who reads what.
@NullMarked
package io.moldau.broker.coordinator.group.assignor;

import org.jspecify.annotations.NullMarked;
