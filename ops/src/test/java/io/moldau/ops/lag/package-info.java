/// Lag and age of groups beside what reading everything finds.
@NullMarked
package io.moldau.ops.lag;

import org.jspecify.annotations.NullMarked;
