/// What a node knows, worked out for people: how far groups are behind, whether the node may be stopped.
@NullMarked
package io.moldau.ops.state;

import org.jspecify.annotations.NullMarked;
