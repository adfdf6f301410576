/// Tests of the transaction coordinator.
@NullMarked
package io.moldau.broker.coordinator.transaction;

import org.jspecify.annotations.NullMarked;
