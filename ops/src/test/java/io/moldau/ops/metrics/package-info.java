@NullMarked
package io.moldau.ops.metrics;

import org.jspecify.annotations.NullMarked;
