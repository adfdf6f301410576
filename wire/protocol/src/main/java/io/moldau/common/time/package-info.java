/// Clocks, deadlines and timers. Logic takes them through constructors; only edges read the real clock.
@NullMarked
package io.moldau.common.time;

import org.jspecify.annotations.NullMarked;
