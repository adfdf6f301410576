/// Consumer groups of KIP-848 as values: who is in a group, what each member has and is to have, and how it gets from
/// the one to the other. Immutable and pure.
@NullMarked
package io.moldau.broker.coordinator.group.consumer;

import org.jspecify.annotations.NullMarked;
