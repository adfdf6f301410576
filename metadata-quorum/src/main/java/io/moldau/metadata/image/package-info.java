/// The cluster's metadata as immutable values, and the deltas that lead from one to the next. Pure.
@NullMarked
package io.moldau.metadata.image;

import org.jspecify.annotations.NullMarked;
