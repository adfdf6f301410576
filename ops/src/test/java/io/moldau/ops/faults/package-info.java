/// Everything that can go wrong and how it is told: each fault is staged, and `docs/faults.md` lists them.
@NullMarked
package io.moldau.ops.faults;

import org.jspecify.annotations.NullMarked;
