/// Tests of timers and deadlines.
@NullMarked
package io.moldau.common.time;

import org.jspecify.annotations.NullMarked;
