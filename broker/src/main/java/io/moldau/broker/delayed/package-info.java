/// Waits: deadlines on a coarse wheel and offsets still to be reached. Pure; a driver advances them.
@NullMarked
package io.moldau.broker.delayed;

import org.jspecify.annotations.NullMarked;
