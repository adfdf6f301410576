/// Transactions under faults: what clients did and saw, and whether that was all or nothing.
@NullMarked
package io.moldau.ops.chaos.transaction;

import org.jspecify.annotations.NullMarked;
