/// What a client may rely on when the process of a node is killed.
@NullMarked
package io.moldau.ops.crash;

import org.jspecify.annotations.NullMarked;
