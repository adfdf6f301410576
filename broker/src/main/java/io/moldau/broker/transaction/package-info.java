/// The partitions' side of transactions: end markers, and the question whether the transaction coordinator knows of a
/// partition. The transaction coordinator itself is in [io.moldau.broker.coordinator].
@NullMarked
package io.moldau.broker.transaction;

import org.jspecify.annotations.NullMarked;
