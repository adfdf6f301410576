/// Tests of record batches.
@NullMarked
package io.moldau.wire.record;

import org.jspecify.annotations.NullMarked;
