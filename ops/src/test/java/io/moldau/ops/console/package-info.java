@NullMarked
package io.moldau.ops.console;

import org.jspecify.annotations.NullMarked;
