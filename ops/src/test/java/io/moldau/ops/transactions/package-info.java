/// Transactions, as clients see them, beside the reference.
@NullMarked
package io.moldau.ops.transactions;

import org.jspecify.annotations.NullMarked;
