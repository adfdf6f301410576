/// Nodes with several log directories.
@NullMarked
package io.moldau.ops.logdirs;

import org.jspecify.annotations.NullMarked;
