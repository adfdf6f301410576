/// Clusters of real node processes, ours or the reference's, and what can be done to them.
@NullMarked
package io.moldau.ops.chaos.cluster;

import org.jspecify.annotations.NullMarked;
