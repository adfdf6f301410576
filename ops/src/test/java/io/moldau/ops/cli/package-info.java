@NullMarked
package io.moldau.ops.cli;

import org.jspecify.annotations.NullMarked;
