/// Pure. Decides whether a client's batch may be appended, from the batch, the topic's settings and the time
/// passed in.
@NullMarked
package io.moldau.log.append;

import org.jspecify.annotations.NullMarked;
