/// The transaction coordinator: who may write under a transactional id, and how its transactions end.
@NullMarked
package io.moldau.broker.coordinator.transaction;

import org.jspecify.annotations.NullMarked;
