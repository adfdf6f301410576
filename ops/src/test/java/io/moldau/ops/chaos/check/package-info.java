/// Judges a history against what can be read back and against the replicas' files.
@NullMarked
package io.moldau.ops.chaos.check;

import org.jspecify.annotations.NullMarked;
