/// A whole cluster on one thread, from one seed: simulated clock, network and disk around the real nodes.
@NullMarked
package io.moldau.sim;

import org.jspecify.annotations.NullMarked;
