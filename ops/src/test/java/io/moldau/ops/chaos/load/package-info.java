/// Clients that write and read while a cluster suffers, and the history of what they were told.
@NullMarked
package io.moldau.ops.chaos.load;

import org.jspecify.annotations.NullMarked;
