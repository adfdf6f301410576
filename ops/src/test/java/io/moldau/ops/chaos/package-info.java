/// Runs faults against clusters of real processes and says what became of the records. `ops/README.md` tells how.
@NullMarked
package io.moldau.ops.chaos;

import org.jspecify.annotations.NullMarked;
