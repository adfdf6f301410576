/// The executable: reads the command line, starts a node, says where it listens, and stops it on a signal.
@NullMarked
package io.moldau.ops;

import org.jspecify.annotations.NullMarked;
