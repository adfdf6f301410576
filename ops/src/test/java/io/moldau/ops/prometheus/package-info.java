@NullMarked
package io.moldau.ops.prometheus;

import org.jspecify.annotations.NullMarked;
