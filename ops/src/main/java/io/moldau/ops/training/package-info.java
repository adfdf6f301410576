/// A short rehearsal of a node's life at build time, from which the JVM learns what a start needs.
@NullMarked
package io.moldau.ops.training;

import org.jspecify.annotations.NullMarked;
