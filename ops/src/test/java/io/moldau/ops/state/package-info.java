@NullMarked
package io.moldau.ops.state;

import org.jspecify.annotations.NullMarked;
