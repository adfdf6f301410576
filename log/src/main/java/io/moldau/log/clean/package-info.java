/// Compaction: which log next, which of its records stay, and the rewriting of its segments.
@NullMarked
package io.moldau.log.clean;

import org.jspecify.annotations.NullMarked;
