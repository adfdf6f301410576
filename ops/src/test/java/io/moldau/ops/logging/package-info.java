@NullMarked
package io.moldau.ops.logging;

import org.jspecify.annotations.NullMarked;
