/// Measurements, run by hand.
@NullMarked
package io.moldau.log.bench;

import org.jspecify.annotations.NullMarked;
